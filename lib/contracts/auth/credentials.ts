import * as z from 'zod';
import { text } from '../fields/text.ts';

/* Short-lived cookies of a sign-in with a company's provider. Each is only sent to the routes that need it. */

/** Ties a sign-in to the browser that started it. */
export const startedSignInCookie = '__service_sign_in';

/** The account's second factor completes a sign-in. */
export const factorCookie = '__service_factor';

/** The next log-in of the account links it to the provider. */
export const linkCookie = '__service_link';

export const passPhraseExample = 'an example of a pass phrase';
export const challengeExample = 'EXAMPLE-challenge-0000';
export const recoveryCodesExample = ['EXAM-PLEA-AAAA-AAAA-AAAA-AAAA'];

export const shortestNewPassword = 12;

/** 12 to 256 characters without composition rules, as NIST SP 800-63B and OWASP recommend. */
export const NewPassword = text(shortestNewPassword, 256).meta({
  description: 'The new password.',
  example: passPhraseExample,
});

/**
 * A password to compare. A short one is wrong rather than malformed, because it may have been set under other rules.
 */
export const PresentedPassword = text(1, 256);

export const TotpCode = z
  .string()
  .regex(/^[0-9]{6}$/, { message: 'must be six digits' })
  .meta({ description: 'A code from the authenticator app. Each code works once.', example: '492039' });

export const RecoveryCodes = z.array(z.string()).meta({
  description: 'Ten recovery codes, shown only once. Each replaces the second factor once.',
  example: recoveryCodesExample,
});

export const FirstRecoveryCodes = RecoveryCodes.optional().meta({
  description: 'Ten recovery codes, shown only once; absent unless this is the account’s first factor.',
  example: recoveryCodesExample,
});

export const Challenge = z.string().meta({
  description: 'The challenge. It works once and expires after five minutes.',
  example: challengeExample,
});

/** The format is not checked here: anything else is an `invalid_token`. */
export const PresentedChallenge = text(1, 512).meta({ description: 'The challenge.', example: challengeExample });

/** The token of a mailed link. The format is not checked here: anything else is an `invalid_token`. */
export const LinkToken = text(1, 512).meta({
  description: 'The token from the mailed link; it works once.',
  example: 'EXAMPLE-verification-token-0000',
});

/** Sessions and tokens include a MAC under the installation's credential key, which the first request creates. */
export const issuing = ['GenerateDataKey', 'Decrypt'] as const;

export const cookieHeader = {
  'Set-Cookie': 'The session cookie: HttpOnly, SameSite=Lax, and Secure except on a local http address.',
};
