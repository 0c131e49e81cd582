import * as z from 'zod';
import { contract, ok } from '../contract.ts';
import { Organization } from '../fields/organization.ts';
import { Role } from '../fields/role.ts';
import { OrganizationId, Slug, Timestamp } from '../fields/text.ts';
import { CliToken } from './token.ts';
import { User, userExample } from './user.ts';

/** An organization as a member sees it. */
export const OwnOrganization = z
  .object({ ...Organization.shape, role: Role.meta({ description: 'The caller’s role in it.' }) })
  .meta({ id: 'OwnOrganization', description: 'An organization and the caller’s role in it.' });
export type OwnOrganization = z.infer<typeof OwnOrganization>;

/** The account as its own user sees it. */
export const OwnUser = z
  .object({
    ...User.shape,
    secondFactors: z
      .object({
        passkeys: z.int().meta({ description: 'The number of passkeys.', example: 1 }),
        totp: z.boolean().meta({ description: 'Whether an authenticator app is set up.' }),
        recoveryCodesLeft: z.int().meta({ description: 'The number of unused recovery codes.', example: 10 }),
      })
      .meta({ description: 'The account’s second factors.' }),
  })
  .meta({ id: 'OwnUser', description: 'The caller’s own account.' });
export type OwnUser = z.infer<typeof OwnUser>;

export const authenticationMethods = ['session', 'token'] as const;

export const getCurrentUser = contract({
  operationId: 'get-current-user',
  route: 'GET /v1/auth/me',
  summary: 'Get the current user and their organizations',
  description:
    'Returns the caller, their organizations with their role in each, and how the request was authenticated. A token ' +
    'limited to one organization sees only that organization. So does a session through a company’s provider, until ' +
    'it steps up with the account’s own password or passkey.',
  access: { kind: 'account', tokens: 'read', narrowestToken: 'environment', confined: true },
  responses: ok({
    description: 'The caller.',
    body: z.object({
      user: OwnUser,
      organizations: z.array(OwnOrganization).meta({ description: 'The organizations the caller can see.' }),
      confinedTo: z
        .object({
          id: OrganizationId.meta({ description: 'The organization’s identifier.' }),
          slug: Slug.meta({ description: 'Its slug.', example: 'analytical-engines' }),
        })
        .nullable()
        .meta({
          description:
            'The organization that the credential is confined to, because it came through the organization’s ' +
            'provider and has not proved the account’s own password or passkey; null otherwise.',
        }),
      authentication: z
        .object({
          method: z.enum(authenticationMethods).meta({ description: 'How the request was authenticated.' }),
          token: CliToken.optional().meta({
            description: 'The token that was used; absent for a session.',
          }),
          freshUntil: Timestamp.nullable().meta({
            description:
              'When the session stops being fresh; null for a token, and for a session without a second factor ' +
              'if the account has one.',
          }),
          secondFactor: z.boolean().meta({
            description:
              'Whether the session, or the session that created the token, was verified with a second factor.',
          }),
          provider: z
            .object({
              organizationId: OrganizationId.meta({ description: 'The organization whose provider it is.' }),
              orgSlug: Slug.meta({ description: 'Its slug.', example: 'analytical-engines' }),
            })
            .optional()
            .meta({
              description:
                'The company’s provider that the session, or the session that created the token, came through; absent ' +
                'for any other log-in.',
            }),
        })
        .meta({ description: 'How the request was authenticated.' }),
    }),
    example: {
      user: { ...userExample, secondFactors: { totp: true } },
      organizations: [{ role: 'owner' }],
      confinedTo: null,
      authentication: { method: 'session', freshUntil: '2026-01-31T09:36:53.589Z', secondFactor: true },
    },
  }),
  uses: { table: ['Query'], reads: ['ORG'] },
});
