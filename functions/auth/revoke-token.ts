import { revokeToken } from '../../lib/accounts/revoke-token.ts';
import { endpoint } from '../../lib/api/endpoint.ts';
import { revokeToken as contract } from '../../lib/contracts/auth.ts';
import { succeeded } from '../../lib/contracts/fields/success.ts';

export const handler = endpoint(contract, {
  run: async ({ principal, source, params, log }) => {
    await revokeToken(principal, source, params.tokenId, log);
    return { status: 200, body: succeeded };
  },
});
