import type { DeliveredEventName } from '../contracts/fields/events.ts';
import { isNew } from '../table/expressions.ts';
import { deliveryRecord } from '../table/records/delivery.ts';
import { at, ConditionFailed, put, transact } from '../table/store.ts';
import type { DeliveryMessage } from './message.ts';

/** How long a delivery stands in the log. */
export const deliveryRetentionSeconds = 30 * 86_400;

/** What became of a delivery. `error` is a plain reason, null exactly where the answer was 2xx. */
export interface Outcome {
  statusCode: number | null;
  responseTimeMs: number | null;
  error: string | null;
}

type Logged = Pick<DeliveryMessage, 'deliveryId' | 'webhookId' | 'createdAt'> & { event: DeliveredEventName };

/** Writes the delivery's log entry. `onlyIfNew` leaves one that is there already as it is. */
export async function logDelivery(
  { deliveryId, webhookId, createdAt, event }: Logged,
  { statusCode, responseTimeMs, error }: Outcome,
  { onlyIfNew = false } = {},
): Promise<void> {
  const write = put(
    at(deliveryRecord, webhookId, createdAt, deliveryId),
    {
      id: deliveryId,
      event,
      statusCode,
      success: error === null,
      responseTimeMs,
      error,
      createdAt,
      expiresAt: Math.ceil(Date.now() / 1000) + deliveryRetentionSeconds,
    },
    onlyIfNew ? { if: isNew } : {},
  );
  try {
    await transact([write]);
  } catch (problem) {
    if (!(problem instanceof ConditionFailed)) throw problem;
  }
}
