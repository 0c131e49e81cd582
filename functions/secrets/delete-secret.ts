import { endpoint } from '../../lib/http/endpoint.ts';
import { beginChange } from '../../lib/secrets/change-secrets.ts';
import { deleteSecret as contract } from '../../lib/secrets/contracts.ts';
import { deleteSecret } from '../../lib/secrets/delete-secrets.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => beginChange(params, [params.key]),
  run: async input => ({ status: 200, body: await deleteSecret(input) }),
});
