import * as z from 'zod';
import { contract, succeeds } from '../contract.ts';

export const receiveProviderEvent = contract({
  operationId: 'receive-provider-event',
  route: 'POST /v1/billing/webhook',
  summary: 'Receive the payment provider’s webhook',
  description:
    'Only for the payment provider. The signature over the raw body is verified before anything else. Each ' +
    'event is applied once. An event older than the known state of its subscription changes nothing.',
  access: { kind: 'public' },
  headers: z.object({
    'stripe-signature': z.string().optional().meta({
      description:
        'The provider’s signature over the raw body. Without a valid signature, the response is `invalid_signature`.',
      example: 't=1769851613,v1=EXAMPLE',
    }),
  }),
  rawBody: true,
  responses: succeeds('The event was received.'),
  errors: ['invalid_signature', 'billing_not_configured'],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'PutItem', 'UpdateItem', 'DeleteItem'],
    reads: ['ORG', 'ORGID', 'CUSTOMER', 'PROVIDEREVENT'],
    writes: ['ORG', 'CUSTOMER', 'PROVIDEREVENT', 'AUDIT'],
    payments: true,
  },
});
