import * as z from 'zod';
import { DeliveredEventName } from '../../contracts/fields/events.ts';
import { ExpiresAt, entity } from '../entity.ts';
import { keys } from '../keys.ts';

/** How a delivery went. Its time is the event's, so that its key is known to whoever holds the message. */
export const deliveryRecord = entity({
  kind: 'delivery',
  key: keys.delivery,
  schema: z.object({
    id: z.string(),
    event: DeliveredEventName,
    statusCode: z.int().nullable(),
    success: z.boolean(),
    responseTimeMs: z.int().nullable(),
    error: z.string().nullable(),
    createdAt: z.string(),
    /** Only of entries from before the last ones were kept however old. */
    expiresAt: ExpiresAt.optional(),
  }),
});

export type DeliveryRecord = ReturnType<typeof deliveryRecord.parse>;

/** That a delivery is being made. Put once, before sending, never taken back: a delivery happens at most once. */
export const deliveryClaimRecord = entity({
  kind: 'deliveryClaim',
  key: keys.deliveryClaim,
  schema: z.object({ webhookId: z.string(), claimedAt: z.string(), nonce: z.string(), expiresAt: ExpiresAt }),
});

/** A piece of a payload that is too long for a message of the queue. */
export const payloadPieceRecord = entity({
  kind: 'payloadPiece',
  key: keys.payloadPiece,
  schema: z.object({ text: z.string(), expiresAt: ExpiresAt }),
});
