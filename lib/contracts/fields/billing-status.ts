import * as z from 'zod';

export const BillingStatus = z.enum(['none', 'active', 'past_due', 'canceled']).meta({
  id: 'BillingStatus',
  description: 'The subscription’s status at the payment provider; `none` = there never was one.',
  example: 'active',
});
export type BillingStatus = z.infer<typeof BillingStatus>;
