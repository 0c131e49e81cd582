import * as z from 'zod';
import { Role } from '../fields/role.ts';
import { Timestamp, Uuid } from '../fields/text.ts';
import { UserReference } from '../fields/user-reference.ts';

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
