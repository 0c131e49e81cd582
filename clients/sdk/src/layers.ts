import type { Environment } from './environment.ts';
import type { CacheOptions, CallOptions } from './environment-options.ts';
import { Snapshot } from './snapshot.ts';

/** An environment as `organization/project/environment`, at the revision that was pulled. */
export interface Layer {
  name: string;
  revision: number;
}

type PulledLayer = readonly [name: string, snapshot: Snapshot];

/** Several environments as one, each at one revision. Where several have a key, the last one wins. */
export class LayeredSnapshot extends Snapshot {
  readonly #pulled: readonly PulledLayer[];

  /** @param pulled the lowest layer first; not empty */
  constructor(pulled: readonly PulledLayer[]) {
    const values = new Map(pulled.flatMap(([, snapshot]) => Object.entries(snapshot.toObject())));
    super(
      pulled.at(-1)?.[1].revision ?? 0,
      new Map([...values].sort(([a], [b]) => (a < b ? -1 : 1))),
      pulled.some(([, { stale }]) => stale),
      new Set([...values.keys()].filter(key => pulled.findLast(([, layer]) => layer.has(key))?.[1].expands(key))),
    );
    this.#pulled = pulled;
  }

  /** The layers, the lowest one first. `revision` is that of the last one. */
  get layers(): readonly Layer[] {
    return this.#pulled.map(([name, { revision }]) => ({ name, revision }));
  }

  /** The layer that the key's value comes from, as `organization/project/environment`; undefined if it is not set. */
  sourceOf(key: string): string | undefined {
    return this.#pulled.findLast(([, snapshot]) => snapshot.has(key))?.[0];
  }
}

/** Pulls all layers side by side. If one fails, so does the whole: never a part of them. */
export async function pullLayers(
  environments: readonly Environment[],
  options: CallOptions & CacheOptions,
): Promise<LayeredSnapshot> {
  return new LayeredSnapshot(
    await Promise.all(
      environments.map(
        async one => [`${one.organization}/${one.project}/${one.slug}`, await one.pull(options)] as const,
      ),
    ),
  );
}
