import * as z from 'zod';
import { EventName } from '../../contracts/fields/events.ts';
import { Bytes, entity } from '../entity.ts';
import { keys } from '../keys.ts';

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
