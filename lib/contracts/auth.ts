import * as z from 'zod';
import { contract, passwordSizing } from './contract.ts';
import { Organization } from './fields/organization.ts';
import { Role } from './fields/role.ts';
import { Success } from './fields/success.ts';
import { Email, Name, Timestamp, text, Uuid } from './fields/text.ts';
import { TokenAccess } from './fields/token-access.ts';

const area = 'auth';

export const User = z
  .object({
    id: Uuid.meta({ description: 'User identifier.', example: '5f0c9a52-7b1e-4c43-9a55-0d6c1e8f2b11' }),
    email: z.string().meta({
      description: 'The address as it was entered. Addresses are compared without case.',
      example: 'ada@example.com',
    }),
    name: z.string().meta({ description: 'Display name.', example: 'Ada' }),
    emailVerified: z.boolean().meta({ description: 'Whether the user confirmed the e-mail address.' }),
    isAdmin: z.boolean().meta({ description: 'Whether the user may call the admin routes.' }),
    createdAt: Timestamp.meta({ description: 'When the account was created.' }),
  })
  .meta({ id: 'User', description: 'A person’s account.' });
export type User = z.infer<typeof User>;

/** The account as its own user sees it. */
const OwnUser = z
  .object({
    ...User.shape,
    secondFactors: z
      .object({
        passkeys: z.int().meta({ description: 'How many passkeys there are.', example: 1 }),
        totp: z.boolean().meta({ description: 'Whether there is an authenticator app.' }),
        recoveryCodesLeft: z.int().meta({ description: 'How many recovery codes are unused.', example: 10 }),
      })
      .meta({ description: 'What the account can prove itself with, other than its password.' }),
  })
  .meta({ id: 'OwnUser', description: 'A person’s own account.' });
export type OwnUser = z.infer<typeof OwnUser>;

/** An organization as its member sees it. */
export const OwnOrganization = z
  .object({ ...Organization.shape, role: Role.meta({ description: 'The caller’s role in it.' }) })
  .meta({ id: 'OwnOrganization', description: 'An organization and the caller’s role in it.' });
export type OwnOrganization = z.infer<typeof OwnOrganization>;

export const CliToken = z
  .object({
    id: Uuid.meta({ description: 'Token identifier.', example: '3e7c1d94-52a8-4b0f-9a6d-71f0c2e85b46' }),
    name: Name.meta({ description: 'What the token is for.', example: 'deploy pipeline' }),
    prefix: z.string().meta({
      description: 'The first characters of the token, by which to recognise it.',
      example: 'service_tok_EXAM',
    }),
    access: TokenAccess,
    organizationId: Uuid.nullable().meta({
      description: 'The only organization it can reach; null for all of its user’s.',
    }),
    projectId: Uuid.nullable().meta({ description: 'The only project it can reach; null for all.' }),
    environmentId: Uuid.nullable().meta({ description: 'The only environment it can reach; null for all.' }),
    createdAt: Timestamp.meta({ description: 'When it was created.' }),
    lastUsedAt: Timestamp.nullable().meta({ description: 'When it was last used, to within an hour; null if never.' }),
    expiresAt: Timestamp.nullable().meta({ description: 'When it expires; null if it does not.' }),
  })
  .meta({ id: 'CliToken', description: 'A bearer token for the CLI or an SDK, without its secret.' });
export type CliToken = z.infer<typeof CliToken>;

export const Session = z
  .object({
    id: Uuid.meta({ description: 'Session identifier.', example: '8c2a6e41-0f7d-8b95-9e13-5d4b7c0a2f68' }),
    current: z.boolean().meta({ description: 'Whether it is the session of this request.' }),
    createdAt: Timestamp.meta({ description: 'When the user logged in.' }),
    lastUsedAt: Timestamp.meta({ description: 'When it was last used, to within an hour.' }),
    ip: z.string().nullable().meta({ description: 'Where that use came from.', example: '203.0.113.7' }),
    userAgent: z
      .string()
      .nullable()
      .meta({ description: 'What the client called itself.', example: 'example-browser/1.0' }),
    expiresAt: Timestamp.meta({ description: 'When it ends, unless it is used before.' }),
  })
  .meta({ id: 'Session', description: 'A log-in of the dashboard, without its secret.' });
