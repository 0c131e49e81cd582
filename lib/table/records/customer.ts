import * as z from 'zod';
import { entity } from '../entity.ts';
import { keys } from '../keys.ts';

/**
 * Maps a customer at the payment provider to the organization. Created with the customer, erased with the organization.
 */
export const customerRecord = entity({
  kind: 'customer',
  key: keys.customer,
  schema: z.object({ organizationId: z.string(), orgSlug: z.string() }),
});
