import type { SecretEntry } from './answers.ts';
import type { CacheOptions, GeneratedValue } from './environment-options.ts';
import { GatewayError, isObject, RevisionMismatch } from './errors.ts';
import { type Content, createLatest } from './latest.ts';
import { Snapshot } from './snapshot.ts';
import type { Answer, Transport } from './transport.ts';
import type { Write } from './write.ts';

export interface Pulled extends Content {
  secrets: readonly SecretEntry[];
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

/**
 * Pulls one environment.
 * @throws TypeError for a name that can't be part of a path
 */
export function createPuller(transport: Transport, cache: CacheOptions, path: EnvironmentPath) {
  const latest = createLatest<Pulled>(transport, cache, { path }, pulledOf);

  /**
   * Checks with one pull whether a write was applied. It is never shared: a shared pull may have started before the
   * write.
   */
  function lookByPull<T>({ set = new Map(), deleted = [] }: Wanted, found: (pulled: Pulled) => T): Write<T>['look'] {
    const isExpanding = [...set.values()].some(put => 'value' in put && put.expand === true);
    return async (after, { signal, deadline }) => {
      const pulled = await (isExpanding
        ? latest.pullOnce({ raw: true }, signal, deadline)
        : latest.pullLatest(signal, deadline));
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

  return { pull: latest.pull, lookByPull };
}

function pulledOf(answer: Answer): Pulled {
  const { secrets, revision } = secretsIn(answer);
  const snapshot = new Snapshot(revision, valuesOf(secrets), false, expandingAmong(secrets));
  return { secrets, snapshot, etag: answer.headers.get('etag') };
}

/** @throws GatewayError if the answer is not the service's */
export function secretsIn({ body }: Pick<Answer, 'body'>): { secrets: readonly SecretEntry[]; revision: number } {
  if (!isObject(body) || !Number.isInteger(body.revision) || !Array.isArray(body.secrets)) throw notThePull();
  for (const secret of body.secrets) {
    if (!isObject(secret) || typeof secret.key !== 'string' || typeof secret.value !== 'string') throw notThePull();
  }
  return { secrets: body.secrets as SecretEntry[], revision: body.revision as number };
}

export const valuesOf = (secrets: readonly SecretEntry[]): Map<string, string> =>
  new Map(secrets.map(({ key, value }) => [key, value]));

/** The keys whose values may name others. */
export const expandingAmong = (secrets: readonly SecretEntry[]): Set<string> =>
  new Set(secrets.filter(({ expand }) => expand === true).map(({ key }) => key));

export function notThePull(): GatewayError {
  return new GatewayError('The response is not from a Holdfast service.', { code: 'gateway_error', status: 200 });
}
