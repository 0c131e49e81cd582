import { endpoint } from '../../lib/api/endpoint.ts';
import { receiveProviderEvent } from '../../lib/billing/receive-provider-event.ts';
import { receiveProviderEvent as contract } from '../../lib/contracts/billing.ts';
import { succeeded } from '../../lib/contracts/fields/success.ts';

export const handler = endpoint(contract, {
  run: async ({ body, headers, source, log }) => {
    await receiveProviderEvent(body, headers['stripe-signature'], source, log);
    return { status: 200, body: succeeded };
  },
});
