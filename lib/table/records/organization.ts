import * as z from 'zod';
import { BillingStatus, PlanName } from '../../contracts/fields/limits.ts';
import { mayInvite } from '../../contracts/fields/member-rights.ts';
import { AddedByRules, ProjectRole } from '../../contracts/fields/project-role.ts';
import { Role } from '../../contracts/fields/role.ts';
import type { MemberRights } from '../../contracts/fields/role-in-project.ts';
import { ExpiresAt, entity } from '../entity.ts';
import { keys } from '../keys.ts';
import { Kept } from './kept.ts';

const billingState = z.object({
  customerId: z.string().nullable(),
  subscriptionId: z.string().nullable(),
  status: BillingStatus,
  currentPeriodEnd: z.string().nullable(),
  /** What the subscription's newest event says that it costs. Absent if none has named a plan. */
  subscribedPlan: PlanName.optional(),
  /** The subscription's newest invoice. `created` is the provider's time of the event, in epoch seconds. */
  invoice: z.object({ created: z.int(), isPaid: z.boolean() }).optional(),
  /** The same time of each subscription's newest event. For an ended one, the second after its end, to be the last. */
  eventTimes: z.record(z.string(), z.int()),
});
export type BillingState = z.output<typeof billingState>;

const reference = z.object({ id: z.string(), email: z.string() });

/** The last recovery of an organization that lost its owners (see `lib/organizations/recovery.ts`). */
const recoveryState = z.object({
  id: z.string(),
  state: z.enum(['waiting', 'completed', 'stopped']),
  reason: z.string(),
  /** `memberId` is null for somebody who was not a member when it started. */
  newOwner: z.object({ userId: z.string(), email: z.string(), memberId: z.string().nullable() }),
  startedBy: reference,
  startedAt: z.string(),
  approvedBy: reference.nullable(),
  /** When the last mail about its start was sent: then the waiting time begins. */
  notifiedAt: z.string().nullable(),
  endedAt: z.string().nullable(),
});

/** For how many days entries written until a time (epoch milliseconds) are kept. */
const earlierRetention = z.object({ days: z.int(), untilMs: z.int() });
export type EarlierRetention = z.output<typeof earlierRetention>;

/** An organization with the counters that its limits are checked against (see `lib/plans`). */
export const organizationRecord = entity(
  'organization',
  keys.organization,
  {
    id: z.string(),
    slug: z.string(),
    name: z.string(),
    plan: PlanName,
    limitOverrides: z.record(z.string(), z.int()),
    /** Of the audit log, before the current one; oldest first. Absent if stored before this was recorded. */
    retentions: z.array(earlierRetention).optional(),
    createdAt: z.string(),
    /**
     * Renewed by each change of a member, an identity or a project that requests depend on. Absent until the first one
     * after this was introduced: then nothing is kept.
     */
    accessRevision: z.string().optional(),
    /** `deleting`: no request can reach the organization, and its data is being erased. */
    status: z.enum(['active', 'deleting']),
    kept: Kept.optional(),
    /**
     * The file that is being imported, by its digest. Until the import is complete, the status is `deleting`, so that no
     * code lets a request in, and an import that is given up is erased like any other organization.
     */
    importing: z.object({ sha256: z.string() }).optional(),
    projectCount: z.int(),
    memberCount: z.int(),
    ownerCount: z.int(),
    invitationCount: z.int(),
    webhookCount: z.int(),
    identityCount: z.int(),
    /** The first revision of its projects' environments (see `retired-slug.ts`). */
    firstRevision: z.int(),
    billing: billingState.optional(),
    /** When an administrator last set `plan`, or 0; older payment events don't change it. */
    planChangedAtMs: z.int(),
    requireSecondFactor: z.boolean(),
    recovery: recoveryState.optional(),
    /** Rejects sessions and tokens that did not come through the sign-in provider. Absent: false. */
    requireProvider: z.boolean().optional(),
    /** Since when. Absent if not required, or since an earlier release: then only settled factors break glass. */
    providerRequiredAt: z.string().optional(),
    /** Of the sign-in provider's issuer and client, copied because every request reads this item. */
    providerVersion: z.string().optional(),
    trustProviderFactor: z.boolean().optional(),
    /** For how many days a member's last sign-in through the provider keeps their tokens valid. Absent: forever. */
    recheckDays: z.int().optional(),
    /** In CIDR notation. Absent, as is each list that is null: requests are accepted from everywhere. */
    allowedNetworks: z
      .object({ people: z.array(z.string()).nullable(), machines: z.array(z.string()).nullable() })
      .optional(),
  },
  // Code that doesn't know providers could neither refuse those who came another way, nor erase what belongs to one.
  // Code that doesn't know networks would accept requests from all of them.
  // Code that doesn't know `recheckDays` would accept tokens of people who have left the company.
  { upgrades: [['requireProvider', 'providerVersion'], ['allowedNetworks'], ['recheckDays']] },
);
export type OrganizationRecord = ReturnType<typeof organizationRecord.parse>;

