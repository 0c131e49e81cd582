import { endpoint } from '#lib/api/endpoint.ts';
import { startCheckout } from '#lib/billing/hosted-pages.ts';
import { startCheckout as contract } from '#lib/contracts/billing/billing.ts';

export const handler = endpoint(contract, {
  run: async ({ context, body }) => ({ body: { url: await startCheckout(context, body.plan) } }),
});
