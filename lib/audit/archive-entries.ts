import { auditActions } from '../contracts/fields/audit-action.ts';
import type { Log } from '../core/logger.ts';
import { minuteMs } from '../core/time.ts';
import { isServingRegion } from '../table/client.ts';
import { equals, isActive, isNew } from '../table/expressions.ts';
import { ranges } from '../table/keys.ts';
import { at, find, list } from '../table/read.ts';
import { type ArchiveCursorRecord, archiveCursorRecord } from '../table/records/audit.ts';
import { directoryBySlugRecord, organizationPointerRecord, organizationRecord } from '../table/records/organization.ts';
import { check, put, remove, transactIfHolds, update } from '../table/write.ts';
import { putIntoArchive } from './archive-bucket.ts';
import { archiveObject } from './archive-object.ts';
import { entryView } from './entry-view.ts';
import { allTime, later, positionOf, readPartitions, type StoredEntry, scanEntries } from './scan.ts';
import { longestWriteMs } from './write.ts';

/*
 * An object has the entries of one window, or a certain number of them if there are more. A window is only read once no
 * entry can be added to it. So every run cuts the same objects out of the log, and one that crashed, is late or runs
 * beside another only puts objects that are there already. Only one of them moves the cursor.
 */

const windowMs = 15 * minuteMs;
const organizationsAtOnce = 8;
/** Runs start every five minutes. */
const longestRunMs = 4 * minuteMs;
/** Normally the archive is up to 21 minutes behind: a window, the time between two runs, and `longestWriteMs`. */
const lateAfterMs = 2 * 60 * minuteMs;

interface Organization {
  id: string;
  slug: string;
}

interface Run {
  /** The end of the last window that no entry can be added to. */
  archiveTo: string;
  endsAt: number;
  maximumEntries: number;
}

/**
 * Copies every organization's new audit entries to the archive, those that are furthest behind first. What doesn't fit
 * into one run is left for the next.
 * @throws Error if the archive is hours behind
 */
export async function archiveAudit(log: Log, { nowMs = Date.now(), maximumEntries = 5_000 } = {}): Promise<void> {
  if (!(await isServingRegion())) return;
  const stored = await list(archiveCursorRecord, ranges.archiveCursors());
  const organizations = await list(directoryBySlugRecord, ranges.directoryBySlug(''));
  await removeErased(stored, organizations);
  const cursors = new Map(stored.map(cursor => [cursor.organizationId, cursor]));
  const fromOf = ({ id }: Organization) => cursors.get(id)?.from ?? allTime.from;
  const run: Run = {
    archiveTo: windowStart(nowMs - longestWriteMs),
    endsAt: Date.now() + longestRunMs,
    maximumEntries,
  };
  const due = organizations.filter(organization => fromOf(organization) < run.archiveTo);
  const next = due.toSorted((a, b) => (fromOf(a) < fromOf(b) ? -1 : 1)).values();
  const late = new Date(nowMs - lateAfterMs).toISOString();
  let lateCount = 0;
  const archiveInTurn = async () => {
    for (const organization of next) {
      if (Date.now() > run.endsAt) {
        lateCount += Number(fromOf(organization) < late);
        continue;
      }
      const to = await archiveOrganization(organization, cursors.get(organization.id), run).catch(error => {
        log.error('could not archive audit entries', error, { organizationId: organization.id });
        return fromOf(organization);
      });
      if (to < late) lateCount += 1;
    }
  };
  await Promise.all(Array.from({ length: organizationsAtOnce }, archiveInTurn));
  log.info('archived audit entries', { organizations: organizations.length, due: due.length, late: lateCount });
  if (lateCount > 0) throw new Error(`The audit archive of ${lateCount} organizations is more than two hours behind.`);
}

/** Erasing an organization removes its cursor, except if a version that doesn't know cursors erased it. */
async function removeErased(cursors: readonly ArchiveCursorRecord[], organizations: readonly Organization[]) {
  const ids = new Set(organizations.map(({ id }) => id));
  for (const { organizationId } of cursors.filter(cursor => !ids.has(cursor.organizationId))) {
    if ((await find(at(organizationPointerRecord, organizationId))) !== undefined) continue;
    await transactIfHolds([remove(at(archiveCursorRecord, organizationId))]);
  }
}

/** @returns the position up to which the organization's entries are archived; the last one if another run is ahead */
async function archiveOrganization(organization: Organization, stored: ArchiveCursorRecord | undefined, run: Run) {
  let cursor = stored ?? (await createCursor(organization));
  while (cursor !== undefined && cursor.from < run.archiveTo) {
    const moved = Date.now() < run.endsAt ? await archiveNext(cursor, run) : 'out-of-time';
    if (moved === 'out-of-time') return cursor.from;
    cursor = moved;
  }
  return cursor?.from ?? allTime.to;
}

/** The organization is checked, so that nothing names it after it has been erased. @returns undefined if it is gone */
async function createCursor({ id, slug }: Organization): Promise<ArchiveCursorRecord | undefined> {
  const cursor = { organizationId: id, from: allTime.from, number: 0, digest: '' };
  const writes = [
    check(at(organizationRecord, slug), { if: isActive(id) }),
    put(at(archiveCursorRecord, id), cursor, { if: isNew }),
  ];
  return (await transactIfHolds(writes)) ? cursor : undefined;
}

/** Archives the next object. @returns the moved cursor; undefined if another run has moved or removed it */
async function archiveNext(cursor: ArchiveCursorRecord, run: Run) {
  const { organizationId, from, number, digest } = cursor;
  const next = await readNext(cursor, run);
  if (next === undefined) return 'out-of-time' as const;
  const moved = { ...cursor, from: next.to };
  const entries = next.entries.map(entryView);
  if (entries.length > 0) {
    const place = { from: next.from, to: next.to, number: number + 1, previous: digest };
    const header = { format: 1, organization: organizationId, ...place, entries: entries.length } as const;
    const object = archiveObject(header, entries);
    await putIntoArchive(object.name, object.content);
    Object.assign(moved, { number: number + 1, digest: object.digest });
  }
  const isSame = { from: equals(from), digest: equals(digest) };
  const write = update(at(archiveCursorRecord, organizationId), { set: moved }, { if: isSame });
  return (await transactIfHolds([write])) ? moved : undefined;
}

/** The entries of the next object and its positions; without entries if there are none. @returns undefined if time ran out */
async function readNext({ organizationId, from }: ArchiveCursorRecord, { archiveTo, endsAt, maximumEntries }: Run) {
  const scan = {
    actions: auditActions,
    partitions: await readPartitions(organizationId, auditActions),
    period: { from, to: archiveTo },
    keep: () => true,
    enough: { entries: maximumEntries, afterPages: 0 },
    isFrugal: true,
  };
  const budget = { pages: Number.POSITIVE_INFINITY, endsAt };
  const { entries, readTo = archiveTo } = await scanEntries(organizationId, scan, budget);
  const [first] = entries;
  if (first === undefined) return readTo < archiveTo ? undefined : { from, to: archiveTo, entries };
  const start = windowStart(Date.parse(first.createdAt));
  const end = windowStart(Date.parse(first.createdAt) + windowMs);
  const inWindow = entries.filter(({ createdAt }) => createdAt < end).slice(0, maximumEntries);
  const isFull = inWindow.length === maximumEntries;
  if (!isFull && readTo < end) return undefined;
  return {
    from: later(from, start),
    to: isFull ? positionOf(inWindow.at(-1) as StoredEntry) : end,
    entries: inWindow,
  };
}

function windowStart(timeMs: number): string {
  return new Date(timeMs - (timeMs % windowMs)).toISOString();
}
