import type { MemberContext } from '../access/request-context.ts';
import type { DestroyBody } from '../contracts/fields/destroy-body.ts';
import { ApiError } from '../core/errors.ts';
import { absent, equals } from '../table/expressions.ts';
import { at, find, readTogether } from '../table/read.ts';
import { type EnvironmentState, environmentStateRecord } from '../table/records/environment.ts';
import { type ProjectRecord, projectRecord } from '../table/records/project.ts';
import { headRecord, type VersionRecord, versionRecord } from '../table/records/secret.ts';
import { retryWithFreshRead, transact, update } from '../table/write.ts';
import { type EnvironmentPath, partsOf } from './engine/environment-path.ts';
import { stateAt } from './engine/fencing.ts';
import { readVersionRange } from './engine/read-past.ts';
import { findTombstones } from './engine/tombstones.ts';

type Params = EnvironmentPath & { key: string };

interface DestructionReads {
  project?: ProjectRecord | undefined;
  state?: EnvironmentState | undefined;
}

/** One round trip, to be begun together with authentication. */
export async function beginDestruction(params: Params): Promise<DestructionReads> {
  return readTogether({
    project: at(projectRecord, params.orgSlug, params.project),
    state: at(environmentStateRecord, ...partsOf(params)),
  });
}

/** With the state and the audit entry, below the 100 writes of a transaction. */
const maximumPerTransaction = 90;
/** DynamoDB takes 4 MB a transaction, with what the items held before; the rest is room for what is not measured. */
const maximumBytesPerTransaction = 3_500_000;

/**
 * Takes the values of old versions out of the table, and leaves the versions in the history. Each transaction has the audit
 * entry of what it destroys; where one fails, the next call goes on.
 * @throws secret_not_found for a key or version that never was, invalid_request for the current one
 */
export async function destroyVersions(
  context: MemberContext,
  params: Params,
  wanted: DestroyBody,
  begun: DestructionReads,
): Promise<{ destroyed: number[]; revision: number }> {
  const destroyed: number[] = [];
  const readAgain = () => beginDestruction(params);
  return retryWithFreshRead(begun, readAgain, async found => {
    const project = context.access.requireProject(found.project);
    const state = context.access.requireEnvironment(found.state, 'write');
    for (const some of inTransactions(await findWanted(params, state, wanted))) {
      await destroy(context, params, { project, state }, some);
      destroyed.push(...some.map(({ version }) => version));
    }
    return { destroyed, revision: state.revision };
  });
}

type Facts = Omit<VersionRecord, 'sealed'>;

/** The wanted versions that still have a value, oldest first. */
async function findWanted(params: Params, state: EnvironmentState, wanted: DestroyBody): Promise<Facts[]> {
  const newest = await readNewest(params, state);
  if (newest.version === 0) {
    throw new ApiError('secret_not_found', `There is no secret ${params.key} in this environment.`);
  }
  const versions = wanted.versions ?? [Math.min(wanted.before ?? 1, newest.version + 1) - 1];
  const unknown = versions.find(version => version > newest.version);
  if (unknown !== undefined) {
    throw new ApiError('secret_not_found', `${params.key} has no version ${unknown}; its newest is ${newest.version}.`);
  }
  if (!newest.isDeleted && versions.includes(newest.version)) {
    const message = `must not include version ${newest.version}, which is the current one`;
    throw new ApiError('invalid_request', 'The current version can’t be destroyed; delete or set the secret first.', {
      details: [{ path: wanted.versions === undefined ? 'before' : 'versions', message }],
    });
  }
  const [from, to] =
    wanted.versions === undefined ? [1, Math.max(...versions)] : [Math.min(...versions), Math.max(...versions)];
  const isWanted = (version: number) => wanted.versions?.includes(version) ?? true;
  const found = to < from ? [] : await readVersionRange(params, params.key, from, to);
  return found.filter(
    ({ version, deleted, destroyed }) => isWanted(version) && deleted === undefined && destroyed === undefined,
  );
}

/**
 * The newest version that is committed for certain, 0 where there is none. The head is read after the state: one of a later
 * revision may never commit, and what is below it has. No change that is undone goes back to anything older.
 */
async function readNewest(params: Params, { revision }: EnvironmentState) {
  const head =
    (await find(at(headRecord, ...partsOf(params), params.key))) ?? (await findTombstones(params, [params.key]))[0];
  if (head === undefined) return { version: 0, isDeleted: false };
  if (head.revision > revision) return { version: head.version - 1, isDeleted: false };
  return { version: head.version, isDeleted: head.deleted === true };
}

function inTransactions(versions: readonly Facts[]): Facts[][] {
  const transactions: Facts[][] = [];
  let bytes = 0;
  for (const version of versions) {
    const size = 1000 + (version.sizeBytes ?? 0);
    const last = transactions.at(-1);
    if (last !== undefined && last.length < maximumPerTransaction && bytes + size <= maximumBytesPerTransaction) {
      last.push(version);
      bytes += size;
    } else {
      transactions.push([version]);
      bytes = size;
    }
  }
  return transactions;
}

async function destroy(
  context: MemberContext,
  params: Params,
  { project, state: { id, slug, revision } }: { project: ProjectRecord; state: EnvironmentState },
  versions: readonly Facts[],
): Promise<void> {
  const audit = await context.audit({
    action: 'secret.version_destroyed',
    target: { type: 'project', id: project.id, name: project.slug },
    environment: { id, slug },
    keys: [params.key],
    revision,
    details: { versions: versions.map(({ version }) => version).join(', ') },
  });
  const gone = { destroyed: true as const, sealed: undefined, keyVersion: undefined };
  await transact([
    update(
      stateAt(params),
      { add: { valueCount: -versions.length } },
      { if: { id: equals(id), status: equals('active') } },
    ),
    audit,
    ...versions.map(({ version, revision: written }) =>
      update(
        at(versionRecord, ...partsOf(params), params.key, version),
        { set: gone },
        { if: { revision: equals(written), destroyed: absent } },
      ),
    ),
  ]);
}
