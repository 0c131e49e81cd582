import * as z from 'zod';
import { contract, created } from '../contract.ts';
import { Timestamp, text } from '../fields/text.ts';
import { issuing } from './credentials.ts';
import { demandWiderLimits, IssuedToken, tokenFields } from './token.ts';

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
).meta({ description: 'The first step, from the dashboard: requests a code.' });

const TakeHandOff = z
  .strictObject({
    code: text(1, 512).meta({ description: 'The code from the first step.', example: 'EXAMPLE-handoff-code-000000' }),
    // The format is not checked here: any wrong verifier invalidates the code.
    codeVerifier: text(1, 512).meta({
      description: 'The verifier that the challenge is the hash of.',
      example: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
    }),
  })
  .meta({ description: 'The second step, from the CLI: exchanges the code for the token.' });

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
      description:
        'The origin that issued the code. The CLI must redeem the code only if this is the origin it contacted ' +
        '(RFC 9207).',
      example: 'https://secrets.example.com',
    }),
    expiresAt: Timestamp.meta({ description: 'When the code expires, one minute after it was issued.' }),
  })
  .meta({ id: 'HandOffCode', description: 'A code that the CLI exchanges for its token.' });

export const handOffToken = contract({
  operationId: 'hand-off-token',
  route: 'POST /v1/auth/cli-auth',
  summary: 'Hand a token from the dashboard to the CLI',
  description:
    'Works in two steps (PKCE, RFC 7636). The dashboard, with a session, sends the CLI’s challenge and gets a ' +
    'code that works once and expires after 60 seconds. The CLI, without a session, sends the code and its ' +
    'verifier and gets the token. The token never travels through a URL or the dashboard. A wrong verifier ' +
    'invalidates the code. The redirect to the CLI carries `iss`; a code for pasting has the form ' +
    '`<code>~<base64url(iss)>`.',
  access: { kind: 'optional', fresh: 'by-content' },
  body: HandOffBody,
  bodyExample: { codeChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', name: 'laptop', access: 'full' },
  responses: created({
    description: 'The code (first step), or the token, which is shown only once (second step).',
    body: z.union([HandOffCode, IssuedToken]),
    example: { iss: 'https://secrets.example.com', expiresAt: '2026-01-31T09:27:53.589Z' },
  }),
  errors: [
    'invalid_token',
    'insufficient_scope',
    'organization_not_found',
    'project_not_found',
    'environment_not_found',
    'token_limit_reached',
  ],
  uses: {
    dashboardOrigin: true,
    table: ['GetItem', 'Query', 'DeleteItem', 'ConditionCheckItem'],
    reads: ['ORG', 'HANDOFF'],
    writes: ['ORG', 'HANDOFF', 'AUDIT', 'CREDENTIALKEY'],
    key: { credentials: issuing },
  },
});
