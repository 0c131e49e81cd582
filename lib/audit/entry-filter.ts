import type { MemberContext } from '../access/request-context.ts';
import { readingActions } from '../contracts/fields/audit-action.ts';
import type { ReadBudget } from '../limits/long-questions.ts';
import { type KeyChange, readKeyChanges } from '../secrets/engine/key-versions.ts';
import { type Place, readPlaces } from './places.ts';
import type { StoredEntry, Verdict } from './scan.ts';

/** The conditions of a search besides action and time. */
export interface EntryFilter {
  actor?: string | undefined;
  tokenId?: string | undefined;
  project?: string | undefined;
  environment?: string | undefined;
  key?: string | undefined;
}

/** What reading a key's history in one environment takes from a scan's budget. */
const pagesPerHistory = 3;

/**
 * Whether an entry meets the conditions.
 * @param budget of the scan; reading histories of the key takes from it, and none is read once it is used up
 */
export async function entryFilter(
  context: MemberContext,
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
 * Matches entries that name the key. An entry that is about all keys, or about too many to name, matches if its revision
 * had the key (for a read) or changed it.
 */
function keyFilter(
  { log }: MemberContext,
  key: string,
  places: ReadonlyMap<string, Place>,
  budget: ReadBudget,
): (entry: StoredEntry) => Verdict {
  const histories = new Map<string, Promise<readonly KeyChange[] | undefined>>();
  const historyIn = ({ environment: { id }, path }: Place) => {
    if (path !== undefined && !histories.has(id) && budget.pages > 0) {
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
    const place = places.get(environment?.id ?? '');
    if (namesAllKeys || place === undefined || revision === undefined) return false;
    return historyIn(place)?.then((changes = []) => {
      const latest = changes.findLast(change => change.revision <= revision);
      return isRead ? latest !== undefined && latest.deleted !== true : latest?.revision === revision;
    });
  };
}
