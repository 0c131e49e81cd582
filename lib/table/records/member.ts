import * as z from 'zod';
import { Role } from '../../contracts/fields/role.ts';
import { entity } from '../entity.ts';
import { keys } from '../keys.ts';

/** A membership. Joining again creates a new id, so tokens of the earlier membership stay invalid. */
export const memberRecord = entity('member', keys.member, {
  id: z.string(),
  userId: z.string(),
  email: z.string(),
  name: z.string(),
  role: Role,
  joinedAt: z.string(),
});

export type MemberRecord = ReturnType<typeof memberRecord.parse>;

/**
 * Records that a membership ended, so that signing in with the company's provider doesn't begin it again. An invitation
 * does.
 */
export const removedMemberRecord = entity('removedMember', keys.removedMember, {
  organizationId: z.string(),
  removedAt: z.string(),
});

/** The user's side of a membership, for `/auth/me`. Only the member item grants access. */
export const membershipRecord = entity('membership', keys.membership, {
  organizationId: z.string(),
  orgSlug: z.string(),
});
