import * as z from 'zod';
import { contract, ok, passwordSizing } from '../contract.ts';
import { Timestamp, text } from '../fields/text.ts';
import { cookieHeader, issuing, PresentedChallenge, TotpCode } from './credentials.ts';
import { PasskeyAssertion } from './passkey.ts';

export const stepUp = contract({
  operationId: 'step-up',
  route: 'POST /v1/auth/step-up',
  summary: 'Confirm your identity again',
  description:
    'Sensitive operations require a session that was confirmed in the last ten minutes. Send the password, and ' +
    'a second factor if the account has one. Without it, the response is 401 `second_factor_required` with a ' +
    'challenge for `passkey`; `totp` needs no challenge. The session gets a new secret, and the old cookie ' +
    'stops working. A wrong password or factor returns `invalid_request` for its field. A session that came through a ' +
    'company’s provider also steps up with a passkey alone: an empty request gets its challenge. It is then no longer ' +
    'confined to the provider’s organization. `GET /v1/auth/provider/{orgSlug}/start?stepUp=true` confirms it at the ' +
    'provider instead, for that organization only.',
  access: { kind: 'account', tokens: 'session', narrowestToken: 'none', confined: true },
  body: z
    .strictObject({
      password: text(1, 256).optional().meta({
        description: 'The password. Required, except for a passkey in a session that came through a provider.',
        example: 'an example of a pass phrase',
      }),
      totp: TotpCode.optional(),
      challenge: PresentedChallenge.optional().meta({
        description: 'The challenge for `passkey`.',
        example: 'EXAMPLE-challenge-0000',
      }),
      passkey: PasskeyAssertion.optional(),
    })
    .refine(({ totp, passkey }) => totp === undefined || passkey === undefined, {
      message: 'must not have both totp and passkey',
    })
    .refine(({ challenge, passkey }) => passkey === undefined || challenge !== undefined, {
      path: ['challenge'],
      message: 'is required with passkey',
    }),
  bodyExample: { password: 'an example of a pass phrase', totp: '492039' },
  responses: ok({
    description: 'The session is fresh, and its cookie is renewed.',
    body: z.object({ freshUntil: Timestamp.meta({ description: 'When the session stops being fresh.' }) }),
    example: { freshUntil: '2026-01-31T09:36:53.589Z' },
    headers: cookieHeader,
  }),
  errors: ['second_factor_required', 'invalid_token', 'rate_limited'],
  servedInMaintenance: true,
  uses: {
    dashboardOrigin: true,
    table: ['GetItem', 'Query', 'PutItem', 'DeleteItem', 'ConditionCheckItem'],
    reads: ['CHALLENGE', 'RATE'],
    writes: ['CHALLENGE', 'RATE', 'CREDENTIALKEY'],
    key: { credentials: issuing, totp: ['Decrypt'] },
    mail: true,
  },
  sizing: passwordSizing,
});
