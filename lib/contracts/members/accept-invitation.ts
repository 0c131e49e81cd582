import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { Organization } from '../fields/organization.ts';
import { Member } from './member.ts';

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
    body: z.object({ organization: Organization, member: Member }),
    example: {
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
    table: ['GetItem', 'DeleteItem', 'ConditionCheckItem'],
    reads: ['ORG', 'INVITATION'],
    writes: ['ORG', 'INVITATION', 'AUDIT'],
  },
});
