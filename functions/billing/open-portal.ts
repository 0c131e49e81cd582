import { openPortal as contract } from '../../lib/billing/contracts.ts';
import { openPortal } from '../../lib/billing/open-portal.ts';
import { endpoint } from '../../lib/http/endpoint.ts';

export const handler = endpoint(contract, {
  run: async ({ access, source }) => ({ status: 200, body: { url: await openPortal(access, source) } }),
});
