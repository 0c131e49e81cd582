import type { Role } from './role.ts';

/** What a membership or an invitation says about somebody's rights. */
export interface MemberRights {
  role: Role;
  /** Only the listed projects exist for them. */
  limited?: boolean | undefined;
  /** In these projects, the role that counts instead of `role`. */
  projectRoles?: readonly { projectId: string; role: Role }[] | undefined;
}

/**
 * Somebody's role in a project and where it comes from; undefined if the project doesn't exist for them. This is the
 * only answer to that question: nothing else may decide by `role` what somebody may do below a project.
 */
export function roleInProject({ role, limited, projectRoles = [] }: MemberRights, projectId: string) {
  const listed = projectRoles.find(one => one.projectId === projectId);
  if (listed !== undefined) return { role: listed.role, source: 'project' } as const;
  return limited === true ? undefined : ({ role, source: 'organization' } as const);
}
