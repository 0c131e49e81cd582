import { answerAt, textAt } from '#lib/api/conditional-answer.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { pullSecrets as contract } from '#lib/contracts/secrets/secrets.ts';
import { beginConditionalRead } from '#lib/secrets/engine/read-environment.ts';
import { beginPull, pullSecrets } from '#lib/secrets/pull-secrets.ts';

export const handler = endpoint(contract, {
  fetch: ({ params, query, headers }) =>
    beginConditionalRead(params, { ifNoneMatch: headers['if-none-match'], revision: query.revision }, currentState =>
      beginPull(params, query, currentState),
    ),
  run: async ({ context, query, fetched }) => {
    const read = await pullSecrets(context, query, fetched);
    return 'text' in read ? textAt(query.revision, read) : answerAt(query.revision, read);
  },
});
