import * as z from 'zod';
import { Role } from '../../contracts/fields/role.ts';
import { entity } from '../entity.ts';
import { keys } from '../keys.ts';

/** A membership. A new one has a new id, so tokens made under an earlier one stay dead. */
export const memberRecord = entity({
  kind: 'member',
  key: keys.member,
  schema: z.object({
    id: z.string(),
    userId: z.string(),
    email: z.string(),
    name: z.string(),
    role: Role,
    joinedAt: z.string(),
  }),
});

export type MemberRecord = ReturnType<typeof memberRecord.parse>;

/** The user's side of a membership, which tells `/auth/me` where to look. The member item decides. */
export const membershipRecord = entity({
  kind: 'membership',
  key: keys.membership,
  schema: z.object({ organizationId: z.string(), orgSlug: z.string() }),
});
