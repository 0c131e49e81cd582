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

/** Adds changes to the stage. The base revision stays the same until the stage continues on a later one. */
export function stage(environmentId: string, revision: number, changes: Iterable<readonly [string, Staged]>): void {
  const current = stageOf(environmentId);
  const merged = new Map(current.value?.changes);
  for (const [key, staged] of changes) merged.set(key, staged);
  current.value = { revision: current.value?.revision ?? revision, changes: merged };
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
