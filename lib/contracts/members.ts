import * as z from 'zod';
import { contract } from './contract.ts';
import { Organization } from './fields/organization.ts';
import { Role, roles } from './fields/role.ts';
import { Success } from './fields/success.ts';
import { Email, Timestamp, Uuid } from './fields/text.ts';
import { UserReference } from './fields/user-reference.ts';

const area = 'members';

export const Member = z
  .object({
    id: Uuid.meta({ description: 'Member identifier.', example: '1c7f5e3a-8b29-4d06-a1f4-3e9d7c0b5a82' }),
    userId: Uuid.meta({ description: 'The user who is the member.', example: '5f0c9a52-7b1e-4c43-9a55-0d6c1e8f2b11' }),
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
      .meta({ description: 'The address that the invitation was mailed to.', example: 'grace@example.com' }),
    role: Role.meta({ description: 'The role that the invitation gives.' }),
    invitedBy: UserReference.meta({ description: 'Who sent the invitation.' }),
    createdAt: Timestamp.meta({ description: 'When it was created.' }),
    expiresAt: Timestamp.meta({ description: 'When it expires.' }),
  })
  .meta({
    id: 'Invitation',
    description: 'A pending invitation. It disappears once it is accepted, cancelled or expired.',
  });
export type Invitation = z.infer<typeof Invitation>;

const createdAt = '2026-01-31T09:26:53.589Z';
const ada = { id: '5f0c9a52-7b1e-4c43-9a55-0d6c1e8f2b11', email: 'ada@example.com' };
const memberExample = {
  id: '1c7f5e3a-8b29-4d06-a1f4-3e9d7c0b5a82',
  userId: ada.id,
  email: ada.email,
  name: 'Ada',
  role: 'owner',
  joinedAt: createdAt,
} as const;
const invitationExample = {
  id: '6a0d9b8c-2e5f-4173-8c4b-9f1e7d3a6052',
  email: 'grace@example.com',
  role: 'developer',
  invitedBy: ada,
  createdAt,
  expiresAt: '2026-02-07T09:26:53.589Z',
} as const;

export const listMembers = /* @__PURE__ */ contract({
  operationId: 'list-members',
  area,
  method: 'GET',
  path: '/v1/members/{orgId}',
  summary: 'List members and pending invitations',
  description: 'Lists the members of the organization and its pending invitations. For every member.',
  access: { kind: 'member', roles, tokens: 'read', narrowestToken: 'organization' },
  responses: {
    200: {
      description: 'The members and pending invitations.',
      body: z.object({
        members: z.array(Member).meta({ description: 'The members.' }),
        invitations: z.array(Invitation).meta({ description: 'The pending invitations.' }),
      }),
      example: { members: [memberExample], invitations: [invitationExample] },
    },
  },
  errors: [],
  uses: { table: ['BatchGetItem', 'GetItem', 'Query', 'UpdateItem'], reads: ['ORGID'] },
});

export const inviteMember = /* @__PURE__ */ contract({
  operationId: 'invite-member',
  area,
  method: 'POST',
  path: '/v1/members/{orgId}/invite',
  summary: 'Invite a member',
  description:
    'Mails an invitation that is valid for 7 days. Its token is also returned, once, and anyone who holds it can accept. ' +
    'Inviting the same address again replaces the earlier invitation. You can’t invite to a role above your own. Pending ' +
    'invitations count towards the plan’s limit of members. The ' +
    'invitations of an organization, and those to an address, are limited each day.',
  access: {
    kind: 'member',
    roles: ['owner', 'admin'],
    tokens: 'full',
    narrowestToken: 'organization',
    // To invite an owner.
    fresh: 'by-content',
  },
  body: z.strictObject({
    email: Email.meta({ description: 'The address to mail the invitation to.', example: 'grace@example.com' }),
    role: Role.meta({ description: 'The role to give.' }),
  }),
  bodyExample: { email: 'grace@example.com', role: 'developer' },
  responses: {
    201: {
      description: 'The invitation and its token, which is shown only once.',
      body: z.object({
        invitation: Invitation,
        token: z.string().meta({
          description: 'The token that accepts the invitation. It works once.',
          example: 'EXAMPLE-invitation-token-0000',
        }),
      }),
      example: { invitation: invitationExample, token: 'EXAMPLE-invitation-token-0000' },
    },
  },
  errors: ['already_member', 'plan_limit_exceeded', 'email_not_verified', 'rate_limited'],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
    reads: ['ORGID', 'PLANS'],
    writes: ['ORG', 'INVITATION', 'AUDIT'],
    mail: true,
  },
});

