import * as z from 'zod';
import { DeliveredEventName } from '../../contracts/fields/events.ts';
import { ExpiresAt, entity } from '../entity.ts';
import { keys } from '../keys.ts';

/** The JSON that a delivery sent, so that it can be sent again byte for byte. */
export const KeptPayload = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('text'), text: z.string() }),
  /** It is stored in the table, split into this many pieces. */
  z.object({ kind: z.literal('stored'), payloadId: z.string(), pieces: z.int() }),
]);
export type KeptPayload = z.infer<typeof KeptPayload>;

/** The result of a delivery. Its key contains the event's time, so it can be built from the queued message alone. */
export const deliveryRecord = entity('delivery', keys.delivery, {
  id: z.string(),
  event: DeliveredEventName,
  statusCode: z.int().nullable(),
  success: z.boolean(),
  responseTimeMs: z.int().nullable(),
  error: z.string().nullable(),
  createdAt: z.string(),
  redeliveryOf: z.string().optional(),
  /** Entries made before payloads were kept have none. */
  payload: KeptPayload.optional(),
});

export type DeliveryRecord = ReturnType<typeof deliveryRecord.parse>;

/** Records that a delivery has started. Written only once, before sending, so a delivery happens at most once. */
export const deliveryClaimRecord = entity('deliveryClaim', keys.deliveryClaim, {
  webhookId: z.string(),
  claimedAt: z.string(),
  nonce: z.string(),
  expiresAt: ExpiresAt,
});

/** A piece of a payload that is too long for a message of the queue. */
export const payloadPieceRecord = entity('payloadPiece', keys.payloadPiece, { text: z.string(), expiresAt: ExpiresAt });
