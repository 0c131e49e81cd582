import { endpoint } from '#lib/api/endpoint.ts';
import { redeliverWebhook as contract } from '#lib/contracts/webhooks/webhooks.ts';
import { redeliverWebhook } from '#lib/webhooks/queue-delivery.ts';

export const handler = endpoint(contract, {
  run: async ({ context, params }) => ({ body: { delivery: await redeliverWebhook(context, params) } }),
});
