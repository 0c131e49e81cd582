import * as z from 'zod';
import { EventName, eventNames } from '../fields/events.ts';
import { hasCredentials, line, Timestamp, Uuid, WebhookId } from '../fields/text.ts';

export const Webhook = z
  .object({
    id: WebhookId.meta({ description: 'Webhook identifier.' }),
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

/** Checks only the format. The settings and the resolved address decide which schemes and addresses are allowed. */
export const TargetUrl = line(1, 2048)
  .refine(value => /^https?:\/\//i.test(value) && URL.canParse(value), { message: 'must be an absolute https URL' })
  .refine(value => !hasCredentials(value), { message: 'must not contain a user name or password' })
  .meta({ format: 'uri' });

/** Removes duplicate names. The length is checked first, so that a huge list yields one problem. */
export const EventList = z
  .array(z.unknown())
  .min(1, { message: 'must name at least one event', abort: true })
  .max(50, { message: 'must have at most 50 items', abort: true })
  .pipe(z.array(EventName).transform(names => eventNames.filter(name => names.includes(name))))
  .meta({ documentedAs: () => z.array(EventName).min(1).max(50) });
