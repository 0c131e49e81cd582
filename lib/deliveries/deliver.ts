import { randomUUID } from 'node:crypto';
import type { SQSRecord } from 'aws-lambda';
import { pingEvent } from '../contracts/fields/events.ts';
import { type Log, openLog } from '../core/logger.ts';
import { daySeconds, expiryAfter } from '../core/time.ts';
import { requireServingRegion } from '../table/client.ts';
import { isNew } from '../table/expressions.ts';
import { at, find } from '../table/read.ts';
import { deliveryClaimRecord, webhookRecord } from '../table/records/webhook.ts';
import { put, transactIfHolds } from '../table/write.ts';
import { logDelivery, logUnsent, trimDeliveries } from './log-delivery.ts';
import { DeliveryMessage, maximumReceives } from './message.ts';
import { keptPayload, textOf } from './payload.ts';
import { send } from './send.ts';
import { openSigningSecret, signatureOf } from './signing-secret.ts';

/**
 * Delivers the messages of a batch in parallel.
 * @throws the first failure, so that the queue redelivers the batch. No webhook is called again.
 */
export async function deliverRecords(records: readonly SQSRecord[]): Promise<void> {
  await requireServingRegion();
  const results = await Promise.allSettled(records.map(deliverRecord));
  const failed = results.find(result => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

async function deliverRecord({ body, attributes }: SQSRecord): Promise<void> {
  const message = DeliveryMessage.parse(JSON.parse(body));
  const { deliveryId, webhookId, orgSlug, event } = message;
  const log = openLog({ operation: 'deliver-webhooks', deliveryId, webhookId, orgSlug, event });
  try {
    await deliver(message, Number(attributes.ApproximateReceiveCount), log);
  } catch (error) {
    log.error('a webhook delivery failed before it was sent', error);
    throw error;
  }
}

/**
 * Sends a delivery at most once, even if the queue redelivers its message: the start is recorded before sending and
 * never removed. A start without a log entry means that the sender crashed in between. Deleted and inactive webhooks
 * receive nothing, except that a ping also reaches an inactive one.
 * @param receiveCount how many times the queue has delivered the message, including this time
 * @throws the error that stopped the preparation, so that the queue redelivers the message; nothing was sent
 */
export async function deliver(message: DeliveryMessage, receiveCount: number, log: Log): Promise<void> {
  let prepared: Awaited<ReturnType<typeof prepare>>;
  try {
    prepared = await prepare(message);
  } catch (error) {
    if (receiveCount < maximumReceives) throw error;
    log.error('a webhook delivery could not be prepared', error);
    return logUnsent(message, (await recordStart(message)) ? 'the service could not prepare the delivery' : stopped);
  }
  if (prepared === undefined) {
    log.info('a webhook delivery was dropped: the webhook was deleted or switched off');
    return;
  }
  if (!(await recordStart(message))) return logUnsent(message, stopped);
  const { url, body, signingSecret, payload } = prepared;
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': 'Holdfast-Webhooks/1.0',
    'X-Service-Event': message.event,
    'X-Service-Delivery': message.deliveryId,
    ...(message.redeliveryOf === undefined ? {} : { 'X-Service-Redelivery-Of': message.redeliveryOf }),
    'X-Service-Signature': signatureOf(body, signingSecret),
  };
  const outcome = await send(url, headers, body);
  await logDelivery({ ...message, payload }, outcome);
  await trimDeliveries(message.webhookId).catch(error => log.error('could not trim the log of a webhook', error));
  log.info('made a webhook delivery', { ...outcome });
}

const stopped = 'the sender stopped before it got a response';

/**
 * Everything that sending needs; undefined if there is nothing left to send. The payload for the log is stored before
 * sending, because a result must not be lost.
 */
async function prepare(message: DeliveryMessage) {
  const webhook = await find(at(webhookRecord, message.orgSlug, message.webhookId));
  if (webhook === undefined || !(webhook.active || message.event === pingEvent)) return undefined;
  const [text, payload, signingSecret] = await Promise.all([
    textOf(message.payload),
    keptPayload(message.payload),
    openSigningSecret(webhook),
  ]);
  if (text === undefined) throw new Error(`The stored payload of delivery ${message.deliveryId} is not complete.`);
  return { url: webhook.url, body: Buffer.from(text, 'utf8'), signingSecret, payload };
}

/** Far longer than the queue keeps redelivering a message. */
const startKeptSeconds = 30 * daySeconds;

/** @returns false if an earlier call recorded the start of the delivery; only the first may send */
function recordStart({ deliveryId, webhookId }: DeliveryMessage): Promise<boolean> {
  // The nonce distinguishes this record from one that another sender wrote in the same millisecond.
  const record = {
    webhookId,
    claimedAt: new Date().toISOString(),
    nonce: randomUUID(),
    expiresAt: expiryAfter(startKeptSeconds),
  };
  return transactIfHolds([put(at(deliveryClaimRecord, deliveryId), record, { if: isNew })]);
}
