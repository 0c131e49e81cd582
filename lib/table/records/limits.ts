import * as z from 'zod';
import { ExpiresAt, entity } from '../entity.ts';
import { keys } from '../keys.ts';

export const rateRecord = entity('rate', keys.rate, { tries: z.int(), expiresAt: ExpiresAt });
export type RateRecord = ReturnType<typeof rateRecord.parse>;

/** A question that is being answered. If its function dies, its place is free again at `endsAt` (epoch seconds). */
const Place = z.object({ holder: z.string(), endsAt: z.int() });

export const longQuestionsRecord = entity('longQuestions', keys.longQuestions, {
  first: Place.optional(),
  second: Place.optional(),
  expiresAt: ExpiresAt,
});
export type LongQuestionsRecord = ReturnType<typeof longQuestionsRecord.parse>;
