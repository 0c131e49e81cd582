import { endpoint } from '#lib/api/endpoint.ts';
import { deleteWebhook as contract } from '#lib/contracts/webhooks/webhooks.ts';
import { deleteWebhook } from '#lib/webhooks/webhooks.ts';

export const handler = endpoint(contract, {
  run: ({ context, params }) => deleteWebhook(context, params.webhookId),
});
