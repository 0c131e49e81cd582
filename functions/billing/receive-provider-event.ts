import { receiveProviderEvent as contract } from '../../lib/billing/contracts.ts';
import { receiveProviderEvent } from '../../lib/billing/receive-provider-event.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { succeeded } from '../../lib/http/success.ts';

export const handler = endpoint(contract, {
  run: async ({ body, headers, source, log }) => {
    await receiveProviderEvent(body, headers['stripe-signature'], source, log);
    return { status: 200, body: succeeded };
  },
});
