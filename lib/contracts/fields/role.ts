import * as z from 'zod';
import { roles } from './role-order.ts';

export { outranks, roles } from './role-order.ts';

export const Role = z.enum(roles).meta({ description: 'A member’s role in the organization.', example: 'developer' });
export type Role = z.infer<typeof Role>;

/** Roles that manage an organization, and roles that change its secrets. */
export const managers = ['owner', 'admin'] as const;
export const writers = ['owner', 'admin', 'developer'] as const;

export type FreshRole = (typeof managers)[number];

/**
 * Whether the role can do things that need a fresh session. Granting or removing such a role needs one too: otherwise a
 * stale cookie could do in two steps what it can't do in one.
 */
export function hasFreshRights(role: Role): boolean {
  return managers.some(manager => manager === role);
}

/** What a token that may see values may do. Each level includes the ones before it. */
export const tokenLevels = ['read', 'write', 'full'] as const;

/** Which operations admit a token for names only, each contract says itself (`names` of `MemberRule`). */
export const namesOnly = 'names';

export const tokenAccesses = [namesOnly, ...tokenLevels] as const;
export const TokenAccess = z.enum(tokenAccesses).meta({
  id: 'TokenAccess',
  description:
    '`names` never gets a value: it can list keys, see what a change would create or delete, have values generated, ' +
    'and propose changes. `read` can read. `write` can also change secrets. `full` can do everything its user can, ' +
    'except manage passwords and tokens.',
  example: 'read',
});
export type TokenAccess = z.infer<typeof TokenAccess>;

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

/** Whether `type` admits readers that `previous` did not. */
export function isMoreOpen(type: EnvironmentType, previous: EnvironmentType): boolean {
  return environmentTypes.indexOf(type) < environmentTypes.indexOf(previous);
}

type EnvironmentRules = Readonly<Record<Role, readonly EnvironmentType[]>>;

/** The roles table of the specification: which roles can read and write secrets in which type of environment. */
export const environmentRules: Readonly<Record<'read' | 'write', EnvironmentRules>> = {
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
