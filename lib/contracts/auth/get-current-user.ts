import * as z from 'zod';
import { contract } from '../contract.ts';
import { Timestamp } from '../fields/text.ts';
import { CliToken } from './cli-token.ts';
import { OwnOrganization } from './own-organization.ts';
import { OwnUser } from './own-user.ts';
import { userExample } from './user.ts';

export const authenticationMethods = ['session', 'token'] as const;

export const getCurrentUser = contract({
  operationId: 'get-current-user',
  route: 'GET /v1/auth/me',
  summary: 'Get the current user and their organizations',
  description:
    'Returns the caller, their organizations with their role in each, and how the request was authenticated. A ' +
    'token limited to one organization sees only that organization.',
  access: { kind: 'account', tokens: 'read', narrowestToken: 'environment' },
  responses: {
    200: {
      description: 'The caller.',
      body: z.object({
        user: OwnUser,
        organizations: z.array(OwnOrganization).meta({ description: 'The organizations the caller can see.' }),
        authentication: z
          .object({
            method: z.enum(authenticationMethods).meta({ description: 'How the request was authenticated.' }),
            token: CliToken.optional().meta({
              description:
                'When the session stops being fresh; null for a token, and for a session without a second factor if ' +
                'the account has one.',
            }),
            freshUntil: Timestamp.nullable().meta({
              description:
                'Whether the session, or the session that created the token, was verified with a second factor.',
            }),
            secondFactor: z.boolean().meta({
              description: 'Whether the session, or the one that made the token, was proved with a second factor.',
            }),
          })
          .meta({ description: 'How the request was authenticated.' }),
      }),
      example: {
        user: { ...userExample, secondFactors: { totp: true } },
        organizations: [{ role: 'owner' }],
        authentication: { method: 'session', freshUntil: '2026-01-31T09:36:53.589Z', secondFactor: true },
      },
    },
  },
  uses: { table: ['Query'], reads: ['ORG'] },
});
