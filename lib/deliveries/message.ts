import * as z from 'zod';
import { DeliveredEventName, EventPayload } from '../contracts/fields/events.ts';
import { KeptPayload } from '../table/records/webhook.ts';

/** What a delivery sends. */
export const Payload = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('whole'), content: EventPayload }),
  KeptPayload,
]);
export type Payload = z.infer<typeof Payload>;

/** One delivery to make, as queued: ids and the payload, no URL and no secret. */
export const DeliveryMessage = z.object({
  deliveryId: z.string(),
  event: DeliveredEventName,
  /** When the event happened, or was requested to be sent again; also the timestamp of the delivery's log entry. */
  createdAt: z.string(),
  orgSlug: z.string(),
  /** Ids are unique, so a late message can't reach another organization's webhook after the slug was reused. */
  webhookId: z.string(),
  payload: Payload,
  /** The delivery whose payload is sent again, on request. */
  redeliveryOf: z.string().optional(),
});
export type DeliveryMessage = z.infer<typeof DeliveryMessage>;

/**
 * SQS accepts 1 MiB per message and per batch since August 2025. The earlier limit was 256 KiB, and other
 * implementations still have it. Staying below it costs nothing: a change of 1,000 keys of maximum length fits.
 */
export const maximumMessageBytes = 256 * 1024;

/**
 * How many times the queue delivers a message. A delivery that still can't be prepared is then logged as failed. Lambda
 * throttling also uses up receives, so AWS recommends at least five.
 */
export const maximumReceives = 5;
