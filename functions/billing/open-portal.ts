import { endpoint } from '#lib/api/endpoint.ts';
import { openPortal } from '#lib/billing/hosted-pages.ts';
import { openPortal as contract } from '#lib/contracts/billing/billing.ts';

export const handler = endpoint(contract, {
  run: async ({ context }) => ({ body: { url: await openPortal(context) } }),
});