export const acceptInvitation = /* @__PURE__ */ contract({
  operationId: 'accept-invitation',
  area,
  method: 'POST',
  path: '/v1/members/invite/{token}/accept',
  summary: 'Accept an invitation',
  description:
    'Makes the caller a member with the role of the invitation, while its inviter is a member who could still make it. ' +
    'Any signed-in user who holds the token can accept, with ' +
    'any e-mail address. The token works once.',
  access: { kind: 'account', tokens: 'full', narrowestToken: 'none' },
  responses: {
    200: {
      description: 'The caller is now a member.',
      body: z.object({ organization: Organization, member: Member }),
      example: {
        organization: {
          id: '9b2d6f0e-3c1a-4c5d-8e77-2f4b6a9d0c31',
          slug: 'analytical-engines',
          name: 'Analytical Engines',
          plan: 'free',
          limitOverrides: {},
          requireSecondFactor: false,
          createdAt,
        },
        member: {
          id: '8e4b2d7c-5f10-4a93-b6c8-0a7d1e9f3c54',
          userId: '2d8f6c1b-9a47-4e35-8d02-7b5c3f0e1a96',
          email: 'grace@example.com',
          name: 'Grace',
          role: 'developer',
          joinedAt: createdAt,
        },
      },
    },
  },
  errors: ['already_member'],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
    reads: ['ORG', 'INVITATION'],
    writes: ['ORG', 'INVITATION', 'AUDIT'],
  },
});

export const changeRole = /* @__PURE__ */ contract({
  operationId: 'change-role',
  area,
  method: 'PATCH',
  path: '/v1/members/{orgId}/{id}',
  summary: 'Change a member’s role',
  description:
    'Changes a member’s role. For owners only. The last owner can’t be demoted. An invitation can’t be changed, only ' +
    'replaced or cancelled.',
  access: {
    kind: 'member',
    roles: ['owner'],
    tokens: 'full',
    narrowestToken: 'organization',
    // To make an owner, or to end one's being one.
    fresh: 'by-content',
  },
  body: z.strictObject({ role: Role.meta({ description: 'The new role.' }) }),
  bodyExample: { role: 'developer' },
  responses: {
    200: {
      description: 'The member with the new role.',
      body: z.object({ member: Member }),
      example: { member: { ...memberExample, role: 'developer' } },
    },
  },
  errors: ['last_owner'],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'Query', 'PutItem', 'UpdateItem'],
    reads: ['ORGID'],
    writes: ['ORG', 'AUDIT'],
  },
});

export const removeMember = /* @__PURE__ */ contract({
  operationId: 'remove-member',
  area,
  method: 'DELETE',
  path: '/v1/members/{orgId}/{id}',
  summary: 'Remove a member or cancel an invitation',
  description:
    'Removes the member with this identifier and permanently revokes their tokens that are limited to the organization, ' +
    'or cancels the invitation with this identifier. For owners and admins. An admin can’t remove an owner, and the last ' +
    'owner can’t be removed.',
  access: { kind: 'member', roles: ['owner', 'admin'], tokens: 'full', narrowestToken: 'organization' },
  responses: {
    200: { description: 'The member or invitation is gone.', body: Success, example: { success: true } },
  },
  errors: ['last_owner'],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem'],
    reads: ['ORGID'],
    writes: ['ORG', 'INVITATION', 'AUDIT'],
  },
});
