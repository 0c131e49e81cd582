import { freshUntilMs, hasProvedFactor } from '../access/fresh-session.ts';
import { confinementOf, onlyOrganizationOf, providerOf } from '../access/principal.ts';
import type { AccountContext } from '../access/request-context.ts';
import type { getCurrentUser as contract, OwnUser, User } from '../contracts/auth/account.ts';
import type { CliToken } from '../contracts/auth/tokens.ts';
import type { AnswerOf } from '../contracts/contract.ts';
import { seenBy } from '../contracts/fields/organization.ts';
import { ApiError } from '../core/errors.ts';
import { renewAccess } from '../organizations/change-counts.ts';
import { type ShownRights, showRights } from '../organizations/members/project-roles.ts';
import { waitingRecovery } from '../organizations/recovery.ts';
import { isThere } from '../table/expressions.ts';
import { ranges } from '../table/keys.ts';
import { at, list, readAll } from '../table/read.ts';
import type { TokenRecord } from '../table/records/credentials.ts';
import { memberRecord, membershipRecord, organizationRecord } from '../table/records/organization.ts';
import { type UserRecord, userRecord } from '../table/records/user.ts';
import { transact, transactIfHolds, update } from '../table/write.ts';

/** The caller and the organizations that the credential reaches. @throws unauthenticated for a token whose organization is gone */
export async function readCurrentUser({ principal }: AccountContext): Promise<AnswerOf<typeof contract>> {
  const { userId, user, credential } = principal;
  const token = credential.method === 'token' ? credential.token : undefined;
  const provider = providerOf(principal);
  const confinement = confinementOf(principal);
  const boundTo = onlyOrganizationOf(principal);
  const memberships = (await list(membershipRecord, ranges.memberships(userId))).filter(
    ({ organizationId }) => boundTo === undefined || organizationId === boundTo,
  );
  const [organizations, members] = await Promise.all([
    readAll(memberships.map(({ orgSlug }) => at(organizationRecord, orgSlug))),
    readAll(memberships.map(({ orgSlug }) => at(memberRecord, orgSlug, userId))),
  ]);
  const visible = memberships.flatMap(({ organizationId }, index) => {
    const organization = organizations[index];
    const member = members[index];
    if (organization?.id !== organizationId || organization.status !== 'active' || member === undefined) return [];
    if (token !== undefined && token.organizationId !== null && member.id !== token.memberId) return [];
    const recovery = member.role === 'owner' ? waitingRecovery(organization) : undefined;
    return [{ ...organization, recovery, member }];
  });
  if (boundTo !== undefined && token !== undefined && visible.length === 0) {
    throw new ApiError('unauthenticated', 'The membership that this token was created under has ended.');
  }
  const own = await Promise.all(
    visible.map(async ({ member, ...organization }) => ({
      ...seenBy(member, organization),
      memberId: member.id,
      ...((await showRights(organization.slug, [member]))[0] as ShownRights),
    })),
  );
  const freshUntil = freshUntilMs(principal);
  return {
    user: ownUserView(user),
    organizations: own.sort((a, b) => a.name.localeCompare(b.name) || a.slug.localeCompare(b.slug)),
    confinedTo: confinement === undefined ? null : { id: confinement.organizationId, slug: confinement.orgSlug },
    authentication: {
      ...(token === undefined ? { method: 'session' } : { method: 'token', token: tokenView(token) }),
      freshUntil: freshUntil === undefined ? null : new Date(freshUntil).toISOString(),
      secondFactor: hasProvedFactor(principal),
      ...(provider && { provider: { organizationId: provider.organizationId, orgSlug: provider.orgSlug } }),
    },
  };
}

/** Changes the user's name and, in separate writes, the copies in member lists. A retry completes a partial change. */
export async function renameUser({ principal: { user } }: AccountContext, name: string): Promise<UserRecord> {
  const memberships = await list(membershipRecord, ranges.memberships(user.id));
  const renaming = { set: { name } };
  await Promise.all([
    transact([update(at(userRecord, user.id), renaming, { if: isThere })]),
    ...memberships.map(({ organizationId: id, orgSlug: slug }) =>
      transactIfHolds([update(at(memberRecord, slug, user.id), renaming, { if: isThere }), renewAccess({ id, slug })]),
    ),
  ]);
  return { ...user, name };
}

export function userView({ id, email, name, emailVerified, isAdmin = false, createdAt }: UserRecord): User {
  return { id, email, name, emailVerified, isAdmin, createdAt };
}

export function ownUserView(user: UserRecord): OwnUser {
  const { passkeyCount = 0, totp, recoveryCodes } = user;
  const recoveryCodesLeft = recoveryCodes?.size ?? 0;
  return { ...userView(user), secondFactors: { passkeys: passkeyCount, totp: totp !== undefined, recoveryCodesLeft } };
}

export function tokenView({ hash: _, expiryDate, ...token }: TokenRecord): CliToken {
  return { ...token, expiresAt: expiryDate };
}
