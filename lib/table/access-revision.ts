import { randomUUID } from 'node:crypto';
import type { Key } from './entity.ts';
import type { AnyChanges, AnyConditions } from './expressions.ts';
import { keys } from './keys.ts';

/*
 * A process may use the member, identity or project that it kept for as long as their organization has the access
 * revision that it had then (`lib/access/kept-access.ts`). So every transaction that changes one of them, other than
 * the attributes below, must renew the revision.
 */

/** The attributes of each kind that are never kept. */
export const attributesNeverKept = {
  // Who signs in after their tokens were refused for it, renews the revision.
  member: ['providerSignInAt'],
  identity: ['lastUsedAt', 'tokensEndedAt'],
  project: ['name', 'description', 'environmentCount', 'rotation'],
} as const satisfies Record<string, readonly string[]>;

const kinds = Object.keys(attributesNeverKept) as (keyof typeof attributesNeverKept)[];

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
    const kind = changedKind(write);
    if (kind === undefined || isOnlyDuringErasure(write)) continue;
    const { pk } = write.key;
    const ofOrganization = writes.filter(({ key }) => key.pk === pk && key.sk === keys.organization('').sk);
    if (ofOrganization.some(other => renews(other) || isOnlyDuringErasure(other))) continue;
    throw new Error(`A transaction changes this without renewing the organization's access revision: ${kind}.`);
  }
}

/** The kind that the write changes, if requests keep what it changes. */
function changedKind({ kind: write, key: { pk, sk }, changes }: WriteInTransaction) {
  const kind = kinds.find(each => {
    const first = keys[each]('', '');
    return pk.startsWith(first.pk) && sk.startsWith(first.sk);
  });
  if (kind === undefined || write === 'check') return undefined;
  if (write !== 'update') return kind;
  const neverKept: readonly string[] = attributesNeverKept[kind];
  const paths = Object.values(changes ?? {}).flatMap(change => Object.keys(change ?? {}));
  return paths.some(path => !neverKept.includes(path.split('.')[0] ?? '')) ? kind : undefined;
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
