import { earlier, type StoredEntry, scanEntries } from '../audit/scan.ts';
import { longestWriteMs } from '../audit/write.ts';
import { readingActions } from '../contracts/fields/audit-action.ts';
import type { ReadBudget } from '../limits/long-questions.ts';
import { auditRecord } from '../table/records/audit.ts';
import type { OrganizationRecord } from '../table/records/organization.ts';
import { historyOfEntries, type KeyHistory } from './key-history.ts';
import { exposingActions, type SeenPlace } from './sights.ts';

export interface ErasedHistory {
  history: KeyHistory;
  /** Whether it has every change, so that each version is known. */
  isExact: boolean;
}

const changingActions = [
  ...exposingActions.filter(
    action => action !== 'proposal.created' && !readingActions.some(reading => reading === action),
  ),
  'secret.deleted',
  'secret.bulk_delete',
] as const;

/**
 * The histories of erased environments up to their last sight, by id, from the audit entries of their changes.
 * @param completeSince since when the log has every entry
 */
export async function readErasedHistories(
  organization: OrganizationRecord,
  places: readonly SeenPlace[],
  completeSince: string,
  budget: ReadBudget,
): Promise<ReadonlyMap<string, ErasedHistory>> {
  if (places.length === 0) return new Map();
  const lastSight = places
    .flatMap(({ sights }) => sights.map(({ createdAt }) => Date.parse(createdAt)))
    .reduce((last, ms) => Math.max(last, ms), 0);
  const to = new Date(Math.min(lastSight + longestWriteMs, Date.now() + 1)).toISOString();
  const created = await creationTimes(organization, places, to, budget);
  const from = [...created.values()].reduce(earlier);
  const keep = ({ environment }: StoredEntry) => created.has(environment?.id ?? '');
  const scan = { actions: changingActions, period: { from, to }, keep };
  const { entries, readTo } = await scanEntries(organization.id, scan, budget);
  const parsed = entries.map(entry => auditRecord.parse(entry));
  const changesOf = Map.groupBy(parsed, ({ environment }) => environment?.id ?? '');
  return new Map(
    [...created].map(([id, createdAt]) => {
      const changes = (changesOf.get(id) ?? []).toSorted((a, b) => (a.revision ?? 0) - (b.revision ?? 0));
      const isRead = readTo === undefined && changes.every(({ keysOmitted }) => keysOmitted === undefined);
      const isExact = isRead && completeSince <= createdAt;
      return [id, { history: historyOfEntries(changes, isExact), isExact }];
    }),
  );
}

/** When the environments or their projects were created; if the entry is gone, the organization. */
async function creationTimes(
  { id: organizationId, createdAt: since }: OrganizationRecord,
  places: readonly SeenPlace[],
  to: string,
  budget: ReadBudget,
): Promise<ReadonlyMap<string, string>> {
  const targets = new Set(places.flatMap(({ place: { project, environment } }) => [project.id, environment.id]));
  const keep = ({ target }: StoredEntry) => targets.has(target.id);
  const scan = { actions: ['environment.created', 'project.created'] as const, period: { from: since, to }, keep };
  const { entries } = await scanEntries(organizationId, scan, budget);
  const times = new Map(entries.map(({ target, createdAt }) => [target.id, createdAt]));
  return new Map(
    places.map(({ place: { project, environment } }) => {
      return [environment.id, times.get(environment.id) ?? times.get(project.id) ?? since];
    }),
  );
}
