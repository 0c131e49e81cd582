import * as z from 'zod';
import { DeliveredEventName } from '../fields/events.ts';
import { Timestamp, Uuid } from '../fields/text.ts';

export const Delivery = z
  .object({
    id: Uuid.meta({ description: 'Delivery identifier, as in the `X-Service-Delivery` header.' }),
    event: DeliveredEventName,
    statusCode: z
      .int()
      .nullable()
      .meta({ description: 'The status code of the response; null if there was none.', example: 204 }),
    success: z.boolean().meta({ description: 'Whether the status code was 2xx.' }),
    responseTimeMs: z
      .int()
      .nullable()
      .meta({ description: 'Milliseconds until the response or the failure; null if unknown.', example: 87 }),
    error: z
      .string()
      .nullable()
      .meta({ description: 'Why the delivery failed; null if it succeeded.', example: 'timed out after 5 s' }),
    createdAt: Timestamp.meta({ description: 'When the event happened.' }),
  })
  .meta({ id: 'Delivery', description: 'An attempt to deliver an event. Deliveries are never retried.' });
export type Delivery = z.infer<typeof Delivery>;