export type Session = z.infer<typeof Session>;

export const authenticationMethods = ['session', 'token'] as const;

export const userExample = {
  id: '5f0c9a52-7b1e-4c43-9a55-0d6c1e8f2b11',
  email: 'ada@example.com',
  name: 'Ada',
  emailVerified: true,
  isAdmin: false,
  createdAt: '2026-01-31T09:26:53.589Z',
};
const organizationExample = {
  id: '9b2d6f0e-3c1a-4c5d-8e77-2f4b6a9d0c31',
  slug: 'analytical-engines',
  name: 'Analytical Engines',
  plan: 'free',
  limitOverrides: {},
  requireSecondFactor: false,
  createdAt: '2026-01-31T09:26:53.589Z',
} as const;
const cliTokenExample = {
  id: '3e7c1d94-52a8-4b0f-9a6d-71f0c2e85b46',
  name: 'deploy pipeline',
  prefix: 'service_tok_EXAM',
  access: 'read',
  organizationId: '9b2d6f0e-3c1a-4c5d-8e77-2f4b6a9d0c31',
  projectId: '7d5a3b1c-9e2f-4d60-b8a1-4c6e0f9d2a73',
  environmentId: null,
  createdAt: '2026-01-31T09:26:53.589Z',
  lastUsedAt: null,
  expiresAt: '2026-05-01T09:26:53.589Z',
} as const;
const tokenExample = 'service_tok_EXAMPLEnotARealTokenEXAMPLEnotAReal';

/** 12 to 256 characters and no composition rules, as NIST SP 800-63B and OWASP advise. */
const NewPassword = text(12, 256).meta({ description: 'The new password.', example: 'an example of a pass phrase' });
/** A password to compare. A short one is wrong and not malformed, because it may have been set under other rules. */
const PresentedPassword = text(1, 256);
/** The token of a mailed link. Its form is not checked here: anything else is an `invalid_token`. */
const LinkToken = text(1, 512).meta({
  description: 'The token of the mailed link; it works once.',
  example: 'EXAMPLE-verification-token-0000',
});

/** Sessions and tokens are marked under the installation's credential key, which the first request makes. */
const issuing = ['GenerateDataKey', 'Decrypt'] as const;

const cookieHeader = {
  'Set-Cookie': 'The session cookie: HttpOnly, SameSite=Lax, and Secure except on a local http address.',
};

const tokenFields = {
  name: Name.meta({ description: 'What the token is for.', example: 'deploy pipeline' }),
  access: TokenAccess.default('full').meta({ description: 'What the token may do, within the role of its user.' }),
  organizationId: Uuid.optional().meta({
    description: 'Limits the token to one organization.',
    example: '9b2d6f0e-3c1a-4c5d-8e77-2f4b6a9d0c31',
  }),
  projectId: Uuid.optional().meta({
    description: 'Limits the token to one project; needs `organizationId`.',
    example: '7d5a3b1c-9e2f-4d60-b8a1-4c6e0f9d2a73',
  }),
  environmentId: Uuid.optional().meta({
    description: 'Limits the token to one environment; needs `projectId`.',
    example: 'c41f8e27-06d3-4b9a-a5e2-8d7b3f1c6094',
  }),
  expiresInDays: z
    .int()
    .min(1)
    .max(365)
    .optional()
    .meta({ description: 'Days until the token expires; it does not expire without this.', example: 90 }),
};

