import { claimAt } from './match-claims.ts';
import type { ProjectRole } from './project-role.ts';
import { maximumProjectRoles, roleInProject } from './role-in-project.ts';
import { outranks, type Role } from './role-order.ts';
import type { RoleRule } from './role-rule.ts';

/*
 * What the rules of a sign-in provider make of a membership. The service decides by this at each sign-in, and the
 * dashboard shows by it what a token would give.
 */

interface ListedRole {
  projectId: string;
  slug: string;
  role: ProjectRole;
}

/** Rights with nothing left out, and the projects sorted by slug. */
export interface CompleteRights {
  role: Role;
  limited: boolean;
  projectRoles: ListedRole[];
}

/** Everybody's except an owner's. */
type OthersRights = CompleteRights & { role: ProjectRole };

/** The rights of somebody who is a member, or who has an invitation. */
export interface Current {
  role: Role;
  limited?: boolean | undefined;
  projectRoles?: readonly ListedRole[] | undefined;
  /** Absent: a person made the membership. */
  via?: 'provider' | undefined;
  /** Present if rules added something to what a person gave. */
  addedByRules?: { given: OthersRights; made: OthersRights } | undefined;
}

interface Settings {
  /** Those of all rules that match. */
  matched: readonly RoleRule[];
  /** Without any rule, a sign-in changes no membership. */
  hasRules: boolean;
  defaultRole: Role | null;
  /** The slugs of the projects that exist, by id. */
  projects: ReadonlyMap<string, string>;
}

export interface Made {
  rights: CompleteRights;
  addedByRules: Current['addedByRules'];
}

/** The rules that a token's claims match. Values are compared as exact texts. Pure. */
export function matchingRules<R extends RoleRule>(rules: readonly R[], claims: Readonly<Record<string, unknown>>): R[] {
  return rules.filter(({ claim, value }) => [claimAt(claims, claim)].flat().includes(value));
}

/** A rule that names a project gives nothing once the project is gone. Pure. */
export function effectiveRules<R extends RoleRule>(rules: readonly R[], projects: Settings['projects']): R[] {
  return rules.filter(({ projectId }) => projectId === undefined || projects.has(projectId));
}

/**
 * What a membership becomes at a sign-in; undefined if it ends, or if nobody becomes a member. What a person gave is
 * only added to, and an owner's membership is left alone. What rules made, they decide. Pure.
 * @param current undefined for somebody who is neither a member nor invited
 */
export function applyRoleRules(settings: Settings, current: Current | undefined): Made | undefined {
  const { hasRules, defaultRole, projects } = settings;
  const matched = effectiveRules(settings.matched, projects);
  const ruled = givenByRules(matched, projects);
  if (current !== undefined && current.via !== 'provider') return addedTo(current, ruled);
  if (current?.role === 'owner' || (current !== undefined && !hasRules)) return unchanged(current);
  if (ruled.role !== undefined) return { rights: { ...ruled, role: ruled.role }, addedByRules: undefined };
  const kept = matched.length > 0 && current !== undefined ? complete(current) : undefined;
  const role = kept?.role ?? defaultRole;
  if (role === null) return undefined;
  const { projectRoles } = ruled;
  return { rights: { role, limited: kept?.limited ?? false, projectRoles }, addedByRules: undefined };
}

function unchanged(current: Current): Made {
  return { rights: complete(current), addedByRules: current.addedByRules };
}

function complete({ role, limited = false, projectRoles = [] }: Current): CompleteRights {
  return { role, limited, projectRoles: sorted(projectRoles) };
}

const sorted = (listed: readonly ListedRole[]) =>
  listed.toSorted((a, b) => a.slug.localeCompare(b.slug) || a.projectId.localeCompare(b.projectId));

type ByRules = Omit<CompleteRights, 'role'> & { role: ProjectRole | undefined };

