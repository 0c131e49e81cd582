import type { DryRun, PromoteResult } from './answers.ts';
import type { paths } from './api-types.ts';
import { Environment } from './environment.ts';
import type { CacheOptions, LayerOptions, WatchOptions, WriteOptions } from './environment-options.ts';
import { platformAssertion } from './id-token-sources.ts';
import { audienceOf, checkIdToken, identityToken, type Variables } from './identity.ts';
import { createLayersPuller, type LayeredSnapshot, type PullLayers } from './layers.ts';
import { type Paged, paged } from './paged.ts';
import { tokenInFile } from './read-named-file.ts';
import {
  type GivenOptions,
  type ItemOf,
  type ListPath,
  type OptionsArgument,
  operationOf,
  type PathOf,
  type RequestOptions,
  type ResponseBody,
} from './request.ts';
import {
  createTransport,
  type Method,
  type Query,
  type TokenFunction,
  type Transport,
  type TransportOptions,
} from './transport.ts';
import { watchPulls } from './watch.ts';
import { lookByDryRun, type Plan, plan, type Write, write } from './write.ts';

export interface HoldfastOptions extends TransportOptions, CacheOptions {}

export interface EnvironmentVariableOptions extends Partial<HoldfastOptions> {
  /** Returns the platform's token for an audience, instead of the sources that variables describe. */
  idToken?: ((audience: string) => string | Promise<string>) | undefined;
}

export interface PromoteOptions extends WriteOptions {
  from: string;
  to: string;
  /** Only these keys. */
  keys?: readonly string[];
  /** Whether to replace values that the target already has; true by default. */
  overwrite?: boolean;
}

/** Every source of ID tokens and the exchange have shorter limits of their own. */
export const identityTimeoutMs = 90_000;

/** Bounds the memory of a process that visits many environments. */
const keptEnvironments = 100;

/** Bounds a map by its number of entries. The latest use counts. @returns the entry, created if it is missing */
function keptIn<T>(map: Map<string, T>, id: string, create: () => T): T {
  const known = map.get(id) ?? create();
  map.delete(id);
  map.set(id, known);
  const [oldest] = map.keys();
  if (map.size > keptEnvironments && oldest !== undefined) map.delete(oldest);
  return known;
}

/** A client of one service, with one credential. */
export class Holdfast {
  readonly #transport: Transport;
  readonly #cache: CacheOptions;
  readonly #environments = new Map<string, Environment>();
  readonly #ownEnvironments = new WeakSet<Environment>();
  readonly #layered = new Map<string, PullLayers>();

  constructor(options: HoldfastOptions) {
    const { maxAgeMs = 0, staleIfErrorMs = 0 } = options;
    this.#transport = createTransport(options);
    this.#cache = { maxAgeMs, staleIfErrorMs };
  }

  /**
   * Uses the address in `HOLDFAST_URL` and the token in `HOLDFAST_TOKEN`, or else in the file `HOLDFAST_TOKEN_FILE`.
   * Without a token it signs in as the identity `HOLDFAST_IDENTITY` of the organization `HOLDFAST_ORG`, with the token
   * that `idToken` or the platform provides.
   */
  static fromEnvironment({ idToken, ...options }: EnvironmentVariableOptions = {}): Holdfast {
    const variables = globalThis.process?.env ?? {};
    const required = (name: string): string => {
      const value = variables[name]?.trim();
      if (value === undefined || value === '') throw new TypeError(`The environment variable ${name} is not set.`);
      return value;
    };
    const url = options.url ?? required('HOLDFAST_URL');
    const { fetch, userAgent } = options;
    const { HOLDFAST_IDENTITY: identity } = variables;
    const token = options.token ?? tokenIn(variables);
    if (token !== undefined || !(identity?.trim() || idToken)) {
      return new Holdfast({ ...options, url, token: token ?? required('HOLDFAST_TOKEN') });
    }
    const who = {
      url,
      organization: required('HOLDFAST_ORG'),
      identity: required('HOLDFAST_IDENTITY'),
      fetch,
      userAgent,
    };
    const assertion =
      idToken === undefined
        ? platformAssertion(who.identity, variables, fetch)
        : { get: async () => checkIdToken('idToken', await idToken(audienceOf(who.identity))) };
    return new Holdfast({ tokenTimeoutMs: identityTimeoutMs, ...options, url, token: identityToken(who, assertion) });
  }

