import { endpoint } from '#lib/api/endpoint.ts';
import { receivePaymentEvent } from '#lib/billing/receive-payment-event.ts';
import { receiveProviderEvent as contract } from '#lib/contracts/billing/billing.ts';

export const handler = endpoint(contract, {
  run: ({ context, headers, body }) => receivePaymentEvent(context, body, headers['stripe-signature']),
});
