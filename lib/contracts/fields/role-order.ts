// Apart from the schemas, for code that also runs in the dashboard, which has no validator.

/** The four roles of the specification, most powerful first. */
export const roles = ['owner', 'admin', 'developer', 'viewer'] as const;
export type Role = (typeof roles)[number];

/** Whether `a` is above `b`. Members can't grant or remove a role above their own. */
export function outranks(a: Role, b: Role): boolean {
  return roles.indexOf(a) < roles.indexOf(b);
}