/** A narrower limit needs the wider one, so that a forgotten id never silently widens a token. */
function demandWiderLimits<S extends z.ZodType>(schema: S): S {
  const given = (value: unknown, name: string) =>
    typeof value === 'object' && value !== null && (value as Record<string, unknown>)[name] !== undefined;
  return schema
    .refine(value => given(value, 'organizationId') || !(given(value, 'projectId') || given(value, 'environmentId')), {
      path: ['organizationId'],
      message: 'is required with projectId or environmentId',
      when: () => true,
    })
    .refine(value => given(value, 'projectId') || !given(value, 'environmentId'), {
      path: ['projectId'],
      message: 'is required with environmentId',
      when: () => true,
    });
}

const CreateTokenBody = demandWiderLimits(z.strictObject(tokenFields));

const OfferHandOff = demandWiderLimits(
  z.strictObject({
    codeChallenge: z
      .string()
      .regex(/^[A-Za-z0-9_-]{43}$/, { message: 'must be the base64url SHA-256 of the verifier (43 characters)' })
      .meta({
        description: 'Base64url SHA-256 of the verifier that the CLI keeps (RFC 7636, S256).',
        example: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      }),
    ...tokenFields,
  }),
).meta({ description: 'The first half, from the dashboard: requests a code.' });

const TakeHandOff = z
  .strictObject({
    code: text(1, 512).meta({ description: 'The code of the first half.', example: 'EXAMPLE-handoff-code-000000' }),
    // Its form is not checked here: any wrong verifier burns the code.
    codeVerifier: text(1, 512).meta({
      description: 'The verifier whose hash was the challenge.',
      example: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
    }),
  })
  .meta({ description: 'The second half, from the CLI: exchanges the code for the token.' });

/** The fields tell which half is meant, so that only that half’s problems are named. */
const HandOffBody = z
  .unknown()
  .transform((value, context): z.output<typeof OfferHandOff> | z.output<typeof TakeHandOff> => {
    const takes =
      typeof value === 'object' &&
      value !== null &&
      (Object.hasOwn(value, 'code') || Object.hasOwn(value, 'codeVerifier'));
    const result = takes ? TakeHandOff.safeParse(value) : OfferHandOff.safeParse(value);
    if (result.success) return result.data;
    for (const issue of result.error.issues) context.issues.push({ ...issue, input: undefined } as z.core.$ZodRawIssue);
    return z.NEVER;
  })
  .meta({ documentedAs: () => z.xor([OfferHandOff, TakeHandOff]) });

const IssuedToken = z
  .object({
    token: z.string().meta({ description: 'The bearer token. It is shown only once.', example: tokenExample }),
    cliToken: CliToken,
  })
  .meta({ id: 'IssuedToken', description: 'A new bearer token and its description.' });

const HandOffCode = z
  .object({
    code: z.string().meta({ description: 'The code. It works once.', example: 'EXAMPLE-handoff-code-000000' }),
    expiresAt: Timestamp.meta({ description: 'When the code expires: after a minute.' }),
  })
  .meta({ id: 'HandOffCode', description: 'A code that the CLI exchanges for its token.' });

export const register = /* @__PURE__ */ contract({
  operationId: 'register',
  area,
  method: 'POST',
  path: '/v1/auth/register',
  summary: 'Create an account and its personal organization',
  description:
    'Creates a user and an organization that the user owns, logs the user in with a session cookie, and mails a link to ' +
    'verify the address. Without a name, the part of the e-mail address before the @ is used.',
  access: { kind: 'public' },
  body: z.strictObject({
    email: Email.meta({ description: 'The e-mail address to log in with.', example: 'ada@example.com' }),
    password: NewPassword.meta({ description: 'The password, any characters.' }),
    name: Name.optional().meta({ description: 'Display name.', example: 'Ada' }),
    organizationName: Name.optional().meta({
      description: 'Name of the personal organization. Without it, the name is made from the user’s.',
      example: 'Analytical Engines',
    }),
  }),
  bodyExample: {
    email: 'ada@example.com',
    password: 'an example of a pass phrase',
    name: 'Ada',
    organizationName: 'Analytical Engines',
  },
  responses: {
    201: {
      description: 'The account and its organization; the session cookie is set.',
      body: z.object({ user: User, organization: Organization }),
      example: { user: { ...userExample, emailVerified: false }, organization: organizationExample },
      headers: cookieHeader,
    },
  },
  errors: ['email_taken', 'rate_limited'],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'PutItem', 'UpdateItem', 'ConditionCheckItem'],
    reads: ['EMAIL', 'RETIRED'],
    writes: ['USER', 'EMAIL', 'ORG', 'ORGID', 'ORGS', 'PLATFORM', 'AUDIT', 'RATE', 'CREDENTIALKEY'],
    key: { credentials: issuing },
    mail: true,
  },
  sizing: passwordSizing,
});

