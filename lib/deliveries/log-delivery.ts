import type { Key } from '../table/entity.ts';
import { isNew } from '../table/expressions.ts';
import { ranges } from '../table/keys.ts';
import { at, queryPage } from '../table/read.ts';
import { deliveryRecord, type KeptPayload } from '../table/records/webhook.ts';
import { put, putAlone, removeAll, transactIfHolds, type Write } from '../table/write.ts';
import type { DeliveryMessage } from './message.ts';
import { keptPayload } from './payload.ts';

/** How many deliveries per webhook the log keeps, regardless of age (specification, Events 6). */
export const keptDeliveries = 20;

/** The result of a delivery. `error` is a plain-language reason; it is null if and only if the response was 2xx. */
export interface Outcome {
  statusCode: number | null;
  responseTimeMs: number | null;
  error: string | null;
}

type Logged = Omit<DeliveryMessage, 'orgSlug' | 'payload'> & { payload: KeptPayload };

/** Writes the result of sending. Only the process that recorded the start of the delivery may call this. */
export async function logDelivery(message: Logged, outcome: Outcome): Promise<void> {
  await putAlone(entryOf(message, outcome));
}

/** Logs that a delivery was not made. A sender may still make it: its result stays or replaces this entry. */
export async function logUnsent(message: DeliveryMessage, error: string): Promise<void> {
  const payload = await keptPayload(message.payload);
  await transactIfHolds([entryOf({ ...message, payload }, { statusCode: null, responseTimeMs: null, error })]);
}

function entryOf(message: Logged, outcome: Outcome): Write {
  const { deliveryId: id, webhookId, createdAt, event, redeliveryOf, payload } = message;
  const record = { id, event, success: outcome.error === null, createdAt, redeliveryOf, payload, ...outcome };
  return put(at(deliveryRecord, webhookId, createdAt, id), record, { if: isNew });
}

/** Deletes all but the newest entries. If it fails, some old entries just stay longer. */
export async function trimDeliveries(webhookId: string): Promise<void> {
  const page = await queryPage({
    ...ranges.deliveries(webhookId),
    newestFirst: true,
    attributes: ['pk', 'sk'],
    eventuallyConsistent: true,
    pageSize: keptDeliveries + 25,
  });
  await removeAll(page.items.slice(keptDeliveries) as unknown as Key[]);
}
