import { endpoint } from '#lib/api/endpoint.ts';
import { getWebhook as contract } from '#lib/contracts/webhooks/webhooks.ts';
import { getWebhook } from '#lib/webhooks/webhooks.ts';

export const handler = endpoint(contract, {
  run: async ({ context, params }) => ({ body: await getWebhook(context, params.webhookId) }),
});