export const logIn = /* @__PURE__ */ contract({
  operationId: 'log-in',
  area,
  method: 'POST',
  path: '/v1/auth/login',
  summary: 'Log in',
  description:
    'Starts a session for the dashboard and sets its cookie. An unknown e-mail address and a wrong password get the same ' +
    'answer in about the same time. Where the account has a second factor, a right password sets no cookie: the answer is ' +
    '401 `second_factor_required`, and `POST /v1/auth/login/verify` completes the log-in.',
  access: { kind: 'public' },
  body: z.strictObject({
    email: Email.meta({ description: 'The e-mail address, in any case.', example: 'ada@example.com' }),
    password: PresentedPassword.meta({ description: 'The password.', example: 'an example of a pass phrase' }),
  }),
  bodyExample: { email: 'ada@example.com', password: 'an example of a pass phrase' },
  responses: {
    200: {
      description: 'Logged in; the session cookie is set.',
      body: z.object({ user: User }),
      example: { user: userExample },
      headers: cookieHeader,
    },
  },
  errors: ['invalid_credentials', 'second_factor_required', 'rate_limited'],
  uses: {
    passkeys: true,
    table: ['BatchGetItem', 'GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'],
    reads: ['EMAIL', 'USER'],
    writes: ['USER', 'CHALLENGE', 'RATE', 'CREDENTIALKEY'],
    key: { credentials: issuing },
  },
  sizing: passwordSizing,
});

export const logOut = /* @__PURE__ */ contract({
  operationId: 'log-out',
  area,
  method: 'POST',
  path: '/v1/auth/logout',
  summary: 'Log out',
  description: 'Ends the session on the server and clears its cookie. Other sessions and tokens keep working.',
  access: { kind: 'account', tokens: 'session', narrowestToken: 'none' },
  responses: {
    200: {
      description: 'Logged out; the cookie is cleared.',
      body: Success,
      example: { success: true },
      headers: { 'Set-Cookie': 'Clears the session cookie.' },
    },
  },
  errors: [],
  uses: { table: ['BatchGetItem', 'DeleteItem', 'UpdateItem'] },
});

export const getCurrentUser = /* @__PURE__ */ contract({
  operationId: 'get-current-user',
  area,
  method: 'GET',
  path: '/v1/auth/me',
  summary: 'The current user and its organizations',
  description:
    'Returns the caller, their organizations with their role in each, and how the request was authenticated. A token that ' +
    'is limited to an organization sees only that organization.',
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
            token: CliToken.optional().meta({ description: 'The token that was used; absent for a session.' }),
            freshUntil: Timestamp.nullable().meta({
              description:
                'Until when the session is fresh; null for a token, and for a session that was not proved with a second ' +
                'factor although the account has one.',
            }),
            secondFactor: z.boolean().meta({
              description: 'Whether the session, or the one that made the token, was proved with a second factor.',
            }),
          })
          .meta({ description: 'How the request was authenticated.' }),
      }),
      example: {
        user: { ...userExample, secondFactors: { passkeys: 1, totp: true, recoveryCodesLeft: 10 } },
        organizations: [{ ...organizationExample, role: 'owner' }],
        authentication: { method: 'session', freshUntil: '2026-01-31T09:36:53.589Z', secondFactor: true },
      },
    },
  },
  errors: [],
  uses: { table: ['BatchGetItem', 'Query', 'UpdateItem'], reads: ['ORG'] },
});

