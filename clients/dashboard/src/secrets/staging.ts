import type { ListedKey } from '@holdfast/contracts/secrets/secrets.ts';
import { type Signal, signal } from '@preact/signals';
import { onOtherUser } from '../session.ts';
import type { Stage, Staged } from './stage.ts';

/**
 * By environment id, so that a new environment with a reused slug starts empty. Only in memory: values never reach a
 * disk.
 */
const stages = new Map<string, Signal<Stage | undefined>>();

export function stageOf(environmentId: string): Signal<Stage | undefined> {
  const known = stages.get(environmentId) ?? signal<Stage | undefined>(undefined);
  stages.set(environmentId, known);
  return known;
}

/** A value to stage. With `expand`, it may name other keys. */
export interface StagedValue {
  key: string;
  value: string;
  expand?: true;
}

export type Staging = ReturnType<typeof stagingFor>;

/**
 * The changes staged for an environment, and how to stage more.
 *
 * @param revision the environment's revision when its keys were listed. It stays the base until the stage continues on a later one.
 * @param listed the environment's keys; undefined if they are not known
 */
export function stagingFor(environmentId: string, revision: number, listed: readonly ListedKey[] | undefined) {
  const find = (key: string) => listed?.find(entry => entry.key === key);
  const add = (changes: Iterable<readonly [string, Staged]>) => {
    const current = stageOf(environmentId);
    const merged = new Map([...(current.value?.changes ?? []), ...changes]);
    if (merged.size > 0) current.value = { revision: current.value?.revision ?? revision, changes: merged };
  };
  return {
    staged: stageOf(environmentId).value,
    /** What the environment has under a key. */
    find,
    /** Whether the environment has a key once the stage is applied; undefined if its keys are not known. */
    willHave: (key: string): boolean | undefined => {
      const change = stageOf(environmentId).value?.changes.get(key);
      if (change !== undefined) return change.kind === 'set';
      return listed === undefined ? undefined : find(key) !== undefined;
    },
    set: (entries: readonly StagedValue[]) => {
      const baseOf = (key: string) => (listed === undefined ? undefined : (find(key)?.version ?? 0));
      add(
        entries.map(({ key, value, expand }) => [
          key,
          {
            kind: 'set',
            value,
            ...(expand && { expand }),
            ...(find(key)?.expand && { replacesNames: true }),
            base: baseOf(key),
          },
        ]),
      );
    },
    /** Stages deletions. A key that was only staged disappears with its staged change. */
    remove: (keys: readonly string[]) => {
      for (const key of keys) if (find(key) === undefined) unstage(environmentId, key);
      const stored = keys.flatMap(key => find(key) ?? []);
      add(stored.map(({ key, version }) => [key, { kind: 'delete', base: version }]));
    },
    unstage: (key: string) => unstage(environmentId, key),
    discard: () => {
      stageOf(environmentId).value = undefined;
    },
  };
}

export function unstage(environmentId: string, key: string): void {
  const current = stageOf(environmentId);
  if (current.value === undefined) return;
  const changes = new Map(current.value.changes);
  changes.delete(key);
  current.value = changes.size === 0 ? undefined : { ...current.value, changes };
}

onOtherUser(() => {
  for (const current of stages.values()) current.value = undefined;
});

window.addEventListener('beforeunload', event => {
  if ([...stages.values()].some(({ value }) => value !== undefined)) event.preventDefault();
});
