import type { Environment } from '@holdfast/contracts/projects/projects.ts';
import { useMemo } from 'preact/hooks';
import { call } from '../api.ts';
import { useAction, useLoad } from '../load.ts';
import { showToast } from '../ui/toast.tsx';
import type { Place } from './place.ts';
import { hide, readValue, reveal, revealed } from './reveal.ts';
import type { Row } from './row.tsx';
import { stage, stageOf, unstage } from './staging.ts';

interface Options {
  place: Place;
  environment: Environment;
  readable: boolean;
  /** Reloads the project for its revision and counts. */
  reload: () => Promise<void>;
}

export type Secrets = ReturnType<typeof useSecrets>;

/** The keys of an environment with the changes staged for them, and the actions on them. Values are not loaded. */
export function useSecrets({ place, environment, readable, reload }: Options) {
  const keys = useLoad(environment.id, async signal =>
    readable
      ? await call('GET /v1/secrets/{orgSlug}/{project}/{env}/keys', { params: { ...place }, signal })
      : undefined,
  );
  const listed = keys.data?.keys;
  const revision = keys.data?.revision ?? environment.revision;
  const staged = stageOf(environment.id).value;
  const rows = useMemo(() => {
    const byKey = new Map<string, Row>(listed?.map(entry => [entry.key, { key: entry.key, entry, staged: undefined }]));
    for (const [key, change] of staged?.changes ?? [])
      byKey.set(key, { key, entry: byKey.get(key)?.entry, staged: change });
    return [...byKey.values()].toSorted((a, b) => (a.key < b.key ? -1 : 1));
  }, [listed, staged]);
  const find = (key: string) => listed?.find(entry => entry.key === key);
  return {
    keys,
    revision,
    staged,
    rows,
    exists: (key: string) => find(key) !== undefined,
    value: useValue(place, environment.id),
    set: (entries: readonly { key: string; value: string }[]) =>
      stage(
        environment.id,
        revision,
        entries.map(({ key, value }) => [
          key,
          { kind: 'set', value, base: readable ? (find(key)?.version ?? 0) : undefined },
        ]),
      ),
    remove: ({ key, entry }: Row) => {
      // A key that was only staged disappears with its staged change.
      if (entry === undefined) unstage(environment.id, key);
      else stage(environment.id, revision, [[key, { kind: 'delete', base: entry.version }]]);
    },
    unstage: (key: string) => unstage(environment.id, key),
    discard: () => {
      stageOf(environment.id).value = undefined;
    },
    changed: async () => {
      hide();
      await Promise.all([keys.reload(), reload()]);
    },
  };
}

/** Shows or copies one value. Each read is audited; copying a shown value does not read it again. */
function useValue(place: Place, environmentId: string) {
  const shown = revealed.value?.environmentId === environmentId ? revealed.value : undefined;
  const reading = useAction((read: () => Promise<void>) => read());
  const copy = async (key: string) => {
    await navigator.clipboard.writeText(shown?.key === key ? shown.value : await readValue(place, key));
    showToast(`Copied the value of ${key}.`);
  };
  return {
    shown,
    error: reading.error,
    toggle: (key: string) => {
      if (shown?.key === key) hide();
      else void reading.run(() => reveal(environmentId, place, key));
    },
    copy: (key: string) => void reading.run(() => copy(key)),
  };
}
