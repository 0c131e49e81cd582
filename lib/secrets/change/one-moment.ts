import type { EnvironmentPath } from '../../table/keys.ts';
import { find, readAll, readTogether } from '../../table/read.ts';
import type { EnvironmentState } from '../../table/records/environment.ts';
import type { HeadRecord } from '../../table/records/secret.ts';
import { ConditionFailed } from '../../table/write.ts';
import { stateAt } from '../engine/fencing.ts';
import { DecisionOutdated } from '../engine/write-change.ts';
import type { Source, Target } from './change-request.ts';
import { byKey, headsOfKeys, type TargetReads } from './read-target.ts';

/**
 * A write requires that everything read is unchanged. A response without a write has to check it: heads read one by one
 * may not match the state, and the source of a copy may not match its target.
 * @throws ConditionFailed if the reads of the target don't match, DecisionOutdated if the source has changed
 */
export async function requireOneMoment(
  path: EnvironmentPath,
  { state }: Target,
  { heads }: TargetReads,
  source: Source | undefined,
): Promise<void> {
  if ('named' in heads) await requireUnchanged(path, state, heads.keys, heads.named);
  if (source !== undefined) await requireBothUnchanged(source, path, state);
}

/** Reads the heads again, and then the state. If both are unchanged, the heads are of the state's revision. */
async function requireUnchanged(
  path: EnvironmentPath,
  { id, fence }: EnvironmentState,
  keys: readonly string[],
  earlierHeads: ReadonlyMap<string, HeadRecord>,
): Promise<void> {
  const heads = byKey(await readAll(headsOfKeys(path, keys)));
  const state = await find(stateAt(path));
  const isSame = state?.id === id && state.fence === fence && state.pending === undefined;
  // After an undo, the next change reuses the version number, with a different token.
  const isSameHead = (now: HeadRecord | undefined, earlier: HeadRecord | undefined) =>
    now?.version === earlier?.version && now?.fence === earlier?.fence;
  if (isSame && keys.every(key => isSameHead(heads.get(key), earlierHeads.get(key)))) return;
  throw new ConditionFailed([]);
}

/** A response about a copy is correct if neither environment changed before both were read. */
async function requireBothUnchanged(source: Source, path: EnvironmentPath, target: EnvironmentState): Promise<void> {
  const states = await readTogether({ source: stateAt(source.path), target: stateAt(path) });
  const isSame = (now: EnvironmentState | undefined, earlier: Pick<EnvironmentState, 'id' | 'revision'>) =>
    now?.id === earlier.id && now.revision === earlier.revision;
  if (!isSame(states.source, source)) throw new DecisionOutdated();
  if (!isSame(states.target, target)) throw new ConditionFailed([]);
}
