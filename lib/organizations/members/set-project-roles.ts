import { isDeepStrictEqual } from 'node:util';
import type { MemberContext } from '../../access/request-context.ts';
import { gainsRights, mayGive } from '../../contracts/fields/member-rights.ts';
import { limitedRolesOnly } from '../../contracts/fields/project-role.ts';
import { hasFreshRights } from '../../contracts/fields/role.ts';
import type { Member } from '../../contracts/members/members.ts';
import { ApiError, invalidRequest, organizationNotFound } from '../../core/errors.ts';
import { asRead } from '../../table/expressions.ts';
import { at } from '../../table/read.ts';
import { type MemberRecord, memberRecord, type OrganizationRecord } from '../../table/records/organization.ts';
import type { ProjectKeys } from '../../table/records/project.ts';
import { asRevocation } from '../../table/revocations.ts';
import { retryWithFreshRead, transact, update } from '../../table/write.ts';
import { renewAccess } from '../change-counts.ts';
import { showGrants } from '../grants/show-grants.ts';
import { memberNotFound } from './change-members.ts';
import {
  auditedRights,
  type GivenRights,
  readNamedProjects,
  storedRights,
  viewWith,
  withGiven,
} from './project-roles.ts';
import { type Roster, readRosterOf, requirePlace } from './read-roster.ts';

interface Foreseen {
  roster: Roster;
  projects: ProjectKeys[];
}

/** Two round trips, in parallel with authentication. @throws organization_not_found */
export async function readBeforeSettingRoles(organizationId: string, given: GivenRights): Promise<Foreseen> {
  return readWithProjects(await requirePlace(organizationId), given);
}

async function readWithProjects(place: Pick<OrganizationRecord, 'id' | 'slug'>, given: GivenRights): Promise<Foreseen> {
  const [roster, projects] = await Promise.all([readRosterOf(place), readNamedProjects(place.slug, given)]);
  return { roster, projects };
}

/**
 * Replaces a member's roles in projects, and whether other projects exist for them, from their next request on. Writes
 * nothing if they already have these rights.
 * @throws member_not_found, project_not_found; invalid_request to limit an owner or admin; forbidden for one's own
 * rights, for an admin changing an owner or admin, and for more than the caller has in a project
 */
export async function setProjectRoles(
  context: MemberContext,
  { memberId, given }: { memberId: string; given: GivenRights },
  foreseen: Foreseen,
): Promise<Member> {
  const { organization } = context;
  const readAgain = () => readWithProjects(organization, given);
  return retryWithFreshRead(foreseen, readAgain, async ({ roster: { members }, projects }) => {
    const before = members.find(({ id }) => id === memberId);
    if (before === undefined) throw memberNotFound();
    const rights = storedRights(given, projects);
    const set = { ...rights, ...givenBy(before, rights) };
    const after = { ...before, ...set };
    requireMaySet(context, before, after);
    if (given.limited && hasFreshRights(before.role)) {
      throw invalidRequest([{ path: 'limited', message: limitedRolesOnly }]);
    }
    context.requireRevocation(!gainsRights(before, after));
    // Every project has just been read.
    const [grants = []] = await showGrants(organization.slug, [before]);
    const roles = { limited: given.limited, projectRoles: rights.projectRoles ?? [] };
    const shown = viewWith(after, { role: before.role, ...roles }, grants);
    const [from, to] = [auditedRights(before), auditedRights(after)];
    if (isSame(before, after) && isDeepStrictEqual(before.addedByRules, after.addedByRules)) return shown;
    const isAsRead = asRead(before, ['id', 'role', 'limited', 'projectRoles', 'addedByRules']);
    const writes = [
      update(at(memberRecord, organization.slug, before.userId), { set }, { if: isAsRead }),
      renewAccess(organization, () => organizationNotFound()),
      await context.audit({
        action: 'member.projects_changed',
        target: { type: 'member', id: memberId, name: before.email },
        details: { from, to },
      }),
    ];
    await transact(gainsRights(after, before) ? asRevocation(writes) : writes);
    return shown;
  });
}

type RightsInProjects = Pick<MemberRecord, 'limited' | 'projectRoles'>;

const isSame = (before: RightsInProjects, after: RightsInProjects) =>
  before.limited === after.limited && isDeepStrictEqual(before.projectRoles, after.projectRoles);

/**
 * What the request changes is given by a person, and what it repeats stays as it was: a form sends all roles, including
 * those that rules gave, which must end with the rules. A request that only repeats the rights gives them. Pure.
 */
function givenBy(before: MemberRecord, after: RightsInProjects): Pick<MemberRecord, 'addedByRules'> {
  const { limited = false, projectRoles = [] } = after;
  const given = before.addedByRules?.given;
  if (given === undefined || isSame(before, after)) return withGiven(before, { limited, projectRoles });
  const roleIn = (id: string, { projectRoles: listed = [] }: RightsInProjects) =>
    listed.find(({ projectId }) => projectId === id)?.role;
  const isChanged = ({ projectId }: { projectId: string }) => roleIn(projectId, before) !== roleIn(projectId, after);
  const kept = given.projectRoles.filter(one => !isChanged(one));
  return withGiven(before, {
    limited: limited === (before.limited ?? false) ? given.limited : limited,
    projectRoles: [...kept, ...projectRoles.filter(isChanged)],
  });
}

/** Asked in each attempt, because the caller's own rights may have changed. @throws forbidden */
function requireMaySet({ access, principal }: MemberContext, before: MemberRecord, after: MemberRecord): void {
  const { membership } = access;
  if (before.userId === principal.userId) throw new ApiError('forbidden', 'Nobody changes their own rights.');
  if (hasFreshRights(before.role) && membership.role !== 'owner') {
    const message = `The role ${membership.role} may not change a member with the role ${before.role}.`;
    throw new ApiError('forbidden', message);
  }
  const given = after.addedByRules?.given;
  // What rules made ends with them, so it is no reason to let somebody give it who has less.
  const mayKeep = given === undefined || mayGive(membership, given, before.addedByRules?.given);
  if (mayKeep && mayGive(membership, after, before)) return;
  throw new ApiError('forbidden', 'Nobody can give more rights in a project than they have there.');
}
