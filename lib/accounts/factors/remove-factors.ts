import { randomUUID } from 'node:crypto';
import type { RequestContext } from '../../access/request-context.ts';
import { ApiError } from '../../core/errors.ts';
import { count } from '../../limits/count.ts';
import { factorMails } from '../../limits/rate-limits.ts';
import { factorUndoneMail } from '../../mail/account-mails.ts';
import { ownerIsDispensable } from '../../organizations/break-glass.ts';
import { equals } from '../../table/expressions.ts';
import { ranges } from '../../table/keys.ts';
import { at, find, list, readAll } from '../../table/read.ts';
import {
  memberRecord,
  membershipRecord,
  type OrganizationRecord,
  organizationRecord,
} from '../../table/records/organization.ts';
import {
  type Factor,
  hasSecondFactor,
  isSame,
  type PasskeyRecord,
  passkeyOwnerRecord,
  passkeyRecord,
  type UndoLinkRecord,
  type UserRecord,
} from '../../table/records/user.ts';
import { remove, type Write } from '../../table/write.ts';
import { invalidLink, openUndoLink } from '../mailed-link.ts';
import { type AccountChange, endSessions, readHeldTokens } from '../sessions.ts';
import { listTokens } from '../tokens.ts';
import type { BeforeRemoval } from './change-factors.ts';
import { mailUnlessRefused } from './mail-unless-refused.ts';

/**
 * Removes the factor named in an e-mail and the recovery codes created with it or later, which remain if it is gone.
 * The same transaction ends every session, token, reset link, and link to a provider, because whoever added the factor
 * had one of them or the password. @throws invalid_token
 */
export async function undoFactor({ source, log }: RequestContext, token: string): Promise<void> {
  const { user, factor, change, useUp } = await openUndoLink(token);
  const [held, foreseenPasskey] = await Promise.all([readHeldTokens(user.id), findPasskey(user.id, factor)]);
  let isFirst = true;
  const decide = async (current: UserRecord) => {
    const passkey = isFirst ? foreseenPasskey : await findPasskey(current.id, factor);
    isFirst = false;
    const { set, writes } = factorGone(current, factor, change, passkey);
    return { set, writes: [...writes, useUp] };
  };
  const ending = endSessions({ user, held, source, decide, recovers: true, gone: invalidLink });
  // Counted in parallel. A rejection is handled where the e-mail is sent.
  const counting = count(factorMails(user.id));
  counting.catch(() => undefined);
  await ending;
  log.account('factor_undone', { userId: user.id, method: factor.method, ip: source.ip });
  await mailUnlessRefused(log, user, counting, factorUndoneMail);
}

async function findPasskey(userId: string, factor: Factor): Promise<PasskeyRecord | undefined> {
  return factor.method === 'passkey' ? find(at(passkeyRecord, userId, factor.credentialId)) : undefined;
}

const noCodes = { recoveryCodes: undefined, recoveryCodesFrom: undefined };
const noFactors = { passkeyCount: undefined, totp: undefined, pendingTotp: undefined, ...noCodes };

export async function allFactorsGone(user: UserRecord): Promise<AccountChange> {
  const passkeys = user.passkeyCount === undefined ? [] : await list(passkeyRecord, ranges.passkeys(user.id));
  const writes = passkeys.flatMap(passkey => removalOf(passkey));
  return { set: { ...noFactors, factorChange: nextChange(user) }, writes };
}

/**
 * Removes the factors that a change after number `since` added, and the recovery codes created since. Each such factor
 * has a link in `unsettled`, because the links last longer than those that call this.
 */
export async function laterFactorsGone(
  user: UserRecord,
  since: number,
  unsettled: readonly UndoLinkRecord[],
): Promise<AccountChange> {
  const added = unsettled.filter(({ change }) => change > since).map(({ factor }) => factor);
  const passkeys = user.passkeyCount === undefined ? [] : await list(passkeyRecord, ranges.passkeys(user.id));
  const gone = passkeys.filter(({ id }) => added.some(factor => factor.method === 'passkey' && factor.id === id));
  const isAppGone = added.some(factor => factor.method === 'totp' && isSame(factor.sealed, user.totp?.sealed));
  const passkeyCount = passkeys.length === gone.length ? undefined : passkeys.length - gone.length;
  const remaining = { passkeyCount, totp: isAppGone ? undefined : user.totp };
  const keepsCodes = hasSecondFactor(remaining) && (user.recoveryCodesFrom ?? 0) <= since;
  const set = { ...remaining, pendingTotp: undefined, ...(keepsCodes ? {} : noCodes), factorChange: nextChange(user) };
  return { set, writes: gone.flatMap(passkey => removalOf(passkey)) };
}

