import { verificationKeys } from '../contracts/fields/verification-keys.ts';
import type { VerificationKey } from '../table/records/identity.ts';
import type { ProviderEndpoints } from '../table/records/issuer-keys.ts';
import { readEndpoints } from './provider-endpoints.ts';

/**
 * The result of fetching an issuer's keys: at least one key, with the addresses for signing in if it has them, or the
 * reason why there is none.
 */
export type FetchedKeys = { keys: VerificationKey[]; endpoints?: ProviderEndpoints | undefined } | { problem: string };

/** For both documents, from the name lookup to the last byte. */
export const fetchTimeoutMs = 5000;

/** The documents may not be larger, and only the keys' public members are kept. */
export const maximumAnswerBytes = 64 * 1024;

/**
 * The function that fetches keys contacts hosts that customers choose, so its result is not trusted: keys are filtered
 * again, and a problem is one short line. Pure.
 * @throws Error if the result is neither
 */
export function readFetchedKeys(answer: unknown): FetchedKeys {
  const keys = verificationKeys(answer);
  const { endpoints, problem } = (answer ?? {}) as { endpoints?: unknown; problem?: unknown };
  if (keys.length > 0) return { keys, endpoints: readEndpoints(endpoints) };
  if (typeof problem === 'string' && /^[\x20-\x7e]{1,200}$/.test(problem)) return { problem };
  throw new Error('The function returned neither keys nor a problem.');
}