export const renameUser = /* @__PURE__ */ contract({
  operationId: 'rename-user',
  area,
  method: 'PATCH',
  path: '/v1/auth/me',
  summary: 'Change the current user’s name',
  description: 'Sets the display name, which the members of the user’s organizations see as well.',
  access: { kind: 'account', tokens: 'full', narrowestToken: 'none' },
  body: z.strictObject({ name: Name.meta({ description: 'The new display name.', example: 'Ada' }) }),
  bodyExample: { name: 'Ada' },
  responses: {
    200: { description: 'The user with the new name.', body: z.object({ user: User }), example: { user: userExample } },
  },
  errors: [],
  uses: { table: ['BatchGetItem', 'Query', 'UpdateItem'], writes: ['ORG'] },
});

export const createToken = /* @__PURE__ */ contract({
  operationId: 'create-token',
  area,
  method: 'POST',
  path: '/v1/auth/token',
  summary: 'Create a scoped CLI token',
  description:
    'Creates a bearer token with at most the rights of its user, optionally limited in time and to an organization, ' +
    'project or environment. The token is shown once, and only its hash is stored. Requires a session: a token can’t ' +
    'create tokens.',
  access: { kind: 'account', tokens: 'session', narrowestToken: 'none', fresh: 'always' },
  body: CreateTokenBody,
  bodyExample: {
    name: 'deploy pipeline',
    access: 'read',
    organizationId: '9b2d6f0e-3c1a-4c5d-8e77-2f4b6a9d0c31',
    projectId: '7d5a3b1c-9e2f-4d60-b8a1-4c6e0f9d2a73',
    expiresInDays: 90,
  },
  responses: {
    201: {
      description: 'The token, which is shown only once.',
      body: IssuedToken,
      example: { token: tokenExample, cliToken: cliTokenExample },
    },
  },
  errors: ['organization_not_found', 'project_not_found', 'environment_not_found', 'token_limit_reached'],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'Query', 'PutItem', 'UpdateItem', 'ConditionCheckItem'],
    reads: ['ORG'],
    writes: ['ORG', 'AUDIT', 'CREDENTIALKEY'],
    key: { credentials: issuing },
  },
});

export const handOffToken = /* @__PURE__ */ contract({
  operationId: 'hand-off-token',
  area,
  method: 'POST',
  path: '/v1/auth/cli-auth',
  summary: 'Hand a token from the dashboard to the CLI',
  description:
    'Works in two halves (PKCE, RFC 7636). The dashboard, with a session, sends the challenge that the CLI made and gets ' +
    'a code, which works once and for 60 seconds. The CLI, without a session, sends the code and its verifier and gets the ' +
    'token. So the token never travels through a URL or the dashboard. A wrong verifier invalidates the code.',
  access: { kind: 'optional', fresh: 'by-content' },
  body: HandOffBody,
  bodyExample: {
    codeChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    name: 'laptop',
    access: 'full',
  },
  responses: {
    201: {
      description: 'The code (first half), or the token, which is shown only once (second half).',
      body: z.union([HandOffCode, IssuedToken]),
      example: { code: 'EXAMPLE-handoff-code-000000', expiresAt: '2026-01-31T09:27:53.589Z' },
    },
  },
  errors: [
    'invalid_token',
    'insufficient_scope',
    'organization_not_found',
    'project_not_found',
    'environment_not_found',
    'token_limit_reached',
  ],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
    reads: ['ORG', 'HANDOFF'],
    writes: ['ORG', 'HANDOFF', 'AUDIT', 'CREDENTIALKEY'],
    key: { credentials: issuing },
  },
});

