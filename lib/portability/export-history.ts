import type { ExportRecord } from '../contracts/organizations/export-records.ts';
import { chunksOf } from '../core/chunks-of.ts';
import { ApiError } from '../core/errors.ts';
import type { Log } from '../core/logger.ts';
import { stateAt } from '../secrets/engine/fencing.ts';
import { keyRing, requireKeys } from '../secrets/engine/key-ring.ts';
import { readVersions } from '../secrets/engine/read-snapshot.ts';
import { type RecordedChange, readChanges } from '../secrets/engine/revision-log.ts';
import { readAgainWhileStale, StaleRead } from '../secrets/engine/stale-read.ts';
import type { EnvironmentPath } from '../table/keys.ts';
import { at, readTogether } from '../table/read.ts';
import type { EnvironmentRecord } from '../table/records/environment.ts';
import { projectRecord } from '../table/records/project.ts';
import type { VersionRecord } from '../table/records/secret.ts';
import { placeOf, type Sealer } from './seal-values.ts';

/** The environment whose changes are being exported, up to `to`. */
export interface HistoryPosition {
  project: string;
  env: string;
  id: string;
  to: number;
  /** The next change, and how many of its lines are exported. */
  revision: number;
  skip: number;
}

interface HistoryLine {
  record: ExportRecord;
  /** The project of a value. */
  projectId?: string;
  next: HistoryPosition;
}

interface HistorySource {
  organizationId: string;
  orgSlug: string;
  log: Log;
  sealer: Sealer;
}

/** A line to export: a change, or one of its versions. */
interface Line {
  change: RecordedChange;
  version: { key: string; version: number } | undefined;
  index: number;
}

const changesAtOnce = 50;
/** Values of 64 KiB each, and as much again when sealed. */
const linesAtOnce = 25;

/** The environment's own line and where its history begins; undefined if it is gone, or newer than the export. */
export async function beginHistory(
  { organizationId, orgSlug }: HistorySource,
  { id, project, slug, projectId, name, createdAt, status }: EnvironmentRecord,
  startedAt: string,
): Promise<HistoryLine | undefined> {
  if (status !== 'active' || createdAt > startedAt) return undefined;
  const { state } = await readTogether({ state: stateAt({ orgSlug, project, env: slug }) });
  if (state?.id !== id || state.status !== 'active' || state.organizationId !== organizationId) return undefined;
  const { revision, firstRevision, type, approvals } = state;
  const facts = { id, projectId, project, slug, name, type, firstRevision, revision, approvals, createdAt };
  return {
    record: { record: 'environment', ...facts },
    next: { project, env: slug, id, to: revision, revision: firstRevision + 1, skip: 0 },
  };
}

/**
 * The changes of an environment from a position on, oldest first, each with its versions. The recorded changes say
 * which versions were committed, so a change in progress is never exported.
 * @throws cursor_expired if the environment was deleted in the meantime
 */
export async function* exportHistory(source: HistorySource, position: HistoryPosition): AsyncGenerator<HistoryLine> {
  const path = { orgSlug: source.orgSlug, project: position.project, env: position.env };
  let { skip } = position;
  for (let first = position.revision; first <= position.to; first += changesAtOnce) {
    const last = Math.min(first + changesAtOnce - 1, position.to);
    const changes = await readAgainWhileStale(source.log, path, () => readAllChanges(path, position.id, first, last));
    const lines = changes.flatMap(linesOf).slice(skip);
    skip = 0;
    for (const chunk of chunksOf(linesAtOnce, lines)) {
      yield* await readAgainWhileStale(source.log, path, () => exportLines(source, path, position, chunk));
    }
  }
}

async function readAllChanges(path: EnvironmentPath, environmentId: string, first: number, last: number) {
  const changes = await readChanges(path, first, last);
  if (changes.length === last - first + 1) return changes;
  throw new StaleRead(`Environment ${environmentId} lacks records of its changes from revision ${first} on.`);
}

function linesOf(change: RecordedChange): Line[] {
  const versions = [...change.created, ...change.updated, ...change.deleted];
  return [
    { change, version: undefined, index: 0 },
    ...versions.map(([key, version], index) => ({ change, version: { key, version }, index: index + 1 })),
  ];
}

async function exportLines(
  source: HistorySource,
  path: EnvironmentPath,
  position: HistoryPosition,
  lines: readonly Line[],
): Promise<HistoryLine[]> {
  const { project, state } = await readTogether({
    project: at(projectRecord, path.orgSlug, path.project),
    state: stateAt(path),
  });
  if (state?.id !== position.id || state.status !== 'active' || project?.status !== 'active') {
    const message = `The environment ${position.env} of ${position.project} was deleted during the export. Start it again.`;
    throw new ApiError('cursor_expired', message);
  }
  const requested = lines.flatMap(({ version }) => version ?? []);
  const stored = new Map((await readVersions(path, requested)).map(record => [idOf(record), record]));
  const ring = keyRing(source.organizationId, project);
  requireKeys(
    ring,
    [...stored.values()].filter(({ sealed }) => sealed !== undefined),
  );
  return Promise.all(
    lines.map(async ({ change, version, index }) => {
      const next = { ...position, revision: change.revision, skip: index + 1 };
      if (version === undefined) return { record: changeRecord(change), next };
      const record = stored.get(idOf(version));
      if (record?.revision !== change.revision) {
        throw new StaleRead(`Version ${version.version} of ${version.key} is not that of revision ${change.revision}.`);
      }
      const hasValue = record.sealed !== undefined;
      const place = placeOf(position.id, record.key, record.version);
      const value = hasValue ? await source.sealer.protect(await ring.open(position.id, record), place) : {};
      return { record: versionRecord(record, value), ...(hasValue ? { projectId: project.id } : {}), next };
    }),
  );
}

const idOf = ({ key, version }: { key: string; version: number }) => `${key}#${version}`;

function changeRecord({ revision, action, changeId, createdAt, createdBy, ...change }: RecordedChange): ExportRecord {
  const { message, from, restored, proposal, approvedBy } = change;
  const facts = { revision, action, changeId, createdAt, createdBy, message, from, restored, proposal, approvedBy };
  return { record: 'change', ...facts };
}

function versionRecord(version: VersionRecord, value: object): ExportRecord {
  const { key, deleted, destroyed, expands, keyCreatedAt, createdAt, createdBy } = version;
  const author = { keyCreatedAt, createdAt, createdBy };
  const kind = { deleted, destroyed, expand: expands && (true as const) };
  return { record: 'version', key, version: version.version, ...value, ...kind, ...author };
}
