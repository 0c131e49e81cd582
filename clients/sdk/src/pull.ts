import type { SecretEntry } from './answers.ts';
import type { CacheOptions, GeneratedValue, PullOptions } from './environment-options.ts';
import { GatewayError, HoldfastError, isObject, RevisionMismatch } from './errors.ts';
import { operationOf } from './request.ts';
import { shareRequests } from './share.ts';
import { Snapshot } from './snapshot.ts';
import type { Answer, Deadline, Query, Transport } from './transport.ts';
import type { Write } from './write.ts';

export interface Pulled {
  secrets: readonly SecretEntry[];
  snapshot: Snapshot;
  etag: string | null;
  /** `Date.now()` when the request began. */
  at: number;
  /** The transport's count of writes when the request began. */
  writes: number;
}

/** A value to set. */
export interface Put {
  value: string;
  expand?: true;
}

/** A value to set, or how the service makes one. */
export type NewPut = Put | GeneratedValue;

/** The state that a write requests. */
interface Wanted {
  set?: ReadonlyMap<string, NewPut>;
  deleted?: readonly string[];
}

export interface EnvironmentPath extends Readonly<Record<string, string>> {
  orgSlug: string;
  project: string;
  env: string;
}

export const environmentTemplate = '/v1/secrets/{orgSlug}/{project}/{env}';

/**
 * Pulls one environment and remembers the latest answer for its ETag.
 * @throws TypeError for a name that can't be part of a path
 */
export function createPuller(transport: Transport, cache: CacheOptions, path: EnvironmentPath) {
  // Fails here, not at the first pull.
  operationOf('GET', environmentTemplate, { path });
  const share = shareRequests<Pulled>();
  let latest: Pulled | undefined;

  const begin = () => ({ at: Date.now(), writes: transport.writes() });

  async function pullOnce(query: Query, signal: AbortSignal | undefined, deadline?: Deadline): Promise<Pulled> {
    const begun = begin();
    const operation = operationOf('GET', environmentTemplate, { path, query, signal });
    return { ...begun, ...pulledOf(await transport.send({ ...operation, deadline })) };
  }

  async function pullLatest(signal: AbortSignal | undefined, deadline = transport.deadline()): Promise<Pulled> {
    const begun = begin();
    const known = latest;
    const operation = operationOf('GET', environmentTemplate, { path, signal });
    try {
      const answer = await transport.send({
        ...operation,
        headers: known?.etag == null ? {} : { 'if-none-match': known.etag },
        deadline,
      });
      const isKnown = answer.status === 304 && known !== undefined;
      const pulled = { ...(isKnown ? known : pulledOf(answer)), ...begun };
      // A pull that began before a write may end after a pull that began later.
      if (latest === undefined || latest.writes <= begun.writes) latest = pulled;
      return pulled;
    } catch (error) {
      // A client that lost its read access must not be served from memory later.
      if (error instanceof HoldfastError && [401, 403, 404].includes(error.status ?? 0)) latest = undefined;
      throw error;
    }
  }

  async function pull(options: PullOptions): Promise<Snapshot> {
    const { revision, keys, raw, signal } = options;
    signal?.throwIfAborted();
    const writes = transport.writes();
    if (revision !== undefined || keys !== undefined || raw === true) {
      const query = { revision, keys: keys?.join(','), raw };
      const id = JSON.stringify([writes, query]);
      return (await share(id, signal, shared => pullOnce(query, shared))).snapshot;
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

  /**
   * Checks with one pull whether a write was applied. It is never shared: a shared pull may have started before the
   * write.
   */
  function lookByPull<T>({ set = new Map(), deleted = [] }: Wanted, found: (pulled: Pulled) => T): Write<T>['look'] {
    const isExpanding = [...set.values()].some(put => 'value' in put && put.expand === true);
    return async (after, { signal, deadline }) => {
      const pulled = await (isExpanding ? pullOnce({ raw: true }, signal, deadline) : pullLatest(signal, deadline));
      const { snapshot } = pulled;
      // Nobody knows what the service generated.
      const isThere = ([key, put]: [string, NewPut]) =>
        'value' in put && snapshot.get(key) === put.value && snapshot.expands(key) === (put.expand ?? false);
      const isAsWanted = [...set].every(isThere) && !deleted.some(key => snapshot.has(key));
      if (isAsWanted) return found(pulled);
      // Only one change can have led to that revision, and it was a different one.
      if (after instanceof RevisionMismatch && after.currentRevision === snapshot.revision)
        after.outcomeUnknown = false;
      return undefined;
    };
  }

  return { pull, lookByPull };
}

function isYounger({ at }: Pulled, limitMs: number): boolean {
  const ageMs = Date.now() - at;
  // If the clock was set back, the age is unknown.
  return ageMs >= 0 && ageMs < limitMs;
}

/** Whether the service failed to answer, as opposed to refusing. */
export function isOutage(error: unknown): error is HoldfastError {
  if (!(error instanceof HoldfastError)) return false;
  return error.status === undefined || error.retryable || error.status >= 500;
}

/** @throws GatewayError if the answer is not the service's */
function pulledOf({ body, headers }: Answer): Pick<Pulled, 'secrets' | 'snapshot' | 'etag'> {
  if (!isObject(body) || !Number.isInteger(body.revision) || !Array.isArray(body.secrets)) throw notThePull();
  const secrets = body.secrets as SecretEntry[];
  const values = new Map<string, string>();
  const expanding = new Set<string>();
  for (const secret of secrets) {
    if (!isObject(secret) || typeof secret.key !== 'string' || typeof secret.value !== 'string') throw notThePull();
    values.set(secret.key, secret.value);
    if (secret.expand === true) expanding.add(secret.key);
  }
  const snapshot = new Snapshot(body.revision as number, values, false, expanding);
  return { secrets, snapshot, etag: headers.get('etag') };
}

function notThePull(): GatewayError {
  return new GatewayError('The response is not from a Holdfast service.', { code: 'gateway_error', status: 200 });
}
