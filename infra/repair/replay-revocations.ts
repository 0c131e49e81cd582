import { longestWriteMs } from '#lib/audit/write.ts';
import { gainsRights } from '#lib/contracts/fields/member-rights.ts';
import { outranks } from '#lib/contracts/fields/role.ts';
import { chunksOf } from '#lib/core/chunks-of.ts';
import { requiredSetting } from '#lib/core/settings.ts';
import { dayMs } from '#lib/core/time.ts';
import { renewedRevision } from '#lib/table/access-revision.ts';
import type { Key } from '#lib/table/entity.ts';
import { asRead, equals, isNew } from '#lib/table/expressions.ts';
import { keys, ranges, rareKeys, revocationShards } from '#lib/table/keys.ts';
import { at, type Item } from '#lib/table/read.ts';
import { auditRecord } from '#lib/table/records/audit.ts';
import { tokenRecord } from '#lib/table/records/credentials.ts';
import { identityRecord } from '#lib/table/records/identity.ts';
import { memberRecord, organizationRecord, removedMemberRecord } from '#lib/table/records/organization.ts';
import { countPlatform } from '#lib/table/records/platform.ts';
import { type RevocationRecord, revocationRecord } from '#lib/table/records/revocation.ts';
import { accountLinkRecord } from '#lib/table/records/sign-in.ts';
import { noteWork } from '#lib/table/records/unfinished-work.ts';
import { emailRecord, userRecord } from '#lib/table/records/user.ts';
import { retryOnConditionFailed, transact, update, type Write } from '#lib/table/write.ts';
import { keyText, type NamedTable, openTable } from './named-table.ts';
import { recountOrganization } from './recount.ts';
import { copyAddress, copyCredentials } from './replay-credentials.ts';

interface Replayed {
  /** How many revocations the old table lists. */
  revocations: number;
  /** How many of them changed the restored table. */
  repeated: number;
  /** Items that the restored table has changed itself since the restore. They are left as they are. */
  left: string[];
  /** Organizations whose counters were corrected. */
  recounted: string[];
}

const entriesAtOnce = 10;

/**
 * Repeats on the table TABLE_NAME, which was restored to an earlier moment, what `oldTable` lists as taken away since
 * then. It looks at both tables as they are now, so it can be stopped, repeated and run late: what was granted again in
 * the restored table stays.
 */
export async function replayRevocations(oldTable: string, since: Date): Promise<Replayed> {
  const old = openTable(oldTable);
  const restored = openTable(requiredSetting('TABLE_NAME'));
  const [entries, ownEntries] = await Promise.all([old, restored].map(table => listRevocations(table, since)));
  const known = new Set(entries?.keys());
  const ownChanges = new Set(
    [...(ownEntries ?? [])].filter(([id]) => !known.has(id)).flatMap(([, { changed }]) => changed.map(keyText)),
  );
  const result: Replayed = { revocations: known.size, repeated: 0, left: [], recounted: [] };
  const inOrder = [...(entries?.values() ?? [])].sort((a, b) => (a.at < b.at ? -1 : 1));
  const touched = new Set<string>();
  for (const chunk of chunksOf(entriesAtOnce, inOrder)) {
    await Promise.all(
      chunk.map(async entry => {
        const written = await retryOnConditionFailed(() => repeat(entry, { old, restored, ownChanges }));
        if (written) result.repeated += 1;
        for (const { pk } of [...entry.removed, ...entry.changed]) if (pk.startsWith('ORG#')) touched.add(pk.slice(4));
      }),
    );
  }
  result.left = [...new Set(inOrder.flatMap(({ changed }) => changed.map(keyText)))].filter(key => ownChanges.has(key));
  for (const slug of touched) {
    const counted = await recountOrganization(slug, { fix: true });
    if (counted !== undefined && counted.drifts.length > 0) result.recounted.push(slug);
  }
  return result;
}

/** By id, those of a day in all of its partitions. A transaction may be executed a little later than its time says. */
async function listRevocations({ query }: NamedTable, since: Date): Promise<Map<string, RevocationRecord>> {
  const fromMs = since.getTime() - longestWriteMs;
  const from = new Date(fromMs).toISOString();
  const found = new Map<string, RevocationRecord>();
  for (let dayStart = fromMs - (fromMs % dayMs); dayStart <= Date.now(); dayStart += dayMs) {
    const day = new Date(dayStart).toISOString().slice(0, from.indexOf('T'));
    const pages = await Promise.all(revocationShards.map(shard => query(ranges.revocations(day, shard, from))));
    for (const item of pages.flat()) found.set(String(item.sk), revocationRecord.parse(item));
  }
  return found;
}

interface Tables {
  old: NamedTable;
  restored: NamedTable;
  ownChanges: ReadonlySet<string>;
}

/** @returns whether anything had to be written */
async function repeat(entry: RevocationRecord, { old, restored, ownChanges }: Tables): Promise<boolean> {
  const { removed, changed, added } = entry;
  const [before, now] = await Promise.all([
    old.read([...changed, ...added]),
    restored.read([...removed, ...changed, ...added]),
  ]);
  const found = removed.map(key => now.get(keyText(key))).filter(item => item !== undefined);
  // Joined, created or linked again since: then what has the same key now is not what was taken away.
  if (found.some(item => isNewerThan(entry.at, item))) return false;
  const changes = changed
    .filter(key => !ownChanges.has(keyText(key)))
    .flatMap(key => changeOf(before.get(keyText(key)), now.get(keyText(key))));
  const removals = found.filter(item => isRemovedAlone(item) && !isOthersAddress(item, removed)).map(removalOf);
  const writes = [...removals, ...changes, ...found.flatMap(accountEnding)];
  const accounts = changed.filter(key => key.sk === 'USER' && !ownChanges.has(keyText(key)));
  const userIds = accounts.map(({ pk }) => pk.slice('USER#'.length));
  const copied = await Promise.all(userIds.map(userId => copyCredentials(userId, old)));
  // An undo of a change of address removes the link that was used.
  const undoes = removed.some(({ sk }) => sk.startsWith(rareKeys.emailUndo('', '').sk));
  if (undoes) copied.push(...(await Promise.all(userIds.map(userId => copyAddress(userId, old)))));
  const records = added.flatMap(key => {
    const item = before.get(keyText(key));
    return item === undefined || !recordKinds.has(String(item.kind)) ? [] : additionOf(item, now.get(keyText(key)));
  });
  await transact([...writes, ...renewalsFor(writes), ...records]);
  return writes.length + records.length > 0 || copied.includes(true);
}

