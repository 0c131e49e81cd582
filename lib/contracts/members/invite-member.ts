import * as z from 'zod';
import { contract, created } from '../contract.ts';
import { managers, Role } from '../fields/role.ts';
import { Email } from '../fields/text.ts';
import { Invitation, invitationExample } from './member.ts';

export const inviteMember = contract({
  operationId: 'invite-member',
  route: 'POST /v1/members/{orgId}/invite',
  summary: 'Invite a member',
  description:
    'Sends an e-mail invitation that is valid for 7 days. The token is also returned, once; anyone who has it ' +
    'can accept. Inviting the same address again replaces the earlier invitation. You can’t invite someone to a ' +
    'role above your own. Pending invitations count towards the plan’s member limit. Invitations are limited ' +
    'per day for each organization. An address gets a few invitation e-mails a day, from all organizations together; ' +
    'beyond that, the invitation is created but not sent (`mailed: false`).',
  // To invite someone to a role with fresh rights, or to replace such an invitation.
  access: { kind: 'member', roles: managers, tokens: 'full', narrowestToken: 'organization', fresh: 'by-content' },
  body: z.strictObject({
    email: Email.meta({ description: 'The address to send the invitation to.', example: 'grace@example.com' }),
    role: Role.meta({ description: 'The role to grant.' }),
  }),
  bodyExample: { email: 'grace@example.com', role: 'developer' },
  responses: created({
    description: 'The invitation and its token. The token is shown only once.',
    body: z.object({
      invitation: Invitation,
      token: z.string().meta({
        description: 'The token for accepting the invitation. It works once.',
        example: 'EXAMPLE-invitation-token-0000',
      }),
      mailed: z.boolean().meta({
        description: 'Whether the invitation was sent. If not, pass the token on: the address has had too many today.',
        example: true,
      }),
    }),
    example: { invitation: invitationExample },
  }),
  errors: ['already_member', 'plan_limit_exceeded', 'email_not_verified', 'rate_limited'],
  uses: {
    table: ['GetItem', 'Query', 'DeleteItem', 'ConditionCheckItem'],
    reads: ['ORGID', 'PLANS'],
    writes: ['ORG', 'INVITATION', 'AUDIT'],
    mail: true,
  },
});
