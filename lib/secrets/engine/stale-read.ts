import { temporarilyUnavailable } from '../../core/errors.ts';
import type { Log } from '../../core/logger.ts';
import { AlteredCiphertext } from '../../crypto/envelope.ts';
import type { EnvironmentPath } from '../../table/keys.ts';
import { retryWhile } from '../../table/retry.ts';
import { forgetSnapshot } from './kept-snapshots.ts';

/** Something changed during the read, so the items read don't belong together. Reading again helps. */
export class StaleRead extends Error {
  override readonly name = 'StaleRead';
}

/** A real race ends after one or two attempts. After this many, the table must be damaged. */
const maximumStaleReads = 10;

/** @throws temporarily_unavailable, with an error in the log, if the reads stay inconsistent */
export function readAgainWhileStale<T>(log: Log, place: EnvironmentPath, attempt: (tries: number) => Promise<T>) {
  return retryWhile(staleReadLimit(log, place), attempt);
}

/**
 * Counts the stale reads of one request. The next attempt reads the table rather than a kept snapshot.
 * @returns a function that recognizes a stale read, and throws temporarily_unavailable after too many
 */
export function staleReadLimit(log: Log, place: EnvironmentPath): (error: unknown) => error is StaleRead {
  let count = 0;
  return (error): error is StaleRead => {
    // A ciphertext that does not open may have been restored in the table since.
    if (error instanceof StaleRead || error instanceof AlteredCiphertext) forgetSnapshot(place);
    if (!(error instanceof StaleRead)) return false;
    count += 1;
    if (count < maximumStaleReads) return true;
    // An alarm counts these lines by `alarm`.
    log.error('an environment stays inconsistent however often it is read', error, { ...place, alarm: 'inconsistent' });
    const message = 'The environment could not be read consistently. Send the request again.';
    throw temporarilyUnavailable(message, error, { isExpected: true });
  };
}
