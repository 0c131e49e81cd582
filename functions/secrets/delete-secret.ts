import { endpoint } from '#lib/api/endpoint.ts';
import { deleteSecret as contract } from '#lib/contracts/secrets/changes.ts';
import { beginChange } from '#lib/secrets/change/read-target.ts';
import { deleteSecret } from '#lib/secrets/set-and-delete-secrets.ts';

export const handler = endpoint(contract, {
  fetch: ({ params, query }) => beginChange(params, [params.key], query),
  run: async ({ context, params, query, headers, fetched }) => ({
    body: await deleteSecret(context, { ...query, key: params.key, ifMatch: headers['if-match'] }, fetched),
  }),
});
