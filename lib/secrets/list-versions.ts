import type { MemberContext } from '../access/request-context.ts';
import { ApiError } from '../core/errors.ts';
import { toRanges } from '../core/number-ranges.ts';
import { type EnvironmentPath, keys } from '../table/keys.ts';
import { at, find, queryPages, readTogether } from '../table/read.ts';
import type { EnvironmentState } from '../table/records/environment.ts';
import { type HeadRecord, headRecord, type VersionRecord, versionRecord } from '../table/records/secret.ts';
import { putAlone } from '../table/write.ts';
import { keyRing, requireKeys } from './engine/key-ring.ts';
import { type EnvironmentRead, environmentReads } from './engine/read-environment.ts';
import { maxEnvironmentBytes } from './engine/secret-size.ts';
import { readAgainWhileStale, StaleRead } from './engine/stale-read.ts';
import { findTombstones } from './engine/tombstones.ts';

type Params = EnvironmentPath & { key: string };

interface HistoryReads extends EnvironmentRead {
  head?: HeadRecord | undefined;
}

/** One round trip, in parallel with authentication. */
export async function beginHistory(params: Params): Promise<HistoryReads> {
  return readTogether({ ...environmentReads(params), head: at(headRecord, params, params.key) });
}

/**
 * The history of a key, newest first. Values are returned only once their audit entry is written.
 * @throws secret_not_found for a key that never existed; payload_too_large if the values don't fit in one response
 */
export async function listVersions(
  context: MemberContext,
  params: Params,
  query: { limit?: number | undefined; offset: number; values: boolean },
  first: HistoryReads,
) {
  const { access, organization, log } = context;
  return readAgainWhileStale(log, params, async tries => {
    const begun = tries === 0 ? first : await beginHistory(params);
    const project = access.requireProject(begun.project);
    const state = access.requireEnvironment(begun.state, 'read');
    // Read after the head, because a deleted key has its tombstone by the time its head is gone.
    const head = begun.head ?? (await findTombstones(params, [params.key]))[0];
    const newest = newestVersion(state, head);
    if (newest === 0) throw new ApiError('secret_not_found', `There is no secret ${params.key} in this environment.`);
    // Versions are numbered without gaps, so a page is a range of sort keys.
    const to = newest - (query.limit === undefined ? 0 : query.offset);
    const from = query.limit === undefined ? 1 : Math.max(1, to - query.limit + 1);
    const [versions] = await Promise.all([
      to < from ? [] : readVersions(params, from, to, query.values),
      begun.head === undefined ? undefined : requireSameHead(params, begun.head),
    ]);
    requireComplete(versions, from, to, state);

    const ring = keyRing(organization.id, project);
    const valued = query.values ? versions.filter(({ deleted, destroyed }) => !deleted && !destroyed) : [];
    requireKeys(ring, valued);
    const [opened] = await Promise.all([
      Promise.all(valued.map(async one => [one.version, await ring.open(state.id, one)] as const)),
      query.values
        ? context
            .audit({
              action: 'secret.history_read',
              target: { type: 'project', id: project.id, name: project.slug },
              environment: { id: state.id, slug: state.slug },
              keys: [params.key],
              revision: state.revision,
              details: { versions: toRanges(valued.map(({ version }) => version)) },
            })
            .then(putAlone)
        : undefined,
    ]);
    const values = new Map(opened);
    return {
      key: params.key,
      versions: versions.map(({ version, revision, createdAt, createdBy, deleted, destroyed }) => {
        const flags = { deleted: deleted === true, destroyed: destroyed === true };
        return { version, revision, createdAt, createdBy, ...flags, value: values.get(version) };
      }),
      ...(query.limit === undefined ? {} : { pagination: { limit: query.limit, offset: query.offset, total: newest } }),
    };
  });
}

/**
 * The key's newest committed version, 0 if there is none.
 * @throws StaleRead if the head's revision is later than the state's and is not that of the change in progress
 */
function newestVersion(state: EnvironmentState, head: HeadRecord | undefined): number {
  if (head === undefined) return 0;
  if (head.revision <= state.revision) return head.version;
  if (head.revision === state.pending?.revision) return head.version - 1;
  throw new StaleRead(`The head of ${head.key} in environment ${state.id} is ahead of the state.`);
}

/**
 * The head may have been read before the state, and may belong to a change that was undone before the state reached its
 * revision.
 * @throws StaleRead if the head has changed
 */
async function requireSameHead({ key, ...path }: Params, { version, revision, fence }: HeadRecord): Promise<void> {
  const now = await find(at(headRecord, path, key));
  if (now?.version === version && now.revision === revision && now.fence === fence) return;
  throw new StaleRead(`The head of ${key} (${keys.environmentState(path).pk}) changed during the read.`);
}

/**
 * Versions `from` to `to`, newest first. @throws payload_too_large if `withValues` and they don't fit in one response
 */
async function readVersions(
  { key, ...path }: Params,
  from: number,
  to: number,
  withValues: boolean,
): Promise<VersionRecord[]> {
  const { pk, sk } = keys.version(path, key, from);
  const end = keys.version(path, key, to).sk;
  const versions: VersionRecord[] = [];
  for await (const items of queryPages({ pk, between: [sk, end], newestFirst: true })) {
    versions.push(...items.map(item => versionRecord.parse(item)));
    const sizeBytes = versions.reduce((sum, version) => sum + (version.sizeBytes ?? 0), 0);
    if (withValues && sizeBytes > maxEnvironmentBytes) {
      throw new ApiError(
        'payload_too_large',
        'The values of this history do not fit in one response; request it in pages.',
        {
          details: { sizeBytes, maximumBytes: maxEnvironmentBytes },
        },
      );
    }
  }
  return versions;
}

/** @throws StaleRead if the range has gaps or items of a later revision */
function requireComplete(versions: readonly VersionRecord[], from: number, to: number, state: EnvironmentState): void {
  const expected = Math.max(0, to - from + 1);
  if (versions.length !== expected || versions.some(({ revision }) => revision > state.revision)) {
    throw new StaleRead(`The history read of environment ${state.id} does not fit revision ${state.revision}.`);
  }
}
