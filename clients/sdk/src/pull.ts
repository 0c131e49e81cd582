import type { SecretEntry } from './answers.ts';
import type { CacheOptions, PullOptions } from './environment-options.ts';
import { GatewayError, isObject, RevisionMismatch } from './errors.ts';
import { type Content, createLatest } from './latest.ts';
import { Snapshot } from './snapshot.ts';
import type { Answer, Transport } from './transport.ts';
import type { Write } from './write.ts';

export interface Pulled extends Content {
  secrets: readonly SecretEntry[];
}

/** The state that a write requests. */
interface Wanted {
  set?: ReadonlyMap<string, string>;
  deleted?: readonly string[];
}

export interface EnvironmentPath extends Readonly<Record<string, string>> {
  orgSlug: string;
  project: string;
  env: string;
}

/**
 * Pulls one environment.
 * @throws TypeError for a name that can't be part of a path
 */
export function createPuller(transport: Transport, cache: CacheOptions, path: EnvironmentPath) {
  const latest = createLatest<Pulled>(transport, cache, { path }, pulledOf);

  function pull({ revision, keys, ...options }: PullOptions): Promise<Snapshot> {
    const isLatest = revision === undefined && keys === undefined;
    return latest.pull(options, isLatest ? undefined : { revision, keys: keys?.join(',') });
  }

  /**
   * Checks with one pull whether a write was applied. It is never shared: a shared pull may have started before the
   * write.
   */
  function lookByPull<T>({ set = new Map(), deleted = [] }: Wanted, found: (pulled: Pulled) => T): Write<T>['look'] {
    return async (after, { signal, deadline }) => {
      const pulled = await latest.pullLatest(signal, deadline);
      const { snapshot } = pulled;
      const isAsWanted =
        [...set].every(([key, value]) => snapshot.get(key) === value) && !deleted.some(key => snapshot.has(key));
      if (isAsWanted) return found(pulled);
      // Only one change can have led to that revision, and it was a different one.
      if (after instanceof RevisionMismatch && after.currentRevision === snapshot.revision)
        after.outcomeUnknown = false;
      return undefined;
    };
  }

  return { pull, lookByPull };
}

function pulledOf(answer: Answer): Pulled {
  const { secrets, revision } = secretsIn(answer);
  const values = new Map(secrets.map(({ key, value }) => [key, value]));
  return { secrets, snapshot: new Snapshot(revision, values, false), etag: answer.headers.get('etag') };
}

/** @throws GatewayError if the answer is not the service's */
export function secretsIn({ body }: Pick<Answer, 'body'>): { secrets: readonly SecretEntry[]; revision: number } {
  if (!isObject(body) || !Number.isInteger(body.revision) || !Array.isArray(body.secrets)) throw notThePull();
  for (const secret of body.secrets) {
    if (!isObject(secret) || typeof secret.key !== 'string' || typeof secret.value !== 'string') throw notThePull();
  }
  return { secrets: body.secrets as SecretEntry[], revision: body.revision as number };
}

export function notThePull(): GatewayError {
  return new GatewayError('The response is not from a Holdfast service.', { code: 'gateway_error', status: 200 });
}