export const organizationPointerRecord = entity('organizationPointer', keys.organizationPointer, {
  orgSlug: z.string(),
});

/** The directory of organizations, twice: by slug and by name, for an administrator's search. */
const directoryEntry = { id: z.string(), slug: z.string(), name: z.string() };

export const directoryBySlugRecord = entity('directory', keys.directoryBySlug, directoryEntry);

export const directoryByNameRecord = entity('directory', keys.directoryByName, directoryEntry);

/** The rights of a membership, now or once an invitation is accepted (`lib/contracts/fields/member-rights.ts`). */
const rights = {
  role: Role,
  limited: z.boolean().optional(),
  /** The slug never changes, but another project may have it once this one is erased. Absent instead of empty. */
  projectRoles: z.array(z.object({ projectId: z.string(), slug: z.string(), role: ProjectRole })).optional(),
};

// Code that doesn't know them would grant the role in every project.
const confinements: ('limited' | 'projectRoles')[] = ['limited', 'projectRoles'];

/** Access beyond the role until a time. It only adds, so code that doesn't know it refuses. The slugs never change. */
const grant = z.object({
  id: z.string(),
  projectId: z.string(),
  project: z.string(),
  environmentId: z.string(),
  environment: z.string(),
  access: z.enum(['read', 'write']),
  reason: z.string(),
  createdAt: z.string(),
  expiresAt: z.string(),
  createdBy: reference,
});
export type StoredGrant = z.output<typeof grant>;

/** A membership. Joining again creates a new id, so tokens of the earlier membership stay invalid. */
export const memberRecord = entity(
  'member',
  keys.member,
  {
    id: z.string(),
    userId: z.string(),
    email: z.string(),
    name: z.string(),
    ...rights,
    /** Also those that have ended, until the next change. Absent instead of empty. */
    grants: z.array(grant).optional(),
    joinedAt: z.string(),
    /** Made at a sign-in, by the rules or the default role. Absent: a person made it. */
    via: z.literal('provider').optional(),
    /** Absent if rules added nothing to what a person gave. */
    addedByRules: AddedByRules.optional(),
    /** The last sign-in through the organization's provider. Absent: none, or before this was recorded. */
    providerSignInAt: z.string().optional(),
  },
  { upgrades: [confinements] },
);
export type MemberRecord = ReturnType<typeof memberRecord.parse>;

/**
 * After a removal, only an invitation begins the membership again, not the company's provider. If the provider's rules
 * ended it, they can also begin it again.
 */
export const removedMemberRecord = entity('removedMember', keys.removedMember, {
  organizationId: z.string(),
  removedAt: z.string(),
  /** Absent: a person ended it. */
  byRules: z.literal(true).optional(),
});

/** A mailed link that stops a recovery, and the address that it was mailed to. */
export const recoveryLinkRecord = entity('recoveryLink', keys.recoveryLink, {
  recoveryId: z.string(),
  email: z.string(),
  expiresAt: ExpiresAt,
});

export const membershipRecord = entity('membership', keys.membership, {
  organizationId: z.string(),
  orgSlug: z.string(),
});

/**
 * A pending invitation. `invitationId` derives its id from organization and address, so a new one replaces it. It has
 * no TTL, because the organization's count must change with it.
 */
export const invitationRecord = entity(
  'invitation',
  keys.invitation,
  {
    id: z.string(),
    email: z.string(),
    ...rights,
    invitedBy: z.object({ id: z.string(), email: z.string() }),
    hash: z.string(),
    createdAt: z.string(),
    expiryDate: z.string(),
  },
  { upgrades: [confinements] },
);
export type InvitationRecord = ReturnType<typeof invitationRecord.parse>;

/** Whether it can still be accepted: not expired, and its inviter is a member who could still make it. Pure. */
export function isPending(
  { expiryDate, ...invited }: Pick<InvitationRecord, 'expiryDate'> & MemberRights,
  inviter: MemberRights | undefined,
  nowMs = Date.now(),
): boolean {
  return Date.parse(expiryDate) > nowMs && inviter !== undefined && mayInvite(inviter, invited);
}

/** An organization's invitations that can still be accepted, and those that are only stored. Pure. */
export function sortInvitations(
  invitations: readonly InvitationRecord[],
  members: readonly MemberRecord[],
): { pending: InvitationRecord[]; dead: InvitationRecord[] } {
  const now = Date.now();
  const inviters = new Map(members.map(member => [member.userId, member]));
  const open = (invitation: InvitationRecord) => isPending(invitation, inviters.get(invitation.invitedBy.id), now);
  return { pending: invitations.filter(open), dead: invitations.filter(invitation => !open(invitation)) };
}

export const invitationPointerRecord = entity('invitationPointer', keys.invitationPointer, {
  orgSlug: z.string(),
  organizationId: z.string(),
  invitationId: z.string(),
  expiresAt: ExpiresAt,
});
