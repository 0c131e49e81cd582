import { chunksWithin } from '#lib/core/chunks-of.ts';
import { ApiError } from '#lib/core/errors.ts';
import { graphOf } from '#lib/secrets/change/reference-graph.ts';
import { requireSound } from '#lib/secrets/change/require-references.ts';
import { changedDigest, emptyDigest } from '#lib/secrets/engine/digest.ts';
import { pagesAfter } from '#lib/secrets/engine/head-pages.ts';
import { headOf, isLive } from '#lib/secrets/engine/read-snapshot.ts';
import { expandingAmong } from '#lib/secrets/engine/references.ts';
import { maximumBytesPerPart, revisionBytes } from '#lib/secrets/engine/revision-writes.ts';
import { putTombstone } from '#lib/secrets/engine/tombstones.ts';
import type { EnvironmentPath } from '#lib/table/keys.ts';
import { at } from '#lib/table/read.ts';
import { type EnvironmentState, environmentStateRecord } from '#lib/table/records/environment.ts';
import {
  type HeadRecord,
  headRecord,
  revisionPartRecord,
  revisionRecord,
  type VersionRecord,
  versionRecord,
} from '#lib/table/records/secret.ts';
import { put, type Write } from '#lib/table/write.ts';
import { NotImportable, type RecordOf } from './read-export.ts';

/** A value as the new installation stores it. */
export type StoredValue = Pick<VersionRecord, 'sealed' | 'keyVersion' | 'sizeBytes' | 'expands'>;

type Kind = 'created' | 'updated' | 'deleted';

/**
 * Rebuilds an environment from its changes, oldest first, and refuses a history that no environment can have. Each change
 * gets its revision as its fencing token, because the tokens of the other installation mean nothing here.
 */
export function replayHistory(
  path: EnvironmentPath,
  environment: RecordOf<'environment'>,
  { organizationId, keyVersion }: { organizationId: string; keyVersion: number },
) {
  const heads = new Map<string, HeadRecord>();
  let digest = emptyDigest;
  let { firstRevision: revision } = environment;
  let valueCount = 0;
  let change: { record: RecordOf<'change'>; keys: { key: string; version: number; kind: Kind }[] } | undefined;
  const refuse = (what: string) =>
    new NotImportable(`The history of ${path.project}/${environment.slug} is not complete: ${what}.`);

  const endChange = (): Write[] => {
    if (change === undefined) return [];
    const broken = brokenNames(heads, change.keys);
    if (broken !== undefined) throw refuse(`after revision ${revision}: ${broken}`);
    const writes = revisionItems(path, change, digest);
    change = undefined;
    return writes;
  };
  return {
    beginChange: (record: RecordOf<'change'>): Write[] => {
      const writes = endChange();
      if (record.revision !== revision + 1) throw refuse(`revision ${record.revision} follows ${revision}`);
      revision = record.revision;
      change = { record, keys: [] };
      return writes;
    },
    addVersion: (record: RecordOf<'version'>, stored: StoredValue): Write[] => {
      const { key, version, deleted, destroyed, keyCreatedAt, createdAt, createdBy } = record;
      const old = heads.get(key);
      if (change === undefined || version !== (old?.version ?? 0) + 1 || (deleted === true && !isLive(old))) {
        throw refuse(`version ${version} of ${key} follows ${old?.version ?? 'none'}`);
      }
      const facts = { key, version, revision, fence: revision, deleted, destroyed, keyCreatedAt, createdAt, createdBy };
      const item: VersionRecord = { ...facts, ...stored };
      const head = headOf(item);
      digest = changedDigest(digest, old === undefined ? [] : [old], [head]);
      heads.set(key, head);
      if (!deleted && !destroyed) valueCount += 1;
      change.keys.push({ key, version, kind: deleted ? 'deleted' : isLive(old) ? 'updated' : 'created' });
      return [put(at(versionRecord, path, key, version), item)];
    },
    end: (): Write[] => {
      const writes = endChange();
      if (revision !== environment.revision) throw refuse(`it ends at revision ${revision}`);
      const live = [...heads.values()].filter(isLive);
      const lost = live.find(({ destroyed }) => destroyed === true);
      if (lost !== undefined) throw refuse(`the current value of ${lost.key} is missing`);
      const { id, slug, type, projectId, firstRevision, approvals } = environment;
      const sizeBytes = live.reduce((sum, head) => sum + (head.sizeBytes ?? 0), 0);
      const counts = { secretCount: live.length, sizeBytes, valueCount, expandingKeys: expandingAmong(live) };
      const facts = { id, slug, type, projectId, organizationId, revision, firstRevision, keyVersion, digest };
      const state: EnvironmentState = { ...facts, ...counts, fence: revision + 1, approvals, status: 'active' };
      const pages = pagesAfter({ state, before: heads, heads: [] }, { isMixed: false });
      return [
        ...writes,
        put(at(environmentStateRecord, path), pages === undefined ? state : { ...state, pages }),
        ...[...heads.values()].map(head =>
          isLive(head) ? put(at(headRecord, path, head.key), head) : putTombstone(path, head),
        ),
      ];
    },
  };
}

/** What is wrong with the names of the values. Only a deletion, or a value that names others, can break any. */
function brokenNames(heads: ReadonlyMap<string, HeadRecord>, changed: readonly { key: string }[]): string | undefined {
  const changedHeads = changed.map(({ key }) => heads.get(key));
  if (changedHeads.every(head => isLive(head) && head.expands === undefined)) return undefined;
  const graph = graphOf(heads.values());
  try {
    requireSound(graph, new Set(graph.keys()));
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error.message;
    throw error;
  }
}

function revisionItems(
  path: EnvironmentPath,
  { record, keys }: { record: RecordOf<'change'>; keys: readonly { key: string; version: number; kind: Kind }[] },
  digest: string,
): Write[] {
  const { record: _, revision, ...facts } = record;
  const sizeOf = ({ key }: { key: string }) => ({ count: 1, bytes: revisionBytes(key) });
  const chunks = chunksWithin({ count: Number.POSITIVE_INFINITY, bytes: maximumBytesPerPart }, keys, sizeOf);
  const [first, ...others] = (chunks.length === 0 ? [[]] : chunks).map(chunk => {
    const named = (kind: Kind) =>
      chunk.filter(each => each.kind === kind).map(({ key, version }): [string, number] => [key, version]);
    const changed = { created: named('created'), updated: named('updated'), deleted: named('deleted') };
    return { revision, fence: revision, ...changed };
  });
  if (first === undefined) return [];
  return [
    put(at(revisionRecord, path, revision), { ...first, ...facts, parts: others.length, digest }),
    ...others.map((part, index) => put(at(revisionPartRecord, path, revision, index + 1), part)),
  ];
}
