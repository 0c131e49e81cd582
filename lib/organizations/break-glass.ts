import { ApiError } from '../core/errors.ts';
import { isOver } from '../core/time.ts';
import { isPassword, noPassword } from '../crypto/passwords.ts';
import { type Condition, equals, exists, greaterThan, isNew } from '../table/expressions.ts';
import { ranges } from '../table/keys.ts';
import { at, list, readAll } from '../table/read.ts';
import { type MemberRecord, memberRecord, type OrganizationRecord } from '../table/records/organization.ts';
import { signInRecord } from '../table/records/sign-in.ts';
import {
  isSame,
  passkeyRecord,
  type UndoLinkRecord,
  type UserRecord,
  undoLinkRecord,
  undoSeconds,
  userRecord,
} from '../table/records/user.ts';
import { check, type Write } from '../table/write.ts';

/*
 * If an organization requires its sign-in provider and the provider fails, an owner with a second factor of their own
 * can still log in (break glass). So there must always be one. A passkey suffices alone; an app only follows a
 * password.
 */

export function canLogInWithFactor(user: Pick<UserRecord, 'passkeyCount' | 'totp' | 'passwordHash'>): boolean {
  return user.passkeyCount !== undefined || (user.totp !== undefined && isPassword(user.passwordHash));
}

const hasApp: Condition<UserRecord> = { totp: exists, passwordHash: greaterThan(noPassword) };

type Place = Pick<OrganizationRecord, 'slug'>;

/** Whether an owner's log-in with one of the account's factors breaks glass in the organization. */
export async function canBreakGlass(
  user: UserRecord,
  { providerRequiredAt: requiredAt }: Pick<OrganizationRecord, 'providerRequiredAt'>,
): Promise<boolean> {
  if (!canLogInWithFactor(user)) return false;
  const [unsettled, passkeys] = await Promise.all([
    listUnsettled(user.id),
    user.passkeyCount === undefined ? [] : list(passkeyRecord, ranges.passkeys(user.id)),
  ]);
  const factors: AgedFactor[] = passkeys.map(passkey => ({ method: 'passkey', passkey }));
  if (isPassword(user.passwordHash)) {
    if (user.totp !== undefined) factors.push({ method: 'totp' });
    if (user.recoveryCodes !== undefined) factors.push({ method: 'recovery_code' });
  }
  return factors.some(factor => breaksGlass(factor, user, { unsettled, requiredAt }));
}

/**
 * The checks that an owner exists who can log in with a factor, for the transaction that depends on it. They throw
 * `ConditionFailed`, because there may be another such owner: read again. @throws `missing` if there is none
 */
export async function breakGlassOwner(
  place: Place,
  owners: readonly MemberRecord[],
  missing: () => Error,
  counts: (user: UserRecord) => Promise<boolean> = async () => true,
): Promise<Write[]> {
  const users = await readAll(owners.map(({ userId }) => at(userRecord, userId)));
  const isAble = async (user?: UserRecord) => user !== undefined && canLogInWithFactor(user) && counts(user);
  const owner = owners[(await Promise.all(users.map(user => isAble(user)))).indexOf(true)];
  if (owner === undefined) throw missing();
  return [
    check(at(memberRecord, place.slug, owner.userId), { if: { id: equals(owner.id), role: equals('owner') } }),
    check(at(userRecord, owner.userId), { if: [{ passkeyCount: exists }, hasApp] }),
  ];
}

export async function listOwners({ slug }: Place): Promise<MemberRecord[]> {
  return (await list(memberRecord, ranges.members(slug))).filter(({ role }) => role === 'owner');
}

/**
 * The checks that an owner can lose the role or the second factor. If the organization requires its provider meanwhile,
 * they throw `ConditionFailed`: read again. @throws last_owner for the last one with a second factor, if it is required
 */
export async function ownerIsDispensable(organization: OrganizationRecord, userId: string): Promise<Write[]> {
  if (organization.requireProvider !== true) {
    return [check(at(signInRecord, organization.slug), { if: [isNew, { required: equals(false) }] })];
  }
  const others = (await listOwners(organization)).filter(owner => owner.userId !== userId);
  // A factor added since the requirement lets nobody in for its first seven days.
  return breakGlassOwner(organization, others, lastBreakGlassOwner, user => canBreakGlass(user, organization));
}

const lastBreakGlassOwner = () =>
  new ApiError(
    'last_owner',
    'This is the last owner who can log in with a second factor, and the organization requires its sign-in provider. ' +
      'If the provider failed, no owner could log in. Another owner must first have had a passkey, or a password and ' +
      'an authenticator app, for seven days.',
  );

/*
 * Whoever holds a stolen password can add a factor. Its owner is mailed a link that removes it again within seven days.
 * Until then the factor is not settled, and proves less than one that its owner has kept.
 */

export type AgedFactor =
  | { method: 'totp' | 'recovery_code' }
  | { method: 'passkey'; passkey: { credentialId: string } | undefined };

/** The account's factors that are not settled, as the links that remove them identify them. One round trip. */
export async function listUnsettled(userId: string): Promise<UndoLinkRecord[]> {
  const links = await list(undoLinkRecord, ranges.undoLinks(userId));
  return links.filter(({ expiresAt }) => !isOver(expiresAt));
}

/** Whether the factor is settled, or was added before `requiredAt`: then it breaks glass. */
export function breaksGlass(
  factor: AgedFactor,
  user: UserRecord,
  { unsettled, requiredAt = '' }: { unsettled: readonly UndoLinkRecord[]; requiredAt: string | undefined },
): boolean {
  // Recovery codes are as young as the youngest factor that was added before them.
  return unsettled.filter(link => covers(link, user, factor)).every(link => addedAtMs(link) <= Date.parse(requiredAt));
}

function covers({ factor: added, change }: UndoLinkRecord, user: UserRecord, factor: AgedFactor): boolean {
  if (factor.method === 'recovery_code') return change <= (user.recoveryCodesFrom ?? Number.POSITIVE_INFINITY);
  if (added.method === 'passkey') {
    return factor.method === 'passkey' && added.credentialId === factor.passkey?.credentialId;
  }
  return factor.method === 'totp' && isSame(added.sealed, user.totp?.sealed);
}

/** Without the time, the latest that it can be: the end is stored in whole seconds. */
function addedAtMs({ addedAt, expiresAt }: UndoLinkRecord): number {
  return addedAt === undefined ? (expiresAt - undoSeconds + 1) * 1000 : Date.parse(addedAt);
}
