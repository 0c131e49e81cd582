import * as z from 'zod';
import { entity } from '../table/entity.ts';
import { keys } from '../table/keys.ts';
import { Role } from './role.ts';

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
