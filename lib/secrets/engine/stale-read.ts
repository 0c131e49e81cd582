import { temporarilyUnavailable } from '../../core/errors.ts';
import type { Log } from '../../core/logger.ts';
import { pauseBeforeRetry, retryBudget } from '../../table/retry.ts';

/** Something changed during the read, so what was read does not belong together. Reading again helps. */
export class StaleRead extends Error {
  override readonly name = 'StaleRead';
}

/** A real race is over after one or two tries. After this many the table must be damaged. */
const maximumStaleReads = 10;

/** @throws temporarily_unavailable, with an error in the log, when what is read stays inconsistent. */
export async function readAgainWhileStale<T>(
  log: Log,
  place: Readonly<Record<string, unknown>>,
  attempt: (tries: number) => Promise<T>,
): Promise<T> {
  const budget = retryBudget();
  const isStale = staleReadLimit(log, place);
  for (let tries = 0; ; tries += 1) {
    try {
      return await attempt(tries);
    } catch (error) {
      if (!isStale(error)) throw error;
      await pauseBeforeRetry(budget, error);
    }
  }
}

/**
 * Tells the stale reads of one request from other errors, and counts them.
 * @returns a function that throws temporarily_unavailable at one too many
 */
export function staleReadLimit(
  log: Log,
  place: Readonly<Record<string, unknown>>,
): (error: unknown) => error is StaleRead {
  let count = 0;
  return (error): error is StaleRead => {
    if (!(error instanceof StaleRead)) return false;
    count += 1;
    if (count >= maximumStaleReads) throw staysInconsistent(log, place, error);
    return true;
  };
}

function staysInconsistent(log: Log, place: Readonly<Record<string, unknown>>, error: StaleRead) {
  // An alarm counts these lines by `alarm`.
  log.error('an environment stays inconsistent however often it is read', error, { ...place, alarm: 'inconsistent' });
  return temporarilyUnavailable('The environment could not be read consistently. Send the request again.');
}
