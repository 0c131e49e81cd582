import { answerAt, textAt } from '#lib/api/conditional-answer.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { pullSecrets as contract } from '#lib/contracts/secrets/secrets.ts';
import { beginDescribedRead } from '#lib/secrets/describe-keys.ts';
import { beginPull, pullSecrets } from '#lib/secrets/pull-secrets.ts';

export const handler = endpoint(contract, {
  fetch: ({ params, query, headers }) =>
    beginDescribedRead(params, { ...query, ifNoneMatch: headers['if-none-match'] }, currentState =>
      beginPull(params, query, currentState),
    ),
  run: async ({ context, query, fetched }) => {
    const read = await pullSecrets(context, query, fetched);
    return 'text' in read ? textAt(query.revision, read) : answerAt(query.revision, read);
  },
});
