import { randomUUID } from 'node:crypto';
import { SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import type { EventPayload } from '../contracts/fields/events.ts';
import { chunksWithin } from '../core/chunks-of.ts';
import type { Log } from '../core/logger.ts';
import { sqsClient } from '../core/queue.ts';
import { requiredSetting } from '../core/settings.ts';
import type { WebhookRecord } from '../table/records/webhook.ts';
import { logUnsent } from './log-delivery.ts';
import { type DeliveryMessage, maximumMessageBytes, type Payload } from './message.ts';
import { storePayload } from './payload.ts';
import { slackText } from './slack-text.ts';

export function deliveriesOf(payload: EventPayload, webhooks: readonly WebhookRecord[]): DeliveryMessage[] {
  return webhooks.map(webhook => ({
    deliveryId: randomUUID(),
    event: payload.event,
    createdAt: payload.timestamp,
    orgSlug: webhook.orgSlug,
    webhookId: webhook.id,
    payload: payloadFor(webhook, payload),
  }));
}

/** What a webhook sends about an event, in its format. */
export function payloadFor({ format }: Pick<WebhookRecord, 'format'>, content: EventPayload): Payload {
  if (format === 'slack') return { kind: 'text', text: JSON.stringify({ text: slackText(content) }) };
  return { kind: 'whole', content };
}

/**
 * Queues the deliveries of one event in batches of at most 10 messages and 256 KiB, all batches in parallel. Payloads
 * that are too long for a message are stored in the table.
 * @returns the deliveries that the queue rejected twice
 */
export async function queueDeliveries(messages: readonly DeliveryMessage[]): Promise<DeliveryMessage[]> {
  return sendAll(await sendAll(await withinBounds(messages)));
}

/**
 * Never throws: deliveries that couldn't be queued are written to the service's log and to the webhook's delivery log.
 */
export async function queueOrLogDeliveries(messages: readonly DeliveryMessage[], log: Log): Promise<void> {
  let lost: readonly DeliveryMessage[];
  let cause: unknown = new Error('The queue rejected the message.');
  try {
    lost = await queueDeliveries(messages);
  } catch (error) {
    lost = messages;
    cause = error;
  }
  await Promise.all(
    lost.map(async message => {
      const { deliveryId, webhookId, orgSlug } = message;
      log.error('a webhook delivery could not be queued', cause, { deliveryId, webhookId, orgSlug });
      await logUnsent(message, 'it could not be queued').catch(error => {
        log.error('a failed webhook delivery could not be logged', error, { deliveryId, webhookId, orgSlug });
      });
    }),
  );
}

/** @returns the messages that the queue rejected */
async function sendAll(messages: readonly DeliveryMessage[]): Promise<DeliveryMessage[]> {
  const batches = batchesOf(messages.map(message => ({ message, body: JSON.stringify(message) })));
  return (await Promise.all(batches.map(sendBatch))).flat();
}

async function sendBatch(batch: readonly { message: DeliveryMessage; body: string }[]): Promise<DeliveryMessage[]> {
  const { Failed = [] } = await sqsClient().send(
    new SendMessageBatchCommand({
      QueueUrl: requiredSetting('WEBHOOK_QUEUE_URL'),
      Entries: batch.map(({ message, body }, index) => ({
        Id: String(index),
        MessageBody: body,
        // Keeps a slow receiver from delaying other webhooks (Amazon SQS Developer Guide, "fair queues").
        MessageGroupId: message.webhookId,
      })),
    }),
  );
  const failed = new Set(Failed.map(({ Id }) => Id));
  return batch.filter((_, index) => failed.has(String(index))).map(({ message }) => message);
}

/** SQS limits a batch to 10 messages, and its total size to that of one message. Pure. */
export function batchesOf<Message extends { body: string }>(messages: readonly Message[]): Message[][] {
  const maximum = { count: 10, bytes: maximumMessageBytes };
  return chunksWithin(maximum, messages, ({ body }) => ({ count: 1, bytes: Buffer.byteLength(body) }));
}

async function withinBounds(messages: readonly DeliveryMessage[]): Promise<readonly DeliveryMessage[]> {
  // Messages of one event with the whole payload differ only in their ids, which all have the same length.
  const whole = messages.find(({ payload: { kind } }) => kind === 'whole');
  if (whole === undefined || whole.payload.kind !== 'whole') return messages;
  if (Buffer.byteLength(JSON.stringify(whole)) <= maximumMessageBytes) return messages;
  const payload = await storePayload(whole.payload);
  return messages.map(message => (message.payload.kind === 'whole' ? { ...message, payload } : message));
}
