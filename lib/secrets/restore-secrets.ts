import type { MemberContext } from '../access/request-context.ts';
import {
  beginChange,
  type ChangeOptions,
  type ChangeReads,
  type CurrentSecrets,
  changeSecrets,
  type Decision,
} from './change-secrets.ts';
import type { EnvironmentPath } from './engine/environment-path.ts';
import { beginRead, type EnvironmentReads, readLive } from './engine/read-live-secrets.ts';
import { requireValues } from './engine/read-past.ts';
import { isLive } from './engine/read-snapshot.ts';

interface Restoration {
  revision: number;
  /** All keys where undefined. */
  keys?: readonly string[] | undefined;
}

interface RestorationReads {
  past: EnvironmentReads;
  target: ChangeReads;
}

/** The reads of the earlier revision and of the current one, to begin together with authentication. */
export async function beginRestoration(path: EnvironmentPath, { revision }: Restoration): Promise<RestorationReads> {
  const [past, target] = await Promise.all([beginRead(path, [revision]), beginChange(path, 'all')]);
  return { past, target };
}

/**
 * Makes the environment, or some of its keys, what they were at a revision, as a new revision.
 * @throws revision_not_found, and what `changeSecrets` throws
 */
export async function restoreSecrets(
  context: MemberContext,
  { revision, keys, ...options }: Restoration & ChangeOptions,
  begun: RestorationReads,
) {
  const wanted = keys === undefined ? undefined : new Set(keys);
  // What was never changes, so it is read once however often the change is tried.
  const past = await readLive(context, begun.past, async ({ state, live, ring }) => {
    const heads = live.filter(({ key }) => wanted?.has(key) ?? true);
    requireValues(heads);
    return Promise.all(
      heads.map(async head => ({ key: head.key, version: head.version, value: await ring.open(state.id, head) })),
    );
  });
  return changeSecrets(context, begun.target, {
    ...options,
    decide: current => decide(revision, past, wanted, current),
  });
}

type Past = readonly { key: string; version: number; value: string }[];

async function decide(
  revision: number,
  past: Past,
  wanted: ReadonlySet<string> | undefined,
  { head, keys, hasValue }: CurrentSecrets,
): Promise<
  Decision<{
    created: string[];
    updated: string[];
    deleted: string[];
    unchanged: string[];
    restored: number;
    revision: number;
  }>
> {
  const same = await Promise.all(
    past.map(async ({ key, version, value }) => head(key)?.version === version || hasValue(key, value)),
  );
  const there = new Set(past.map(({ key }) => key));
  return {
    puts: past.filter((_, index) => !same[index]),
    deletions: keys().filter(key => isLive(head(key)) && !there.has(key) && (wanted?.has(key) ?? true)),
    unchanged: past.filter((_, index) => same[index]).map(({ key }) => key),
    action: 'secret.restored',
    restored: revision,
    answer: ({ plan: { created, updated, unchanged, deleted }, revision: now }) => {
      return { created, updated, deleted, unchanged, restored: revision, revision: now };
    },
  };
}