/** `change` is the number of the change that added the factor, `passkey` is stored under the factor's credential id. */
function factorGone(user: UserRecord, factor: Factor, change: number, passkey: PasskeyRecord | undefined) {
  const isPasskey = factor.method === 'passkey' && passkey?.id === factor.id;
  const isApp = factor.method === 'totp' && isSame(factor.sealed, user.totp?.sealed);
  const passkeyCount = isPasskey ? oneLess(user.passkeyCount) : user.passkeyCount;
  const remaining = { passkeyCount, totp: isApp ? undefined : user.totp };
  const keepsCodes = hasSecondFactor(remaining) && (user.recoveryCodesFrom ?? 0) < change;
  const set = { ...remaining, pendingTotp: undefined, ...(keepsCodes ? {} : noCodes), factorChange: nextChange(user) };
  return { set, writes: isPasskey ? removalOf(passkey) : [] };
}

const nextChange = ({ factorChange }: UserRecord) => ({ number: (factorChange?.number ?? 0) + 1, id: randomUUID() });

/** The writes that remove exactly this passkey; the caller lowers the account's count. */
export function removalOf({ id, userId, credentialId }: PasskeyRecord, refused?: () => Error): Write[] {
  const passkey = remove(at(passkeyRecord, userId, credentialId), { if: { id: equals(id) }, refused });
  return [passkey, remove(at(passkeyOwnerRecord, credentialId))];
}

export function oneLess(passkeyCount = 0): number | undefined {
  return passkeyCount > 1 ? passkeyCount - 1 : undefined;
}

export type Membership = ReturnType<typeof membershipRecord.parse>;

export async function foreseeMemberships(userId: string | undefined): Promise<Membership[]> {
  return userId === undefined ? [] : list(membershipRecord, ranges.memberships(userId));
}

/**
 * One round trip if `foreseen` names all memberships. Read after the account: a token or an organization created since
 * fails the condition on the account.
 */
export async function readBeforeRemoval(userId: string, foreseen: readonly Membership[]): Promise<BeforeRemoval> {
  const [tokens, memberships, foreseenOwned] = await Promise.all([
    listTokens(userId),
    list(membershipRecord, ranges.memberships(userId)),
    ownedOf(userId, foreseen),
  ]);
  const foreseenIds = new Set(foreseen.map(({ organizationId }) => organizationId));
  const unforeseen = memberships.filter(({ organizationId }) => !foreseenIds.has(organizationId));
  const owned = [...foreseenOwned, ...(await ownedOf(userId, unforeseen))];
  return { tokens, isDispensable: () => factorIsDispensable(userId, owned) };
}

async function ownedOf(userId: string, memberships: readonly Membership[]): Promise<OrganizationRecord[]> {
  const [organizations, members] = await Promise.all([
    readAll(memberships.map(({ orgSlug }) => at(organizationRecord, orgSlug))),
    readAll(memberships.map(({ orgSlug }) => at(memberRecord, orgSlug, userId))),
  ]);
  return organizations.flatMap((organization, index) => {
    const isSame = organization?.id === memberships[index]?.organizationId;
    return isSame && organization?.status === 'active' && members[index]?.role === 'owner' ? [organization] : [];
  });
}

/** As many as fit in the transaction with everything else. */
const maximumChecks = 80;

/** The checks that no organization needs its owner's last second factor. @throws last_owner */
async function factorIsDispensable(userId: string, owned: readonly OrganizationRecord[]): Promise<Write[]> {
  const checks = await Promise.all(owned.map(organization => ownerIsDispensable(organization, userId)));
  // Two organizations may have the same other owner, and a transaction can name an item only once.
  const byKey = new Map(checks.flat().map(write => [`${write.key.pk} ${write.key.sk}`, write]));
  if (byKey.size <= maximumChecks) return [...byKey.values()];
  throw new ApiError(
    'last_owner',
    'You own too many organizations to check whether each has another owner who can log in without its sign-in ' +
      'provider. Transfer some of them first.',
  );
}
