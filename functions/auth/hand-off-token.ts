import { offerHandOff, takeHandOff } from '#lib/accounts/create-token.ts';
import { tokenView } from '#lib/accounts/current-user.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { handOffToken as contract } from '#lib/contracts/auth/tokens.ts';

export const handler = endpoint(contract, {
  run: async ({ context, body }) => {
    const isOffer = 'codeChallenge' in body;
    context.requireFresh(isOffer);
    if (isOffer) return { body: await offerHandOff(context, body) };
    const { token, cliToken } = await takeHandOff(context, body);
    return { body: { token, cliToken: tokenView(cliToken) } };
  },
});
