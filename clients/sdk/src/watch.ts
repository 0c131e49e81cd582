import type { PullOptions, WatchOptions } from './environment-options.ts';
import { HoldfastError } from './errors.ts';
import { isOutage } from './latest.ts';
import type { Snapshot } from './snapshot.ts';
import { pause } from './transport.ts';

/**
 * Yields the current secrets, then every new revision.
 * @param versionOf differs between two snapshots unless they are of the same revision
 */
export function watchPulls<S extends Snapshot>(
  pull: (options: PullOptions) => Promise<S>,
  versionOf: (snapshot: S) => number | string,
  options: WatchOptions,
): AsyncGenerator<S, void, undefined> {
  const { intervalMs = 10_000 } = options;
  if (!(intervalMs > 0)) throw new RangeError('intervalMs must be above 0.');
  return poll(pull, versionOf, intervalMs, options);
}

async function* poll<S extends Snapshot>(
  pull: (options: PullOptions) => Promise<S>,
  versionOf: (snapshot: S) => number | string,
  intervalMs: number,
  { signal, onError }: WatchOptions,
): AsyncGenerator<S, void, undefined> {
  const options = { maxAgeMs: 0, staleIfErrorMs: 0, ...(signal === undefined ? {} : { signal }) };
  let last: number | string | undefined;
  while (!signal?.aborted) {
    let waitMs = intervalMs;
    try {
      const snapshot = await pull(options);
      // Any other revision, not only a higher one: a new environment may reuse the slug.
      if (versionOf(snapshot) !== last) {
        last = versionOf(snapshot);
        yield snapshot;
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (last === undefined || !mayPass(error)) throw error;
      onError?.(error);
      waitMs = Math.max(waitMs, error.retryAfterMs ?? 0);
    }
    try {
      await pause(waitMs, signal);
    } catch {
      return;
    }
  }
}

/** A platform's token that was used already is replaced in time, and access doesn't end meanwhile. */
function mayPass(error: unknown): error is HoldfastError {
  return isOutage(error) || (error instanceof HoldfastError && error.code === 'assertion_replayed');
}
