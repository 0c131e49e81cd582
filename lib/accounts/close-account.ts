import { actorOf } from '../access/principal.ts';
import type { AccountContext } from '../access/request-context.ts';
import { auditWrite } from '../audit/write.ts';
import type { closeAccount as contract } from '../contracts/auth/close-account.ts';
import type { BodyOf } from '../contracts/contract.ts';
import { ApiError } from '../core/errors.ts';
import type { EraseAccount } from '../core/job.ts';
import { accountClosedMail } from '../mail/address-mails.ts';
import { sendMail } from '../mail/send-mail.ts';
import { ownerIsDispensable } from '../organizations/break-glass.ts';
import { ownerCountChange } from '../organizations/members/change-members.ts';
import { asRead, equals } from '../table/expressions.ts';
import { ranges } from '../table/keys.ts';
import { at, find, list, readAll } from '../table/read.ts';
import {
  type MemberRecord,
  memberRecord,
  membershipRecord,
  type OrganizationRecord,
  organizationRecord,
} from '../table/records/organization.ts';
import { countPlatform } from '../table/records/platform.ts';
import { noteWork } from '../table/records/unfinished-work.ts';
import { emailRecord, factorsUnchanged, isUnchanged, type UserRecord, userRecord } from '../table/records/user.ts';
import { maximumWritesPerTransaction, remove, retryWithFreshRead, type Write } from '../table/write.ts';
import { eraseAccount } from './erase-account.ts';
import { readHeldTokens, revocationsOf, sessionEnded, transactAfter } from './sessions.ts';
import { proveAccount } from './step-up.ts';

interface Owned {
  organization: OrganizationRecord;
  member: MemberRecord;
}

/**
 * Closes the caller's account. One transaction ends the account with its log-in, its sessions and its role in every
 * organization that it owns; those of its tokens that don't fit end just before it. Other memberships and what else the
 * account has left follow at once, by a job if there is much: nothing of it works without the account.
 * @throws last_owner naming the organizations that would have no owner; what `proveAccount` throws
 */
export async function closeAccount(context: AccountContext, sent: BodyOf<typeof contract>): Promise<void> {
  const { principal, source, log } = context;
  const { user: authenticated } = principal;
  const { writes: proof } = await proveAccount(context, sent);
  const account = at(userRecord, authenticated.id);
  const { requestId, ip, userAgent } = source;
  const closing = { email: authenticated.email, ip, userAgent, requestId };
  const job: EraseAccount = { type: 'erase-account', userId: authenticated.id, closing };
  const readAgain = async () => {
    const user = await find(account);
    if (user?.sessionEpoch !== authenticated.sessionEpoch) throw sessionEnded();
    return readBefore(user);
  };
  await retryWithFreshRead(await readBefore(authenticated), readAgain, async ({ user, held, owned }) => {
    const lasts = owned.filter(({ organization: { ownerCount } }) => ownerCount <= 1);
    if (lasts.length > 0) throw lastOwner(lasts);
    const unchanged = { ...isUnchanged(user), ...factorsUnchanged(authenticated), ...asRead(user, ['email']) };
    const ending = [
      remove(account, { if: unchanged }),
      remove(at(emailRecord, user.email), { if: { userId: equals(user.id) } }),
      countPlatform({ users: -1 }),
      // The schedule queues the job: the queue's client would not fit in this function.
      noteWork(job, 0),
      // The account itself goes, so what its proof changes in it needs no write.
      ...proof.filter(({ key }) => key.pk !== account.key.pk || key.sk !== account.key.sk),
      ...(await ownershipsEnded(context, owned)),
    ];
    if (ending.length >= maximumWritesPerTransaction) throw ownsTooMany();
    await transactAfter(await revocationsOf(user, held, source), ending);
  });
  log.account('account_closed', { userId: authenticated.id, ip });
  const finishing = [eraseAccount(job, log), sendMail(authenticated.email, accountClosedMail())];
  for (const result of await Promise.allSettled(finishing)) {
    // What is left is recorded as unfinished work.
    if (result.status === 'rejected') log.error('could not finish closing an account', result.reason, { ...closing });
  }
}

/** The account is read first: what is created or joined afterwards fails the condition on it. */
async function readBefore(user: UserRecord) {
  const [held, owned] = await Promise.all([readHeldTokens(user.id), listOwned(user.id)]);
  return { user, held, owned };
}

/**
 * The roles are read before the organizations: of a promotion that ends in between, the count of owners is seen with
 * the role. The other way round, the new owner would look like the only one.
 */
async function listOwned(userId: string): Promise<Owned[]> {
  const memberships = await list(membershipRecord, ranges.memberships(userId));
  const members = await readAll(memberships.map(({ orgSlug }) => at(memberRecord, orgSlug, userId)));
  const owners = memberships.flatMap((membership, index) => {
    const member = members[index];
    return member?.role === 'owner' ? [{ ...membership, member }] : [];
  });
  const organizations = await readAll(owners.map(({ orgSlug }) => at(organizationRecord, orgSlug)));
  return owners.flatMap(({ organizationId, member }, index) => {
    const organization = organizations[index];
    return organization?.id === organizationId && organization.status === 'active' ? [{ organization, member }] : [];
  });
}

/** The roles as owner end in the account's own transaction, so that one owner of each organization always remains. */
async function ownershipsEnded({ principal, source }: AccountContext, owned: readonly Owned[]): Promise<Write[]> {
  const checks = await Promise.all(owned.map(({ organization }) => ownerIsDispensable(organization, principal.userId)));
  // Two organizations may have the same other owner, and a transaction can name an item only once.
  const distinct = new Map(checks.flat().map(write => [`${write.key.pk} ${write.key.sk}`, write]));
  const endings = owned.map(async ({ organization, member }) => [
    ownerCountChange(organization, -1, { memberCount: -1 }),
    remove(at(memberRecord, organization.slug, principal.userId), { if: asRead(member, ['id', 'role']) }),
    await auditWrite(organization, actorOf(principal), source, {
      action: 'member.removed',
      target: { type: 'member', id: member.id, name: member.email },
      details: { role: member.role, left: true, accountClosed: true },
    }),
  ]);
  return [...distinct.values(), ...(await Promise.all(endings)).flat()];
}

function lastOwner(lasts: readonly Owned[]): ApiError {
  const organizations = lasts.map(({ organization: { id, slug, name } }) => ({ id, slug, name }));
  return new ApiError(
    'last_owner',
    'You are the last owner of organizations: make another member an owner of each, or delete it.',
    { details: { organizations: organizations.slice(0, maximumNamed) } },
  );
}

const maximumNamed = 100;

const ownsTooMany = () =>
  new ApiError('last_owner', 'You own too many organizations to leave all of them at once. Leave some of them first.');
