import { randomUUID } from 'node:crypto';
import { actorOf } from '../access/principal.ts';
import type { AccountContext } from '../access/request-context.ts';
import { type AuditActor, auditWrite } from '../audit/write.ts';
import { ApiError } from '../core/errors.ts';
import type { RequestSource } from '../core/request-source.ts';
import { settings } from '../core/settings.ts';
import { renewedRevision } from '../table/access-revision.ts';
import { isNew } from '../table/expressions.ts';
import { ranges } from '../table/keys.ts';
import { at, find, list, readAll } from '../table/read.ts';
import {
  directoryByNameRecord,
  directoryBySlugRecord,
  memberRecord,
  membershipRecord,
  type OrganizationRecord,
  organizationPointerRecord,
  organizationRecord,
} from '../table/records/organization.ts';
import { countPlatform } from '../table/records/platform.ts';
import {
  firstRevisionAfter,
  retiredOrganizationRecord,
  SlugBeingErased,
  slugKept,
} from '../table/records/retired-slug.ts';
import { isUnchanged, type UserRecord, userRecord } from '../table/records/user.ts';
import { retryWhile } from '../table/retry.ts';
import { put, retryWithFreshRead, transact, update, type Write } from '../table/write.ts';
import { newMember } from './members/new-member.ts';
import { slugFromName, withSuffix } from './slug.ts';
import { waitForSlug } from './wait-for-slug.ts';

/**
 * A new organization with its first owner, as writes for one transaction; the caller adds it to the platform's count.
 * The transaction throws slug_taken, or `SlugBeingErased` if the organization with the slug is being erased.
 */
export async function newOrganization(
  { name, slug }: { name: string; slug: string },
  founder: Pick<UserRecord, 'id' | 'email' | 'name'>,
  actor: AuditActor,
  source: RequestSource,
): Promise<{ organization: OrganizationRecord; writes: Write[] }> {
  const createdAt = new Date().toISOString();
  const { firstRevision, stillHolds } = await firstRevisionAfter(at(retiredOrganizationRecord, slug), slug);
  const organization: OrganizationRecord = {
    id: randomUUID(),
    slug,
    name,
    plan: 'free',
    limitOverrides: {},
    retentions: [],
    createdAt,
    ...renewedRevision(),
    status: 'active',
    projectCount: 0,
    memberCount: 1,
    ownerCount: 1,
    invitationCount: 0,
    webhookCount: 0,
    identityCount: 0,
    firstRevision,
    planChangedAtMs: 0,
    requireSecondFactor: false,
  };
  const member = newMember(organization, founder, { role: 'owner' }, { joinedAt: createdAt, isFounder: true });
  const audit = await auditWrite(organization, actor, source, {
    action: 'organization.created',
    target: { type: 'organization', id: organization.id, name },
  });
  return { organization, writes: [...addressed(organization, founder.id), ...stillHolds, ...member.writes, audit] };
}

/** The writes for the organization and the pointers to it: by slug, by id and by name. */
function addressed(organization: OrganizationRecord, founderId: string): Write[] {
  const { id, slug, name } = organization;
  const directoryEntry = { id, slug, name };
  const refused = ({ status, kept }: Partial<OrganizationRecord> = {}) => {
    if (kept !== undefined) return kept.deletedBy.id === founderId ? slugKept(slug, kept) : taken(slug);
    return status === 'deleting' ? new SlugBeingErased(taken(slug)) : taken(slug);
  };
  return [
    put(at(organizationRecord, slug), organization, { if: isNew, refused }),
    put(at(organizationPointerRecord, id), { orgSlug: slug }, { if: isNew }),
    put(at(directoryBySlugRecord, slug), directoryEntry),
    put(at(directoryByNameRecord, name, slug), directoryEntry),
  ];
}

/**
 * The same for every slug, so that it does not reveal which other tenants have deleted their organization. Only whoever
 * deleted it learns that it can be restored.
 */
function taken(slug: string): ApiError {
  return new ApiError(
    'slug_taken',
    `The slug ${slug} is taken. The slug of a deleted organization is free again once everything in it is erased.`,
  );
}

/**
 * Runs `create` with the requested slug, waiting for an erasure that frees it, or with one derived from the name,
 * adding a suffix while that is taken.
 * @throws slug_taken for a requested slug; temporarily_unavailable when the attempts are used up
 */
export async function withFreeSlug<T>(
  { slug, name }: { name: string; slug?: string | undefined },
  create: (slug: string) => Promise<T>,
): Promise<T> {
  if (slug !== undefined) return waitForSlug(at(organizationRecord, slug), () => create(slug));
  const first = slugFromName(name);
  const isTaken = (error: unknown) =>
    error instanceof SlugBeingErased || (error instanceof ApiError && error.code === 'slug_taken');
  return retryWhile(isTaken, tries => create(tries === 0 ? first : withSuffix(first)));
}

/**
 * Creates an organization that the caller owns, all or nothing. The limit is checked before the slug, because the
 * response reveals whether a slug is taken, and the limit restricts how often a caller can probe.
 * @throws organization_limit_reached; slug_taken for a requested slug
 */
export async function createOrganization(
  context: AccountContext,
  requested: { name: string; slug?: string | undefined },
): Promise<OrganizationRecord> {
  const { principal, source } = context;
  const { id } = principal.user;
  const foreseen: UserRecord | undefined = principal.user;
  const readAgain = () => find(at(userRecord, id));
  return retryWithFreshRead(foreseen, readAgain, async user => {
    if (user === undefined) throw new ApiError('unauthenticated', 'This account no longer exists.');
    const belowLimit = requireBelowOrganizationLimit(id);
    return withFreeSlug(requested, async slug => {
      const creating = newOrganization({ name: requested.name, slug }, user, actorOf(principal), source);
      const [created] = await Promise.all([creating, belowLimit]);
      const creation = update(at(userRecord, id), { add: { creations: 1 } }, { if: isUnchanged(user) });
      await transact([creation, ...created.writes, countPlatform({ organizations: 1 })]);
      return created.organization;
    });
  });
}

/** Takes two round trips, or none if there is no limit. @throws organization_limit_reached */
async function requireBelowOrganizationLimit(userId: string): Promise<void> {
  const limit = settings().ORGANIZATIONS_PER_USER;
  if (limit < 0) return;
  const memberships = await list(membershipRecord, ranges.memberships(userId));
  const members = await readAll(memberships.map(({ orgSlug }) => at(memberRecord, orgSlug, userId)));
  const owned = members.filter(member => member?.role === 'owner').length;
  if (owned < limit) return;
  throw new ApiError('organization_limit_reached', `You own ${owned} organizations; a user may own at most ${limit}.`);
}