/** What the service remembers of the organizations' members and identities ends with the writes. */
function renewalsFor(writes: readonly Write[]): Write[] {
  const slugs = writes.filter(({ key }) => key.pk.startsWith('ORG#')).map(({ key }) => key.pk.slice('ORG#'.length));
  return [...new Set(slugs)].map(slug => update(at(organizationRecord, slug), { set: renewedRevision() }));
}

function isNewerThan(time: string, { createdAt, joinedAt }: Item): boolean {
  const begun = createdAt ?? joinedAt;
  return typeof begun === 'string' && begun > time;
}

/** Passkeys are removed with their account's other credentials, because the account counts them. */
const isRemovedAlone = ({ kind }: Item): boolean => kind !== 'passkey' && kind !== 'passkeyOwner';

/** An address is removed with its account. An account that has kept it here gets another one by `copyAddress`. */
function isOthersAddress({ kind, userId }: Item, removed: readonly Key[]): boolean {
  const account = keys.user(String(userId));
  return kind === emailRecord.kind && !removed.some(({ pk, sk }) => pk === account.pk && sk === account.sk);
}

/** The service erases what a closed account has here, as it did in the old table. */
function accountEnding({ kind, id, email }: Item): Write[] {
  if (kind !== userRecord.kind) return [];
  const closing = { email: String(email), ip: '', userAgent: '', requestId: '' };
  return [noteWork({ type: 'erase-account', userId: String(id), closing }), countPlatform({ users: -1 })];
}

/** What is added only to record a revocation. */
const recordKinds: ReadonlySet<string> = new Set([auditRecord.kind, removedMemberRecord.kind]);

function removalOf({ pk, sk, createdAt, joinedAt, userId }: Item): Write {
  const identifying = { createdAt, joinedAt, userId };
  const condition = asRead<Partial<typeof identifying>, keyof typeof identifying>(identifying, [
    'createdAt',
    'joinedAt',
    'userId',
  ]);
  return { kind: 'remove', key: { pk, sk } as Key, condition: condition as NonNullable<Write['condition']> };
}

/** A note that rules ended an earlier membership would let them bring back somebody whom a person has removed since. */
function additionOf(item: Item, now: Item | undefined): Write[] {
  const isOverruled = now?.byRules === true && item.byRules !== true && now.organizationId === item.organizationId;
  if (now !== undefined && !isOverruled) return [];
  const condition = now === undefined ? isNew : { byRules: equals(true) };
  return [{ kind: 'put', key: { pk: item.pk, sk: item.sk } as Key, item, condition }];
}

/** The write that takes away from the restored item what was taken away from the old one; none for other kinds. */
function changeOf(old: Item | undefined, restored: Item | undefined): Write[] {
  if (old === undefined || restored === undefined || old.kind !== restored.kind) return [];
  const key = { pk: restored.pk, sk: restored.sk } as Key;
  switch (restored.kind) {
    case memberRecord.kind: {
      const [after, before] = [memberRecord.parse(old), memberRecord.parse(restored)];
      if (after.id !== before.id) return [];
      const { limited, projectRoles } = after;
      const role = outranks(before.role, after.role) ? after.role : before.role;
      const kept = before.grants?.filter(({ id }) => after.grants?.some(grant => grant.id === id));
      const losesGrants = kept?.length !== before.grants?.length;
      const set = {
        ...(gainsRights(after, before) ? { role, limited, projectRoles } : {}),
        ...(losesGrants ? { grants: kept?.length === 0 ? undefined : kept } : {}),
      };
      if (Object.keys(set).length === 0) return [];
      const isSame = asRead(before, ['id', 'role', 'limited', 'projectRoles', 'grants']);
      return [update({ entity: memberRecord, key }, { set }, { if: isSame })];
    }
    case identityRecord.kind: {
      const [after, before] = [identityRecord.parse(old), identityRecord.parse(restored)];
      if (after.updatedAt <= before.updatedAt) return [];
      const { lastUsedAt: _, ...set } = after;
      return [update({ entity: identityRecord, key }, { set }, { if: asRead(before, ['updatedAt']) })];
    }
    case accountLinkRecord.kind: {
      const [after, before] = [accountLinkRecord.parse(old), accountLinkRecord.parse(restored)];
      if (after.id !== undefined || before.id === undefined || after.createdAt !== before.createdAt) return [];
      return [update({ entity: accountLinkRecord, key }, { set: { id: undefined } }, { if: asRead(before, ['id']) })];
    }
    case tokenRecord.kind: {
      const [after, before] = [tokenRecord.parse(old), tokenRecord.parse(restored)];
      if (after.secondFactor || !before.secondFactor) return [];
      return [
        update(
          at(tokenRecord, before.userId, before.hash),
          { set: { secondFactor: false } },
          { if: asRead(before, ['id']) },
        ),
      ];
    }
    default:
      return [];
  }
}
