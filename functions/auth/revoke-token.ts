import { revokeToken } from '../../lib/accounts/revoke-token.ts';
import { endpoint } from '../../lib/api/endpoint.ts';
import { revokeToken as contract } from '../../lib/contracts/auth/revoke-token.ts';
import { succeeded } from '../../lib/contracts/fields/success.ts';

export const handler = endpoint(contract, {
  run: async ({ context, params }) => {
    await revokeToken(context, params.tokenId);
    return { status: 200, body: succeeded };
  },
});
