import type { MemberContext } from '../access/request-context.ts';
import { type AuditAction, readingActions } from '../contracts/fields/audit-action.ts';
import { type AuditRecord, auditRecord } from '../table/records/audit-entry.ts';
import { historyOfEntries, type KeyHistory } from './key-history.ts';
import type { Place } from './places.ts';
import { earlier, type RawEntry, type ScanBudget, scanEntries } from './scan-entries.ts';
import { exposingActions } from './sights.ts';

export interface ErasedHistory {
  history: KeyHistory;
  /** Whether it has every change, so that each version is known. */
  isExact: boolean;
}

interface Erased {
  places: readonly Place[];
  /** Changes after this time don't matter. */
  until: string;
  /** Since when the log has every entry. */
  completeSince: string;
}

const changing: readonly AuditAction[] = [...exposingActions, 'secret.deleted', 'secret.bulk_delete'];
const changingActions = changing.filter(action => !readingActions.some(reading => reading === action));

/** The histories of erased environments, by id, from the entries of their changes, which still say what was in them. */
export async function readErasedHistories(
  { organization }: MemberContext,
  { places, until, completeSince }: Erased,
  budget: ScanBudget,
): Promise<ReadonlyMap<string, ErasedHistory>> {
  if (places.length === 0) return new Map();
  const since = organization.createdAt;
  const created = await creationTimes(organization.id, places, { from: since, to: until }, budget);
  const from = places.map(({ environment }) => created.get(environment.id) ?? since).reduce(earlier);
  const keep = (entry: RawEntry) => created.has(environmentOf(entry)?.id ?? '');
  const scan = { actions: changingActions, period: { from, to: until }, keep };
  const { entries, readTo } = await scanEntries(organization.id, scan, budget);
  const perEnvironment = Map.groupBy(
    entries.map(entry => auditRecord.parse(entry)),
    ({ environment }) => environment?.id,
  );
  return new Map(
    places.map(({ environment: { id } }) => {
      const changes = (perEnvironment.get(id) ?? []).toSorted((a, b) => (a.revision ?? 0) - (b.revision ?? 0));
      const isRead = readTo === undefined && changes.every(({ keysOmitted }) => keysOmitted === undefined);
      const isExact = isRead && completeSince <= (created.get(id) ?? since);
      return [id, { history: historyOfEntries(changes, isExact), isExact }];
    }),
  );
}

function environmentOf({ environment }: RawEntry): AuditRecord['environment'] {
  return environment as AuditRecord['environment'];
}

/** When the environments were created, with their projects or later; undefined for those whose entries are gone. */
async function creationTimes(
  organizationId: string,
  places: readonly Place[],
  period: { from: string; to: string },
  budget: ScanBudget,
): Promise<ReadonlyMap<string, string | undefined>> {
  const wanted = new Set(places.flatMap(({ project, environment }) => [project.id, environment.id]));
  const keep = ({ target }: RawEntry) => wanted.has((target as AuditRecord['target']).id);
  const scan = { actions: ['environment.created', 'project.created'] as const, period, keep };
  const { entries } = await scanEntries(organizationId, scan, budget);
  const times = new Map(entries.map(({ target, createdAt }) => [(target as AuditRecord['target']).id, createdAt]));
  return new Map(
    places.map(({ project, environment }) => [environment.id, times.get(environment.id) ?? times.get(project.id)]),
  );
}
