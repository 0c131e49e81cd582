import * as z from 'zod';
import { Bytes, ExpiresAt, entity } from '../table/entity.ts';
import { keys } from '../table/keys.ts';
import { DeliveredEventName, EventName } from './events.ts';

const place = z.object({ id: z.string(), slug: z.string() });

/** A webhook. Its signing secret is there only as KMS encrypted it, for this organization and webhook. */
export const webhookRecord = entity({
  kind: 'webhook',
  key: keys.webhook,
  schema: z.object({
    id: z.string(),
    organizationId: z.string(),
    orgSlug: z.string(),
    url: z.string(),
    events: z.array(EventName),
    /** The limits as they were asked for. */
    projectId: z.string().nullable(),
    environmentId: z.string().nullable(),
    /** Where the limits lie, for a ping: an environment's project is known even where only the environment was named. */
    project: place.nullable(),
    environment: place.nullable(),
    active: z.boolean(),
    sealedSecret: Bytes,
    createdAt: z.string(),
    updatedAt: z.string(),
  }),
});
export type WebhookRecord = ReturnType<typeof webhookRecord.parse>;

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
    expiresAt: ExpiresAt,
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
