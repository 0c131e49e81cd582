import { endpoint } from '../../lib/http/endpoint.ts';
import { updateWebhook as contract } from '../../lib/webhooks/contracts.ts';
import { updateWebhook } from '../../lib/webhooks/update-webhook.ts';

export const handler = endpoint(contract, {
  run: async ({ access, source, params, body }) => ({
    status: 200,
    body: { webhook: await updateWebhook(access, source, params.webhookId, body) },
  }),
});
