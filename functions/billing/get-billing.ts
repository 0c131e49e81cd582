import { endpoint } from '#lib/api/endpoint.ts';
import { readBilling } from '#lib/billing/read-billing.ts';
import { getBilling as contract } from '#lib/contracts/billing/billing.ts';

export const handler = endpoint(contract, {
  run: async ({ context }) => ({ body: await readBilling(context) }),
});
