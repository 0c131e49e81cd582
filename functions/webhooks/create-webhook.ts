import { endpoint } from '#lib/api/endpoint.ts';
import { createWebhook as contract } from '#lib/contracts/webhooks/webhooks.ts';
import { createWebhook } from '#lib/webhooks/webhooks.ts';

export const handler = endpoint(contract, {
  run: async ({ context, body }) => ({ body: await createWebhook(context, body) }),
});
