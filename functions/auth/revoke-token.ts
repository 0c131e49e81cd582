import { revokeToken as contract } from '../../lib/accounts/contracts.ts';
import { revokeToken } from '../../lib/accounts/revoke-token.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { succeeded } from '../../lib/http/success.ts';

export const handler = endpoint(contract, {
  run: async ({ principal, source, params, log }) => {
    await revokeToken(principal, source, params.tokenId, log);
    return { status: 200, body: succeeded };
  },
});
