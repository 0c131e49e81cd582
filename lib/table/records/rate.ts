import * as z from 'zod';
import { ExpiresAt, entity } from '../entity.ts';
import { keys } from '../keys.ts';

/** What was counted in the current window of a rate limit; the window ends with `expiresAt`. */
export const rateRecord = entity({
  kind: 'rate',
  key: keys.rate,
  schema: z.object({
    tries: z.int(),
    expiresAt: ExpiresAt,
  }),
});

export type RateRecord = ReturnType<typeof rateRecord.parse>;
