import * as z from 'zod';
import { CliToken, cliTokenExample } from '../auth/tokens.ts';
import { contract, ok } from '../contract.ts';
import { roles } from '../fields/role.ts';
import { IdentityId, Timestamp } from '../fields/text.ts';
import { Member } from './members.ts';

export const getMember = contract({
  operationId: 'get-member',
  route: 'GET /v1/members/{orgId}/{id}',
  summary: 'Get a member with what they hold',
  description:
    'Returns a member, the tokens with which they can act in the organization, and the identities that they created. ' +
    'Tokens limited to another organization are not among them. Owners and admins can ask about every member, others ' +
    'about themselves. Requires a session.',
  access: { kind: 'member', roles, tokens: 'session', narrowestToken: 'none', limitedMembers: true },
  responses: ok({
    description: 'The member.',
    body: z.object({
      member: Member,
      lastSignInAt: Timestamp.nullable().describe(
        'When they last signed in through the organization’s provider, or otherwise, as far as a session that reaches ' +
          'the organization is stored. A session that they end is not.',
      ),
      tokens: z
        .array(CliToken)
        .describe('Their active tokens for this organization or for all of theirs, newest first, without the secrets.'),
      identities: z
        .array(
          z.object({
            id: IdentityId.describe('Identity identifier.'),
            name: z.string().meta({ description: 'The identity’s name.', example: 'web-shop deploy' }),
          }),
        )
        .nullable()
        .describe('The identities that they created, oldest first; null for callers other than owners and admins.'),
    }),
    example: { tokens: [cliTokenExample] },
  }),
  uses: { table: { GetItem: ['ORGID'], BatchGetItem: ['ORG'], Query: ['ORG', 'USER'] } },
});
