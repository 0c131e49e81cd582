import * as z from 'zod';
import { ExpiresAt, entity } from '../table/entity.ts';
import { keys } from '../table/keys.ts';

/** The payment provider's customer → organization. Made with the customer, erased with the organization. */
export const customerRecord = entity({
  kind: 'customer',
  key: keys.customer,
  schema: z.object({ organizationId: z.string(), orgSlug: z.string() }),
});

/** A provider event that has had its effect. Kept longer than the provider goes on retrying (3 days, Stripe docs). */
export const providerEventRecord = entity({
  kind: 'providerEvent',
  key: keys.providerEvent,
  schema: z.object({ type: z.string(), organizationId: z.string(), receivedAt: z.string(), expiresAt: ExpiresAt }),
});
export const providerEventLifetimeSeconds = 30 * 86_400;
