import * as z from 'zod';
import { contract, created, ok, passwordSizing } from '../contract.ts';
import { MemberOrganization, Organization } from '../fields/organization.ts';
import { shownRights } from '../fields/project-role.ts';
import { Recovery } from '../fields/recovery.ts';
import { Role } from '../fields/role.ts';
import { Email, Name, OrganizationId, Slug, Timestamp, UserId, Uuid } from '../fields/text.ts';
import { cookieHeader, issuing, NewPassword, passPhraseExample } from './credentials.ts';
import { CliToken } from './tokens.ts';

export const User = z
  .object({
    id: UserId.describe('User identifier.'),
    email: z.string().meta({ description: 'As entered. Compared case-insensitively.', example: 'ada@example.com' }),
    name: z.string().meta({ description: 'Display name.', example: 'Ada' }),
    emailVerified: z.boolean().describe('Whether the user has verified the e-mail address.'),
    isAdmin: z.boolean().describe('Whether the user may call the admin routes.'),
    createdAt: Timestamp.describe('When the account was created.'),
  })
  .meta({ id: 'User', description: 'A person’s account.' });
export type User = z.infer<typeof User>;

export const userExample = { emailVerified: true };

export const userBody = { body: z.object({ user: User }), example: { user: userExample } };

export const loggedIn = ok({
  description: 'Logged in; the session cookie is set.',
  ...userBody,
  headers: cookieHeader,
});

export const register = contract({
  operationId: 'register',
  route: 'POST /v1/auth/register',
  summary: 'Create an account and its personal organization',
  description:
    'Creates a user and an organization that the user owns, logs the user in with a session cookie, and sends an ' +
    'e-mail with a link to verify the address. The name defaults to the part of the e-mail address before the @.',
  access: { kind: 'public' },
  body: z.strictObject({
    email: Email.meta({ description: 'The e-mail address to log in with.', example: 'ada@example.com' }),
    password: NewPassword.describe('The password. Any characters are allowed.'),
    name: Name.optional().meta({ description: 'Display name.', example: 'Ada' }),
    organizationName: Name.optional().meta({
      description: 'Name of the personal organization. Defaults to a name based on the user’s.',
      example: 'Analytical Engines',
    }),
  }),
  bodyExample: {
    email: 'ada@example.com',
    password: passPhraseExample,
    name: 'Ada',
    organizationName: 'Analytical Engines',
  },
  responses: created({
    description: 'The account and its organization; the session cookie is set.',
    body: z.object({ user: User, organization: Organization }),
    headers: cookieHeader,
  }),
  errors: ['email_taken', 'rate_limited'],
  uses: {
    table: {
      GetItem: ['EMAIL', 'RETIRED'],
      ConditionCheckItem: ['RETIRED'],
      PutItem: ['AUDIT', 'EMAIL', 'ORG', 'ORGID', 'ORGS', 'USER'],
      UpdateItem: ['PLATFORM', 'RATE'],
    },
    key: { credentials: issuing },
    mail: true,
  },
  sizing: passwordSizing,
});

/** An organization as a member sees it. */
export const OwnOrganization = z
  .object({
    ...MemberOrganization.shape,
    memberId: Uuid.meta({
      description: 'The caller’s membership, as in the member list.',
      example: '1c7f5e3a-8b29-4d06-a1f4-3e9d7c0b5a82',
    }),
    role: Role.describe('The caller’s role in it.'),
    ...shownRights,
    recovery: Recovery.optional().describe('What administrators do to give it another owner; only owners see it.'),
  })
  .meta({ id: 'OwnOrganization', description: 'An organization and the caller’s role in it.' });
export type OwnOrganization = z.infer<typeof OwnOrganization>;

/** The account as its own user sees it. */
export const OwnUser = z
  .object({
    ...User.shape,
    secondFactors: z
      .object({
        passkeys: z.int().meta({ description: 'The number of passkeys.', example: 1 }),
        totp: z.boolean().describe('Whether an authenticator app is set up.'),
        recoveryCodesLeft: z.int().meta({ description: 'The number of unused recovery codes.', example: 10 }),
      })
      .describe('The account’s second factors.'),
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
    'limited to an organization sees only that one, and so does a session through its provider, until it steps up.',
  access: { kind: 'account', tokens: 'read', narrowestToken: 'environment', confined: true, names: 'always' },
  responses: ok({
    description: 'The caller.',
    body: z.object({
      user: OwnUser,
      organizations: z.array(OwnOrganization).describe('The organizations the caller can see.'),
      confinedTo: z
        .object({
          id: OrganizationId.describe('The organization’s identifier.'),
          slug: Slug.meta({ description: 'Its slug.', example: 'analytical-engines' }),
        })
        .nullable()
        .describe('The organization that the credential is confined to until it steps up; null otherwise.'),
      authentication: z
        .object({
          method: z.enum(authenticationMethods).describe('How the request was authenticated.'),
          token: CliToken.optional().describe('The token that was used; absent for a session.'),
          freshUntil: Timestamp.nullable().describe(
            'When it stops being fresh; null for a token, and for a session that lacks the account’s second factor.',
          ),
          secondFactor: z.boolean().describe('Whether the session, or the token’s session, used a second factor.'),
          provider: z
            .object({
              organizationId: OrganizationId.describe('The organization whose provider it is.'),
              orgSlug: Slug.meta({ description: 'Its slug.', example: 'analytical-engines' }),
            })
            .optional()
            .describe('The company’s provider that the session or the token’s session came through, if any.'),
        })
        .describe('How the request was authenticated.'),
    }),
    example: {
      user: { ...userExample, secondFactors: { totp: true } },
      organizations: [{ plan: 'free', limitOverrides: {}, role: 'owner' }],
      confinedTo: null,
      authentication: { method: 'session', freshUntil: '2026-01-31T09:36:53.589Z', secondFactor: true },
    },
  }),
  uses: { table: { BatchGetItem: ['ORG'], Query: ['USER'] } },
});

export const renameUser = contract({
  operationId: 'rename-user',
  route: 'PATCH /v1/auth/me',
  summary: 'Change the current user’s name',
  description: 'Sets the display name. Members of the user’s organizations can see it.',
  access: { kind: 'account', tokens: 'full', narrowestToken: 'none' },
  body: z.strictObject({ name: Name.meta({ description: 'The new display name.', example: 'Ada' }) }),
  bodyExample: { name: 'Ada' },
  responses: ok({ description: 'The user with the new name.', ...userBody }),
  uses: { table: { Query: ['USER'], UpdateItem: ['ORG'] } },
});
