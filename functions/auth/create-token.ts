import { createToken } from '#lib/accounts/create-token.ts';
import { tokenView } from '#lib/accounts/current-user.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { createToken as contract } from '#lib/contracts/auth/tokens.ts';

export const handler = endpoint(contract, {
  run: async ({ context, body }) => {
    const { token, cliToken } = await createToken(context, body);
    return { body: { token, cliToken: tokenView(cliToken) } };
  },
});
