import type { RequestContext } from '../access/request-context.ts';
import type { SignInError } from '../contracts/auth/sign-in.ts';
import { dashboardOrigin } from '../core/dashboard-origin.ts';
import { ApiError } from '../core/errors.ts';

export interface Redirect {
  location: string;
  cookies: readonly string[];
}

/** Why a sign-in does not happen, as a code for the log-in page. */
export class SignInRefused extends Error {
  override readonly name = 'SignInRefused';
  readonly code: SignInError;
  /** Set-Cookie lines with which the person can continue. */
  readonly cookies: readonly string[];

  constructor(code: SignInError, { cookies = [], cause }: { cookies?: readonly string[]; cause?: unknown } = {}) {
    super(`The sign-in was refused: ${code}.`, { cause });
    this.code = code;
    this.cookies = cookies;
  }
}

export const signInExpired = () => new SignInRefused('sign_in_expired');

/** Errors of other modules that are refusals. */
const refusals: Readonly<Record<string, SignInError>> = {
  rate_limited: 'rate_limited',
  plan_limit_exceeded: 'plan_limit_exceeded',
  // It no longer exists, or the person has to be invited.
  organization_not_found: 'invitation_required',
  issuer_unavailable: 'provider_unavailable',
};

/** The code for any failure. An unexpected one is a problem of the service. */
export function codeOf(error: unknown): { code: SignInError; cookies: readonly string[]; isUnexpected: boolean } {
  if (error instanceof SignInRefused) return { code: error.code, cookies: error.cookies, isUnexpected: false };
  const code = error instanceof ApiError ? refusals[error.code] : undefined;
  return { code: code ?? 'temporarily_unavailable', cookies: [], isUnexpected: code === undefined };
}

/**
 * The redirect, or one to the log-in page with a code: a person in a browser never gets a JSON error. The code is in
 * the fragment, which no server sees. Either redirect sets the cookies.
 */
export async function logInPage({ log }: RequestContext, decide: () => Promise<Redirect>, cookies: string[] = []) {
  try {
    const redirect = await decide();
    return { ...redirect, cookies: [...cookies, ...redirect.cookies] };
  } catch (error) {
    const { code, isUnexpected, cookies: ofRefusal } = codeOf(error);
    if (isUnexpected) log.error('a sign-in with a provider failed', error);
    else log.account('provider_sign_in_refused', { code });
    return { location: await dashboardPage('/log-in', `error=${code}`), cookies: [...cookies, ...ofRefusal] };
  }
}

export async function dashboardPage(path: string, fragment?: string): Promise<string> {
  const page = new URL(path, await dashboardOrigin());
  if (fragment !== undefined) page.hash = fragment;
  return page.href;
}
