import { tokenView } from '../../lib/accounts/account-view.ts';
import { listTokens as contract } from '../../lib/accounts/contracts.ts';
import { listTokens } from '../../lib/accounts/list-tokens.ts';
import { endpoint } from '../../lib/http/endpoint.ts';

export const handler = endpoint(contract, {
  run: async ({ principal }) => {
    const tokens = await listTokens(principal.userId);
    return { status: 200, body: { tokens: tokens.map(tokenView) } };
  },
});
