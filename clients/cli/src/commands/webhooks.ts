import { Argument, defineCommand, defineSubcommand } from '../define-command.ts';
import type { Session } from '../session.ts';

const webhookArgument = new Argument('<webhook>', 'id of the webhook');

const ping = defineSubcommand({
  name: 'ping',
  description: 'send a test ping',
  example: 'holdfast webhooks ping 2c9d4f1e-8a37-4b60-95d2-6e1f0b7c3a58',
  arguments: [webhookArgument],
  run: async (session, webhookId) => {
    const { output } = session;
    const path = await webhookPath(session, webhookId);
    const answer = await session.request('POST', '/v1/webhooks/{orgId}/{webhookId}/test', { path });
    if (output.json) return output.document(answer);
    output.data(`${answer.deliveryId}\n`);
    output.note(`The ping is on its way. See its result: holdfast webhooks deliveries ${webhookId}`);
  },
});

const deliveries = defineSubcommand({
  name: 'deliveries',
  description: 'show the last 20 deliveries',
  example: 'holdfast webhooks deliveries 2c9d4f1e-8a37-4b60-95d2-6e1f0b7c3a58',
  arguments: [webhookArgument],
  run: async (session, webhookId) => {
    const { output } = session;
    const path = await webhookPath(session, webhookId);
    const answer = await session.request('GET', '/v1/webhooks/{orgId}/{webhookId}', { path });
    if (output.json) return output.document({ deliveries: answer.deliveries });
    output.table(
      ['ID', 'TIME', 'EVENT', 'RESULT', 'AGAIN'],
      answer.deliveries.map(({ id, createdAt, event, statusCode, error, redeliveryOf }) => [
        id,
        output.time(createdAt),
        event,
        error ?? String(statusCode),
        redeliveryOf === undefined ? '' : `of ${redeliveryOf}`,
      ]),
      'No deliveries yet. Send a test ping: holdfast webhooks ping WEBHOOK',
    );
  },
});

const redeliver = defineSubcommand({
  name: 'redeliver',
  description: 'send a delivery again',
  example: 'holdfast webhooks redeliver 2c9d4f1e-8a37-4b60-95d2-6e1f0b7c3a58 0d4e8b6f-7c21-4a95-9e38-5f1b2c7d6a03',
  arguments: [
    webhookArgument,
    new Argument('<delivery>', 'id of the delivery, as “holdfast webhooks deliveries” shows it'),
  ],
  run: async (session, webhookId, deliveryId) => {
    const { output } = session;
    const path = { ...(await webhookPath(session, webhookId)), deliveryId };
    const answer = await session.request('POST', '/v1/webhooks/{orgId}/{webhookId}/deliveries/{deliveryId}/redeliver', {
      path,
    });
    if (output.json) return output.document(answer);
    output.data(`${answer.delivery.id}\n`);
    output.note(`It is on its way again. See its result: holdfast webhooks deliveries ${webhookId}`);
  },
});

export default defineCommand({
  name: 'webhooks',
  heading: 'Organize',
  position: 7,
  description: 'list the webhooks',
  example: 'holdfast webhooks',
  subcommands: [ping, deliveries, redeliver],
  run: async session => {
    const { output } = session;
    const path = { orgId: await session.organizationId() };
    const answer = await session.request('GET', '/v1/webhooks/{orgId}', { path });
    if (output.json) return output.document(answer);
    output.table(
      ['ID', 'URL', 'EVENTS', 'ACTIVE'],
      answer.webhooks.map(({ id, url, events, active }) => [id, url, events.join(' '), active ? 'yes' : 'no']),
      'No webhooks. Create one in the dashboard.',
    );
  },
});

async function webhookPath(session: Session, webhookId: string) {
  return { orgId: await session.organizationId(), webhookId };
}
