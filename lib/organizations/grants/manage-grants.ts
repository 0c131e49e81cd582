import { randomUUID } from 'node:crypto';
import { managesProject } from '../../access/managed-projects.ts';
import type { MemberAccess } from '../../access/member-access.ts';
import type { MemberContext } from '../../access/request-context.ts';
import { type Place, readPlaces } from '../../audit/places.ts';
import type { AuditFacts } from '../../audit/write.ts';
import { type Grant, type GrantRequest, maximumGrants } from '../../contracts/fields/grant.ts';
import { hasFreshRights } from '../../contracts/fields/role.ts';
import { liveGrants } from '../../contracts/fields/role-in-project.ts';
import { ApiError, environmentNotFound, organizationNotFound } from '../../core/errors.ts';
import { isOver, minuteMs } from '../../core/time.ts';
import { asRead, equals } from '../../table/expressions.ts';
import { rareRanges } from '../../table/keys.ts';
import { at, list } from '../../table/read.ts';
import { type GrantRequestRecord, grantRequestRecord } from '../../table/records/grant-request.ts';
import {
  type MemberRecord,
  memberRecord,
  type OrganizationRecord,
  type StoredGrant,
} from '../../table/records/organization.ts';
import { asRevocation } from '../../table/revocations.ts';
import { check, remove, retryWithFreshRead, transact, update, type Write } from '../../table/write.ts';
import { renewAccess } from '../change-counts.ts';
import { memberNotFound } from '../members/change-members.ts';
import { type Roster, readRosterOf, requirePlace } from '../members/read-roster.ts';
import { grantView } from './show-grants.ts';

/*
 * Grants are in the membership's item, which every request reads, so they cost no read. Whether one has ended is
 * decided by the time of each check (`MemberAccess`). Those that have ended are removed by the next change of grants.
 */

type GivenGrant = Pick<GrantRequest, 'environmentId' | 'access' | 'minutes' | 'reason'>;
type OrganizationPlace = Pick<OrganizationRecord, 'id' | 'slug'>;

interface Foreseen {
  roster: Roster;
  places: ReadonlyMap<string, Place>;
  requests: GrantRequestRecord[];
}

/** Two round trips, in parallel with authentication. @throws organization_not_found */
export async function readBeforeGranting(organizationId: string): Promise<Foreseen> {
  return readAll(await requirePlace(organizationId), false);
}

/** The same with the requests. @throws organization_not_found */
export async function readBeforeAnswering(organizationId: string): Promise<Foreseen> {
  return readAll(await requirePlace(organizationId), true);
}

async function readAll(place: OrganizationPlace, withRequests: boolean): Promise<Foreseen> {
  const [roster, places, requests] = await Promise.all([
    readRosterOf(place),
    readPlaces(place.slug),
    withRequests ? list(grantRequestRecord, rareRanges.grantRequests(place.slug)) : [],
  ]);
  return { roster, places, requests };
}

/**
 * Gives a member access to an environment until a time.
 * @throws member_not_found, environment_not_found, grant_limit_reached; forbidden to those who don't manage the project,
 * for oneself, and for an admin giving it to an owner or admin
 */
export async function giveGrant(
  context: MemberContext,
  { memberId, ...given }: GivenGrant & { memberId: string },
  foreseen: Foreseen,
): Promise<Grant> {
  const readAgain = () => readAll(context.organization, false);
  return retryWithFreshRead(foreseen, readAgain, async ({ roster: { members }, places }) => {
    const place = places.get(given.environmentId);
    if (place === undefined || !seesPlace(context, place)) throw environmentNotFound();
    if (!managesProject(context.access, place.project.id)) throw notManaging();
    const member = members.find(({ id }) => id === memberId);
    if (member === undefined) throw memberNotFound();
    return addGrant(context, member, { ...given, place });
  });
}

/** The same as the member requested. Ends the request. @throws grant_not_found, and as `giveGrant` */
export async function grantRequest(context: MemberContext, requestId: string, foreseen: Foreseen): Promise<Grant> {
  const readAgain = () => readAll(context.organization, true);
  return retryWithFreshRead(foreseen, readAgain, async current => {
    const { request, member, place } = requireRequest(context, requestId, current);
    const { environmentId, access, minutes, reason } = request;
    const ending = removalOf(context.organization, request);
    return addGrant(context, member, { environmentId, access, minutes, reason, place }, { request, ending });
  });
}

/** Ends the request. @throws grant_not_found */
export async function refuseRequest(context: MemberContext, requestId: string, foreseen: Foreseen): Promise<void> {
  const readAgain = () => readAll(context.organization, true);
  await retryWithFreshRead(foreseen, readAgain, async current => {
    const { request, member, place } = requireRequest(context, requestId, current);
    const { id, access, minutes, reason } = request;
    const details = { request: id, access, minutes, reason };
    await transact([
      removalOf(context.organization, request),
      await context.audit({ action: 'grant.refused', ...factsOf(member, place), details }),
    ]);
  });
}

/**
 * An open request that the caller may answer, with who sent it and what it is about.
 * @throws grant_not_found; forbidden for one's own
 */
function requireRequest({ access }: MemberContext, requestId: string, { roster, places, requests }: Foreseen) {
  const request = requests.find(({ id, expiresAt }) => id === requestId && !isOver(expiresAt));
  const manages = managesProject(access, request?.projectId ?? '');
  const member = roster.members.find(({ id }) => id === request?.memberId);
  const place = places.get(request?.environmentId ?? '');
  if (request === undefined || member === undefined || place === undefined) throw grantNotFound();
  if (member.id === access.member.id) throw forOneself();
  if (!manages) throw grantNotFound();
  return { request, member, place };
}

