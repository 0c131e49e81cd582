import { endpoint } from '#lib/api/endpoint.ts';
import { restoreSecrets as contract } from '#lib/contracts/secrets/history.ts';
import { beginRestoration, restoreSecrets } from '#lib/secrets/restore-secrets.ts';

export const handler = endpoint(contract, {
  fetch: ({ params, query, body }) => beginRestoration(params, { ...query, ...body }),
  run: async ({ context, query, headers, body, fetched }) => ({
    body: await restoreSecrets(context, { ...query, ...body, ifMatch: headers['if-match'] }, fetched),
  }),
});
