import type { MemberContext } from '../access/request-context.ts';
import { readingActions } from '../contracts/fields/audit-action.ts';
import { type KeyChange, readKeyChanges } from '../secrets/engine/key-versions.ts';
import type { EnvironmentPath } from '../table/keys.ts';
import type { AuditRecord } from '../table/records/audit-entry.ts';
import { type Place, readPlaces } from './places.ts';
import type { RawEntry, ScanBudget, Verdict } from './scan-entries.ts';

/** Which entries somebody asks for, besides their actions and their time. */
export interface EntryFilter {
  actor?: string | undefined;
  tokenId?: string | undefined;
  project?: string | undefined;
  environment?: string | undefined;
  key?: string | undefined;
}

/** Calls of one look at the history of a key in an environment, as pages of a scan's budget. */
const pagesPerHistory = 3;

/**
 * Whether an entry is asked for.
 * @param budget of the scan; looks at the history of the key are taken from it, and none begins when it is used up
 */
export async function entryFilter(
  context: MemberContext,
  { actor, tokenId, project, environment, key }: EntryFilter,
  budget: ScanBudget,
): Promise<(entry: RawEntry) => Verdict> {
  const isPlaceAsked = project !== undefined || key !== undefined;
  const places = isPlaceAsked ? await readPlaces(context.organization.slug) : new Map<string, Place>();
  const isAboutKey = key === undefined ? () => true : keyFilter(context, key, places, budget);
  return raw => {
    const entry = raw as RawEntry & Pick<AuditRecord, 'actor'>;
    if (actor !== undefined && entry.actor.id !== actor) return false;
    if (tokenId !== undefined && entry.actor.tokenId !== tokenId) return false;
    if (project !== undefined && projectOf(entry, places) !== project) return false;
    if (environment !== undefined && environmentOf(entry) !== environment) return false;
    return isAboutKey(entry);
  };
}

type Placed = RawEntry & Partial<Pick<AuditRecord, 'target' | 'project' | 'environment'>>;

function environmentOf({ target, environment }: Placed): string | undefined {
  return environment?.id ?? (target?.type === 'environment' ? target.id : undefined);
}

/** Template keys have no id; entries about them have the project's. Those about an environment did not always name it. */
function projectOf(entry: Placed, places: ReadonlyMap<string, Place>): string | undefined {
  const { target, project } = entry;
  if (project !== undefined) return project.id;
  const isTarget = target?.type === 'project' || target?.type === 'template_key';
  return isTarget ? target.id : places.get(environmentOf(entry) ?? '')?.project.id;
}

/**
 * Entries that name the key; and of those that don't, because they are about all keys or about too many to name, the
 * ones whose revision had it.
 */
function keyFilter(
  { log }: MemberContext,
  key: string,
  places: ReadonlyMap<string, Place>,
  budget: ScanBudget,
): (entry: RawEntry) => Verdict {
  const histories = new Map<string, Promise<readonly KeyChange[] | undefined>>();
  const historyIn = (environmentId: string, path: EnvironmentPath) => {
    const known = histories.get(environmentId);
    if (known !== undefined || budget.pages <= 0) return known;
    budget.pages -= pagesPerHistory;
    const reading = readKeyChanges(log, { ...path, key }, environmentId);
    histories.set(environmentId, reading);
    return reading;
  };
  return raw => {
    const entry = raw as RawEntry & AuditRecord;
    const { action, keys, keysOmitted, unchanged, target, environment, revision } = entry;
    const isNamed = keys?.includes(key) === true || unchanged?.includes(key) === true;
    if (isNamed || (target.type === 'template_key' && target.name === key)) return true;
    const isRead = readingActions.some(reading => reading === action);
    const isOpen = keysOmitted !== undefined || (isRead && keys === undefined);
    if (!isOpen || environment === undefined || revision === undefined) return false;
    const path = places.get(environment.id)?.path;
    if (path === undefined) return false;
    return historyIn(environment.id, path)?.then((changes = []) => {
      const latest = changes.findLast(change => change.revision <= revision);
      return isRead ? latest !== undefined && latest.deleted !== true : latest?.revision === revision;
    });
  };
}