export const listTokens = /* @__PURE__ */ contract({
  operationId: 'list-tokens',
  area,
  method: 'GET',
  path: '/v1/auth/tokens',
  summary: 'List active CLI tokens',
  description:
    'Lists the caller’s tokens that are neither revoked nor expired, without their secrets, which are not stored.',
  access: { kind: 'account', tokens: 'session', narrowestToken: 'none' },
  responses: {
    200: {
      description: 'The active tokens, newest first.',
      body: z.object({ tokens: z.array(CliToken).meta({ description: 'The active tokens, newest first.' }) }),
      example: { tokens: [cliTokenExample] },
    },
  },
  errors: [],
  uses: { table: ['BatchGetItem', 'Query', 'UpdateItem'] },
});

export const revokeToken = /* @__PURE__ */ contract({
  operationId: 'revoke-token',
  area,
  method: 'DELETE',
  path: '/v1/auth/tokens/{tokenId}',
  summary: 'Revoke a CLI token',
  description: 'Revokes one of the caller’s own tokens. It stops working at once.',
  access: { kind: 'account', tokens: 'session', narrowestToken: 'none' },
  responses: { 200: { description: 'The token is revoked.', body: Success, example: { success: true } } },
  errors: [],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'Query', 'DeleteItem', 'PutItem', 'UpdateItem'],
    reads: ['ORG'],
    writes: ['AUDIT'],
  },
});

export const revokeCurrentToken = /* @__PURE__ */ contract({
  operationId: 'revoke-current-token',
  area,
  method: 'DELETE',
  path: '/v1/auth/tokens/current',
  summary: 'Revoke the token of this request',
  description: 'The token that the request is made with stops working at once. Any token may do this.',
  access: { kind: 'account', tokens: 'read', narrowestToken: 'environment' },
  responses: { 200: { description: 'The token is revoked.', body: Success, example: { success: true } } },
  errors: ['token_not_found'],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'DeleteItem', 'PutItem', 'UpdateItem'],
    reads: ['ORG'],
    writes: ['AUDIT'],
  },
});

export const listSessions = /* @__PURE__ */ contract({
  operationId: 'list-sessions',
  area,
  method: 'GET',
  path: '/v1/auth/sessions',
  summary: 'List active sessions',
  description: 'Lists the caller’s sessions, the one used last first.',
  access: { kind: 'account', tokens: 'full', narrowestToken: 'none' },
  responses: {
    200: {
      description: 'The active sessions.',
      body: z.object({ sessions: z.array(Session).meta({ description: 'The active sessions.' }) }),
      example: {
        sessions: [
          {
            id: '8c2a6e41-0f7d-8b95-9e13-5d4b7c0a2f68',
            current: true,
            createdAt: '2026-01-31T09:26:53.589Z',
            lastUsedAt: '2026-01-31T09:26:53.589Z',
            ip: '203.0.113.7',
            userAgent: 'example-browser/1.0',
            expiresAt: '2026-02-14T09:26:53.000Z',
          },
        ],
      },
    },
  },
  errors: [],
  uses: { table: ['BatchGetItem', 'Query', 'UpdateItem'] },
});

export const endSession = /* @__PURE__ */ contract({
  operationId: 'end-session',
  area,
  method: 'DELETE',
  path: '/v1/auth/sessions/{sessionId}',
  summary: 'End a session',
  description: 'The session stops working at once; the one of this request may be named, too. Needs a session.',
  access: { kind: 'account', tokens: 'session', narrowestToken: 'none' },
  responses: { 200: { description: 'The session is ended.', body: Success, example: { success: true } } },
  errors: [],
  uses: { table: ['BatchGetItem', 'Query', 'DeleteItem', 'UpdateItem'] },
});

