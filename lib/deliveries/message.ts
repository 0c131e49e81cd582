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

/** SQS's limit per message and per batch until August 2025. A change of 1,000 keys of maximum length fits. */
export const maximumMessageBytes = 256 * 1024;

/** How many times the queue delivers a message. AWS recommends at least five: throttling also uses up receives. */
export const maximumReceives = 5;
