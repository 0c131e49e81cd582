import * as z from 'zod';
import { EventName } from '../fields/events.ts';
import { Timestamp, Uuid } from '../fields/text.ts';

export const Webhook = z
  .object({
    id: Uuid.meta({ description: 'Webhook identifier.', example: 'f27a9c54-3d8e-4b61-a0f5-8c2d6e1b7940' }),
    url: z
      .string()
      .meta({ description: 'The URL that deliveries are sent to.', example: 'https://hooks.example.com/holdfast' }),
    events: z
      .array(EventName)
      .meta({ description: 'The events that the webhook is subscribed to.', example: ['secret.updated'] }),
    projectId: Uuid.nullable().meta({ description: 'The only project whose events are sent; null for all.' }),
    environmentId: Uuid.nullable().meta({ description: 'The only environment whose events are sent; null for all.' }),
    active: z.boolean().meta({ description: 'Whether events are delivered. Test pings always are.' }),
    createdAt: Timestamp.meta({ description: 'When it was created.' }),
    updatedAt: Timestamp.meta({ description: 'When it was last changed.' }),
  })
  .meta({ id: 'Webhook', description: 'A subscription of a URL to secret events.' });
export type Webhook = z.infer<typeof Webhook>;

export const webhookExample = {
  events: ['secret.created', 'secret.updated'],
  projectId: '7d5a3b1c-9e2f-4d60-b8a1-4c6e0f9d2a73',
  active: true,
} as const;