export const changePassword = /* @__PURE__ */ contract({
  operationId: 'change-password',
  area,
  method: 'POST',
  path: '/v1/auth/change-password',
  summary: 'Change the password',
  description:
    'Sets a new password and ends every other session of the user. A wrong current password is an invalid request that ' +
    'names `currentPassword`; repeated wrong ones are rate-limited like failed logins. Tokens keep working unless ' +
    '`revokeTokens` is set.',
  access: { kind: 'account', tokens: 'session', narrowestToken: 'none' },
  body: z.strictObject({
    currentPassword: PresentedPassword.meta({
      description: 'The current password.',
      example: 'an example of a pass phrase',
    }),
    newPassword: NewPassword.meta({ example: 'another example of a pass phrase' }),
    revokeTokens: z
      .boolean({ message: 'must be true or false' })
      .default(false)
      .meta({ description: 'Whether every token of the user is revoked as well.' }),
  }),
  bodyExample: { currentPassword: 'an example of a pass phrase', newPassword: 'another example of a pass phrase' },
  responses: { 200: { description: 'The password is changed.', body: Success, example: { success: true } } },
  errors: ['rate_limited'],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'],
    reads: ['ORG'],
    writes: ['AUDIT', 'RATE'],
  },
  sizing: passwordSizing,
});

export const sendVerification = /* @__PURE__ */ contract({
  operationId: 'send-verification',
  area,
  method: 'POST',
  path: '/v1/auth/send-verification',
  summary: 'Send an e-mail verification link',
  description:
    'Mails a link that is valid for 24 hours and replaces any earlier one. Does nothing if the address is already ' +
    'verified. Limited to 20 mails an hour.',
  access: { kind: 'account', tokens: 'session', narrowestToken: 'none' },
  responses: { 200: { description: 'The link is on its way.', body: Success, example: { success: true } } },
  errors: ['rate_limited'],
  uses: { table: ['BatchGetItem', 'PutItem', 'UpdateItem'], writes: ['RATE'], mail: true },
});

export const verifyEmail = /* @__PURE__ */ contract({
  operationId: 'verify-email',
  area,
  method: 'POST',
  path: '/v1/auth/verify-email',
  summary: 'Verify an e-mail address',
  description: 'Confirms the address with the token of the mailed link. Needs no session. The token works once.',
  access: { kind: 'public' },
  body: z.strictObject({ token: LinkToken }),
  bodyExample: { token: 'EXAMPLE-verification-token-0000' },
  responses: {
    200: {
      description: 'The address is verified.',
      body: z.object({ user: User }),
      example: { user: userExample },
    },
  },
  errors: ['invalid_token'],
  uses: { table: ['BatchGetItem', 'UpdateItem', 'DeleteItem'], reads: ['USER'], writes: ['USER'] },
});

export const requestPasswordReset = /* @__PURE__ */ contract({
  operationId: 'request-password-reset',
  area,
  method: 'POST',
  path: '/v1/auth/forgot-password',
  summary: 'Request a password reset',
  description:
    'Mails a link that is valid for an hour, if the account exists. The answer and the time it takes are the same either ' +
    'way. Limited to a few requests an hour for each e-mail address.',
  access: { kind: 'public' },
  body: z.strictObject({ email: Email.meta({ description: 'The account’s e-mail.', example: 'ada@example.com' }) }),
  bodyExample: { email: 'ada@example.com' },
  responses: {
    200: { description: 'Sent whether or not the account exists.', body: Success, example: { success: true } },
  },
  errors: ['rate_limited'],
  uses: { table: ['GetItem', 'PutItem', 'UpdateItem'], reads: ['EMAIL'], writes: ['RATE'], queues: ['jobs'] },
});

export const resetPassword = /* @__PURE__ */ contract({
  operationId: 'reset-password',
  area,
  method: 'POST',
  path: '/v1/auth/reset-password',
  summary: 'Reset the password',
  description:
    'Sets a new password with the token of the mailed link, which works once, and ends every session, token and other reset link ' +
    'of the account.',
  access: { kind: 'public' },
  body: z.strictObject({ token: LinkToken.meta({ example: 'EXAMPLE-reset-token-0000' }), newPassword: NewPassword }),
  bodyExample: { token: 'EXAMPLE-reset-token-0000', newPassword: 'another example of a pass phrase' },
  responses: { 200: { description: 'The password is changed.', body: Success, example: { success: true } } },
  errors: ['invalid_token'],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'],
    reads: ['USER', 'ORG'],
    writes: ['USER', 'AUDIT'],
  },
  sizing: passwordSizing,
});
