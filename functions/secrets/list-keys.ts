import { answerAt } from '#lib/api/conditional-answer.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { listKeys as contract } from '#lib/contracts/secrets/secrets.ts';
import { beginDescribedRead } from '#lib/secrets/describe-keys.ts';
import { beginRead } from '#lib/secrets/engine/read-live-secrets.ts';
import { listKeys } from '#lib/secrets/list-keys.ts';

export const handler = endpoint(contract, {
  fetch: ({ params, query, headers }) =>
    beginDescribedRead(params, { ...query, ifNoneMatch: headers['if-none-match'] }, currentState =>
      beginRead(params, query.revision === undefined ? [] : [query.revision], currentState),
    ),
  run: async ({ context, query, fetched }) => answerAt(query.revision, await listKeys(context, query, fetched)),
});
