/** A change that waits for its review. `base` is the key's version when it was staged: 0 = it was not there, undefined = not known. */
export type Staged =
  | { kind: 'set'; value: string; base: number | undefined }
  | { kind: 'delete'; base: number | undefined };

export interface Stage {
  /** The revision of the environment that the changes were made on. */
  revision: number;
  changes: ReadonlyMap<string, Staged>;
}

export type Choice = 'mine' | 'theirs';

/** The staged keys that another person changed since, in key order. `versions` are those of now. */
export function touchedKeys(stage: Stage, versions: ReadonlyMap<string, number>): string[] {
  return [...stage.changes]
    .filter(([key, { base }]) => base !== undefined && base !== (versions.get(key) ?? 0))
    .map(([key]) => key)
    .toSorted();
}

/** What is still to be applied, once a stage was: only what was staged since. */
export function withoutApplied(stage: Stage | undefined, applied: Stage): Stage | undefined {
  if (stage === undefined) return undefined;
  const changes = new Map([...stage.changes].filter(([key, staged]) => applied.changes.get(key) !== staged));
  return changes.size === 0 ? undefined : { ...stage, changes };
}

/**
 * The stage on a later revision. A key that another person changed needs a choice: theirs drops the staged change, mine
 * keeps it over theirs. A deletion of what is gone already is dropped: nothing is left to delete.
 */
export function rebase(
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
