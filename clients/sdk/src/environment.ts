import type {
  ChangeResult,
  Comparison,
  DeleteResult,
  Diff,
  DryRun,
  History,
  ImportResult,
  KeyList,
  RestoreResult,
  RevisionList,
  SecretEntry,
  SetResult,
  Validation,
} from './answers.ts';
import { GatewayError, HoldfastError, isObject, RevisionMismatch } from './errors.ts';
import { type GivenOptions, operationOf } from './request.ts';
import { shareRequests } from './share.ts';
import { Snapshot } from './snapshot.ts';
import { type Answer, pause, type Query, type Transport } from './transport.ts';
import { lookByDryRun, type Plan, plan, type Write, write } from './write.ts';

export interface CallOptions {
  signal?: AbortSignal;
}

/** How old an answer may be. Both options are off by default. */
export interface CacheOptions {
  /** An answer this young is returned without asking the service. */
  maxAgeMs?: number;
  /** Where the service can't answer, one that it confirmed this lately is returned, marked `stale`. Never after 401, 403, 404. */
  staleIfErrorMs?: number;
}

export interface PullOptions extends CallOptions, CacheOptions {
  /** The environment as it was at this revision. */
  revision?: number;
  /** Only these keys; one that is not there is an error. */
  keys?: readonly string[];
}

export interface WriteOptions extends CallOptions {
  /** Changes that revision of the environment only. */
  ifRevision?: number;
  /** Why: one line for the revision list and the audit log. */
  message?: string;
}

export interface SetOptions extends WriteOptions {
  /** Changes that version of the key only; 0 = the key must not be there. */
  ifVersion?: number;
}

export interface RestoreOptions extends WriteOptions {
  /** Only these keys. */
  keys?: readonly string[];
}

export interface Changes {
  set?: Readonly<Record<string, string>>;
  delete?: readonly string[];
  message?: string;
}

export interface WatchOptions extends CallOptions {
  /** 10,000 where omitted. */
  intervalMs?: number;
  /** Hears of each poll that failed for now; the watch goes on. */
  onError?: (error: HoldfastError) => void;
}

interface Pulled {
  secrets: readonly SecretEntry[];
  snapshot: Snapshot;
  etag: string | null;
  /** Of `Date.now()`, when the request began. */
  at: number;
  /** The transport's count of writes when the request began. */
  writes: number;
}

const root = '/v1/secrets/{orgSlug}/{project}/{env}';

/** The secrets of one environment. Making it asks the service nothing. */
export class Environment {
  readonly organization: string;
  readonly project: string;
  readonly slug: string;
  readonly #transport: Transport;
  readonly #cache: CacheOptions;
  readonly #share = shareRequests<Pulled>();
  /** What the service last said; it answers 304 for its tag. */
  #latest: Pulled | undefined;

