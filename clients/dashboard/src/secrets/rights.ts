import { environmentRules } from 'virtual:contracts';
import type { EnvironmentType, Role } from '@holdfast/contracts/fields/role.ts';

/** Whether a role reads or writes the values of an environment of this type. */
export function roleMay(action: 'read' | 'write', role: Role, type: EnvironmentType): boolean {
  return environmentRules[action][role].includes(type);
}
