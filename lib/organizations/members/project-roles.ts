import type { ProjectRole } from '../../contracts/fields/project-role.ts';
import type { Role } from '../../contracts/fields/role.ts';
import type { Invitation, Member } from '../../contracts/members/members.ts';
import { projectNotFound } from '../../core/errors.ts';
import { ranges } from '../../table/keys.ts';
import { at, list, readAll } from '../../table/read.ts';
import type { InvitationRecord, MemberRecord } from '../../table/records/organization.ts';
import { type ProjectKeys, projectKeysRecord } from '../../table/records/project.ts';
import { showGrants } from '../grants/show-grants.ts';

type StoredRights = Pick<MemberRecord, 'role' | 'limited' | 'projectRoles'>;

/** The rights as a response shows them. */
export interface ShownRights {
  role: Role;
  limited: boolean;
  projectRoles: { projectId: string; slug: string; role: ProjectRole }[];
}

/**
 * Shows rights without roles in deleted projects, which give nothing. One round trip if somebody has a role in a
 * project, otherwise no read.
 */
export async function showRights(orgSlug: string, stored: readonly StoredRights[]): Promise<ShownRights[]> {
  const slugs = [...new Set(stored.flatMap(({ projectRoles = [] }) => projectRoles.map(({ slug }) => slug)))];
  const projects = await readAll(slugs.map(slug => at(projectKeysRecord, orgSlug, slug)));
  const active = new Set(projects.flatMap(project => (project?.status === 'active' ? [project.id] : [])));
  return stored.map(({ role, limited = false, projectRoles = [] }) => ({
    role,
    limited,
    projectRoles: projectRoles.filter(({ projectId }) => active.has(projectId)),
  }));
}

/** Members as the API shows them. */
export async function viewMembers(orgSlug: string, members: readonly MemberRecord[]): Promise<Member[]> {
  const [rights, grants] = await Promise.all([showRights(orgSlug, members), showGrants(orgSlug, members)]);
  return members.map((member, index) => viewWith(member, rights[index] as ShownRights, grants[index]));
}

/** A member as the API shows them, with the rights and grants that it shows. Pure. */
export function viewWith(member: MemberRecord, shown: ShownRights, grants: Member['grants'] = []): Member {
  const { via = 'person', addedByRules } = member;
  const isMadeByRules = via === 'provider' && shown.role !== 'owner';
  const isAdded = (of: (rights: ShownRights) => unknown): boolean => {
    if (addedByRules === undefined) return isMadeByRules;
    const { given, made } = addedByRules;
    return of(shown) === of(made) && of(made) !== of(given);
  };
  const roleIn = (id: string) => (rights: ShownRights) => rights.projectRoles.find(one => one.projectId === id)?.role;
  return {
    ...member,
    ...shown,
    via,
    byRules: isAdded(({ role }) => role) || isAdded(({ limited }) => limited),
    projectRoles: shown.projectRoles.map(one => ({ ...one, byRules: isAdded(roleIn(one.projectId)) })),
    grants,
  };
}

/**
 * What a person gives counts as given, also if rules have made the same of it. Says nothing where rules added nothing.
 * Pure.
 */
export function withGiven(
  { addedByRules }: Pick<MemberRecord, 'addedByRules'>,
  rights: Partial<NonNullable<MemberRecord['addedByRules']>['given']>,
): Pick<MemberRecord, 'addedByRules'> {
  if (addedByRules === undefined) return {};
  return { addedByRules: { ...addedByRules, given: { ...addedByRules.given, ...rights } } };
}

export async function viewMember(orgSlug: string, member: MemberRecord): Promise<Member> {
  const [view] = await viewMembers(orgSlug, [member]);
  return view as Member;
}

/** Invitations as the API shows them. */
export async function viewInvitations(orgSlug: string, stored: readonly InvitationRecord[]): Promise<Invitation[]> {
  const rights = await showRights(orgSlug, stored);
  return stored.map(({ id, email, invitedBy, createdAt, expiryDate }, index) => {
    return { id, email, ...(rights[index] as ShownRights), invitedBy, createdAt, expiresAt: expiryDate };
  });
}

export interface GivenRights {
  limited: boolean;
  projectRoles: readonly { projectId: string; role: ProjectRole }[];
}

/** The projects that rights can name; none are read if they name none. */
export async function readNamedProjects(orgSlug: string, { projectRoles }: GivenRights): Promise<ProjectKeys[]> {
  return projectRoles.length === 0 ? [] : list(projectKeysRecord, ranges.projects(orgSlug));
}

/**
 * The rights in projects as they are stored: with each project's slug, and absent where they say nothing. Pure.
 * @throws project_not_found
 */
export function storedRights({ limited, projectRoles }: GivenRights, projects: readonly ProjectKeys[]) {
  const slugs = new Map(projects.flatMap(({ id, slug, status }) => (status === 'active' ? [[id, slug] as const] : [])));
  const roles = projectRoles.map(({ projectId, role }) => {
    const slug = slugs.get(projectId);
    if (slug === undefined) throw projectNotFound();
    return { projectId, slug, role };
  });
  return {
    limited: limited || undefined,
    projectRoles: roles.length === 0 ? undefined : roles.toSorted((a, b) => a.slug.localeCompare(b.slug)),
  } satisfies Pick<MemberRecord, 'limited' | 'projectRoles'>;
}

/** How many characters of an audit entry roles and rules may take: a page has many entries. */
const longestText = 2000;

export const auditText = (text: string, longest = longestText) =>
  text.length > longest ? `${text.slice(0, longest)}…` : text;

/** The details of rights in an audit entry. The roles are text, such as `web-shop: admin`. Pure. */
export function auditedRights({ limited = false, projectRoles = [] }: Pick<StoredRights, 'limited' | 'projectRoles'>) {
  const text = projectRoles.map(({ slug, role }) => `${slug}: ${role}`).join(', ');
  return { limited, projectRoles: auditText(text) };
}

/** The same for entries about a role, which have these details only where they say something. Pure. */
export function auditedIfGiven(rights: Pick<StoredRights, 'limited' | 'projectRoles'>) {
  return rights.limited === true || rights.projectRoles !== undefined ? auditedRights(rights) : {};
}
