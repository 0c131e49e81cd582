import { endpoint } from '#lib/api/endpoint.ts';
import { bulkDeleteSecrets as contract } from '#lib/contracts/secrets/changes.ts';
import { beginChange } from '#lib/secrets/change/read-target.ts';
import { bulkDeleteSecrets } from '#lib/secrets/set-and-delete-secrets.ts';

export const handler = endpoint(contract, {
  fetch: ({ params, query, body }) => beginChange(params, body.keys, query),
  run: async ({ context, query, headers, body, fetched }) => ({
    body: await bulkDeleteSecrets(context, { ...query, ...body, ifMatch: headers['if-match'] }, fetched),
  }),
});
