import type { SignInError } from '../contracts/auth/sign-in-errors.ts';
import { ApiError } from '../core/errors.ts';

/** Why a sign-in does not happen, as a code for the log-in page. */
export class SignInRefused extends Error {
  override readonly name = 'SignInRefused';
  readonly code: SignInError;
  /** Set-Cookie lines with which the person can go on. */
  readonly cookies: readonly string[];

  constructor(code: SignInError, { cookies = [], cause }: { cookies?: readonly string[]; cause?: unknown } = {}) {
    super(`The sign-in was refused: ${code}.`, { cause });
    this.code = code;
    this.cookies = cookies;
  }
}

/** The code for any failure. What is not a refusal is a problem of the service, and belongs in the log. */
export function codeOf(error: unknown): { code: SignInError; cookies: readonly string[]; isUnexpected: boolean } {
  if (error instanceof SignInRefused) return { code: error.code, cookies: error.cookies, isUnexpected: false };
  if (error instanceof ApiError) {
    if (error.code === 'rate_limited' || error.code === 'plan_limit_exceeded') {
      return { code: error.code, cookies: [], isUnexpected: false };
    }
    // It no longer exists, or the person has to be invited.
    if (error.code === 'organization_not_found')
      return { code: 'invitation_required', cookies: [], isUnexpected: false };
    if (error.code === 'issuer_unavailable') return { code: 'provider_unavailable', cookies: [], isUnexpected: false };
  }
  return { code: 'temporarily_unavailable', cookies: [], isUnexpected: true };
}
