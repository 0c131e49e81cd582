import { endpoint } from '#lib/api/endpoint.ts';
import { importSecrets as contract } from '#lib/contracts/secrets/changes.ts';
import { beginChange } from '#lib/secrets/change/read-target.ts';
import { importSecrets } from '#lib/secrets/set-and-delete-secrets.ts';

export const handler = endpoint(contract, {
  fetch: ({ params, query, body }) =>
    beginChange(
      params,
      body.secrets.map(({ key }) => key),
      query,
    ),
  run: async ({ context, query, headers, body, fetched }) => ({
    body: await importSecrets(context, { ...query, ...body, ifMatch: headers['if-match'] }, fetched),
  }),
});
