import { temporarilyUnavailable } from '../../core/errors.ts';
import type { Log } from '../../core/logger.ts';
import { pauseBeforeRetry, retryBudget } from '../../table/retry.ts';

/** Something changed during the read, so what was read does not belong together. Reading again helps. */
export class StaleRead extends Error {
  override readonly name = 'StaleRead';
}

/** A real race is over after one or two tries. After this many the table must be damaged. */
export const maximumStaleReads = 10;

/** @throws temporarily_unavailable, with an error in the log, when what is read stays inconsistent. */
export async function readAgainWhileStale<T>(
  log: Log,
  place: Readonly<Record<string, unknown>>,
  attempt: (tries: number) => Promise<T>,
): Promise<T> {
  const budget = retryBudget();
  for (let tries = 0; ; tries += 1) {
    try {
      return await attempt(tries);
    } catch (error) {
      if (!(error instanceof StaleRead)) throw error;
      if (tries + 1 >= maximumStaleReads) throw staysInconsistent(log, place, error);
      await pauseBeforeRetry(budget, error);
    }
  }
}

export function staysInconsistent(log: Log, place: Readonly<Record<string, unknown>>, error: StaleRead) {
  // An alarm counts these lines by `alarm`.
  log.error('an environment stays inconsistent however often it is read', error, { ...place, alarm: 'inconsistent' });
  return temporarilyUnavailable('The environment could not be read consistently. Send the request again.');
}
