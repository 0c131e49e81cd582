import type { Command } from 'commander';
import type { Session } from '../session.ts';

export async function listWebhooks(session: Session): Promise<void> {
  const { output } = session;
  const path = { orgId: await session.organizationId() };
  const answer = await session.request('GET', '/v1/webhooks/{orgId}', { path });
  if (output.json) return output.document(answer);
  output.table(
    ['ID', 'URL', 'EVENTS', 'ACTIVE'],
    answer.webhooks.map(({ id, url, events, active }) => [id, url, events.join(' '), active ? 'yes' : 'no']),
    'No webhooks. Create one in the dashboard.',
  );
}

export const webhookOptions = (command: Command): Command => command.argument('<webhook>', 'id of the webhook');

export const redeliverOptions = (command: Command): Command =>
  webhookOptions(command).argument('<delivery>', 'id of the delivery, as “holdfast webhooks deliveries” shows it');

async function webhookPath(session: Session, webhookId: string) {
  return { orgId: await session.organizationId(), webhookId };
}

export async function listDeliveries(session: Session, webhookId: string): Promise<void> {
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
}

export async function ping(session: Session, webhookId: string): Promise<void> {
  const { output } = session;
  const path = await webhookPath(session, webhookId);
  const answer = await session.request('POST', '/v1/webhooks/{orgId}/{webhookId}/test', { path });
  if (output.json) return output.document(answer);
  output.data(`${answer.deliveryId}\n`);
  output.note(`The ping is on its way. See its result: holdfast webhooks deliveries ${webhookId}`);
}

export async function redeliver(session: Session, webhookId: string, deliveryId: string): Promise<void> {
  const { output } = session;
  const path = { ...(await webhookPath(session, webhookId)), deliveryId };
  const answer = await session.request('POST', '/v1/webhooks/{orgId}/{webhookId}/deliveries/{deliveryId}/redeliver', {
    path,
  });
  if (output.json) return output.document(answer);
  output.data(`${answer.delivery.id}\n`);
  output.note(`It is on its way again. See its result: holdfast webhooks deliveries ${webhookId}`);
}
