import type { MemberContext } from '../access/request-context.ts';
import type { DestroyBody } from '../contracts/secrets/destroy-versions.ts';
import { chunksWithin } from '../core/chunks-of.ts';
import { ApiError } from '../core/errors.ts';
import { absent, equals } from '../table/expressions.ts';
import type { EnvironmentPath } from '../table/keys.ts';
import { at, find } from '../table/read.ts';
import type { EnvironmentState } from '../table/records/environment.ts';
import type { ProjectRecord } from '../table/records/project.ts';
import { headRecord, type VersionRecord, versionRecord } from '../table/records/secret.ts';
import { retryWithFreshRead, transact, update } from '../table/write.ts';
import { stateAt } from './engine/fencing.ts';
import { type EnvironmentRead, readEnvironment } from './engine/read-environment.ts';
import { readVersionRange } from './engine/read-past.ts';
import { findTombstones } from './engine/tombstones.ts';

type Params = EnvironmentPath & { key: string };

/**
 * DynamoDB limits a transaction to 100 writes and 4 MB, including the items' previous contents; this leaves a margin.
 */
const maximumPerTransaction = { count: 90, bytes: 3_500_000 };

/**
 * Removes the values of old versions from the table; the versions stay in the history. Each transaction includes the audit
 * entry of what it destroys. If one fails, the next call continues.
 * @throws secret_not_found for a key or version that never existed, invalid_request for the current version
 */
export async function destroyVersions(
  context: MemberContext,
  params: Params,
  wanted: DestroyBody,
  begun: EnvironmentRead,
): Promise<{ destroyed: number[]; revision: number }> {
  const destroyed: number[] = [];
  return retryWithFreshRead(
    begun,
    () => readEnvironment(params),
    async found => {
      const project = context.access.requireProject(found.project);
      const state = context.access.requireEnvironment(found.state, 'write');
      const versions = await findWanted(params, state, wanted);
      const sizeOf = ({ sizeBytes = 0 }: Facts) => ({ count: 1, bytes: 1000 + sizeBytes });
      for (const some of chunksWithin(maximumPerTransaction, versions, sizeOf)) {
        await destroy(context, params, { project, state }, some);
        destroyed.push(...some.map(({ version }) => version));
      }
      return { destroyed, revision: state.revision };
    },
  );
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
 * The newest version that is known to be committed, 0 if there is none. The head is read after the state: if its
 * revision is later, it may never commit, but the version below it has. An undo never goes back further.
 */
async function readNewest(params: Params, { revision }: EnvironmentState) {
  const head = (await find(at(headRecord, params, params.key))) ?? (await findTombstones(params, [params.key]))[0];
  if (head === undefined) return { version: 0, isDeleted: false };
  if (head.revision > revision) return { version: head.version - 1, isDeleted: false };
  return { version: head.version, isDeleted: head.deleted === true };
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
        at(versionRecord, params, params.key, version),
        { set: gone },
        { if: { revision: equals(written), destroyed: absent } },
      ),
    ),
  ]);
}
