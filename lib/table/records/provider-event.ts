import * as z from 'zod';
import { ExpiresAt, entity } from '../entity.ts';
import { keys } from '../keys.ts';

/** A processed provider event. Kept longer than the provider retries (3 days, Stripe docs). */
export const providerEventRecord = entity({
  kind: 'providerEvent',
  key: keys.providerEvent,
  schema: z.object({ type: z.string(), organizationId: z.string(), receivedAt: z.string(), expiresAt: ExpiresAt }),
});

export const providerEventLifetimeSeconds = 30 * 86_400;
