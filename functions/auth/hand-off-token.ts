import { tokenView } from '../../lib/accounts/account-view.ts';
import { offerHandOff, takeHandOff } from '../../lib/accounts/hand-off-token.ts';
import { endpoint } from '../../lib/api/endpoint.ts';
import { handOffToken as contract } from '../../lib/contracts/auth.ts';

export const handler = endpoint(contract, {
  run: async ({ principal, source, body, log }) => {
    if ('codeChallenge' in body) return { status: 201, body: await offerHandOff(principal, body) };
    const { token, cliToken } = await takeHandOff(body, source, log);
    return { status: 201, body: { token, cliToken: tokenView(cliToken) } };
  },
});
