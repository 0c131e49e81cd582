import { revokeCurrentToken } from '../../lib/accounts/revoke-token.ts';
import { endpoint } from '../../lib/api/endpoint.ts';
import { revokeCurrentToken as contract } from '../../lib/contracts/auth/revoke-current-token.ts';
import { succeeded } from '../../lib/contracts/fields/success.ts';

export const handler = endpoint(contract, {
  run: async ({ context }) => {
    await revokeCurrentToken(context);
    return { status: 200, body: succeeded };
  },
});
