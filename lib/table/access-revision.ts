import { randomUUID } from 'node:crypto';
import type { Key } from './entity.ts';
import type { AnyChanges, AnyConditions } from './expressions.ts';

/*
 * A process may use the member, identity or project that it kept for as long as their organization has the access
 * revision that it had then (`lib/access/kept-access.ts`). So every transaction that changes one of them, other than
 * the attributes below, must renew the revision.
 */

/** The attributes of each kind that are never kept, by the beginning of the kind's sort key. */
export const attributesNeverKept = {
  MEMBER: [],
  IDENTITY: ['lastUsedAt', 'tokensEndedAt'],
  PROJECT: ['name', 'description', 'environmentCount', 'rotation'],
} as const satisfies Record<string, readonly string[]>;

interface WriteInTransaction {
  kind: 'put' | 'update' | 'remove' | 'check';
  key: Key;
  item?: Readonly<Record<string, unknown>>;
  changes?: AnyChanges;
  condition?: AnyConditions;
}

/** Random rather than counted, so that concurrent transactions need not read it, and no two organizations share one. */
export const renewedRevision = () => ({ accessRevision: randomUUID() });

/** @throws Error if one of the writes changes what may be kept, and none renews its organization's access revision */
export function requireRenewal(writes: readonly WriteInTransaction[]): void {
  for (const write of writes) {
    const { pk, sk } = write.key;
    if (!changesKept(write) || isOnlyDuringErasure(write)) continue;
    const ofOrganization = writes.filter(({ key }) => key.pk === pk && key.sk === 'ORG');
    if (ofOrganization.some(other => renews(other) || isOnlyDuringErasure(other))) continue;
    throw new Error(`A transaction changes a ${sk.split('#')[0]} without renewing the organization's access revision.`);
  }
}

function changesKept({ kind, key: { pk, sk }, changes }: WriteInTransaction): boolean {
  const [beginning = ''] = sk.split('#');
  if (kind === 'check' || !pk.startsWith('ORG#') || !Object.hasOwn(attributesNeverKept, beginning)) return false;
  if (kind !== 'update') return true;
  const neverKept: readonly string[] = attributesNeverKept[beginning as keyof typeof attributesNeverKept];
  const paths = Object.values(changes ?? {}).flatMap(change => Object.keys(change ?? {}));
  return paths.some(path => !neverKept.includes(path.split('.')[0] ?? ''));
}

function renews({ kind, item, changes }: WriteInTransaction): boolean {
  return kind === 'remove' || (item?.accessRevision ?? changes?.set?.accessRevision) !== undefined;
}

/** Whether the write requires its item to be marked as deleted: every request already rejects it. */
function isOnlyDuringErasure({ condition }: WriteInTransaction): boolean {
  const alternatives = [condition].flat();
  return alternatives.every(tests =>
    [tests?.status].flat().some(test => test?.op === '=' && test.value === 'deleting'),
  );
}
