import type { MemberContext } from '../access/request-context.ts';
import { toRanges } from '../contracts/fields/number-ranges.ts';
import { ApiError } from '../core/errors.ts';
import { ranges } from '../table/keys.ts';
import { at, queryPages } from '../table/read.ts';
import { headRecord, type VersionRecord, versionRecord } from '../table/records/secret.ts';
import { putAlone } from '../table/write.ts';
import { keyRing, requireKeys } from './engine/key-ring.ts';
import { type KeyPath, newestVersion, requireComplete, requireSameHead } from './engine/key-versions.ts';
import { environmentFacts, readEnvironment } from './engine/read-environment.ts';
import { maxEnvironmentBytes } from './engine/secret-size.ts';
import { readAgainWhileStale } from './engine/stale-read.ts';

export function beginHistory(params: KeyPath) {
  return readEnvironment(params, { head: at(headRecord, params, params.key) });
}

/** More would not fit in one response. */
export const maximumVersionsAtOnce = 10_000;

/**
 * The history of a key, newest first. Values are returned only once their audit entry is written.
 * @throws secret_not_found for a key that never existed; payload_too_large if they don't fit in one response
 */
export async function listVersions(
  context: MemberContext,
  params: KeyPath,
  query: { limit?: number | undefined; offset: number; values: boolean },
  first: Awaited<ReturnType<typeof beginHistory>>,
) {
  const { access, organization, log } = context;
  access.requireValues(query.values);
  return readAgainWhileStale(log, params, async tries => {
    const begun = tries === 0 ? first : await beginHistory(params);
    const project = access.requireProject(begun.project);
    const state = access.requireEnvironment(begun.state, 'read');
    const { version: newest } = await newestVersion(params, { state, head: begun.head });
    if (newest === 0) throw new ApiError('secret_not_found', `There is no secret ${params.key} in this environment.`);
    if (query.limit === undefined) requireFewVersions(newest);
    // Versions are numbered without gaps, so a page is a range of sort keys.
    const to = newest - (query.limit === undefined ? 0 : query.offset);
    const from = query.limit === undefined ? 1 : Math.max(1, to - query.limit + 1);
    const [versions] = await Promise.all([
      to < from ? [] : readVersions(params, from, to, query.values),
      begun.head === undefined ? undefined : requireSameHead(params, begun.head),
    ]);
    requireComplete(versions, { from, to }, state);

    const ring = keyRing(organization.id, project);
    const valued = query.values ? versions.filter(({ deleted, destroyed }) => !deleted && !destroyed) : [];
    requireKeys(ring, valued);
    const audit = async () => {
      const details = { versions: toRanges(valued.map(({ version }) => version)) };
      const facts = { ...environmentFacts(project, state), keys: [params.key], details };
      await putAlone(await context.audit({ action: 'secret.history_read', ...facts }));
    };
    const [opened] = await Promise.all([
      Promise.all(valued.map(async record => [record.version, await ring.open(state.id, record)] as const)),
      query.values ? audit() : undefined,
    ]);
    const values = new Map(opened);
    return {
      key: params.key,
      versions: versions.map(({ version, revision, createdAt, createdBy, deleted, destroyed, expands }) => {
        const flags = { deleted: deleted === true, destroyed: destroyed === true };
        const expand = expands === undefined ? {} : { expand: true as const };
        return { version, revision, createdAt, createdBy, ...flags, ...expand, value: values.get(version) };
      }),
      ...(query.limit === undefined ? {} : { pagination: { limit: query.limit, offset: query.offset, total: newest } }),
    };
  });
}

/** @throws payload_too_large */
function requireFewVersions(versionCount: number): void {
  if (versionCount <= maximumVersionsAtOnce) return;
  const message = `The key has ${versionCount} versions; request them in pages.`;
  const details = { versionCount, maximumVersionCount: maximumVersionsAtOnce };
  throw new ApiError('payload_too_large', message, { details });
}

/** Newest first. @throws payload_too_large if `withValues` and they don't fit in one response */
async function readVersions({ key, ...path }: KeyPath, from: number, to: number, withValues: boolean) {
  const versions: VersionRecord[] = [];
  for await (const items of queryPages({ ...ranges.versions(path, key, { from, to }), newestFirst: true })) {
    versions.push(...items.map(item => versionRecord.parse(item)));
    const sizeBytes = versions.reduce((sum, version) => sum + (version.sizeBytes ?? 0), 0);
    if (withValues && sizeBytes > maxEnvironmentBytes) {
      const message = 'The values of this history do not fit in one response; request it in pages.';
      throw new ApiError('payload_too_large', message, { details: { sizeBytes, maximumBytes: maxEnvironmentBytes } });
    }
  }
  return versions;
}
