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
  RevisionEntry,
  RevisionList,
  SecretEntry,
  SetResult,
  Validation,
} from './answers.ts';
import type {
  CacheOptions,
  CallOptions,
  Changes,
  GenerateOptions,
  HistoryQuery,
  ImportDotenvOptions,
  KeyQuery,
  NewOrGenerated,
  NewValues,
  PullOptions,
  RestoreOptions,
  RevisionQuery,
  SetOptions,
  WatchOptions,
  WriteOptions,
} from './environment-options.ts';
import { environmentTemplate } from './latest.ts';
import { type Paged, paged } from './paged.ts';
import { createPuller, type EnvironmentPath, type NewPut, type Put } from './pull.ts';
import { type GivenOptions, operationOf } from './request.ts';
import type { Snapshot } from './snapshot.ts';
import type { Transport } from './transport.ts';
import { watchPulls } from './watch.ts';
import { lookByDryRun, type Plan, plan, type Write, write } from './write.ts';

/** The secrets of one environment. Creating it sends no request. */
export class Environment {
  readonly organization: string;
  readonly project: string;
  readonly slug: string;
  readonly #transport: Transport;
  readonly #path: EnvironmentPath;
  readonly #puller: ReturnType<typeof createPuller>;

  constructor(transport: Transport, cache: CacheOptions, path: EnvironmentPath) {
    this.organization = path.orgSlug;
    this.project = path.project;
    this.slug = path.env;
    this.#transport = transport;
    this.#path = path;
    this.#puller = createPuller(transport, cache, path);
  }

  /** All secrets, as one revision. Sends `If-None-Match`: an unchanged environment costs a 304. */
  pull(options: PullOptions = {}): Promise<Snapshot> {
    return this.#puller.pull(options);
  }

  /** The keys with their versions, without values. Returned whole unless `limit` asks for pages. */
  keys({ signal, ...query }: CallOptions & KeyQuery = {}): Paged<KeyList, KeyList['keys'][number]> {
    return paged(page => this.#read(`${environmentTemplate}/keys`, { query: page, signal }), query);
  }

  /** The versions of a key, newest first. `values` asks for their values, which is audited. */
  history(
    key: string,
    { signal, ...query }: CallOptions & HistoryQuery = {},
  ): Paged<History, History['versions'][number]> {
    const template = `${environmentTemplate}/versions/{key}`;
    return paged(page => this.#read(template, { path: { key }, query: page, signal }), query);
  }

  /** Who changed what and why, newest first. */
  revisions({ signal, ...query }: CallOptions & RevisionQuery = {}): Paged<RevisionList, RevisionEntry> {
    return paged(page => this.#read(`${environmentTemplate}/revisions`, { query: page, signal }), query);
  }

  /** What changed between two revisions; `to` defaults to the current one. */
  diff(from: number, to?: number, { signal, values }: CallOptions & { values?: boolean } = {}): Promise<Diff> {
    return this.#read(`${environmentTemplate}/diff`, { query: { from, to, values }, signal });
  }

  /** What differs from another environment of the project. */
  compare(other: string, { signal, values }: CallOptions & { values?: boolean } = {}): Promise<Comparison> {
    return this.#read(`${environmentTemplate}/compare`, { query: { with: other, values }, signal });
  }

  /** Checks the environment against the project's template. */
  validate({ signal }: CallOptions = {}): Promise<Validation> {
    return this.#read('/v1/templates/{orgSlug}/{project}/validate/{env}', { signal });
  }

  async set(key: string, value: string, options: SetOptions = {}): Promise<SetResult> {
    const { ifVersion, message, expand, ...rest } = options;
    const set = mapOf({ [key]: expand === true ? { value, expand } : value });
    return await write<SetResult>(this.#transport, {
      method: 'PUT',
      template: environmentTemplate,
      options: { ...rest, path: this.#path, body: { key, value, expand, expectedVersion: ifVersion, message } },
      ifVersion,
      look: this.#puller.lookByPull({ set }, ({ secrets, snapshot: { revision } }) => {
        const { value: _, expand: __, ...secret } = secrets.find(entry => entry.key === key) as SecretEntry;
        return { secret, changed: false, revision };
      }),
    });
  }

  /**
   * Lets the service make a random value, which it never shows: a new version each time. If a response is lost, the
   * retry makes another one, unless `ifVersion` prevents that.
   */
  async generate(key: string, options: GenerateOptions = {}): Promise<SetResult> {
    const { ifVersion, message, length, alphabet, ...rest } = options;
    return await write<SetResult>(this.#transport, {
      method: 'PUT',
      template: environmentTemplate,
      options: {
        ...rest,
        path: this.#path,
        body: { key, generate: { length, alphabet }, expectedVersion: ifVersion, message },
      },
      ifVersion,
      look: async () => undefined,
    });
  }

