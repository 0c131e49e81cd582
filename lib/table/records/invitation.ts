import * as z from 'zod';
import { Role } from '../../contracts/fields/role.ts';
import { ExpiresAt, entity } from '../entity.ts';
import { keys } from '../keys.ts';

/**
 * A pending invitation. Its id is made from the organization and the e-mail (see `invitation-id.ts`), so a new one for
 * the same address replaces the older. It has no TTL, because the organization's count must change with it.
 */
export const invitationRecord = entity({
  kind: 'invitation',
  key: keys.invitation,
  schema: z.object({
    id: z.string(),
    email: z.string(),
    role: Role,
    invitedBy: z.object({ id: z.string(), email: z.string() }),
    /** Hash of the token that accepts it. */
    hash: z.string(),
    createdAt: z.string(),
    /** ISO 8601. */
    expiryDate: z.string(),
  }),
});

export type InvitationRecord = ReturnType<typeof invitationRecord.parse>;

/** From an invitation's token to the invitation. */
export const invitationPointerRecord = entity({
  kind: 'invitationPointer',
  key: keys.invitationPointer,
  schema: z.object({ orgSlug: z.string(), organizationId: z.string(), invitationId: z.string(), expiresAt: ExpiresAt }),
});
