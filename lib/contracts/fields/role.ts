import * as z from 'zod';

/** The four roles of the specification, most powerful first. */
export const roles = ['owner', 'admin', 'developer', 'viewer'] as const;
export const Role = z.enum(roles).meta({ description: 'A member’s role in the organization.', example: 'developer' });
export type Role = z.infer<typeof Role>;

/** Roles that manage an organization, and roles that change its secrets. */
export const managers = ['owner', 'admin'] as const;
export const writers = ['owner', 'admin', 'developer'] as const;

export type FreshRole = (typeof managers)[number];

/**
 * Whether the role can do things that need a fresh session; no contract that always needs one admits another role. Granting
 * or removing such a role needs a fresh session as well: otherwise a stale cookie could do in two steps what it can't
 * do in one.
 */
export function hasFreshRights(role: Role): boolean {
  return managers.some(one => one === role);
}

/** Whether `a` is above `b`. Members can't grant or remove a role above their own. */
export function outranks(a: Role, b: Role): boolean {
  return roles.indexOf(a) < roles.indexOf(b);
}

/** Whether a member with `role` may invite someone as `invited`: owners and admins may, up to their own role. */
export function mayInvite(role: Role, invited: Role): boolean {
  return (role === 'owner' || role === 'admin') && !outranks(invited, role);
}