function removalOf({ slug }: OrganizationPlace, { id, userId, slot }: GrantRequestRecord): Write {
  return remove(at(grantRequestRecord, slug, userId, slot), { if: { id: equals(id) } });
}

/**
 * Ends a grant at once.
 * @throws member_not_found, grant_not_found; forbidden to those who don't manage the project, and for an admin ending an
 * owner's or admin's
 */
export async function revokeGrant(
  context: MemberContext,
  { memberId, grantId }: { memberId: string; grantId: string },
  foreseen: Roster,
): Promise<void> {
  const { organization, access } = context;
  const readAgain = () => readRosterOf(organization);
  await retryWithFreshRead(foreseen, readAgain, async ({ members }) => {
    const member = members.find(({ id }) => id === memberId);
    const live = member === undefined ? [] : liveGrants(member, Date.now());
    const grant = live.find(({ id }) => id === grantId);
    const manages = managesProject(access, grant?.projectId ?? '');
    if (member === undefined) throw memberNotFound();
    if (grant === undefined) throw grantNotFound();
    const isOwn = member.id === access.member.id;
    if (!isOwn && !manages) {
      throw access.seesProject({ id: grant.projectId, organizationId: organization.id })
        ? notManaging()
        : grantNotFound();
    }
    if (!isOwn) requireMayChange(access, member);
    const place = {
      project: { id: grant.projectId, slug: grant.project },
      environment: { id: grant.environmentId, slug: grant.environment },
    };
    const details = { grant: grant.id, access: grant.access, expiresAt: grant.expiresAt };
    await transact(
      asRevocation([
        grantsUpdate(
          organization,
          member,
          live.filter(({ id }) => id !== grantId),
        ),
        renewAccess(organization, () => organizationNotFound()),
        await context.audit({ action: 'grant.ended', ...factsOf(member, place), details }),
      ]),
    );
  });
}

interface Given extends GivenGrant {
  place: Place;
}

async function addGrant(
  context: MemberContext,
  member: MemberRecord,
  { place, minutes, environmentId, access, reason }: Given,
  answered?: { request: GrantRequestRecord; ending: Write },
): Promise<Grant> {
  const { organization, principal } = context;
  if (member.id === context.access.member.id) throw forOneself();
  requireMayChange(context.access, member);
  const nowMs = Date.now();
  const live = liveGrants(member, nowMs);
  if (live.length >= maximumGrants) {
    throw new ApiError('grant_limit_reached', `This member has ${maximumGrants} grants. Revoke one first.`);
  }
  const grant: StoredGrant = {
    id: randomUUID(),
    projectId: place.project.id,
    project: place.project.slug,
    environmentId,
    environment: place.environment.slug,
    access,
    reason,
    createdAt: new Date(nowMs).toISOString(),
    expiresAt: new Date(nowMs + minutes * minuteMs).toISOString(),
    createdBy: { id: principal.userId, email: principal.email },
  };
  const request = answered === undefined ? {} : { request: answered.request.id };
  const details = { grant: grant.id, ...request, access, minutes, reason, expiresAt: grant.expiresAt };
  await transact([
    grantsUpdate(organization, member, [...live, grant]),
    stillHasRights(context),
    renewAccess(organization, () => organizationNotFound()),
    ...(answered === undefined ? [] : [answered.ending]),
    await context.audit({ action: 'grant.created', ...factsOf(member, place), details }),
  ]);
  return grantView(member, grant);
}

/** If the member, their role or their grants have changed, the transaction throws `ConditionFailed`. */
function grantsUpdate({ slug }: OrganizationPlace, member: MemberRecord, grants: readonly StoredGrant[]): Write {
  const set = { grants: grants.length === 0 ? undefined : [...grants] };
  return update(at(memberRecord, slug, member.userId), { set }, { if: asRead(member, ['id', 'role', 'grants']) });
}

/** The check that whoever gives access still has the rights with which that was decided. */
function stillHasRights({ organization, access }: MemberContext): Write {
  const { membership } = access;
  const isSame = asRead(membership, ['id', 'role', 'limited', 'projectRoles']);
  return check(at(memberRecord, organization.slug, membership.userId), { if: isSame });
}

/** Whether the environment exists for the caller. */
export function seesPlace({ access, organization }: MemberContext, { project, environment }: Place): boolean {
  const isThere = access.seesProject({ id: project.id, organizationId: organization.id });
  return isThere && access.seesEnvironment({ id: environment.id, projectId: project.id });
}

/** @throws forbidden */
function requireMayChange({ membership }: MemberAccess, { role }: MemberRecord): void {
  if (!hasFreshRights(role) || membership.role === 'owner') return;
  throw new ApiError('forbidden', `The role ${membership.role} may not change a member with the role ${role}.`);
}

const notManaging = () => new ApiError('forbidden', 'Only owners, admins and the project’s admins can do this.');

const forOneself = () => new ApiError('forbidden', 'Nobody changes their own rights.');

const grantNotFound = () => new ApiError('grant_not_found', 'There is no such grant or open request.');

interface NamedPlace {
  project: { id: string; slug: string };
  environment: { id: string; slug: string };
}

/** What an audit entry says about whose access to what changes or was asked for. Pure. */
export function factsOf({ id, email }: Pick<MemberRecord, 'id' | 'email'>, { project, environment }: NamedPlace) {
  return {
    target: { type: 'member', id, name: email },
    project: { id: project.id, slug: project.slug },
    environment: { id: environment.id, slug: environment.slug },
  } satisfies Partial<AuditFacts>;
}
