import { endpoint } from '../../lib/api/endpoint.ts';
import { setSecret as contract } from '../../lib/contracts/secrets.ts';
import { beginChange } from '../../lib/secrets/change-secrets.ts';
import { setSecret } from '../../lib/secrets/set-secret.ts';

export const handler = endpoint(contract, {
  fetch: ({ params, body }) => beginChange(params, [body.key]),
  run: async input => {
    const { created, result } = await setSecret(input);
    return { status: created ? 201 : 200, body: result };
  },
});