/** The highest role, and each project's highest. Limited only if every rule with a role says so. */
function givenByRules(matched: readonly RoleRule[], projects: Settings['projects']): ByRules {
  const withRole = matched.flatMap(({ role, limited }) => (role === undefined ? [] : [{ role, limited }]));
  const listed = new Map<string, ListedRole>();
  for (const { projectId, projectRole } of matched) {
    if (projectId === undefined || projectRole === undefined) continue;
    const role = highest(listed.get(projectId)?.role ?? projectRole, projectRole);
    listed.set(projectId, { projectId, slug: projects.get(projectId) ?? '', role });
  }
  return {
    role: withRole.length === 0 ? undefined : withRole.map(({ role }) => role).reduce(highest),
    limited: withRole.length > 0 && withRole.every(({ limited }) => limited === true),
    projectRoles: sorted([...listed.values()]),
  };
}

function highest<R extends Role>(role: R, other: R): R {
  return outranks(other, role) ? other : role;
}

/**
 * What a person gave, with what rules add. A role in a project that a person gave counts there instead of any role in
 * the organization, so only a rule about that project raises it. Rules that would list more projects than a
 * membership can name add nothing: without one of its entries, a project could have a higher role.
 */
function addedTo(current: Current, ruled: ByRules): Made {
  const { role: currentRole } = current;
  if (currentRole === 'owner') return unchanged(current);
  const given = givenByPerson({ ...current, role: currentRole });
  const everywhere = [given, ruled].flatMap(one => (one.limited || one.role === undefined ? [] : [one.role]));
  const limited = everywhere.length === 0;
  // A limited role gives nothing in other projects, so it raises only another limited one.
  const role = (limited ? [given.role, ruled.role ?? given.role] : everywhere).reduce(highest);
  const raised = ruled.projectRoles.flatMap((listed): ListedRole[] => {
    const before = roleInProject(given, listed.projectId)?.role;
    // An owner's membership is left alone, so this is a role that somebody can have in a project.
    const highestThere = before === undefined ? listed.role : (highest<Role>(before, listed.role) as ProjectRole);
    const isListed = given.projectRoles.some(({ projectId }) => projectId === listed.projectId);
    // Without its own entry, the project has the role in the organization anyway.
    return !isListed && !limited && highestThere === role ? [] : [{ ...listed, role: highestThere }];
  });
  const isRaised = new Set(raised.map(({ projectId }) => projectId));
  const kept = given.projectRoles.filter(({ projectId }) => !isRaised.has(projectId));
  const rights = { role, limited, projectRoles: sorted([...kept, ...raised]) };
  const addsNothing = isSame(given, rights) || rights.projectRoles.length > maximumProjectRoles;
  return addsNothing ? { rights: given, addedByRules: undefined } : { rights, addedByRules: { given, made: rights } };
}

/**
 * What a person gave: where the rights are still as the last sign-in made them, what is noted as given, and otherwise
 * what somebody has changed since. An earlier version changes rights without noting it.
 */
function givenByPerson(current: Current & { role: ProjectRole }): OthersRights {
  const now = { ...complete(current), role: current.role };
  const { addedByRules } = current;
  if (addedByRules === undefined) return now;
  const { given, made } = addedByRules;
  const listedIn = ({ projectRoles }: CompleteRights, id: string) =>
    projectRoles.find(({ projectId }) => projectId === id);
  const ids = [now, given].flatMap(({ projectRoles }) => projectRoles.map(({ projectId }) => projectId));
  const projectRoles = [...new Set(ids)].flatMap(id => {
    const listed = listedIn(now, id);
    return (listed?.role === listedIn(made, id)?.role ? listedIn(given, id) : listed) ?? [];
  });
  const role = now.role === made.role ? given.role : now.role;
  return {
    role,
    // Whoever was made an admin since is not limited.
    limited: !outranks(role, 'developer') && (now.limited === made.limited ? given.limited : now.limited),
    projectRoles: sorted(projectRoles),
  };
}

const isSame = (a: CompleteRights, b: CompleteRights) => JSON.stringify(orderedOf(a)) === JSON.stringify(orderedOf(b));
const orderedOf = ({ role, limited, projectRoles }: CompleteRights) => [
  role,
  limited,
  projectRoles.map(one => [one.projectId, one.role]),
];