  /** Sets the given secrets as one revision. Other keys keep their values. */
  async import(values: NewValues, options: WriteOptions = {}): Promise<ImportResult> {
    const { message, ...rest } = options;
    const set = mapOf(values);
    return await write<ImportResult>(this.#transport, {
      method: 'POST',
      template: `${environmentTemplate}/bulk`,
      options: { ...rest, path: this.#path, body: { secrets: listOf(set), message } },
      look: this.#puller.lookByPull({ set }, ({ snapshot: { revision } }) => {
        return { created: [], updated: [], unchanged: [...set.keys()], revision };
      }),
    });
  }

  /**
   * Sets the secrets of a dotenv text as one revision. The service parses the text: as the tool of the `dialect` does, or
   * by its own rules.
   */
  importDotenv(dotenv: string, options: ImportDotenvOptions = {}): Promise<ImportResult> {
    const { message, dialect, ...rest } = options;
    const change = {
      method: 'POST',
      template: `${environmentTemplate}/bulk`,
      options: { ...rest, path: this.#path, body: { dotenv, dialect, message } },
    } as const;
    const look = lookByDryRun<ImportResult>(this.#transport, change, answer => {
      return { ...nothingLeft(answer), ...(answer.ambiguous && { ambiguous: answer.ambiguous }) };
    });
    return write<ImportResult>(this.#transport, { ...change, look });
  }

  /**
   * Deletes the keys as one revision. A single key uses the operation that developers may also call, and a missing
   * key is `secret_not_found`. With several keys, `notFound` lists the missing ones.
   */
  async delete(keys: readonly string[], options: WriteOptions = {}): Promise<DeleteResult> {
    const { message, ...rest } = options;
    const wanted = { deleted: keys };
    const [key] = keys;
    if (key === undefined || keys.length > 1) {
      return await write<DeleteResult>(this.#transport, {
        method: 'POST',
        template: `${environmentTemplate}/bulk-delete`,
        options: { ...rest, path: this.#path, body: { keys, message } },
        look: this.#puller.lookByPull(wanted, ({ snapshot: { revision } }) => {
          return { deleted: [], notFound: [...keys], revision };
        }),
      });
    }
    const { revision } = await write<{ revision: number }>(this.#transport, {
      method: 'DELETE',
      template: `${environmentTemplate}/{key}`,
      options: { ...rest, path: { ...this.#path, key }, query: { message } },
      look: this.#puller.lookByPull(wanted, pulled => ({ revision: pulled.snapshot.revision })),
    });
    return { deleted: [key], notFound: [], revision };
  }

  /**
   * What setting and deleting these keys as one revision would do; `apply` makes the change if the revision is still
   * current.
   */
  async plan(
    { set = {}, delete: deleted = [], message }: Changes,
    { signal }: CallOptions = {},
  ): Promise<Plan<ChangeResult>> {
    const values = newMapOf(set);
    const body = {
      ...(values.size === 0 ? {} : { set: listOf(values) }),
      ...(deleted.length === 0 ? {} : { delete: deleted }),
      message,
    };
    return await plan<ChangeResult>(this.#transport, {
      method: 'POST',
      template: `${environmentTemplate}/changes`,
      options: { path: this.#path, body, signal },
      look: this.#puller.lookByPull({ set: values, deleted }, ({ snapshot: { revision } }) => {
        return { created: [], updated: [], unchanged: [...values.keys()], deleted: [...deleted], revision };
      }),
    });
  }

  /** Restores the environment, or some of its keys, to an earlier revision, as one new revision. */
  restore(revision: number, options: RestoreOptions = {}): Promise<RestoreResult> {
    return write(this.#transport, this.#restoration(revision, options));
  }

  planRestore(revision: number, options: Omit<RestoreOptions, 'ifRevision'> = {}): Promise<Plan<RestoreResult>> {
    return plan(this.#transport, this.#restoration(revision, options));
  }

  /**
   * Yields the current secrets, then every new revision, until the signal aborts. Throws if the first
   * pull fails. Later it throws only permanent errors (401, 403, 404), not temporary ones such as an outage.
   */
  watch(options: WatchOptions = {}): AsyncGenerator<Snapshot, void, undefined> {
    return watchPulls(
      pullOptions => this.pull(pullOptions),
      ({ revision }) => revision,
      options,
    );
  }

  async #read<T>(template: string, { path, ...options }: GivenOptions): Promise<T> {
    const operation = operationOf('GET', template, { ...options, path: { ...this.#path, ...path } });
    return (await this.#transport.send(operation)).body as T;
  }

  #restoration(revision: number, { keys, message, ...rest }: RestoreOptions): Write<RestoreResult> {
    const change = {
      method: 'POST',
      template: `${environmentTemplate}/restore`,
      options: { ...rest, path: this.#path, body: { revision, keys, message } },
    } as const;
    const found = (answer: DryRun) => ({ ...nothingLeft(answer), deleted: [], restored: revision });
    return { ...change, look: lookByDryRun<RestoreResult>(this.#transport, change, found) };
  }
}

function nothingLeft({ plan: { unchanged }, revision }: DryRun): ImportResult {
  return { created: [], updated: [], unchanged, revision };
}

/**
 * Uses own members only, so that `__proto__` is an ordinary key. @throws TypeError if JSON would drop or change a value
 */
export function mapOf(values: NewValues): Map<string, Put> {
  const map = new Map<string, Put>();
  for (const [key, given] of Object.entries(values)) {
    const { value, expand } = typeof given === 'object' && given !== null ? given : { value: given, expand: false };
    if (typeof value !== 'string') throw new TypeError(`The value of ${key} must be a string.`);
    map.set(key, expand === true ? { value, expand } : { value });
  }
  return map;
}

/** The same, where the service may make values. @throws TypeError as `mapOf` does */
export function newMapOf(values: NewOrGenerated): Map<string, NewPut> {
  const map = new Map<string, NewPut>();
  for (const [key, given] of Object.entries(values)) {
    const isGenerated = typeof given === 'object' && given !== null && 'generate' in given;
    if (isGenerated) map.set(key, { generate: given.generate });
    else for (const [name, put] of mapOf(Object.fromEntries([[key, given]]))) map.set(name, put);
  }
  return map;
}

export function listOf<P extends NewPut>(values: ReadonlyMap<string, P>): (P & { key: string })[] {
  return [...values].map(([key, put]) => ({ key, ...put }));
}
