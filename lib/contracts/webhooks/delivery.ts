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
      .meta({ description: 'The status of the answer; null if there was none.', example: 204 }),
    success: z.boolean().meta({ description: 'Whether the answer was 2xx.' }),
    responseTimeMs: z
      .int()
      .nullable()
      .meta({ description: 'Milliseconds until the answer or the failure; null if unknown.', example: 87 }),
    error: z
      .string()
      .nullable()
      .meta({ description: 'Why it failed; null if it succeeded.', example: 'timed out after 5 s' }),
    createdAt: Timestamp.meta({ description: 'When the event happened.' }),
  })
  .meta({ id: 'Delivery', description: 'An attempt to deliver an event. It is never retried.' });
export type Delivery = z.infer<typeof Delivery>;
