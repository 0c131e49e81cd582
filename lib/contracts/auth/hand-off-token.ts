import * as z from 'zod';
import { contract } from '../contract.ts';
import { Timestamp, text } from '../fields/text.ts';
import { IssuedToken } from './issued-token.ts';
import { issuing } from './session-cookie.ts';
import { demandWiderLimits, tokenFields } from './token-fields.ts';

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

const HandOffCode = z
  .object({
    code: z.string().meta({ description: 'The code. It works once.', example: 'EXAMPLE-handoff-code-000000' }),
    iss: z.string().meta({
      description:
        'The origin that issued the code. The CLI must have asked this origin, or it redeems nothing (RFC 9207).',
      example: 'https://secrets.example.com',
    }),
    expiresAt: Timestamp.meta({ description: 'When the code expires: after a minute.' }),
  })
  .meta({ id: 'HandOffCode', description: 'A code that the CLI exchanges for its token.' });

export const handOffToken = contract({
  operationId: 'hand-off-token',
  route: 'POST /v1/auth/cli-auth',
  summary: 'Hand a token from the dashboard to the CLI',
  description:
    'Works in two halves (PKCE, RFC 7636). The dashboard, with a session, sends the challenge that the CLI made and gets ' +
    'a code, which works once and for 60 seconds. The CLI, without a session, sends the code and its verifier and gets the ' +
    'token. So the token never travels through a URL or the dashboard. A wrong verifier invalidates the code. ' +
    'The redirect to the CLI carries `iss`, and a code to paste is `<code>~<base64url(iss)>`.',
  access: { kind: 'optional', fresh: 'by-content' },
  body: HandOffBody,
  bodyExample: { codeChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', name: 'laptop', access: 'full' },
  responses: {
    201: {
      description: 'The code (first half), or the token, which is shown only once (second half).',
      body: z.union([HandOffCode, IssuedToken]),
      example: { iss: 'https://secrets.example.com', expiresAt: '2026-01-31T09:27:53.589Z' },
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
    dashboardOrigin: true,
    table: ['GetItem', 'Query', 'DeleteItem', 'ConditionCheckItem'],
    reads: ['ORG', 'HANDOFF'],
    writes: ['ORG', 'HANDOFF', 'AUDIT', 'CREDENTIALKEY'],
    key: { credentials: issuing },
  },
});
