import type { Role } from '@holdfast/contracts/fields/role.ts';

/** What each role may do, in a sentence. */
export const rights: Readonly<Record<Role, string>> = {
  owner: 'Everything, including deleting the organization.',
  admin: 'Everything except deleting projects, changing roles and removing owners.',
  developer: 'Reads development and staging; writes to every environment.',
  viewer: 'Reads development.',
};
