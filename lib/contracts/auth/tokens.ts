import * as z from 'zod';
import { contract, created, ok, succeeds } from '../contract.ts';
import { TokenAccess } from '../fields/role.ts';
import { EnvironmentId, Name, OrganizationId, ProjectId, Timestamp, text, Uuid } from '../fields/text.ts';
import { issuing } from './credentials.ts';

export const CliToken = z
  .object({
    id: Uuid.meta({ description: 'Token identifier.', example: '3e7c1d94-52a8-4b0f-9a6d-71f0c2e85b46' }),
    name: Name.meta({ description: 'What the token is for.', example: 'deploy pipeline' }),
    prefix: z.string().meta({ description: 'Its first characters, to recognize it.', example: 'service_tok_EXAM' }),
    access: TokenAccess,
    organizationId: Uuid.nullable().describe('The only organization it can access; null for all of the user’s.'),
    projectId: Uuid.nullable().describe('The only project it can access; null for all.'),
    environmentId: Uuid.nullable().describe('The only environment it can access; null for all.'),
    createdAt: Timestamp.describe('When it was created.'),
    lastUsedAt: Timestamp.nullable().describe('When it was last used, to within an hour; null if never.'),
    expiresAt: Timestamp.nullable().describe('When it expires; null if it never does.'),
  })
  .meta({ id: 'CliToken', description: 'A bearer token for the CLI or an SDK, without its secret.' });
export type CliToken = z.infer<typeof CliToken>;

export const cliTokenExample = {
  organizationId: '9b2d6f0e-3c1a-4c5d-8e77-2f4b6a9d0c31',
  projectId: '7d5a3b1c-9e2f-4d60-b8a1-4c6e0f9d2a73',
  expiresAt: '2026-05-01T09:26:53.589Z',
} as const;

export const tokenFields = {
  name: Name.meta({ description: 'What the token is for.', example: 'deploy pipeline' }),
  access: TokenAccess.default('full').describe('What the token may do, within its user’s role.'),
  organizationId: OrganizationId.optional().describe('Limits the token to one organization.'),
  projectId: ProjectId.optional().describe('Limits the token to one project; requires `organizationId`.'),
  environmentId: EnvironmentId.optional().describe('Limits the token to one environment; requires `projectId`.'),
  expiresInDays: z.int().min(1).max(365).optional().meta({ description: 'Lifetime in days, if limited.', example: 90 }),
};

/** A narrower limit requires the wider ones, so a forgotten id never silently widens a token. */
export function demandWiderLimits<S extends z.ZodType>(schema: S): S {
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

export const tokenExample = 'service_tok_EXAMPLEnotARealTokenEXAMPLEnotAReal';

export const IssuedToken = z
  .object({
    token: z.string().meta({ description: 'The bearer token. It is shown only once.', example: tokenExample }),
    cliToken: CliToken,
  })
  .meta({ id: 'IssuedToken', description: 'A new bearer token and its description.' });

const tokenErrors = [
  'organization_not_found',
  'project_not_found',
  'environment_not_found',
  'token_limit_reached',
] as const;

export const createToken = contract({
  operationId: 'create-token',
  route: 'POST /v1/auth/token',
  summary: 'Create a scoped CLI token',
  description:
    'Creates a bearer token with at most its user’s rights. It can be limited to an organization, project or ' +
    'environment, and can expire. The token is shown once; only its hash is stored. Requires a session. In one that ' +
    'is confined to its provider’s organization, the token must be limited to it (403 `session_confined`).',
  access: { kind: 'account', tokens: 'session', narrowestToken: 'none', fresh: 'always', confined: true },
  body: demandWiderLimits(z.strictObject(tokenFields)),
  bodyExample: {
    name: 'deploy pipeline',
    access: 'read',
    organizationId: '9b2d6f0e-3c1a-4c5d-8e77-2f4b6a9d0c31',
    projectId: '7d5a3b1c-9e2f-4d60-b8a1-4c6e0f9d2a73',
    expiresInDays: 90,
  },
  responses: created({ description: 'Shown only once.', body: IssuedToken, example: { cliToken: cliTokenExample } }),
  errors: [...tokenErrors, 'session_confined'],
  uses: {
    table: {
      GetItem: ['USER'],
      BatchGetItem: ['ORG'],
      Query: ['ORG', 'USER'],
      ConditionCheckItem: ['ORG'],
      PutItem: ['AUDIT', 'USER'],
    },
    key: { credentials: issuing },
  },
});

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
).describe('The first step, from the dashboard: requests a code.');

