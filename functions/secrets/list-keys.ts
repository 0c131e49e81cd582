import { answerAt } from '#lib/api/conditional-answer.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { listKeys as contract } from '#lib/contracts/secrets/secrets.ts';
import { beginConditionalRead } from '#lib/secrets/engine/read-environment.ts';
import { beginRead } from '#lib/secrets/engine/read-live-secrets.ts';
import { listKeys } from '#lib/secrets/list-keys.ts';

export const handler = endpoint(contract, {
  fetch: ({ params, query: { revision }, headers }) =>
    beginConditionalRead(params, { ifNoneMatch: headers['if-none-match'], revision }, currentState =>
      beginRead(params, revision === undefined ? [] : [revision], currentState),
    ),
  run: async ({ context, query, fetched }) => answerAt(query.revision, await listKeys(context, query, fetched)),
});
