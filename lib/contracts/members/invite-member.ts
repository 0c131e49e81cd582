import * as z from 'zod';
import { contract } from '../contract.ts';
import { managers, Role } from '../fields/role.ts';
import { Email } from '../fields/text.ts';
import { Invitation, invitationExample } from './invitation.ts';

export const inviteMember = contract({
  operationId: 'invite-member',
  route: 'POST /v1/members/{orgId}/invite',
  summary: 'Invite a member',
  description:
    'Mails an invitation that is valid for 7 days. Its token is also returned, once, and anyone who holds it can accept. ' +
    'Inviting the same address again replaces the earlier invitation. You can’t invite to a role above your own. Pending ' +
    'invitations count towards the plan’s limit of members. The ' +
    'invitations of an organization, and those to an address, are limited each day.',
  access: {
    kind: 'member',
    roles: managers,
    tokens: 'full',
    narrowestToken: 'organization',
    // To invite as a role with fresh rights, or in place of such an invitation.
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
      example: { invitation: invitationExample },
    },
  },
  errors: ['already_member', 'plan_limit_exceeded', 'email_not_verified', 'rate_limited'],
  uses: {
    table: ['GetItem', 'Query', 'DeleteItem', 'ConditionCheckItem'],
    reads: ['ORGID', 'PLANS'],
    writes: ['ORG', 'INVITATION', 'AUDIT'],
    mail: true,
  },
});
