import { endpoint } from '#lib/api/endpoint.ts';
import { listWebhooks as contract } from '#lib/contracts/webhooks/webhooks.ts';
import { listWebhooks } from '#lib/webhooks/webhooks.ts';

export const handler = endpoint(contract, {
  run: async ({ context }) => ({ body: { webhooks: await listWebhooks(context) } }),
});
