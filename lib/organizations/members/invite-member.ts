import type { MemberContext } from '../../access/request-context.ts';
import { hasVerifiedEmail } from '../../access/verified-email.ts';
import { mayInvite } from '../../contracts/fields/member-rights.ts';
import { givesFreshRights } from '../../contracts/fields/project-role.ts';
import { outranks, type Role } from '../../contracts/fields/role.ts';
import { normalizeEmail } from '../../contracts/fields/text.ts';
import { ApiError } from '../../core/errors.ts';
import { dayMs, expiryAfter } from '../../core/time.ts';
import { createCredential } from '../../crypto/credentials.ts';
import { countOne } from '../../limits/count.ts';
import { invitationsFrom, invitationsTo } from '../../limits/rate-limits.ts';
import { invitationMail } from '../../mail/account-mails.ts';
import { dashboardLink } from '../../mail/compose-mail.ts';
import { sendMail } from '../../mail/send-mail.ts';
import { readPlanConfigs } from '../../plans/effective-limits.ts';
import { equals, isNew } from '../../table/expressions.ts';
import { at } from '../../table/read.ts';
import {
  type InvitationRecord,
  invitationPointerRecord,
  invitationRecord,
  type MemberRecord,
} from '../../table/records/organization.ts';
import type { PlanConfigs } from '../../table/records/platform.ts';
import { ConditionFailed, put, remove, retryWithFreshRead, transact, type Write } from '../../table/write.ts';
import { changePlaces, invitationId as idOf, invitationRemoval, requireFreePlace, sweptAtOnce } from './new-member.ts';
import { auditedIfGiven, type GivenRights, readNamedProjects, storedRights } from './project-roles.ts';
import { type Roster, readRoster, readRosterOf } from './read-roster.ts';

export async function readBeforeInviting(organizationId: string): Promise<{ roster: Roster; configs: PlanConfigs }> {
  const [roster, configs] = await Promise.all([readRoster(organizationId), readPlanConfigs()]);
  return { roster, configs };
}

/**
 * Invites an e-mail address, replacing any earlier invitation to it, and mails the link. An address that has had too
 * many such mails is invited without one: a stranger must not keep an organization from inviting it. Removes expired
 * invitations so that they don't count towards the limit.
 * @throws forbidden for rights above the caller's, project_not_found, already_member, plan_limit_exceeded, rate_limited,
 * email_not_verified; step_up_required if the role, or that of the replaced invitation, has fresh rights
 */
export async function inviteMember(
  context: MemberContext,
  requested: { email: string; role: Role } & GivenRights,
  { roster: foreseen, configs }: { roster: Roster; configs: PlanConfigs },
): Promise<{ invitation: InvitationRecord; token: string; mailed: boolean }> {
  const { secret, hash } = createCredential(context.principal.userId);
  const rights = storedRights(requested, await readNamedProjects(context.organization.slug, requested));
  const invitation = { ...newInvitation(context, requested, hash), ...rights };
  const readAgain = () => readRosterOf(context.organization);
  const invite = (mailed: boolean) =>
    retryWithFreshRead(foreseen, readAgain, async roster => {
      // Checked before each attempt, because the role may have changed.
      const { membership } = context.access;
      if (!mayInvite(membership, invitation)) throw mayNotInvite(membership, invitation);
      if (roster.members.some(member => normalizeEmail(member.email) === normalizeEmail(requested.email))) {
        throw new ApiError('already_member', 'A member already has this e-mail address.');
      }
      const replaced = roster.invitations.find(({ id }) => id === invitation.id);
      context.requireFresh([invitation, replaced].some(one => one !== undefined && givesFreshRights(one)));
      await sweepMost(roster);
      await transact([
        ...replacingWrites(roster, invitation, configs),
        ...countOne(invitationsFrom(context.organization.id)),
        ...(mailed ? countMailTo(requested.email) : []),
        // Only users who have verified their own address can have e-mails sent to others.
        ...hasVerifiedEmail(context, 'invite others'),
        await context.audit({
          action: 'member.invited',
          target: { type: 'invitation', id: invitation.id, name: requested.email },
          details: { role: requested.role, ...auditedIfGiven(invitation), ...(mailed ? {} : { mailed }) },
        }),
      ]);
    });
  let mailed = true;
  await invite(mailed).catch(error => {
    if (!(error instanceof MailboxFull)) throw error;
    mailed = false;
    return invite(mailed);
  });
  if (mailed) await mailInvitation(context, invitation, secret);
  return { invitation, token: secret, mailed };
}

