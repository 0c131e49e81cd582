import { endpoint } from '../../lib/api/endpoint.ts';
import { receiveProviderEvent } from '../../lib/billing/receive-provider-event.ts';
import { receiveProviderEvent as contract } from '../../lib/contracts/billing/receive-provider-event.ts';
import { succeeded } from '../../lib/contracts/fields/success.ts';

export const handler = endpoint(contract, {
  run: async ({ context, headers, body }) => {
    await receiveProviderEvent(context, body, headers['stripe-signature']);
    return { status: 200, body: succeeded };
  },
});
