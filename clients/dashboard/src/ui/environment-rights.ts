import { environmentRules } from 'virtual:contracts';
import type { OwnOrganization } from '@holdfast/contracts/auth/account.ts';
import type { EnvironmentType, Role } from '@holdfast/contracts/fields/role.ts';
import { roleInProject } from '@holdfast/contracts/fields/role-in-project.ts';

type Action = 'read' | 'write';

/** Whether a role reads or writes the values of an environment of this type. */
export function roleMay(action: Action, role: Role, type: EnvironmentType): boolean {
  return environmentRules[action][role].includes(type);
}

/** What the role in the project allows in an environment. Whom only a grant lets in has no role there. */
export function rightsOfRole(
  organization: OwnOrganization,
  { id }: { id: string },
  { type }: { type: EnvironmentType },
): Readonly<Record<Action, boolean>> {
  const role = roleInProject(organization, id)?.role;
  const may = (action: Action) => role !== undefined && roleMay(action, role, type);
  return { read: may('read'), write: may('write') };
}