function mayNotInvite({ role }: MemberRecord, invited: InvitationRecord): ApiError {
  const message = outranks(invited.role, role)
    ? `The role ${role} may not invite members as ${invited.role}.`
    : 'Nobody can give more rights in a project than they have there.';
  return new ApiError('forbidden', message);
}

/** The address gets no more invitation e-mails today, from whomever. */
class MailboxFull extends Error {}

/** The write that counts an e-mail to the address. Its transaction throws `MailboxFull`. */
function countMailTo(email: string): Write[] {
  return countOne(invitationsTo(email)).map(write => ({
    ...write,
    refused: stored => {
      const error = write.refused?.(stored) ?? new ConditionFailed([]);
      return error instanceof ApiError && error.code === 'rate_limited' ? new MailboxFull() : error;
    },
  }));
}

/** Removes expired invitations beyond those that fit in the transaction. @throws ConditionFailed to read again */
async function sweepMost({ organization, expired }: Roster): Promise<void> {
  if (expired.length <= sweptAtOnce) return;
  const swept = expired.slice(0, sweptAtOnce);
  await transact([
    changePlaces(organization, { invitationCount: -swept.length }),
    ...swept.flatMap(dead => invitationRemoval(organization.slug, dead)),
  ]);
  throw new ConditionFailed([]);
}

function newInvitation(
  { organization, principal }: MemberContext,
  { email, role }: { email: string; role: Role },
  hash: string,
): InvitationRecord {
  const now = Date.now();
  return {
    id: idOf(organization.id, email),
    email,
    role,
    invitedBy: { id: principal.userId, email: principal.email },
    hash,
    createdAt: new Date(now).toISOString(),
    expiryDate: new Date(now + 7 * dayMs).toISOString(),
  };
}

/** Store the invitation, replace an older one for the address, remove expired ones. @throws plan_limit_exceeded */
function replacingWrites(roster: Roster, invitation: InvitationRecord, configs: PlanConfigs): Write[] {
  const { organization, invitations, expired } = roster;
  const { id: organizationId, slug: orgSlug } = organization;
  const { id: invitationId, hash, expiryDate } = invitation;
  const isSame = ({ id }: InvitationRecord) => id === invitationId;
  const replaced = invitations.find(isSame);
  const older = replaced ?? expired.find(isSame);
  const swept = expired.filter(dead => dead !== older);
  // An invitation that replaces a pending one does not add to the count.
  if (replaced === undefined) requireFreePlace(organization, configs, expired.length);
  const unchanged = older === undefined ? isNew : { hash: equals(older.hash) };
  const pointer = { orgSlug, organizationId, invitationId, expiresAt: expiryAfter(0, Date.parse(expiryDate)) };
  return [
    changePlaces(organization, { invitationCount: (older === undefined ? 1 : 0) - swept.length }),
    put(at(invitationRecord, orgSlug, invitationId), invitation, { if: unchanged }),
    put(at(invitationPointerRecord, hash), pointer),
    ...(older === undefined ? [] : [remove(at(invitationPointerRecord, older.hash))]),
    ...swept.flatMap(dead => invitationRemoval(orgSlug, dead)),
  ];
}

/** A failure is only logged, because the caller gets the token as well. */
async function mailInvitation(
  { organization, principal, log }: MemberContext,
  { id, email, role }: InvitationRecord,
  secret: string,
): Promise<void> {
  try {
    const url = await dashboardLink('accept-invitation', secret);
    await sendMail(email, invitationMail({ organization: organization.name, role, invitedBy: principal.email }, url));
  } catch (error) {
    log.error('could not send an invitation e-mail', error, { organizationId: organization.id, invitationId: id });
  }
}
