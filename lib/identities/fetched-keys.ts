import { verificationKeys } from '../contracts/fields/verification-keys.ts';
import type { VerificationKey } from '../table/records/identity.ts';

/** What came of asking an issuer for its keys: at least one key, or why there is none. */
export type FetchedKeys = { keys: VerificationKey[] } | { problem: string };

/** For both documents, from the look-up of the name to the last byte. */
export const fetchTimeoutMs = 5000;

/** The documents that the keys come from may not be larger, and only their public members are kept. */
export const maximumAnswerBytes = 64 * 1024;

/**
 * The function that fetches keys talks to hosts that customers choose, so nothing of its answer is taken on trust: keys
 * are filtered again, and a problem is one short line. Pure.
 * @throws Error if the answer is neither
 */
export function readFetchedKeys(answer: unknown): FetchedKeys {
  const keys = verificationKeys(answer);
  if (keys.length > 0) return { keys };
  const { problem } = (answer ?? {}) as { problem?: unknown };
  if (typeof problem === 'string' && /^[\x20-\x7e]{1,200}$/.test(problem)) return { problem };
  throw new Error('The function answered neither keys nor a problem.');
}
