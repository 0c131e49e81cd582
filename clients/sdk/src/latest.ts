import type { CacheOptions, PullOptions } from './environment-options.ts';
import { HoldfastError } from './errors.ts';
import { type GivenOptions, operationOf } from './request.ts';
import { shareRequests } from './share.ts';
import type { Snapshot } from './snapshot.ts';
import type { Answer, Deadline, Query, Transport } from './transport.ts';

/** What an answer to a pull holds. */
export interface Content {
  snapshot: Snapshot;
  etag: string | null;
}

interface Begun {
  /** `Date.now()` when the request began. */
  at: number;
  /** The transport's count of writes when the request began. */
  writes: number;
}

export const environmentTemplate = '/v1/secrets/{orgSlug}/{project}/{env}';

/**
 * Sends one pull again and again, and remembers the latest answer for its ETag.
 * @param asked what the pull always sends
 * @throws TypeError for a name that can't be part of a path
 */
export function createLatest<C extends Content>(
  transport: Transport,
  cache: CacheOptions,
  asked: Pick<GivenOptions, 'path' | 'query'>,
  contentOf: (answer: Answer) => C,
) {
  type Pulled = C & Begun;
  // Fails here, not at the first pull.
  operationOf('GET', environmentTemplate, asked);
  const share = shareRequests<Pulled>();
  let latest: Pulled | undefined;

  const begin = (): Begun => ({ at: Date.now(), writes: transport.writes() });

  async function pullOnce(more: Query, signal: AbortSignal | undefined, deadline?: Deadline): Promise<Pulled> {
    const begun = begin();
    const query = { ...asked.query, ...more };
    const operation = operationOf('GET', environmentTemplate, { ...asked, query, signal });
    return { ...contentOf(await transport.send({ ...operation, deadline })), ...begun };
  }

  async function pullLatest(signal: AbortSignal | undefined, deadline = transport.deadline()): Promise<Pulled> {
    const begun = begin();
    const known = latest;
    const operation = operationOf('GET', environmentTemplate, { ...asked, signal });
    try {
      const answer = await transport.send({
        ...operation,
        headers: known?.etag == null ? {} : { 'if-none-match': known.etag },
        deadline,
      });
      const isKnown = answer.status === 304 && known !== undefined;
      const pulled = { ...(isKnown ? known : contentOf(answer)), ...begun };
      // A pull that began before a write may end after a pull that began later.
      if (latest === undefined || latest.writes <= begun.writes) latest = pulled;
      return pulled;
    } catch (error) {
      // A client that lost its read access must not be served from memory later.
      if (error instanceof HoldfastError && [401, 403, 404].includes(error.status ?? 0)) latest = undefined;
      throw error;
    }
  }

  async function pull({ revision, keys, raw, signal, ...options }: PullOptions): Promise<C['snapshot']> {
    signal?.throwIfAborted();
    const writes = transport.writes();
    const more = { revision, keys: keys?.join(','), raw: raw || undefined };
    // Any other answer than the latest as a whole is not kept.
    if (Object.values(more).some(value => value !== undefined)) {
      const id = JSON.stringify([writes, more]);
      return (await share(id, signal, shared => pullOnce(more, shared))).snapshot;
    }
    const { maxAgeMs = 0, staleIfErrorMs = 0 } = { ...cache, ...options };
    const known = latest;
    if (known?.writes === writes && isYounger(known, maxAgeMs)) return known.snapshot;
    try {
      return (await share(String(writes), signal, shared => pullLatest(shared))).snapshot;
    } catch (error) {
      if (latest === undefined || !isOutage(error) || !isYounger(latest, staleIfErrorMs)) throw error;
      return latest.snapshot.asStale();
    }
  }

  return { pull, pullOnce, pullLatest };
}

function isYounger({ at }: Begun, limitMs: number): boolean {
  const ageMs = Date.now() - at;
  // If the clock was set back, the age is unknown.
  return ageMs >= 0 && ageMs < limitMs;
}

/** Whether the service failed to answer, as opposed to refusing. */
export function isOutage(error: unknown): error is HoldfastError {
  if (!(error instanceof HoldfastError)) return false;
  return error.status === undefined || error.retryable || error.status >= 500;
}
