import * as z from 'zod';
import { ExpiresAt, entity } from '../entity.ts';
import { keys } from '../keys.ts';

/** A rate limit's count in its current window, which ends at `expiresAt`. */
export const rateRecord = entity('rate', keys.rate, {
  tries: z.int(),
  expiresAt: ExpiresAt,
});

export type RateRecord = ReturnType<typeof rateRecord.parse>;
