import type { MemberContext } from '../access/request-context.ts';
import type { BodyOf } from '../contracts/contract.ts';
import type { restoreSecrets as contract } from '../contracts/secrets/history.ts';
import { ApiError } from '../core/errors.ts';
import type { EnvironmentPath } from '../table/keys.ts';
import type { EnvironmentState } from '../table/records/environment.ts';
import type { ChangeOptions, ChangeResult, CurrentSecrets, Put } from './change/change-request.ts';
import { beginChange } from './change/read-target.ts';
import { changeByCopy, changeSecrets } from './change-secrets.ts';
import { openStored } from './engine/open-values.ts';
import { beginRead, type EnvironmentReads, readLive } from './engine/read-live-secrets.ts';
import { requireValues } from './engine/read-past.ts';
import { isLive } from './engine/read-snapshot.ts';

type Restoration = Pick<BodyOf<typeof contract>, 'revision' | 'keys'>;

/** Undefined for all keys. */
type Requested = ReadonlySet<string> | undefined;

export async function beginRestoration(
  path: EnvironmentPath,
  { revision, dryRun }: Pick<Restoration & ChangeOptions, 'revision' | 'dryRun'>,
) {
  const [past, target] = await Promise.all([beginRead(path, [revision]), beginChange(path, 'all', { dryRun })]);
  return { past, target };
}

/**
 * Restores the environment, or some of its keys, to an earlier revision, as a new revision.
 * @throws revision_not_found, and what `changeSecrets` throws
 */
export async function restoreSecrets(
  context: MemberContext,
  { revision, keys, ...options }: Restoration & ChangeOptions,
  begun: Awaited<ReturnType<typeof beginRestoration>>,
) {
  context.access.requireValues(!options.dryRun);
  const { path } = begun.target;
  const requestedKeys = keys === undefined ? undefined : new Set(keys);
  const readAgain = () => beginRestoration(path, { revision, dryRun: options.dryRun });
  return changeByCopy(begun, readAgain, async ({ past: pastReads, target }) => {
    const readAhead = await readPast(context, pastReads, requestedKeys).catch(unlessPastIsGone);
    return changeSecrets(context, target, {
      ...options,
      decide: async current => {
        // Past revisions are immutable, but their values may have been destroyed since.
        const isStillCurrent = readAhead !== undefined && isSameMoment(readAhead.state, current.state);
        const readNow = async () => readPast(context, await beginRead(path, [revision]), requestedKeys);
        const past = isStillCurrent ? readAhead : await readNow();
        return decide(revision, past.secrets, requestedKeys, current);
      },
    });
  });
}

/** `If-Match` is checked before missing revisions and destroyed values are reported. */
function unlessPastIsGone(error: unknown): undefined {
  if (error instanceof ApiError && (error.code === 'revision_not_found' || error.code === 'version_destroyed')) return;
  throw error;
}

async function readPast(context: MemberContext, begun: EnvironmentReads, requestedKeys: Requested) {
  return readLive(context, begun, async ({ state, live, ring }) => {
    const heads = live.filter(({ key }) => requestedKeys?.has(key) ?? true);
    requireValues(heads);
    const stored = await openStored(state.id, heads, ring);
    const secrets = heads.flatMap(({ key, version }) => {
      const value = stored.get(key);
      return value === undefined ? [] : [{ key, version, ...value }];
    });
    return { state, secrets };
  });
}

function isSameMoment(one: EnvironmentState, other: EnvironmentState): boolean {
  return one.id === other.id && one.fence === other.fence && one.valueCount === other.valueCount;
}

async function decide(
  revision: number,
  past: readonly (Put & { version: number })[],
  requestedKeys: Requested,
  { head, keys, hasValue }: CurrentSecrets,
) {
  const same = await Promise.all(past.map(async put => head(put.key)?.version === put.version || hasValue(put)));
  const pastKeys = new Set(past.map(({ key }) => key));
  return {
    puts: past.filter((_, index) => !same[index]),
    deletions: keys().filter(key => isLive(head(key)) && !pastKeys.has(key) && (requestedKeys?.has(key) ?? true)),
    unchanged: past.filter((_, index) => same[index]).map(({ key }) => key),
    action: 'secret.restored' as const,
    restored: revision,
    answer: ({ plan: { created, updated, unchanged, deleted }, revision: now }: ChangeResult) => {
      return { created, updated, deleted, unchanged, restored: revision, revision: now };
    },
  };
}
