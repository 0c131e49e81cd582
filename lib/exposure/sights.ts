import type { Place } from '../audit/places.ts';
import type { exposureWays } from '../contracts/audit/exposure.ts';
import type { AuditAction } from '../contracts/fields/audit-action.ts';
import { fromRanges } from '../contracts/fields/number-ranges.ts';
import type { AuditRecord } from '../table/records/audit.ts';

export type Way = (typeof exposureWays)[number];

/** Values that the actor of an audit entry saw or sent. */
export interface Sight {
  how: Way;
  createdAt: string;
  /** The values are those of the keys at this revision, unless `versions` names others. */
  revision: number;
  keys: readonly string[] | 'all';
  versions?: readonly number[];
  /** The grants without which the value would not have been shown. */
  grants?: readonly string[];
  /** All versions from this revision on, up to `revision`. */
  fromRevision?: number;
  /** The proposed values: those of the revision that applied this proposal, if one did. */
  proposal?: string;
}

/** An environment and the sights of its secrets. */
export interface SeenPlace {
  place: Place;
  sights: Sight[];
}

/** The actions whose caller sends the values. */
const writing: readonly AuditAction[] = ['secret.created', 'secret.updated', 'secret.bulk_set', 'secret.changed'];
export const writingActions: ReadonlySet<AuditAction> = new Set(writing);

export const exposingActions: readonly AuditAction[] = [
  'secret.pulled',
  'secret.history_read',
  'secret.compared',
  ...writing,
  'secret.promoted',
  'secret.restored',
  'environment.validated',
  'organization.exported',
  'proposal.created',
  'proposal.read',
  'proposal.applied',
];

/**
 * The sights that an entry records. If it could not name all keys, they may include more than was seen. A promotion or
 * a restoration shows its caller only which keys already had their value. Pure.
 */
function sightsOf(entry: AuditRecord): Sight[] {
  const { action, createdAt, revision = 0, keys, keysOmitted, unchanged, details, grants = [] } = entry;
  const sight = (how: Way, named: Sight['keys'] = keys ?? 'all'): Sight => {
    const shown = keysOmitted === undefined ? named : 'all';
    // Whoever writes a value knew it before.
    return { how, createdAt, revision, keys: shown, grants: how === 'written' ? [] : grants };
  };
  switch (action) {
    case 'secret.pulled':
      return [sight('pulled')];
    case 'secret.compared':
      return [sight('compared')];
    case 'environment.validated':
      return [sight('validated')];
    case 'organization.exported':
      return [{ ...sight('exported'), fromRevision: Number(details?.fromRevision) }];
    case 'proposal.created': {
      // The author of a promotion or a restore doesn't send the values.
      const proposed = { ...sight('written', sentKeys(entry)), proposal: proposalOf(entry) };
      return details?.holds === 'changes' ? [proposed] : [];
    }
    case 'proposal.read': {
      const shown = [sight('compared'), { ...sight('compared'), proposal: proposalOf(entry) }];
      const { restored } = details ?? {};
      return typeof restored === 'number' ? [...shown, { ...sight('compared'), revision: restored }] : shown;
    }
    case 'secret.history_read':
      return typeof details?.versions === 'string'
        ? [{ ...sight('history'), versions: fromRanges(details.versions) }]
        : [details?.from, details?.to].map(shown => ({ ...sight('history'), revision: Number(shown) }));
    default: {
      const isCompared = unchanged !== undefined || keysOmitted !== undefined;
      const compared = isCompared ? [sight('compared', unchanged)] : [];
      return writingActions.has(action) ? [sight('written', sentKeys(entry)), ...compared] : compared;
    }
  }
}

/** The keys whose values the actor sent, and didn't have generated. */
function sentKeys({ keys, details }: AuditRecord): readonly string[] | undefined {
  const { generated } = details ?? {};
  return Array.isArray(generated) ? keys?.filter(key => !generated.includes(key)) : keys;
}

interface SeenThere {
  environment: NonNullable<AuditRecord['environment']>;
  sights: Sight[];
}

/** By environment: a proposed promotion shows values of its source, whether it is applied or not. Pure. */
export function sightsByEnvironment(entry: AuditRecord): SeenThere[] {
  const { action, environment, from } = entry;
  if (environment === undefined) return [];
  const sights = sightsOf(entry);
  const own = { environment, sights };
  if (action !== 'proposal.read' || from === undefined) return [own];
  const { id, slug, revision } = from;
  const copied = sights.filter(({ proposal }) => proposal === undefined).map(sight => ({ ...sight, revision }));
  return [own, { environment: { id, slug }, sights: copied }];
}

/** The proposal that an entry is about. */
export function proposalOf({ details }: Pick<AuditRecord, 'details'>): string {
  return typeof details?.proposal === 'string' ? details.proposal : '';
}
