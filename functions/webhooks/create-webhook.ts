import { endpoint } from '../../lib/http/endpoint.ts';
import { createWebhook as contract } from '../../lib/webhooks/contracts.ts';
import { createWebhook } from '../../lib/webhooks/create-webhook.ts';

export const handler = endpoint(contract, {
  run: async ({ access, source, body }) => ({ status: 201, body: await createWebhook(access, source, body) }),
});
