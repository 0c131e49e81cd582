import * as z from 'zod';
import { contract, ok, passwordSizing } from '../contract.ts';
import { Success } from '../fields/bodies.ts';
import { Email, Timestamp, text } from '../fields/text.ts';
import { loggedIn } from './account.ts';
import {
  Challenge,
  challengeExample,
  cookieHeader,
  issuing,
  linkCookie,
  PresentedChallenge,
  PresentedPassword,
  passPhraseExample,
  recoveryCodesExample,
  TotpCode,
} from './credentials.ts';
import { PasskeyAssertion, PasskeyRequestOptions } from './passkeys.ts';

/**
 * Why a sign-in with a company's provider did not happen: the codes that the dashboard gets as `/log-in#error=<code>`,
 * with the sentence for the person. A closed set.
 */
export const signInErrors = {
  provider_not_configured: 'This organization has no sign-in provider. Log in another way.',
  provider_unavailable:
    'Your company’s sign-in provider did not respond, or its response was invalid. Try again in a minute.',
  provider_refused: 'Your company’s sign-in provider did not sign you in.',
  sign_in_expired: 'This sign-in has expired, was already used or was started in another browser. Start again.',
  invalid_answer: 'The response of your company’s sign-in provider could not be verified. Report this to an owner.',
  email_missing:
    'Your company’s sign-in provider sent no e-mail address for you. Its administrator can add one to your account ' +
    'there, or configure it to send the claim “email”.',
  email_not_verified: 'Your company’s sign-in provider has not verified your e-mail address.',
  domain_not_verified: 'Your e-mail address is not in a domain that your organization has verified.',
  link_required: 'An account with your e-mail address already exists. Log in once to link it to your provider.',
  second_factor_required: 'Confirm your second factor to finish signing in.',
  invitation_required: 'You are not a member of this organization. Ask an owner or admin for an invitation.',
  plan_limit_exceeded: 'Your organization has reached its member limit. Ask an owner to raise it.',
  other_person: 'You signed in as another person at your company’s sign-in provider. Nothing was changed.',
  not_fresh: 'Your company’s sign-in provider did not ask you to sign in again. Use a passkey, or log in again.',
  start_here: 'Enter your e-mail address, and sign in from here.',
  session_required: 'Log in first, then try again.',
  rate_limited: 'There were too many attempts from your network or in your organization. Try again later.',
  temporarily_unavailable: 'Something went wrong on our side. Try again.',
} as const;

export type SignInError = keyof typeof signInErrors;

export const logIn = contract({
  operationId: 'log-in',
  route: 'POST /v1/auth/login',
  summary: 'Log in',
  description:
    'Starts a session for the dashboard and sets its cookie. An unknown e-mail address and a wrong password get the ' +
    'same response in about the same time. If the account has a second factor, a correct password doesn’t set a ' +
    'cookie yet: the response is 401 `second_factor_required`, and `POST /v1/auth/login/verify` completes the log-in.',
  access: { kind: 'public' },
  cookies: [linkCookie],
  body: z.strictObject({
    email: Email.meta({ description: 'The e-mail address, in upper or lower case.', example: 'ada@example.com' }),
    password: PresentedPassword.meta({ description: 'The password.', example: passPhraseExample }),
  }),
  bodyExample: { email: 'ada@example.com', password: passPhraseExample },
  responses: loggedIn,
  errors: ['invalid_credentials', 'second_factor_required', 'rate_limited'],
  servedInMaintenance: true,
  isWaitedFor: true,
  uses: {
    table: {
      GetItem: ['ORG', 'RATE', 'SIGNIN', 'USER'],
      BatchGetItem: ['EMAIL', 'ORG', 'RATE'],
      Query: ['USER'],
      ConditionCheckItem: ['DOMAIN', 'ORG', 'RATE'],
      PutItem: ['CHALLENGE', 'ORG', 'USER'],
      UpdateItem: ['RATE', 'USER'],
      DeleteItem: ['RATE', 'SIGNIN'],
    },
    dashboardOrigin: true,
    key: { credentials: issuing },
    mail: true,
  },
  sizing: passwordSizing,
});

export const startPasskeyLogin = contract({
  operationId: 'start-passkey-login',
  route: 'POST /v1/auth/login/options',
  summary: 'Start to log in with a passkey alone',
  description:
    'Returns a challenge for a discoverable passkey. No e-mail address or password is needed. Send the passkey’s ' +
    'response to `POST /v1/auth/login/verify`. Limited per client IP address.',
  access: { kind: 'public' },
  responses: ok({
    description: 'The challenge.',
    body: z.object({ challenge: Challenge, publicKey: PasskeyRequestOptions }),
    example: { publicKey: { allowCredentials: [] } },
  }),
  errors: ['rate_limited'],
  servedInMaintenance: true,
  isWaitedFor: true,
  uses: { table: { PutItem: ['CHALLENGE'], UpdateItem: ['RATE'] }, dashboardOrigin: true },
});

const RecoveryCode = text(1, 64).meta({
  description: 'A recovery code, with or without its hyphens. Each works once.',
  example: recoveryCodesExample[0],
});

