import { startCheckout as contract } from '../../lib/billing/contracts.ts';
import { startCheckout } from '../../lib/billing/start-checkout.ts';
import { endpoint } from '../../lib/http/endpoint.ts';

export const handler = endpoint(contract, {
  run: async ({ access, source, body }) => ({
    status: 200,
    body: { url: await startCheckout(access, source, body.plan) },
  }),
});
