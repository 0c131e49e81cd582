import type { Role } from './role.ts';

/** What a grant allows in its environment. `write` includes neither reading nor what takes a manager. */
type GrantedAccess = 'read' | 'write';

/** Access to one environment beyond the role, until a time. */
export interface GrantedRight {
  id: string;
  projectId: string;
  environmentId: string;
  access: GrantedAccess;
  expiresAt: string;
}

/** How many projects a membership or an invitation can name. */
export const maximumProjectRoles = 100;

/** What a membership or an invitation says about somebody's rights. */
export interface MemberRights {
  role: Role;
  /** Only the listed projects exist for them. */
  limited?: boolean | undefined;
  /** In these projects, the role that counts instead of `role`. */
  projectRoles?: readonly { projectId: string; role: Role }[] | undefined;
  grants?: readonly GrantedRight[] | undefined;
}

/**
 * Somebody's role in a project and where it comes from, apart from grants; undefined if they have none there. Only for
 * what a grant must not affect, such as what somebody may give others.
 */
export function roleInProject({ role, limited, projectRoles = [] }: MemberRights, projectId: string) {
  const listed = projectRoles.find(one => one.projectId === projectId);
  if (listed !== undefined) return { role: listed.role, source: 'project' } as const;
  return limited === true ? undefined : ({ role, source: 'organization' } as const);
}

/** The grants that have not ended. */
export function liveGrants<G extends GrantedRight>(
  { grants = [] }: { grants?: readonly G[] | undefined },
  nowMs: number,
) {
  return grants.filter(({ expiresAt }) => Date.parse(expiresAt) > nowMs);
}

/**
 * What somebody has in a project now: a role, grants, or both; undefined if the project doesn't exist for them. With
 * grants alone, only the granted environments exist. This is the only answer to that question: nothing else may decide
 * by `role` or `grants` what somebody may do below a project.
 */
export function rightsInProject(rights: MemberRights, projectId: string, nowMs: number) {
  const found = roleInProject(rights, projectId);
  const grants = liveGrants(rights, nowMs).filter(grant => grant.projectId === projectId);
  if (found === undefined && grants.length === 0) return undefined;
  return { role: found?.role, source: found?.source ?? ('grant' as const), grants };
}
