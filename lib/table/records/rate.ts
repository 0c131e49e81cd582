import * as z from 'zod';
import { ExpiresAt, entity } from '../entity.ts';
import { keys } from '../keys.ts';

/** The tries that count in the current window of a rate limit; the window ends with `expiresAt`. */
export const rateRecord = entity({
  kind: 'rate',
  key: keys.rate,
  schema: z.object({
    tries: z.int(),
    /** One mark for each try that was counted and has not ended yet; see `rate-limit.ts`. */
    marks: z.set(z.string()).optional(),
    expiresAt: ExpiresAt,
  }),
});

export type RateRecord = ReturnType<typeof rateRecord.parse>;
