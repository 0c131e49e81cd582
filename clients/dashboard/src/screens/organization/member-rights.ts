import { roles } from 'virtual:contracts';
import type { Role } from '@holdfast/contracts/fields/role.ts';
import type { Member } from '@holdfast/contracts/members/members.ts';
import { may, user } from '../../session.ts';
import type { Removal } from './remove-member.tsx';

/** You can remove members whose role is not above yours. */
export function mayRemove(own: Role, { role }: Member): boolean {
  return may('remove-member', own) && roles.indexOf(own) <= roles.indexOf(role);
}

export function removalOf({ id, email, userId }: Member): Removal {
  return { kind: 'member', id, userId, email, own: userId === user.value?.id };
}
