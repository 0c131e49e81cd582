import { tokenView } from '#lib/accounts/current-user.ts';
import { listOwnTokens } from '#lib/accounts/tokens.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { listTokens as contract } from '#lib/contracts/auth/tokens.ts';

export const handler = endpoint(contract, {
  run: async ({ context }) => {
    const tokens = await listOwnTokens(context);
    return { body: { tokens: tokens.map(tokenView) } };
  },
});
