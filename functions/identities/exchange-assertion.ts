import { endpoint } from '#lib/api/endpoint.ts';
import { exchangeAssertion as contract } from '#lib/contracts/identities/exchange-assertion.ts';
import { exchangeAssertion } from '#lib/identities/exchange-assertion.ts';

export const handler = endpoint(contract, {
  run: async ({ context, body }) => ({ body: await exchangeAssertion(context, body) }),
});