export const completeLogin = contract({
  operationId: 'complete-login',
  route: 'POST /v1/auth/login/verify',
  summary: 'Complete a log-in with a second factor or a passkey',
  description:
    'Answers a log-in challenge with exactly one of `totp`, `recoveryCode` and `passkey`, and starts the session. A ' +
    'challenge works once and expires after five minutes. Five wrong codes within 15 minutes return 429. A challenge ' +
    'from `POST /v1/auth/login/options` accepts only a passkey. A challenge from a sign-in with a company’s provider ' +
    'also makes a new person a member.',
  access: { kind: 'public' },
  cookies: [linkCookie],
  body: z
    .strictObject({
      challenge: PresentedChallenge,
      totp: TotpCode.optional(),
      recoveryCode: RecoveryCode.optional(),
      passkey: PasskeyAssertion.optional(),
    })
    .refine(
      ({ totp, recoveryCode, passkey }) => [totp, recoveryCode, passkey].filter(one => one !== undefined).length === 1,
      { message: 'must have exactly one of totp, recoveryCode and passkey' },
    ),
  bodyExample: { challenge: challengeExample, totp: '492039' },
  responses: loggedIn,
  errors: ['invalid_token', 'invalid_credentials', 'organization_not_found', 'plan_limit_exceeded', 'rate_limited'],
  servedInMaintenance: true,
  isWaitedFor: true,
  uses: {
    table: {
      GetItem: ['ORG', 'RATE', 'SIGNIN'],
      BatchGetItem: ['CHALLENGE', 'ORG', 'RATE', 'USER'],
      Query: ['ORG', 'USER'],
      ConditionCheckItem: ['DOMAIN', 'ORG', 'RATE'],
      PutItem: ['AUDIT', 'ORG', 'REVOCATIONS', 'USER'],
      UpdateItem: ['ORG', 'RATE', 'USER'],
      DeleteItem: ['CHALLENGE', 'INVITATION', 'ORG', 'SIGNIN', 'USER'],
    },
    dashboardOrigin: true,
    key: { credentials: issuing, totp: ['Decrypt'] },
    mail: true,
  },
});

/** The account's password and second factor, presented again. */
export const AccountProof = z
  .strictObject({
    password: text(1, 256).optional().meta({
      description: 'The password. Required, except for a passkey in a session that came through a provider.',
      example: passPhraseExample,
    }),
    totp: TotpCode.optional(),
    challenge: PresentedChallenge.optional().meta({ description: 'For `passkey`.', example: challengeExample }),
    passkey: PasskeyAssertion.optional(),
  })
  .refine(({ totp, passkey }) => totp === undefined || passkey === undefined, {
    message: 'must not have both totp and passkey',
  })
  .refine(({ challenge, passkey }) => passkey === undefined || challenge !== undefined, {
    path: ['challenge'],
    message: 'is required with passkey',
  });

export const accountProofExample = { password: passPhraseExample, totp: '492039' };

export const stepUp = contract({
  operationId: 'step-up',
  route: 'POST /v1/auth/step-up',
  summary: 'Confirm your identity again',
  description:
    'Sensitive operations require a session that was confirmed in the last ten minutes. Send the password, and a ' +
    'second factor if the account has one. Without it, the response is 401 `second_factor_required` with a challenge ' +
    'for `passkey`; `totp` needs no challenge. The session gets a new secret, and the old cookie stops working. A ' +
    'wrong password or factor returns `invalid_request` for its field. In a session that came through a company’s ' +
    'provider, a passkey alone is enough: an empty request returns its challenge. Afterwards the session is no ' +
    'longer confined to the provider’s organization. `GET /v1/auth/provider/{orgSlug}/start?stepUp=true` confirms at ' +
    'the provider instead, for that organization only.',
  access: { kind: 'account', tokens: 'session', narrowestToken: 'none', confined: true },
  body: AccountProof,
  bodyExample: accountProofExample,
  responses: ok({
    description: 'The session is fresh, and its cookie is renewed.',
    body: z.object({ freshUntil: Timestamp.describe('When the session stops being fresh.') }),
    example: { freshUntil: '2026-01-31T09:36:53.589Z' },
    headers: cookieHeader,
  }),
  errors: ['second_factor_required', 'invalid_token', 'rate_limited'],
  servedInMaintenance: true,
  uses: {
    table: {
      GetItem: ['RATE'],
      BatchGetItem: ['CHALLENGE', 'RATE'],
      Query: ['USER'],
      ConditionCheckItem: ['RATE'],
      PutItem: ['CHALLENGE', 'USER'],
      UpdateItem: ['RATE'],
      DeleteItem: ['CHALLENGE', 'RATE', 'USER'],
    },
    dashboardOrigin: true,
    key: { credentials: issuing, totp: ['Decrypt'] },
    mail: true,
  },
  sizing: passwordSizing,
});

export const logOut = contract({
  operationId: 'log-out',
  route: 'POST /v1/auth/logout',
  summary: 'Log out',
  description: 'Ends the session on the server and clears its cookie. Other sessions and tokens keep working.',
  access: { kind: 'account', tokens: 'session', narrowestToken: 'none', confined: true },
  responses: ok({ description: 'Logged out.', body: Success, headers: { 'Set-Cookie': 'Clears the session cookie.' } }),
  servedInMaintenance: true,
  uses: { table: { DeleteItem: ['USER'] } },
});
