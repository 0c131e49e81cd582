import { endpoint } from '#lib/api/endpoint.ts';
import { updateWebhook as contract } from '#lib/contracts/webhooks/webhooks.ts';
import { updateWebhook } from '#lib/webhooks/webhooks.ts';

export const handler = endpoint(contract, {
  run: async ({ context, params, body }) => ({
    body: { webhook: await updateWebhook(context, params.webhookId, body) },
  }),
});
