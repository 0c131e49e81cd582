import * as z from 'zod';
import { entity } from '../entity.ts';
import { rareKeys } from '../keys.ts';

/**
 * When the current values of catalogued keys were written, as of a revision, so that nobody reads values to find out.
 * The daily worker keeps it. A newer revision is added to it from the environment's recorded changes.
 */
export const keyAgesRecord = entity('keyAges', rareKeys.keyAges, {
  environmentId: z.string(),
  revision: z.int(),
  /** Key, version and time; version 0 for a key without a value. A list, because a key may be named `__proto__`. */
  ages: z.array(z.tuple([z.string(), z.int(), z.string()])),
});
export type KeyAgesRecord = ReturnType<typeof keyAgesRecord.parse>;

/** What a person has been mailed about values that are due. Written before each letter, so that none is sent twice. */
export const dueLettersRecord = entity('dueLetters', rareKeys.dueLetters, {
  /** Slugs are reused. */
  organizationId: z.string(),
  /** A digest of the value and its due time, and for how few days before it a letter was sent. Oldest first. */
  mailed: z.array(z.tuple([z.string(), z.int()])),
  /** Distinguishes concurrent writers. */
  nonce: z.string(),
});
export type DueLettersRecord = ReturnType<typeof dueLettersRecord.parse>;
