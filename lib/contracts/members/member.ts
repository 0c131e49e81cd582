import * as z from 'zod';
import { UserId } from '../fields/ids.ts';
import { Role } from '../fields/role.ts';
import { Timestamp, Uuid } from '../fields/text.ts';

export const Member = z
  .object({
    id: Uuid.meta({ description: 'Member identifier.', example: '1c7f5e3a-8b29-4d06-a1f4-3e9d7c0b5a82' }),
    userId: UserId.meta({ description: 'The member’s user identifier.' }),
    email: z.string().meta({ description: 'The user’s e-mail address.', example: 'ada@example.com' }),
    name: z.string().meta({ description: 'The user’s display name.', example: 'Ada' }),
    role: Role,
    joinedAt: Timestamp.meta({ description: 'When the user joined.' }),
  })
  .meta({ id: 'Member', description: 'A user in an organization.' });
export type Member = z.infer<typeof Member>;
