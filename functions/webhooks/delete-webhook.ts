import { endpoint } from '../../lib/api/endpoint.ts';
import { succeeded } from '../../lib/contracts/fields/success.ts';
import { deleteWebhook as contract } from '../../lib/contracts/webhooks/delete-webhook.ts';
import { deleteWebhook } from '../../lib/webhooks/delete-webhook.ts';

export const handler = endpoint(contract, {
  run: async ({ context, params }) => {
    await deleteWebhook(context, params.webhookId);
    return { status: 200, body: succeeded };
  },
});
