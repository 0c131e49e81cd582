import { endpoint } from '#lib/api/endpoint.ts';
import { receiveProviderEvent } from '#lib/billing/receive-provider-event.ts';
import { receiveProviderEvent as contract } from '#lib/contracts/billing/receive-provider-event.ts';

export const handler = endpoint(contract, {
  run: ({ context, headers, body }) => receiveProviderEvent(context, body, headers['stripe-signature']),
});
