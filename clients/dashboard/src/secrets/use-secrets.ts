import type { Environment } from '@holdfast/contracts/projects/projects.ts';
import { useMemo } from 'preact/hooks';
import { call } from '../api.ts';
import { useLoad } from '../load.ts';
import type { Place } from './place.ts';
import { hide } from './reveal.ts';
import type { Row } from './row.tsx';
import { stagingFor } from './staging.ts';

interface Options {
  place: Place;
  environment: Environment;
  readable: boolean;
  /** Reloads the project for its revision and counts. */
  reload: () => Promise<void>;
}

export type Secrets = ReturnType<typeof useSecrets>;

/** The keys of an environment with the changes staged for them. Values are not loaded. */
export function useSecrets({ place, environment, readable, reload }: Options) {
  const keys = useLoad(environment.id, async signal =>
    readable
      ? await call('GET /v1/secrets/{orgSlug}/{project}/{env}/keys', {
          params: { ...place },
          query: { describe: true },
          signal,
        })
      : undefined,
  );
  const listed = keys.data?.keys;
  const revision = keys.data?.revision ?? environment.revision;
  const staging = stagingFor(environment.id, revision, listed);
  const { staged } = staging;
  const rows = useMemo(() => {
    const byKey = new Map<string, Row>(listed?.map(entry => [entry.key, { key: entry.key, entry, staged: undefined }]));
    for (const [key, change] of staged?.changes ?? [])
      byKey.set(key, { key, entry: byKey.get(key)?.entry, staged: change });
    return [...byKey.values()].toSorted((a, b) => (a.key < b.key ? -1 : 1));
  }, [listed, staged]);
  return {
    keys,
    revision,
    staging,
    rows,
    changed: async () => {
      hide();
      await Promise.all([keys.reload(), reload()]);
    },
  };
}