const TakeHandOff = z
  .strictObject({
    code: text(1, 512).meta({ description: 'The code from the first step.', example: 'EXAMPLE-handoff-code-000000' }),
    // The format is not checked here: any wrong verifier invalidates the code.
    codeVerifier: text(1, 512).meta({
      description: 'The verifier that the challenge is the hash of.',
      example: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
    }),
  })
  .describe('The second step, from the CLI: exchanges the code for the token.');

/** The fields determine which step is meant, so only that step’s problems are reported. */
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

const HandOffCode = z
  .object({
    code: z.string().meta({ description: 'The code. It works once.', example: 'EXAMPLE-handoff-code-000000' }),
    iss: z.string().meta({
      description: 'The issuing origin. The CLI may redeem the code only if it contacted this one (RFC 9207).',
      example: 'https://secrets.example.com',
    }),
    expiresAt: Timestamp.describe('When the code expires, one minute after it was issued.'),
  })
  .meta({ id: 'HandOffCode', description: 'A code that the CLI exchanges for its token.' });

export const handOffToken = contract({
  operationId: 'hand-off-token',
  route: 'POST /v1/auth/cli-auth',
  summary: 'Hand a token from the dashboard to the CLI',
  description:
    'Works in two steps (PKCE, RFC 7636). The dashboard, with a session, sends the CLI’s challenge and gets a code ' +
    'that works once and expires after 60 seconds. The CLI, without a session, sends the code and its verifier and ' +
    'gets the token. The token never travels through a URL or the dashboard. A wrong verifier invalidates the code. ' +
    'The redirect to the CLI carries `iss`; a code for pasting has the form `<code>~<base64url(iss)>`.',
  access: { kind: 'optional', fresh: 'by-content' },
  body: HandOffBody,
  bodyExample: { codeChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', name: 'laptop', access: 'full' },
  responses: created({
    description: 'The code (first step), or the token, which is shown only once (second step).',
    body: z.union([HandOffCode, IssuedToken]),
    example: { iss: 'https://secrets.example.com', expiresAt: '2026-01-31T09:27:53.589Z' },
  }),
  errors: [...tokenErrors, 'invalid_token', 'insufficient_scope'],
  uses: {
    table: {
      GetItem: ['ORG', 'USER'],
      BatchGetItem: ['HANDOFF', 'ORG'],
      Query: ['ORG', 'USER'],
      ConditionCheckItem: ['ORG', 'USER'],
      PutItem: ['AUDIT', 'HANDOFF', 'USER'],
      DeleteItem: ['HANDOFF'],
    },
    dashboardOrigin: true,
    key: { credentials: issuing },
  },
});

export const listTokens = contract({
  operationId: 'list-tokens',
  route: 'GET /v1/auth/tokens',
  summary: 'List active CLI tokens',
  description: 'Lists the caller’s active tokens. A confined session sees only those limited to its organization.',
  access: { kind: 'account', tokens: 'session', narrowestToken: 'none', confined: true },
  responses: ok({
    description: 'The active tokens, newest first.',
    body: z.object({ tokens: z.array(CliToken).describe('The active tokens, newest first.') }),
    example: { tokens: [cliTokenExample] },
  }),
  uses: { table: { Query: ['USER'] } },
});

export const revokeToken = contract({
  operationId: 'revoke-token',
  route: 'DELETE /v1/auth/tokens/{tokenId}',
  summary: 'Revoke a CLI token',
  description: 'Revokes one of the caller’s own tokens. It stops working at once.',
  access: { kind: 'account', tokens: 'session', narrowestToken: 'none', confined: true },
  responses: succeeds('The token was revoked.'),
  revokes: true,
  uses: { table: { GetItem: ['ORG'], Query: ['USER'], PutItem: ['AUDIT', 'REVOCATIONS'], DeleteItem: ['USER'] } },
});

export const revokeCurrentToken = contract({
  operationId: 'revoke-current-token',
  route: 'DELETE /v1/auth/tokens/current',
  summary: 'Revoke the current token',
  description: 'The token of this request stops working at once. Any token can do this, including an identity’s.',
  access: { kind: 'caller', tokens: 'read', narrowestToken: 'environment', names: 'always' },
  responses: succeeds('The token was revoked.'),
  errors: ['token_not_found'],
  revokes: true,
  uses: {
    table: { GetItem: ['ORG', 'USER'], BatchGetItem: ['ORG'], PutItem: ['AUDIT', 'REVOCATIONS'], DeleteItem: ['USER'] },
  },
});
