import { readingActions } from '../contracts/fields/audit-action.ts';
import type { Log } from '../core/logger.ts';
import type { ReadBudget } from '../limits/long-questions.ts';
import type { EnvironmentPath } from '../table/keys.ts';
import type { OrganizationRecord } from '../table/records/organization.ts';
import { type Place, readPlaces } from './places.ts';
import type { StoredEntry, Verdict } from './scan.ts';

export interface LogContext {
  organization: OrganizationRecord;
  log: Log;
  /** Rejects the request unless the caller may read all of the log, or that of the project. From a higher layer. */
  requireManaged: (projectId: string | null) => Promise<void>;
  /** Whether the caller may read only a part of the log. */
  isPartial: () => boolean;
  /** Reads the changes of a key in an environment, oldest first. Passed in, because revisions are in a higher layer. */
  readKeyChanges: (
    log: Log,
    path: EnvironmentPath & { key: string },
    environmentId: string,
  ) => Promise<readonly { revision: number; deleted?: boolean | undefined }[] | undefined>;
}

/** The conditions of a search besides action and time. */
type EntryFilter = Partial<Record<'actor' | 'tokenId' | 'project' | 'environment' | 'key', string | undefined>>;

/** What reading a key's history in one environment takes from a scan's budget. */
const pagesPerHistory = 3;

/** @param budget of the scan; once it is used up, no more histories of the key are read */
export async function entryFilter(
  context: LogContext,
  { actor, tokenId, project, environment, key }: EntryFilter,
  budget: ReadBudget,
): Promise<(entry: StoredEntry) => Verdict> {
  const isAboutKey =
    key === undefined ? () => true : keyFilter(context, key, await readPlaces(context.organization.slug), budget);
  return entry => {
    if (actor !== undefined && entry.actor.id !== actor) return false;
    if (tokenId !== undefined && entry.actor.tokenId !== tokenId) return false;
    if (project !== undefined && projectOf(entry) !== project) return false;
    if (environment !== undefined && entry.environment?.id !== environment) return false;
    return isAboutKey(entry);
  };
}

/** Template keys have no id; the target of their entries has the project's. */
function projectOf({ target, project }: StoredEntry): string | undefined {
  return project?.id ?? (target.type === 'project' || target.type === 'template_key' ? target.id : undefined);
}

/**
 * Matches entries that name the key. An entry that is about all keys, or about too many to name, matches if its
 * revision had the key (for a read) or changed it.
 */
function keyFilter(
  { log, readKeyChanges }: LogContext,
  key: string,
  places: ReadonlyMap<string, Place>,
  budget: ReadBudget,
): (entry: StoredEntry) => Verdict {
  const histories = new Map<string, ReturnType<typeof readKeyChanges>>();
  const historyIn = (id: string, path: EnvironmentPath) => {
    if (!histories.has(id) && budget.pages > 0) {
      budget.pages -= pagesPerHistory;
      histories.set(id, readKeyChanges(log, { ...path, key }, id));
    }
    return histories.get(id);
  };
  return ({ action, keys, keysOmitted, unchanged, target, environment, revision }) => {
    const isNamed = keys?.includes(key) === true || unchanged?.includes(key) === true;
    if (isNamed || (target.type === 'template_key' && target.name === key)) return true;
    const isRead = readingActions.some(reading => reading === action);
    const namesAllKeys = keysOmitted === undefined && !(isRead && keys === undefined);
    if (namesAllKeys || environment === undefined || revision === undefined) return false;
    const path = places.get(environment.id)?.path;
    if (path === undefined) return false;
    return historyIn(environment.id, path)?.then((changes = []) => {
      const latest = changes.findLast(change => change.revision <= revision);
      return isRead ? latest !== undefined && latest.deleted !== true : latest?.revision === revision;
    });
  };
}
