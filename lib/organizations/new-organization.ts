import { randomUUID } from 'node:crypto';
import { type AuditActor, auditWrite } from '../audit/write.ts';
import { ApiError } from '../core/errors.ts';
import type { RequestSource } from '../core/request-source.ts';
import { isNew } from '../table/expressions.ts';
import { at } from '../table/read.ts';
import { memberRecord, membershipRecord } from '../table/records/member.ts';
import {
  directoryByNameRecord,
  directoryBySlugRecord,
  type OrganizationRecord,
  organizationPointerRecord,
  organizationRecord,
} from '../table/records/organization.ts';
import { firstRevisionAfter, retiredOrganizationRecord, SlugBeingErased } from '../table/records/retired-slug.ts';
import type { UserRecord } from '../table/records/user.ts';
import { retryWhile } from '../table/retry.ts';
import { put, type Write } from '../table/write.ts';
import { slugFromName, withSuffix } from './slug.ts';
import { waitForSlug } from './wait-for-slug.ts';

type Founder = Pick<UserRecord, 'id' | 'email' | 'name'>;

/**
 * A new organization with its first owner, as writes for one transaction; the caller adds it to the platform's count. The
 * transaction fails with slug_taken if another organization has the slug, and with `SlugBeingErased` if that one is
 * being erased.
 */
export async function newOrganization(
  { name, slug }: { name: string; slug: string },
  founder: Founder,
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
  const audit = await auditWrite(organization, actor, source, {
    action: 'organization.created',
    target: { type: 'organization', id: organization.id, name },
  });
  return {
    organization,
    writes: [...addressed(organization), ...stillHolds, ...ownedBy(founder, organization), audit],
  };
}

/** The writes for the organization and the pointers to it: by slug, by id and by name. */
function addressed(organization: OrganizationRecord): Write[] {
  const { id, slug, name } = organization;
  const directoryEntry = { id, slug, name };
  return [
    put(at(organizationRecord, slug), organization, {
      if: isNew,
      refused: ({ status } = {}) => (status === 'deleting' ? new SlugBeingErased(taken(slug)) : taken(slug)),
    }),
    put(at(organizationPointerRecord, id), { orgSlug: slug }, { if: isNew }),
    put(at(directoryBySlugRecord, slug), directoryEntry),
    put(at(directoryByNameRecord, name, slug), directoryEntry),
  ];
}

/** Says the same for every slug, so that it does not reveal which other tenants have deleted their organization. */
function taken(slug: string): ApiError {
  return new ApiError(
    'slug_taken',
    `The slug ${slug} is taken. The slug of a deleted organization is free again once everything in it is erased.`,
  );
}

function ownedBy({ id: userId, email, name }: Founder, { id, slug, createdAt }: OrganizationRecord): Write[] {
  const owner = { id: randomUUID(), userId, email, name, role: 'owner', joinedAt: createdAt } as const;
  return [
    put(at(memberRecord, slug, userId), owner),
    put(at(membershipRecord, userId, id), { organizationId: id, orgSlug: slug }),
  ];
}

/**
 * Runs `create` with the requested slug, waiting for an erasure that frees it, or with one derived from the name, adding
 * a suffix while that is taken.
 * @throws slug_taken for a requested slug; temporarily_unavailable when the attempts are used up
 */
export async function withFreeSlug<T>(
  wanted: { name: string; slug?: string | undefined },
  create: (slug: string) => Promise<T>,
): Promise<T> {
  const { slug, name } = wanted;
  if (slug !== undefined) return waitForSlug(at(organizationRecord, slug), () => create(slug));
  const first = slugFromName(name);
  const isTaken = (error: unknown) =>
    error instanceof SlugBeingErased || (error instanceof ApiError && error.code === 'slug_taken');
  return retryWhile(isTaken, tries => create(tries === 0 ? first : withSuffix(first)));
}