  constructor(transport: Transport, cache: CacheOptions, organization: string, project: string, slug: string) {
    this.#transport = transport;
    this.#cache = cache;
    this.organization = organization;
    this.project = project;
    this.slug = slug;
    // Fails here for a name that no path can hold, not at the first pull.
    operationOf('GET', root, { path: this.#path });
  }

  /** All secrets, as one revision. Asks with `If-None-Match`: an unchanged environment costs a 304. */
  async pull(options: PullOptions = {}): Promise<Snapshot> {
    const { revision, keys, signal } = options;
    signal?.throwIfAborted();
    const writes = this.#transport.writes();
    if (revision !== undefined || keys !== undefined) {
      const query = { revision, keys: keys?.join(',') };
      const id = JSON.stringify([writes, query]);
      return (await this.#share(id, signal, shared => this.#pullOnce(query, shared))).snapshot;
    }
    const { maxAgeMs = 0, staleIfErrorMs = 0 } = { ...this.#cache, ...options };
    const known = this.#latest;
    if (known?.writes === writes && isYounger(known, maxAgeMs)) return known.snapshot;
    try {
      return (await this.#share(String(writes), signal, shared => this.#pullLatest(shared))).snapshot;
    } catch (error) {
      const last = this.#latest;
      if (last === undefined || !isOutage(error) || !isYounger(last, staleIfErrorMs)) throw error;
      return last.snapshot.asStale();
    }
  }

  /** The keys with their versions, without values. */
  keys({ signal, ...query }: CallOptions & { revision?: number } = {}): Promise<KeyList> {
    return this.#read(`${root}/keys`, { query, signal });
  }

  /** The versions of a key, newest first. `values` asks for their values, which is audited. */
  history(
    key: string,
    { signal, ...query }: CallOptions & { values?: boolean; limit?: number; offset?: number } = {},
  ): Promise<History> {
    return this.#read(`${root}/versions/{key}`, { path: { key }, query, signal });
  }

  /** Who changed what and why, newest first. */
  revisions({ signal, ...query }: CallOptions & { limit?: number; before?: number } = {}): Promise<RevisionList> {
    return this.#read(`${root}/revisions`, { query, signal });
  }

  /** What changed between two revisions; up to the current one where `to` is omitted. */
  diff(from: number, to?: number, { signal, values }: CallOptions & { values?: boolean } = {}): Promise<Diff> {
    return this.#read(`${root}/diff`, { query: { from, to, values }, signal });
  }

  /** What differs from another environment of the project. */
  compare(other: string, { signal, values }: CallOptions & { values?: boolean } = {}): Promise<Comparison> {
    return this.#read(`${root}/compare`, { query: { with: other, values }, signal });
  }

  /** Checks the environment against the project's template. */
  validate({ signal }: CallOptions = {}): Promise<Validation> {
    return this.#read('/v1/templates/{orgSlug}/{project}/validate/{env}', { signal });
  }

  async set(key: string, value: string, options: SetOptions = {}): Promise<SetResult> {
    const { ifVersion, message, ...rest } = options;
    const set = mapOf({ [key]: value });
    return await write<SetResult>(this.#transport, {
      method: 'PUT',
      template: root,
      options: { ...rest, path: this.#path, body: { key, value, expectedVersion: ifVersion, message } },
      ifVersion,
      look: this.#lookByPull({ set }, ({ secrets, snapshot: { revision } }) => {
        const { value: _, ...secret } = secrets.find(entry => entry.key === key) as SecretEntry;
        return { secret, changed: false, revision };
      }),
    });
  }

  /** Sets all of them as one revision. Keys that are not named stay as they are. */
  async import(values: Readonly<Record<string, string>>, options: WriteOptions = {}): Promise<ImportResult> {
    const { message, ...rest } = options;
    const set = mapOf(values);
    return await write<ImportResult>(this.#transport, {
      method: 'POST',
      template: `${root}/bulk`,
      options: { ...rest, path: this.#path, body: { secrets: listOf(set), message } },
      look: this.#lookByPull({ set }, ({ snapshot: { revision } }) => {
        return { created: [], updated: [], unchanged: [...set.keys()], revision };
      }),
    });
  }

  /** Sets what a dotenv text says, read by the service's own rules, as one revision. */
  importDotenv(dotenv: string, options: WriteOptions = {}): Promise<ImportResult> {
    const { message, ...rest } = options;
    const change = {
      method: 'POST',
      template: `${root}/bulk`,
      options: { ...rest, path: this.#path, body: { dotenv, message } },
    } as const;
    const look = lookByDryRun(this.#transport, change, nothingLeft);
    return write<ImportResult>(this.#transport, { ...change, look });
  }

  /**
   * Deletes the keys as one revision. One key alone is deleted by the operation that developers may use too, and is
   * `secret_not_found` where it is not there; of several, the missing ones are listed in `notFound`.
   */
  async delete(keys: readonly string[], options: WriteOptions = {}): Promise<DeleteResult> {
    const { message, ...rest } = options;
    const wanted = { deleted: keys };
    const [key] = keys;
    if (key === undefined || keys.length > 1) {
      return await write<DeleteResult>(this.#transport, {
        method: 'POST',
        template: `${root}/bulk-delete`,
        options: { ...rest, path: this.#path, body: { keys, message } },
        look: this.#lookByPull(wanted, ({ snapshot: { revision } }) => {
          return { deleted: [], notFound: [...keys], revision };
        }),
      });
    }
    const { revision } = await write<{ revision: number }>(this.#transport, {
      method: 'DELETE',
      template: `${root}/{key}`,
      options: { ...rest, path: { ...this.#path, key }, query: { message } },
      look: this.#lookByPull(wanted, pulled => ({ revision: pulled.snapshot.revision })),
    });
    return { deleted: [key], notFound: [], revision };
  }

  /** What setting and deleting these keys as one revision would do; `apply` does it if nothing has moved since. */
  async plan(
    { set = {}, delete: deleted = [], message }: Changes,
    { signal }: CallOptions = {},
  ): Promise<Plan<ChangeResult>> {
    const values = mapOf(set);
    const body = {
      ...(values.size === 0 ? {} : { set: listOf(values) }),
      ...(deleted.length === 0 ? {} : { delete: deleted }),
      message,
    };
    return await plan<ChangeResult>(this.#transport, {
      method: 'POST',
      template: `${root}/changes`,
      options: { path: this.#path, body, signal },
      look: this.#lookByPull({ set: values, deleted }, ({ snapshot: { revision } }) => {
        return { created: [], updated: [], unchanged: [...values.keys()], deleted: [...deleted], revision };
      }),
    });
  }

  /** Makes the environment, or some keys of it, what it was at a revision, as one new revision. */
  restore(revision: number, options: RestoreOptions = {}): Promise<RestoreResult> {
    return write(this.#transport, this.#restoration(revision, options));
  }

  planRestore(revision: number, options: Omit<RestoreOptions, 'ifRevision'> = {}): Promise<Plan<RestoreResult>> {
    return plan(this.#transport, this.#restoration(revision, options));
  }

  /**
   * Yields the current secrets, then every new revision, until the signal aborts. The first pull's failure is thrown;
   * later on one that may pass (an outage) is not, but one that does not pass is (401, 403, 404).
   */
  async *watch({ intervalMs = 10_000, signal, onError }: WatchOptions = {}): AsyncGenerator<Snapshot, void, undefined> {
    if (!(intervalMs > 0)) throw new RangeError('intervalMs must be above 0.');
    const options = { maxAgeMs: 0, staleIfErrorMs: 0, ...(signal === undefined ? {} : { signal }) };
    let last: Snapshot | undefined;
    while (!signal?.aborted) {
      let waitMs = intervalMs;
      try {
        const snapshot = await this.pull(options);
        // Any other revision, not only a higher one: an environment may be made anew under its slug.
        if (snapshot.revision !== last?.revision) {
          last = snapshot;
          yield snapshot;
        }
      } catch (error) {
        if (signal?.aborted) return;
        if (last === undefined || !isOutage(error)) throw error;
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

  get #path(): { orgSlug: string; project: string; env: string } {
    return { orgSlug: this.organization, project: this.project, env: this.slug };
  }

  async #read<T>(template: string, { path, ...options }: GivenOptions): Promise<T> {
    const operation = operationOf('GET', template, { ...options, path: { ...this.#path, ...path } });
    return (await this.#transport.send(operation)).body as T;
  }

  async #pullOnce(query: Query, signal: AbortSignal): Promise<Pulled> {
    const begun = { at: Date.now(), writes: this.#transport.writes() };
    const operation = operationOf('GET', root, { path: this.#path, query, signal });
    return { ...begun, ...pulledOf(await this.#transport.send(operation)) };
  }

  async #pullLatest(signal: AbortSignal | undefined, deadline = this.#transport.deadline()): Promise<Pulled> {
    const begun = { at: Date.now(), writes: this.#transport.writes() };
    const known = this.#latest;
    const operation = operationOf('GET', root, { path: this.#path, signal });
    try {
      const answer = await this.#transport.send({
        ...operation,
        headers: known?.etag == null ? {} : { 'if-none-match': known.etag },
        deadline,
      });
      const isKnown = answer.status === 304 && known !== undefined;
      const pulled = { ...(isKnown ? known : pulledOf(answer)), ...begun };
      // A pull that began before a write may end after one that began behind it.
      if (this.#latest === undefined || this.#latest.writes <= begun.writes) this.#latest = pulled;
      return pulled;
    } catch (error) {
      // A client that may no longer read must not be served from memory later.
      if (error instanceof HoldfastError && [401, 403, 404].includes(error.status ?? 0)) this.#latest = undefined;
      throw error;
    }
  }

  /** One pull of its own: a shared one may have begun before the write. */
  #lookByPull<T>(
    { set = new Map(), deleted = [] }: { set?: ReadonlyMap<string, string>; deleted?: readonly string[] },
    found: (pulled: Pulled) => T,
  ): Write<T>['look'] {
    return async (after, { signal, deadline }) => {
      const pulled = await this.#pullLatest(signal, deadline);
      const { snapshot } = pulled;
      const isAsWanted =
        [...set].every(([key, value]) => snapshot.get(key) === value) && !deleted.some(key => snapshot.has(key));
      if (isAsWanted) return found(pulled);
      // One change led to that revision, and this was another one.
      if (after instanceof RevisionMismatch && after.currentRevision === snapshot.revision)
        after.outcomeUnknown = false;
      return undefined;
    };
  }

  #restoration(revision: number, { keys, message, ...rest }: RestoreOptions): Write<RestoreResult> {
    const change = {
      method: 'POST',
      template: `${root}/restore`,
      options: { ...rest, path: this.#path, body: { revision, keys, message } },
    } as const;
    const found = (answer: DryRun) => ({ ...nothingLeft(answer), deleted: [], restored: revision });
    return { ...change, look: lookByDryRun<RestoreResult>(this.#transport, change, found) };
  }
}

function nothingLeft({ plan: { unchanged }, revision }: DryRun): ImportResult {
  return { created: [], updated: [], unchanged, revision };
}

function isYounger({ at }: Pulled, limitMs: number): boolean {
  const ageMs = Date.now() - at;
  // A clock that was set back says nothing about the age.
  return ageMs >= 0 && ageMs < limitMs;
}

/** The service could not answer; it did not refuse. */
function isOutage(error: unknown): error is HoldfastError {
  if (!(error instanceof HoldfastError)) return false;
  return error.status === undefined || error.retryable || error.status >= 500;
}

/** @throws GatewayError for what is not the service's answer, before any of it is taken for a value */
function pulledOf({ body, headers }: Answer): Pick<Pulled, 'secrets' | 'snapshot' | 'etag'> {
  if (!isObject(body) || !Number.isInteger(body.revision) || !Array.isArray(body.secrets)) throw notThePull();
  const secrets = body.secrets as SecretEntry[];
  const values = new Map<string, string>();
  for (const secret of secrets) {
    if (!isObject(secret) || typeof secret.key !== 'string' || typeof secret.value !== 'string') throw notThePull();
    values.set(secret.key, secret.value);
  }
  return { secrets, snapshot: new Snapshot(body.revision as number, values, false), etag: headers.get('etag') };
}

function notThePull(): GatewayError {
  return new GatewayError('The answer is not that of a Holdfast service.', { code: 'gateway_error', status: 200 });
}

/** Own members, so that `__proto__` is a key like any other. @throws TypeError where JSON would drop or change a value */
function mapOf(values: Readonly<Record<string, string>>): Map<string, string> {
  const map = new Map<string, string>();
  for (const [key, value] of Object.entries(values)) {
    if (typeof value !== 'string') throw new TypeError(`The value of ${key} must be a string.`);
    map.set(key, value);
  }
  return map;
}

function listOf(values: ReadonlyMap<string, string>): { key: string; value: string }[] {
  return [...values].map(([key, value]) => ({ key, value }));
}
