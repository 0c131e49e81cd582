import type { DeliveredEventName } from '../contracts/fields/events.ts';
import type { Key } from '../table/entity.ts';
import { isNew } from '../table/expressions.ts';
import { ranges } from '../table/keys.ts';
import { at, queryPage } from '../table/read.ts';
import { deliveryRecord } from '../table/records/delivery.ts';
import { put, putAlone, removeAll, transactIfHolds } from '../table/write.ts';
import type { DeliveryMessage } from './message.ts';

/** How many deliveries per webhook the log keeps, regardless of age (specification, Events 6). */
export const keptDeliveries = 20;

/** The result of a delivery. `error` is a plain-language reason; it is null if and only if the response was 2xx. */
export interface Outcome {
  statusCode: number | null;
  responseTimeMs: number | null;
  error: string | null;
}

type Logged = Pick<DeliveryMessage, 'deliveryId' | 'webhookId' | 'createdAt'> & { event: DeliveredEventName };

/** Writes the delivery's log entry. `onlyIfNew` keeps an entry that already exists. */
export async function logDelivery(
  { deliveryId, webhookId, createdAt, event }: Logged,
  { statusCode, responseTimeMs, error }: Outcome,
  { onlyIfNew = false } = {},
): Promise<void> {
  const success = error === null;
  const record = { id: deliveryId, event, statusCode, success, responseTimeMs, error, createdAt };
  const entry = put(at(deliveryRecord, webhookId, createdAt, deliveryId), record, { if: isNew });
  if (onlyIfNew) await transactIfHolds([entry]);
  else await putAlone(entry);
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
