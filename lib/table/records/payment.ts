import * as z from 'zod';
import { daySeconds } from '../../core/time.ts';
import { ExpiresAt, entity } from '../entity.ts';
import { keys } from '../keys.ts';

/**
 * Maps a customer at the payment provider to the organization. Created with the customer, erased with the organization.
 */
export const customerRecord = entity('customer', keys.customer, { organizationId: z.string(), orgSlug: z.string() });

/** A processed event of the payment provider. Kept longer than the provider retries (3 days, Stripe docs). */
export const paymentEventRecord = entity('providerEvent', keys.paymentEvent, {
  type: z.string(),
  organizationId: z.string(),
  receivedAt: z.string(),
  expiresAt: ExpiresAt,
});

export const paymentEventKeptSeconds = 30 * daySeconds;
