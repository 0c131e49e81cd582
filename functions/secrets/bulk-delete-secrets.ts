import { endpoint } from '../../lib/http/endpoint.ts';
import { beginChange } from '../../lib/secrets/change-secrets.ts';
import { bulkDeleteSecrets as contract } from '../../lib/secrets/contracts.ts';
import { bulkDeleteSecrets } from '../../lib/secrets/delete-secrets.ts';

export const handler = endpoint(contract, {
  fetch: ({ params, body }) => beginChange(params, body.keys),
  run: async input => ({ status: 200, body: await bulkDeleteSecrets(input) }),
});
