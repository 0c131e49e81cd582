import { endpoint } from '../../lib/http/endpoint.ts';
import { listWebhooks as contract } from '../../lib/webhooks/contracts.ts';
import { listWebhooks } from '../../lib/webhooks/read-webhooks.ts';

export const handler = endpoint(contract, {
  run: async ({ access }) => ({ status: 200, body: { webhooks: await listWebhooks(access) } }),
});
