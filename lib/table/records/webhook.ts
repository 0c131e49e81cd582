import * as z from 'zod';
import { EventName } from '../../contracts/fields/events.ts';
import { Bytes, entity } from '../entity.ts';
import { keys } from '../keys.ts';

const place = z.object({ id: z.string(), slug: z.string() });

/** A webhook. Its signing secret is encrypted by KMS, bound to this organization and webhook. */
export const webhookRecord = entity('webhook', keys.webhook, {
  id: z.string(),
  organizationId: z.string(),
  orgSlug: z.string(),
  url: z.string(),
  events: z.array(EventName),
  /** The scope, as the request named it. */
  projectId: z.string().nullable(),
  environmentId: z.string().nullable(),
  /** The same scope with slugs, for pings. `project` is set even if the request named only the environment. */
  project: place.nullable(),
  environment: place.nullable(),
  active: z.boolean(),
  sealedSecret: Bytes,
  createdAt: z.string(),
  /** null: not recorded. */
  createdBy: z.object({ id: z.string(), email: z.string() }).nullable().default(null),
  updatedAt: z.string(),
});

export type WebhookRecord = ReturnType<typeof webhookRecord.parse>;
