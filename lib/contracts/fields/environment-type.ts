import * as z from 'zod';
import type { Role } from './role.ts';

/** Most open first. */
export const environmentTypes = ['development', 'staging', 'production'] as const;
export const EnvironmentType = z.enum(environmentTypes).meta({
  description: 'Determines which roles can read and write the environment’s secrets.',
  example: 'development',
});
export type EnvironmentType = z.infer<typeof EnvironmentType>;

/** The types that are at most as open as `type`, including `type` itself. */
export function atMostAsOpenAs(type: EnvironmentType): readonly EnvironmentType[] {
  return environmentTypes.slice(environmentTypes.indexOf(type));
}

/** Whether `type` admits readers that `before` did not. */
export function isMoreOpen(type: EnvironmentType, before: EnvironmentType): boolean {
  return environmentTypes.indexOf(type) < environmentTypes.indexOf(before);
}

/** The roles table of the specification: which roles can read and write secrets in which type of environment. */
export const environmentRules: Readonly<Record<'read' | 'write', Readonly<Record<Role, readonly EnvironmentType[]>>>> =
  {
    read: {
      owner: environmentTypes,
      admin: environmentTypes,
      developer: ['development', 'staging'],
      viewer: ['development'],
    },
    write: { owner: environmentTypes, admin: environmentTypes, developer: environmentTypes, viewer: [] },
  };

export function roleMay(action: 'read' | 'write', role: Role, type: EnvironmentType): boolean {
  return environmentRules[action][role].includes(type);
}
