import { getBilling as contract } from '../../lib/billing/contracts.ts';
import { readBilling } from '../../lib/billing/read-billing.ts';
import { endpoint } from '../../lib/http/endpoint.ts';

export const handler = endpoint(contract, {
  run: async ({ access }) => ({ status: 200, body: await readBilling(access) }),
});
