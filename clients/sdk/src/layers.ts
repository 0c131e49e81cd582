import type { Environment } from './environment.ts';
import type { CacheOptions, LayerOptions } from './environment-options.ts';
import { HoldfastError, isObject } from './errors.ts';
import { type Content, createLatest } from './latest.ts';
import { expandingAmong, notThePull, secretsIn, valuesOf } from './pull.ts';
import { Snapshot } from './snapshot.ts';
import type { Answer, Transport } from './transport.ts';

/** An environment as `organization/project/environment`, at the revision that was pulled. */
export interface Layer {
  name: string;
  revision: number;
}

interface Layered {
  /** The lowest one first; not empty. */
  layers: readonly Layer[];
  values: ReadonlyMap<string, string>;
  /** The keys whose values may name others. */
  expanding: ReadonlySet<string>;
  /** The layer that each key's value comes from. */
  sources: ReadonlyMap<string, string>;
  stale: boolean;
}

/** Several environments as one, each at one revision. Where several have a key, the last one wins. */
export class LayeredSnapshot extends Snapshot {
  readonly #layered: Layered;

  constructor(layered: Layered) {
    super(layered.layers.at(-1)?.revision ?? 0, layered.values, layered.stale, layered.expanding);
    this.#layered = layered;
  }

  /** The layers, the lowest one first. `revision` is that of the last one. */
  get layers(): readonly Layer[] {
    return this.#layered.layers.map(layer => ({ ...layer }));
  }

  /** The layer that the key's value comes from, as `organization/project/environment`; undefined if it is not set. */
  sourceOf(key: string): string | undefined {
    return this.#layered.sources.get(key);
  }

  override asStale(): LayeredSnapshot {
    return new LayeredSnapshot({ ...this.#layered, stale: true });
  }
}

export type PullLayers = (options: LayerOptions) => Promise<LayeredSnapshot>;

/** The most environments below one that the service takes in a request. */
const mostBelow = 5;

/**
 * Pulls the layers with one request if the service can: if they are different environments of one organization, and no
 * more than it takes. Otherwise side by side, each with a request of its own.
 * @param transport of all of them; undefined if they are not of the same client
 */
export function createLayersPuller(
  transport: Transport | undefined,
  cache: CacheOptions,
  environments: readonly Environment[],
): PullLayers {
  const names = environments.map(nameOf);
  const organizations = new Set(environments.map(({ organization }) => organization));
  const isOneRequest = organizations.size === 1 && new Set(names).size === names.length && names.length > 1;
  if (transport === undefined || !isOneRequest || names.length > mostBelow + 1) {
    return options => pullSeparately(environments, options);
  }
  const pullTogether = togetherPuller(transport, cache, environments, names);
  let isTogether = true;
  return async options => {
    if (!isTogether) return pullSeparately(environments, options);
    try {
      return await pullTogether(options);
    } catch (error) {
      if (!(error instanceof CannotTogether || isOfOlderService(error) || isTooLarge(error))) throw error;
      isTogether = false;
      return pullSeparately(environments, options);
    }
  };
}

/** Something between the client and the service removes the tag, so the revisions are unknown. */
class CannotTogether extends Error {}

/** Installations upgrade later than clients. */
function isOfOlderService(error: unknown): boolean {
  if (!(error instanceof HoldfastError) || error.code !== 'invalid_request' || !Array.isArray(error.details))
    return false;
  return error.details.some(one => isObject(one) && one.path === 'layers' && one.message === 'is not a known field');
}

const isTooLarge = (error: unknown): boolean => error instanceof HoldfastError && error.code === 'payload_too_large';

const nameOf = ({ organization, project, slug }: Environment): string => `${organization}/${project}/${slug}`;

function togetherPuller(
  transport: Transport,
  cache: CacheOptions,
  environments: readonly Environment[],
  names: readonly string[],
): PullLayers {
  const top = environments.at(-1) as Environment;
  const below = environments.slice(0, -1).map(({ project, slug }) => `${project}/${slug}`);
  const asked = {
    path: { orgSlug: top.organization, project: top.project, env: top.slug },
    query: { layers: below.join(',') },
  };
  const prefix = `${top.organization}/`;
  const contentOf = (answer: Answer): Content & { snapshot: LayeredSnapshot } => {
    const { secrets, revision } = secretsIn(answer);
    const etag = answer.headers.get('etag');
    const revisions =
      /^(?:W\/)?"([\d.]+)"$/
        .exec(etag ?? '')?.[1]
        ?.split('.')
        .map(Number) ?? [];
    if (revisions.length !== names.length || revisions.at(-1) !== revision) throw new CannotTogether();
    const sources = new Map(secrets.map(({ key, from }) => [key, `${prefix}${from}`]));
    if ([...sources.values()].some(source => !names.includes(source))) throw notThePull();
    const layers = names.map((name, index) => ({ name, revision: revisions[index] as number }));
    const layered = { layers, values: valuesOf(secrets), expanding: expandingAmong(secrets), sources, stale: false };
    return { snapshot: new LayeredSnapshot(layered), etag };
  };
  return createLatest(transport, cache, asked, contentOf).pull;
}

/** If one fails, so does the whole: never a part of them. */
async function pullSeparately(
  environments: readonly Environment[],
  { keys, ...options }: LayerOptions,
): Promise<LayeredSnapshot> {
  const pulled = await Promise.all(
    environments.map(async one => ({ name: nameOf(one), snapshot: await one.pull(options) })),
  );
  const all = new Map(
    pulled.flatMap(({ name, snapshot }) =>
      Object.entries(snapshot.toObject()).map(
        ([key, value]) => [key, { value, name, expands: snapshot.expands(key) }] as const,
      ),
    ),
  );
  const missing = keys?.find(key => !all.has(key));
  if (missing !== undefined) {
    throw new HoldfastError(`There is no secret ${missing} in any of these environments.`, {
      code: 'secret_not_found',
      status: 404,
    });
  }
  const shown = [...all].filter(([key]) => keys?.includes(key) ?? true).sort(([a], [b]) => (a < b ? -1 : 1));
  return new LayeredSnapshot({
    layers: pulled.map(({ name, snapshot: { revision } }) => ({ name, revision })),
    values: new Map(shown.map(([key, { value }]) => [key, value])),
    expanding: new Set(shown.filter(([, { expands }]) => expands).map(([key]) => key)),
    sources: new Map(shown.map(([key, { name }]) => [key, name])),
    stale: pulled.some(({ snapshot: { stale } }) => stale),
  });
}
