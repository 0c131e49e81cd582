import { endpoint } from '#lib/api/endpoint.ts';
import { testWebhook as contract } from '#lib/contracts/webhooks/webhooks.ts';
import { testWebhook } from '#lib/webhooks/queue-delivery.ts';

export const handler = endpoint(contract, {
  run: async ({ context, params }) => ({ body: { deliveryId: await testWebhook(context, params.webhookId) } }),
});
