import { tokenView } from '../../lib/accounts/account-view.ts';
import { listTokens } from '../../lib/accounts/list-tokens.ts';
import { endpoint } from '../../lib/api/endpoint.ts';
import { listTokens as contract } from '../../lib/contracts/auth.ts';

export const handler = endpoint(contract, {
  run: async ({ principal }) => {
    const tokens = await listTokens(principal.userId);
    return { status: 200, body: { tokens: tokens.map(tokenView) } };
  },
});
