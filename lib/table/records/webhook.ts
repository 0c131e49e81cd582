import * as z from 'zod';
import { DeliveredEventName, EventName, WebhookFormat } from '../../contracts/fields/events.ts';
import { Bytes, ExpiresAt, entity } from '../entity.ts';
import { keys } from '../keys.ts';

const place = z.object({ id: z.string(), slug: z.string() });

/** A webhook. Its signing secret is encrypted by KMS, bound to this organization and webhook. */
export const webhookRecord = entity('webhook', keys.webhook, {
  id: z.string(),
  organizationId: z.string(),
  orgSlug: z.string(),
  url: z.string(),
  events: z.array(EventName),
  format: WebhookFormat.default('standard'),
  projectId: z.string().nullable(),
  environmentId: z.string().nullable(),
  /** The same scope with slugs, for pings. `project` is set even if the request named only the environment. */
  project: place.nullable(),
  environment: place.nullable(),
  active: z.boolean(),
  sealedSecret: Bytes,
  createdAt: z.string(),
  createdBy: z.object({ id: z.string(), email: z.string() }).nullable().default(null),
  updatedAt: z.string(),
});
export type WebhookRecord = ReturnType<typeof webhookRecord.parse>;

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