  /** The same names return the same object, so its pulls share requests and the latest answer. */
  environment(organization: string, project: string, environment: string): Environment {
    return keptIn(this.#environments, JSON.stringify([organization, project, environment]), () => {
      const path = { orgSlug: organization, project, env: environment };
      const created = new Environment(this.#transport, this.#cache, path);
      this.#ownEnvironments.add(created);
      return created;
    });
  }

  /**
   * Pulls several environments as one: where several have a key, the last one wins. Each one is audited on its own. If
   * one is refused, so is the whole. Up to six environments of one organization take one request.
   * @param environments the lowest layer first: environments, or their names as `organization/project/environment`
   */
  async layers(environments: readonly (Environment | string)[], options: LayerOptions = {}): Promise<LayeredSnapshot> {
    return await this.#layersOf(environments)(options);
  }

  /** Like `Environment.watch`: yields the layers' secrets, then again after each new revision of any of them. */
  watchLayers(
    environments: readonly (Environment | string)[],
    options: WatchOptions = {},
  ): AsyncGenerator<LayeredSnapshot, void, undefined> {
    return watchPulls(this.#layersOf(environments), ({ layers }) => JSON.stringify(layers), options);
  }

  /** @throws TypeError for an empty list, or a name that is not one of an environment */
  #layersOf(environments: readonly (Environment | string)[]): PullLayers {
    const names = environments.map(one => (typeof one === 'string' ? one.split('/') : one));
    if (names.length === 0 || names.some(one => Array.isArray(one) && one.length !== 3)) {
      throw new TypeError('Name layers as organization/project/environment.');
    }
    const found = names.map(one => (Array.isArray(one) ? this.environment(...(one as [string, string, string])) : one));
    // Those of another client have its credential.
    if (!found.every(one => this.#ownEnvironments.has(one))) return createLayersPuller(undefined, this.#cache, found);
    const id = JSON.stringify(found.map(({ organization, project, slug }) => [organization, project, slug]));
    return keptIn(this.#layered, id, () => createLayersPuller(this.#transport, this.#cache, found));
  }

  project(organization: string, project: string): Project {
    return new Project(this.#transport, organization, project);
  }

  /** Any operation of `openapi.json`, typed by its method and path. @returns the answer's body */
  async request<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P & keyof paths,
    ...[options]: OptionsArgument<RequestOptions<M, P & keyof paths>>
  ): Promise<ResponseBody<M, P & keyof paths>> {
    const answer = await this.#transport.send(operationOf(method, path, options as GivenOptions | undefined));
    return answer.body as ResponseBody<M, P & keyof paths>;
  }

  /** Any list of `openapi.json` that comes in pages. `for await` goes through all of its items. */
  list<P extends ListPath>(
    path: P,
    ...[options]: OptionsArgument<RequestOptions<'GET', P>>
  ): Paged<ResponseBody<'GET', P>, ItemOf<ResponseBody<'GET', P>>> {
    const { query = {}, ...given } = (options ?? {}) as GivenOptions;
    return paged((page: Query) => this.request('GET', path, { ...given, query: page } as never), query);
  }
}

function tokenIn(variables: Variables): string | TokenFunction | undefined {
  const token = variables.HOLDFAST_TOKEN?.trim();
  const path = variables.HOLDFAST_TOKEN_FILE?.trim();
  if (token || !path) return token || undefined;
  return tokenInFile(path);
}

/** Operations on several environments of a project. */
export class Project {
  readonly organization: string;
  readonly slug: string;
  readonly #transport: Transport;

  constructor(transport: Transport, organization: string, slug: string) {
    this.#transport = transport;
    this.organization = organization;
    this.slug = slug;
  }

  /** Copies secrets to another environment of the project as one revision of it; `ifRevision` is the target's. */
  promote(options: PromoteOptions): Promise<PromoteResult> {
    return write(this.#transport, this.#promotion(options));
  }

  planPromote(options: Omit<PromoteOptions, 'ifRevision'>): Promise<Plan<PromoteResult>> {
    return plan(this.#transport, this.#promotion(options));
  }

  #promotion({ ifRevision, signal, ...body }: PromoteOptions): Write<PromoteResult> {
    const path = { orgSlug: this.organization, project: this.slug };
    const change = {
      method: 'POST',
      template: '/v1/secrets/{orgSlug}/{project}/promote',
      options: { path, body, ifRevision, signal },
    } as const;
    const found = ({ plan: { skipped, unchanged }, revision }: DryRun) => ({
      promoted: [],
      skipped,
      unchanged,
      revision,
    });
    return { ...change, look: lookByDryRun<PromoteResult>(this.#transport, change, found) };
  }
}
