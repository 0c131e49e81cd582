import * as z from 'zod';
import { contract, ok, succeeds } from '../contract.ts';
import { Success } from '../fields/bodies.ts';
import { Grant } from '../fields/grant.ts';
import { shownMemberRights, shownRights } from '../fields/project-role.ts';
import { flagQuery } from '../fields/query.ts';
import { managers, Role, roles } from '../fields/role.ts';
import { IdentityId, Timestamp, UserId, UserReference, Uuid, WebhookId } from '../fields/text.ts';

export const Member = z
  .object({
    id: Uuid.meta({ description: 'Member identifier.', example: '1c7f5e3a-8b29-4d06-a1f4-3e9d7c0b5a82' }),
    userId: UserId.describe('The member’s user identifier.'),
    email: z.string().meta({ description: 'The user’s e-mail address.', example: 'ada@example.com' }),
    name: z.string().meta({ description: 'The user’s display name.', example: 'Ada' }),
    role: Role,
    ...shownMemberRights,
    grants: z.array(Grant).meta({ description: 'Access beyond the role that has not ended.', example: [] }),
    via: z.enum(['person', 'provider']).meta({
      description:
        'Who made the membership: a person, or a sign-in through the provider, by its rules or the default role.',
      example: 'person',
    }),
    joinedAt: Timestamp.describe('When the user joined.'),
  })
  .meta({ id: 'Member', description: 'A user in an organization.' });
export type Member = z.infer<typeof Member>;

export const Invitation = z
  .object({
    id: Uuid.meta({ description: 'Invitation identifier.', example: '6a0d9b8c-2e5f-4173-8c4b-9f1e7d3a6052' }),
    email: z.string().meta({ description: 'The invited address.', example: 'grace@example.com' }),
    role: Role.describe('The role that the invitation grants.'),
    ...shownRights,
    invitedBy: UserReference.describe('Who sent the invitation.'),
    createdAt: Timestamp.describe('When it was created.'),
    expiresAt: Timestamp.describe('When it expires.'),
  })
  .meta({
    id: 'Invitation',
    description: 'A pending invitation. It disappears once it is accepted, cancelled or expired.',
  });
export type Invitation = z.infer<typeof Invitation>;

export const invitationExample = { expiresAt: '2026-02-07T09:26:53.589Z' } as const;

export const listMembers = contract({
  operationId: 'list-members',
  route: 'GET /v1/members/{orgId}',
  summary: 'List members and pending invitations',
  description: 'Lists the organization’s members and pending invitations.',
  access: { kind: 'member', roles, tokens: 'read', narrowestToken: 'organization' },
  responses: ok({
    description: 'The members and pending invitations.',
    body: z.object({
      members: z.array(Member).describe('The members.'),
      invitations: z.array(Invitation).describe('The pending invitations.'),
    }),
    example: { members: [{ role: 'owner' }], invitations: [invitationExample] },
  }),
  uses: { table: { GetItem: ['ORGID'], BatchGetItem: ['ORG'], Query: ['ORG'] } },
});

export const changeRole = contract({
  operationId: 'change-role',
  route: 'PATCH /v1/members/{orgId}/{id}',
  summary: 'Change a member’s role',
  description:
    'The last owner can’t be demoted. An invitation can’t be changed, only replaced or cancelled. Whoever becomes an ' +
    'owner or admin is no longer limited to projects.',
  // If the old or the new role has fresh rights.
  access: { kind: 'member', roles: ['owner'], tokens: 'full', narrowestToken: 'organization', fresh: 'by-content' },
  body: z.strictObject({ role: Role.describe('The new role.') }),
  bodyExample: { role: 'developer' },
  responses: ok({ description: 'The member with the new role.', body: z.object({ member: Member }) }),
  errors: ['last_owner'],
  revokes: 'by-content',
  uses: {
    table: {
      GetItem: ['ORGID'],
      BatchGetItem: ['ORG'],
      Query: ['ORG', 'USER'],
      ConditionCheckItem: ['ORG', 'USER'],
      PutItem: ['AUDIT', 'REVOCATIONS'],
      UpdateItem: ['ORG'],
    },
  },
});

export const removeMember = contract({
  operationId: 'remove-member',
  route: 'DELETE /v1/members/{orgId}/{id}',
  summary: 'Remove a member or cancel an invitation',
  description:
    'Removes the member and permanently revokes their tokens limited to the organization, or cancels the invitation. ' +
    'An admin can’t remove an owner, and the last owner can’t be removed. Identities and webhooks that the member ' +
    'created keep working; the response lists them. A fresh session is required to remove an owner or admin other ' +
    'than yourself, to cancel an invitation to one of these roles, and to end identities.',
  // If the role has fresh rights, and to end identities.
  access: { kind: 'member', roles: managers, tokens: 'full', narrowestToken: 'organization', fresh: 'by-content' },
  query: z.strictObject({ endIdentities: flagQuery('Whether to end the member’s identities, too.').default(false) }),
  responses: ok({
    description: 'The member or invitation was removed.',
    body: Success.extend({
      left: z
        .object({
          identities: z
            .array(
              z.object({
                id: IdentityId.describe('Identity identifier.'),
                name: z.string().meta({ description: 'The identity’s name.', example: 'web-shop deploy' }),
              }),
            )
            .describe('Identities. Empty if they were ended.'),
          webhooks: z
            .array(
              z.object({
                id: WebhookId.describe('Webhook identifier.'),
                url: z.string().meta({
                  description: 'The URL that it delivers to.',
                  example: 'https://hooks.example.com/holdfast',
                }),
              }),
            )
            .describe('Webhooks.'),
        })
        .describe('What the member created that keeps working. Empty for an invitation.'),
    }),
  }),
  errors: ['last_owner'],
  revokes: true,
  uses: {
    table: {
      GetItem: ['ORGID'],
      Query: ['ORG', 'USER'],
      ConditionCheckItem: ['ORG', 'USER'],
      PutItem: ['AUDIT', 'ORG', 'REVOCATIONS'],
      UpdateItem: ['ORG'],
      DeleteItem: ['INVITATION', 'ORG', 'USER'],
      BatchWriteItem: ['USER'],
    },
  },
});

export const leaveOrganization = contract({
  operationId: 'leave-organization',
  route: 'DELETE /v1/members/{orgId}/me',
  summary: 'Leave an organization',
  description:
    'Ends the caller’s membership, whatever their role and whatever the organization requires of its members. Ends ' +
    'the caller’s link to the organization’s sign-in provider and the sessions that came through it, and permanently ' +
    'revokes the caller’s tokens limited to the organization. The last owner can’t leave. To come back, the caller ' +
    'must accept an invitation in a session of their own.',
  access: { kind: 'member', roles, tokens: 'full', narrowestToken: 'organization', leaves: true },
  responses: succeeds('The caller is no longer a member.'),
  errors: ['last_owner'],
  revokes: true,
  uses: {
    table: {
      Query: ['ORG', 'USER'],
      ConditionCheckItem: ['ORG', 'USER'],
      PutItem: ['AUDIT', 'ORG', 'REVOCATIONS'],
      UpdateItem: ['ORG'],
      DeleteItem: ['ORG', 'USER'],
      BatchWriteItem: ['USER'],
    },
  },
});
