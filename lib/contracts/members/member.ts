import * as z from 'zod';
import { Role } from '../fields/role.ts';
import { Timestamp, UserId, UserReference, Uuid } from '../fields/text.ts';

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

export const Invitation = z
  .object({
    id: Uuid.meta({ description: 'Invitation identifier.', example: '6a0d9b8c-2e5f-4173-8c4b-9f1e7d3a6052' }),
    email: z
      .string()
      .meta({ description: 'The address that the invitation was sent to.', example: 'grace@example.com' }),
    role: Role.meta({ description: 'The role that the invitation grants.' }),
    invitedBy: UserReference.meta({ description: 'Who sent the invitation.' }),
    createdAt: Timestamp.meta({ description: 'When it was created.' }),
    expiresAt: Timestamp.meta({ description: 'When it expires.' }),
  })
  .meta({
    id: 'Invitation',
    description: 'A pending invitation. It disappears once it is accepted, cancelled or expired.',
  });
export type Invitation = z.infer<typeof Invitation>;

export const invitationExample = { expiresAt: '2026-02-07T09:26:53.589Z' } as const;
