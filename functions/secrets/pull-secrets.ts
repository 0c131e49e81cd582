import { answerAt, layeredAnswer, textAt } from '#lib/api/conditional-answer.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { pullSecrets as contract } from '#lib/contracts/secrets/secrets.ts';
import { beginDescribedRead } from '#lib/secrets/describe-keys.ts';
import { beginLayers, pullLayers } from '#lib/secrets/pull-layers.ts';
import { beginPull, pullSecrets } from '#lib/secrets/pull-secrets.ts';

export const handler = endpoint(contract, {
  fetch: async ({ params, query, headers }) => {
    const { 'if-none-match': ifNoneMatch } = headers;
    if (query.layers !== undefined) return beginLayers(params, query.layers, ifNoneMatch);
    return beginDescribedRead(params, { ...query, ifNoneMatch }, currentState =>
      beginPull(params, query, currentState),
    );
  },
  run: async ({ context, query, fetched }) => {
    if ('places' in fetched) return layeredAnswer(await pullLayers(context, query, fetched));
    const read = await pullSecrets(context, query, fetched);
    return 'text' in read ? textAt(query.revision, read) : answerAt(query.revision, read);
  },
});
