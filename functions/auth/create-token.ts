import { tokenView } from '../../lib/accounts/account-view.ts';
import { createToken } from '../../lib/accounts/create-token.ts';
import { endpoint } from '../../lib/api/endpoint.ts';
import { createToken as contract } from '../../lib/contracts/auth.ts';

export const handler = endpoint(contract, {
  run: async ({ principal, source, body, log }) => {
    const { token, cliToken } = await createToken(principal, source, body, log);
    return { status: 201, body: { token, cliToken: tokenView(cliToken) } };
  },
});
