/**
 * A change that is not applied yet. With `expand`, the value may name other keys, and with `replacesNames`, the present
 * one does. `base` is the key's version when it was staged: 0 if it did not exist, undefined if unknown.
 */
export type Staged =
  | { kind: 'set'; value: string; expand?: true; replacesNames?: true; base: number | undefined }
  | { kind: 'delete'; base: number | undefined };

export interface Stage {
  /** The environment's revision when the changes were staged. */
  revision: number;
  changes: ReadonlyMap<string, Staged>;
}

export type Choice = 'mine' | 'theirs';

/** The staged keys that someone else has changed since, in key order. `versions` are the current ones. */
export function touchedKeys(stage: Stage, versions: ReadonlyMap<string, number>): string[] {
  return [...stage.changes]
    .filter(([key, { base }]) => base !== undefined && base !== (versions.get(key) ?? 0))
    .map(([key]) => key)
    .toSorted();
}

/** The changes that remain after a stage was applied: those staged since. */
export function withoutApplied(stage: Stage | undefined, applied: Stage): Stage | undefined {
  if (stage === undefined) return undefined;
  const changes = new Map([...stage.changes].filter(([key, staged]) => applied.changes.get(key) !== staged));
  return changes.size === 0 ? undefined : { ...stage, changes };
}

/**
 * Continues the stage on a later revision. A key that someone else changed needs a choice: `theirs` drops the staged
 * change, `mine` keeps it. Deletions of keys that no longer exist are dropped.
 */
export function continueOn(
  stage: Stage,
  revision: number,
  versions: ReadonlyMap<string, number>,
  choices: Readonly<Record<string, Choice>>,
): Stage | undefined {
  const touched = new Set(touchedKeys(stage, versions));
  const changes = new Map<string, Staged>();
  for (const [key, staged] of stage.changes) {
    if (touched.has(key) && choices[key] !== 'mine') continue;
    const base = staged.base === undefined ? undefined : (versions.get(key) ?? 0);
    if (staged.kind === 'delete' && base === 0) continue;
    changes.set(key, { ...staged, base });
  }
  return changes.size === 0 ? undefined : { revision, changes };
}
