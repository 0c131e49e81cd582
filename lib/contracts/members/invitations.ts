import * as z from 'zod';
import { contract, created, ok } from '../contract.ts';
import { MemberOrganization } from '../fields/organization.ts';
import { givenRights, limitedRolesOnly } from '../fields/project-role.ts';
import { hasFreshRights, managers, Role } from '../fields/role.ts';
import { Email } from '../fields/text.ts';
import { Invitation, invitationExample, Member } from './members.ts';

export const inviteMember = contract({
  operationId: 'invite-member',
  route: 'POST /v1/members/{orgId}/invite',
  summary: 'Invite a member',
  description:
    'Sends an e-mail invitation that is valid for 7 days. The token is also returned, once; anyone who has it ' +
    'can accept. Inviting the same address again replaces the earlier invitation. You can’t invite someone to a ' +
    'role above your own, also in a project. Pending invitations count towards the plan’s member limit. Invitations are limited ' +
    'per day for each organization. An address gets a few invitation e-mails a day, from all organizations together; ' +
    'beyond that, the invitation is created but not sent (`mailed: false`).',
  // To invite someone to a role with fresh rights, or to replace such an invitation.
  access: { kind: 'member', roles: managers, tokens: 'full', narrowestToken: 'organization', fresh: 'by-content' },
  body: z
    .strictObject({
      email: Email.meta({ description: 'The address to send the invitation to.', example: 'grace@example.com' }),
      role: Role.describe('The role to grant.'),
      limited: givenRights.limited.default(false),
      projectRoles: givenRights.projectRoles.default([]),
    })
    .refine(({ role, limited }) => !limited || !hasFreshRights(role), { path: ['limited'], message: limitedRolesOnly }),
  bodyExample: { email: 'grace@example.com', role: 'developer' },
  responses: created({
    description: 'The invitation and its token. The token is shown only once.',
    body: z.object({
      invitation: Invitation,
      token: z.string().meta({ description: 'The token. It works once.', example: 'EXAMPLE-invitation-token-0000' }),
      mailed: z.boolean().meta({
        description: 'Whether the invitation was sent. If not, pass the token on: the address has had too many today.',
        example: true,
      }),
    }),
    example: { invitation: invitationExample },
  }),
  errors: ['already_member', 'plan_limit_exceeded', 'project_not_found', 'email_not_verified', 'rate_limited'],
  uses: {
    table: {
      GetItem: ['ORGID'],
      BatchGetItem: ['ORG'],
      Query: ['ORG'],
      ConditionCheckItem: ['USER'],
      PutItem: ['AUDIT', 'INVITATION', 'ORG'],
      UpdateItem: ['ORG', 'RATE'],
      DeleteItem: ['INVITATION', 'ORG'],
    },
    mail: true,
  },
});

export const acceptInvitation = contract({
  operationId: 'accept-invitation',
  route: 'POST /v1/members/invite/{token}/accept',
  summary: 'Accept an invitation',
  description:
    'Makes the caller a member with the role in the invitation, provided its inviter is still a member who could ' +
    'send it. Any signed-in user with the token can accept, whatever their e-mail address. The token works once. A ' +
    'session that is confined to its provider’s organization can only accept an invitation to that organization, and ' +
    'only for a user who was never a member (403 `session_confined`). A former member needs an unconfined session; a ' +
    'token can’t accept for them (403 `insufficient_scope`).',
  access: { kind: 'account', tokens: 'full', narrowestToken: 'none', confined: true },
  responses: ok({
    description: 'The caller is now a member.',
    body: z.object({ organization: MemberOrganization, member: Member }),
    example: {
      organization: { plan: 'free', limitOverrides: {} },
      member: {
        id: '8e4b2d7c-5f10-4a93-b6c8-0a7d1e9f3c54',
        userId: '2d8f6c1b-9a47-4e35-8d02-7b5c3f0e1a96',
        email: 'grace@example.com',
        name: 'Grace',
      },
    },
  }),
  errors: ['already_member', 'session_confined'],
  uses: {
    table: {
      GetItem: ['INVITATION', 'ORG'],
      BatchGetItem: ['ORG'],
      ConditionCheckItem: ['ORG'],
      PutItem: ['AUDIT', 'ORG', 'USER'],
      UpdateItem: ['ORG'],
      DeleteItem: ['INVITATION', 'ORG'],
    },
  },
});
