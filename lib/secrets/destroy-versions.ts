import type { MemberContext } from '../access/request-context.ts';
import type { DestroyBody } from '../contracts/secrets/history.ts';
import { chunksWithin } from '../core/chunks-of.ts';
import { ApiError } from '../core/errors.ts';
import { absent, equals, isActive } from '../table/expressions.ts';
import { ranges } from '../table/keys.ts';
import { at, find, list } from '../table/read.ts';
import type { EnvironmentState } from '../table/records/environment.ts';
import type { ProjectKeys } from '../table/records/project.ts';
import { headRecord, type VersionRecord, versionRecord } from '../table/records/secret.ts';
import { retryWhile, withOneDeadline } from '../table/retry.ts';
import { ConditionFailed, transact, update } from '../table/write.ts';
import { stateAt } from './engine/fencing.ts';
import { type KeyPath, newestVersion } from './engine/key-versions.ts';
import { type EnvironmentRead, environmentFacts, readEnvironment } from './engine/read-environment.ts';
import { staleReadLimit } from './engine/stale-read.ts';

/** DynamoDB limits a transaction to 100 writes and 4 MB, including the items' previous contents. */
const maximumPerTransaction = { count: 90, bytes: 3_500_000 };

/**
 * Removes the values of old versions; the versions stay in the history. Each transaction includes the audit entry of
 * what it destroys. If one fails, the next call continues.
 * @throws secret_not_found for a key or version that never existed, invalid_request for the current version
 */
export async function destroyVersions(
  context: MemberContext,
  params: KeyPath,
  requested: DestroyBody,
  begun: EnvironmentRead,
): Promise<{ destroyed: number[]; revision: number }> {
  const destroyed: number[] = [];
  const isStale = staleReadLimit(context.log, params);
  const mayRetry = (error: unknown) => error instanceof ConditionFailed || isStale(error);
  const attempt = async (tries: number) => {
    const environment = tries === 0 ? begun : await readEnvironment(params);
    const project = context.access.requireProject(environment.project);
    const state = context.access.requireEnvironment(environment.state, 'write');
    const versions = await findRequested(params, state, requested);
    const sizeOf = ({ sizeBytes = 0 }: Facts) => ({ count: 1, bytes: 1000 + sizeBytes });
    for (const chunk of chunksWithin(maximumPerTransaction, versions, sizeOf)) {
      await destroy(context, params, { project, state }, chunk);
      destroyed.push(...chunk.map(({ version }) => version));
    }
    return { destroyed, revision: state.revision };
  };
  return withOneDeadline(() => retryWhile(mayRetry, attempt));
}

type Facts = Omit<VersionRecord, 'sealed'>;

const factAttributes =
  'pk sk kind v key version revision fence deleted destroyed sizeBytes keyCreatedAt createdAt createdBy'.split(' ');

async function findRequested(params: KeyPath, state: EnvironmentState, requested: DestroyBody): Promise<Facts[]> {
  // Read after the state, so that no head of a change that was undone before can count as committed.
  const head = await find(at(headRecord, params, params.key));
  const newest = await newestVersion(params, { state, head });
  if (newest.version === 0) {
    throw new ApiError('secret_not_found', `There is no secret ${params.key} in this environment.`);
  }
  const versions = requested.versions ?? [Math.min(requested.before ?? 1, newest.version + 1) - 1];
  const unknown = versions.find(version => version > newest.version);
  if (unknown !== undefined) {
    throw new ApiError('secret_not_found', `${params.key} has no version ${unknown}; its newest is ${newest.version}.`);
  }
  if (!newest.isDeleted && versions.includes(newest.version)) {
    const path = requested.versions === undefined ? 'before' : 'versions';
    const details = [{ path, message: `must not include version ${newest.version}, which is the current one` }];
    const message = 'The current version can’t be destroyed; delete or set the secret first.';
    throw new ApiError('invalid_request', message, { details });
  }
  const from = requested.versions === undefined ? 1 : Math.min(...versions);
  const to = Math.max(...versions);
  const range = { ...ranges.versions(params, params.key, { from, to }), attributes: factAttributes };
  const stored: Facts[] = to < from ? [] : await list(versionRecord, range);
  const hasValue = ({ deleted, destroyed }: Facts) => deleted === undefined && destroyed === undefined;
  return stored.filter(facts => (requested.versions?.includes(facts.version) ?? true) && hasValue(facts));
}

async function destroy(
  context: MemberContext,
  params: KeyPath,
  { project, state }: { project: ProjectKeys; state: EnvironmentState },
  versions: readonly Facts[],
): Promise<void> {
  const audit = await context.audit({
    action: 'secret.version_destroyed',
    ...environmentFacts(project, state),
    keys: [params.key],
    details: { versions: versions.map(({ version }) => version).join(', ') },
  });
  const set = { destroyed: true as const, sealed: undefined, keyVersion: undefined, expands: undefined };
  await transact([
    update(stateAt(params), { add: { valueCount: -versions.length } }, { if: isActive(state.id) }),
    audit,
    ...versions.map(({ version, revision }) => {
      const isSame = { revision: equals(revision), destroyed: absent };
      return update(at(versionRecord, params, params.key, version), { set }, { if: isSame });
    }),
  ]);
}
