import type { exposureWays } from '../contracts/audit/get-exposure.ts';
import type { AuditAction } from '../contracts/fields/audit-action.ts';
import { fromRanges } from '../contracts/fields/number-ranges.ts';
import type { AuditRecord } from '../table/records/audit-entry.ts';

export type Way = (typeof exposureWays)[number];

/** What one audit entry says that its actor came to know. */
export interface Sight {
  how: Way;
  createdAt: string;
  /** The values are those that these keys had at this revision. */
  revision: number;
  keys: readonly string[] | 'all';
  /** Exactly these versions of the keys. */
  versions?: readonly number[];
  /** All versions of the keys up to the revision. */
  history?: true;
}

/** The actions whose caller sends the values. */
export const writingActions: ReadonlySet<AuditAction> = new Set([
  'secret.created',
  'secret.updated',
  'secret.bulk_set',
  'secret.changed',
]);

/** The actions whose entries can say that a value became known. */
export const exposingActions: readonly AuditAction[] = [
  'secret.pulled',
  'secret.history_read',
  'secret.compared',
  ...writingActions,
  'secret.promoted',
  'secret.restored',
  'environment.validated',
];

/**
 * What an entry says. A promotion or a restoration shows its caller nothing but the keys that already had their value.
 * `isExact` is false for entries of earlier versions of the service, which recorded less: then it is more than was seen.
 * Pure.
 */
export function sightsOf(entry: AuditRecord): { sights: Sight[]; isExact: boolean } {
  const { action, createdAt, revision = 0, keys, keysOmitted, unchanged } = entry;
  const sight = (how: Way, some: Sight['keys'] = keys ?? 'all', more: Partial<Sight> = {}): Sight => {
    return { how, createdAt, revision, keys: keysOmitted === undefined ? some : 'all', ...more };
  };
  const exact = (...sights: Sight[]) => ({ sights, isExact: keysOmitted === undefined });
  const compared = unchanged === undefined && keysOmitted === undefined ? [] : [sight('compared', unchanged)];
  if (writingActions.has(action)) return exact(sight('written'), ...compared);
  switch (action) {
    case 'secret.pulled':
      return exact(sight('pulled'));
    case 'secret.compared':
      return exact(sight('compared'));
    case 'environment.validated':
      return exact(sight('validated'));
    case 'secret.history_read':
      return historyOf(entry, sight);
    default:
      return exact(...compared);
  }
}

function historyOf(
  { details = {} }: AuditRecord,
  sight: (how: Way, keys?: Sight['keys'], more?: Partial<Sight>) => Sight,
): { sights: Sight[]; isExact: boolean } {
  const { versions, from, to } = details;
  if (typeof versions === 'string') {
    return { sights: [sight('history', undefined, { versions: fromRanges(versions) })], isExact: true };
  }
  if (typeof from === 'number' && typeof to === 'number') {
    return { sights: [from, to].map(revision => sight('history', undefined, { revision })), isExact: true };
  }
  return { sights: [sight('history', undefined, { history: true })], isExact: false };
}
