import * as z from 'zod';
import { ExpiresAt, entity } from '../entity.ts';
import { keys } from '../keys.ts';

/** A rate limit's count in its current window, which ends at `expiresAt`. */
export const rateRecord = entity({
  kind: 'rate',
  key: keys.rate,
  schema: z.object({
    tries: z.int(),
    expiresAt: ExpiresAt,
  }),
});

export type RateRecord = ReturnType<typeof rateRecord.parse>;
