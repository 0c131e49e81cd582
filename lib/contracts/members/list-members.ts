import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { roles } from '../fields/role.ts';
import { Invitation, invitationExample, Member } from './member.ts';

export const listMembers = contract({
  operationId: 'list-members',
  route: 'GET /v1/members/{orgId}',
  summary: 'List members and pending invitations',
  description: 'Lists the organization’s members and pending invitations. Available to all members.',
  access: { kind: 'member', roles, tokens: 'read', narrowestToken: 'organization' },
  responses: ok({
    description: 'The members and pending invitations.',
    body: z.object({
      members: z.array(Member).meta({ description: 'The members.' }),
      invitations: z.array(Invitation).meta({ description: 'The pending invitations.' }),
    }),
    example: { members: [{ role: 'owner' }], invitations: [invitationExample] },
  }),
  uses: { table: ['GetItem', 'Query'], reads: ['ORGID'] },
});
