import { requireManaged } from '../access/managed-projects.ts';
import type { MemberAccess } from '../access/member-access.ts';
import type { MemberContext } from '../access/request-context.ts';
import type { Role } from '../contracts/fields/role.ts';
import type { MemberRights } from '../contracts/fields/role-in-project.ts';
import {
  environmentRequired,
  limitsBesideEnvironments,
  notWithEnvironmentIds,
} from '../contracts/identities/identities.ts';
import { environmentNotFound, invalidRequest } from '../core/errors.ts';
import type { IdentityEnvironment, IdentityRecord } from '../table/records/identity.ts';
import type { Write } from '../table/write.ts';
import { findScope, readPlaces, scopeChecks } from '../webhooks/find-scope.ts';

/* What an identity is limited to: a project, one of its environments, or up to five environments of any projects. */

type Limits = Pick<IdentityRecord, 'projectId' | 'environmentId' | 'environments'>;

/** As the API has them. */
interface RequestedLimits {
  projectId?: string | null | undefined;
  environmentId?: string | null | undefined;
  environmentIds?: readonly string[] | null | undefined;
}

/** The only projects that it can access; undefined for all. */
function projectsOf({ projectId, environments }: Limits): string[] | undefined {
  if (environments !== undefined) return [...new Set(environments.map(one => one.projectId))];
  return projectId === null ? undefined : [projectId];
}

export function environmentIdsOf({ environments }: Limits): string[] | null {
  return environments?.map(({ id }) => id) ?? null;
}

/** What an identity may do, as rights of a member. A deployer reads and writes its environments whatever their type. */
export function rightsOf({ role, ...limits }: Limits & Pick<IdentityRecord, 'role'>): MemberRights {
  const memberRole: Role = role === 'deployer' ? 'admin' : role;
  const projectIds = projectsOf(limits);
  if (projectIds === undefined) return { role: memberRole };
  const projectRoles = projectIds.map(projectId => ({ projectId, role: memberRole }));
  return { role: memberRole, limited: true, projectRoles };
}

/** @throws project_not_found, forbidden unless the caller manages every project that the identity can access */
export async function requireManagedScope(access: MemberAccess, limits: Limits): Promise<void> {
  for (const projectId of projectsOf(limits) ?? [null]) await requireManaged(access, projectId);
}

/** Whether one whose admin the caller is in `managed` only may see and change an identity with these limits. */
export function isManaged(managed: 'all' | ReadonlySet<string>, limits: Limits): boolean {
  return managed === 'all' || projectsOf(limits)?.every(projectId => managed.has(projectId)) === true;
}

/**
 * The limits after a change. `environmentIds` replaces the two others, unless the same request gives one of them.
 * @throws invalid_request for limits that exclude each other, an environment without its project, or a deployer without
 * an environment; environment_not_found
 */
export async function limitsAfter(
  context: MemberContext,
  requested: RequestedLimits,
  { role, ...stored }: Limits & Pick<IdentityRecord, 'role'>,
): Promise<Limits> {
  const { environmentIds = environmentIdsOf(stored), ...others } = requested;
  const replaced = requested.environmentIds == null ? stored : { projectId: null, environmentId: null };
  const { projectId = replaced.projectId, environmentId = replaced.environmentId } = others;
  const problems = limitsBesideEnvironments({ environmentIds, projectId, environmentId }).map(path => ({
    path,
    message: notWithEnvironmentIds,
  }));
  if (environmentId !== null && projectId === null) {
    problems.push({ path: 'projectId', message: 'is required with environmentId' });
  }
  if (role === 'deployer' && environmentId === null && environmentIds === null) {
    problems.push({ path: 'environmentId', message: environmentRequired });
  }
  if (problems.length > 0) throw invalidRequest(problems);
  const isUnchanged = environmentIds?.join() === environmentIdsOf(stored)?.join();
  const environments = isUnchanged ? stored.environments : await findEnvironments(context, environmentIds ?? []);
  return { projectId, environmentId, environments: environmentIds === null ? undefined : environments };
}

/** @throws environment_not_found, also for one that doesn't exist for the caller */
async function findEnvironments(
  { organization, access }: MemberContext,
  ids: readonly string[],
): Promise<IdentityEnvironment[]> {
  const places = await readPlaces(organization.slug, ids.length > 0);
  return ids.map(id => {
    const { project } = findScope(places, { projectId: null, environmentId: id });
    const isSeen = project !== null && access.seesProject({ id: project.id, organizationId: organization.id });
    if (!isSeen) throw environmentNotFound();
    return { id, projectId: project.id };
  });
}

/**
 * Conditions that the places which an identity is limited to still exist.
 * @throws project_not_found, environment_not_found
 */
export async function scopeHolds(orgSlug: string, limits: Limits): Promise<Write[]> {
  const { projectId, environmentId, environments } = limits;
  const places = await readPlaces(orgSlug, projectId !== null || environments !== undefined);
  const scopes = environments?.map(({ id }) => ({ projectId: null, environmentId: id })) ?? [
    { projectId, environmentId },
  ];
  const checks = scopes.flatMap(scope => scopeChecks(orgSlug, findScope(places, scope)));
  // A transaction may name an item only once, and environments may share a project.
  return [...new Map(checks.map(one => [`${one.key.pk} ${one.key.sk}`, one])).values()];
}
