import * as z from 'zod';
import { DeliveredEventName, EventPayload } from '../contracts/fields/events.ts';

/** One delivery to make, as it travels through the queue: ids and the payload, no URL and no secret. */
export const DeliveryMessage = z.object({
  deliveryId: z.string(),
  event: DeliveredEventName,
  /** Time of the event, and of the delivery's log entry. */
  createdAt: z.string(),
  orgSlug: z.string(),
  /** Ids are unique, so a late message cannot reach a webhook of another organization that has the slug by then. */
  webhookId: z.string(),
  payload: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('whole'), content: EventPayload }),
    /** The payload's JSON is in the table, in this many pieces. */
    z.object({ kind: z.literal('stored'), payloadId: z.string(), pieces: z.int() }),
  ]),
});
export type DeliveryMessage = z.infer<typeof DeliveryMessage>;

/**
 * SQS takes 1 MiB per message and per batch since August 2025 and took 256 KiB before; other implementations still do.
 * Staying below the old bound costs nothing: a change of 1,000 of the longest keys fits.
 */
export const maximumMessageBytes = 256 * 1024;

/**
 * How often the queue hands a message over. A delivery that still cannot be prepared is then logged as failed. Lambda's
 * throttling uses receives up as well, so AWS recommends at least five.
 */
export const maximumReceives = 5;
