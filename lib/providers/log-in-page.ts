import type { RequestContext } from '../access/request-context.ts';
import { dashboardOrigin } from '../core/dashboard-origin.ts';
import { codeOf } from './sign-in-refused.ts';

/** Where to send a browser, with Set-Cookie lines. */
export interface Redirect {
  location: string;
  cookies: readonly string[];
}

/**
 * The redirect, or one to the log-in page with a code: a person in a browser never gets a JSON error. The code is in the
 * fragment, which no server sees.
 * @param cookies set in any case
 */
export async function logInPage(
  { log }: RequestContext,
  decide: () => Promise<Redirect>,
  cookies: readonly string[] = [],
): Promise<Redirect> {
  try {
    const redirect = await decide();
    return { ...redirect, cookies: [...cookies, ...redirect.cookies] };
  } catch (error) {
    const refused = codeOf(error);
    if (refused.isUnexpected) log.error('a sign-in with a provider failed', error);
    else log.account('provider_sign_in_refused', { code: refused.code });
    return {
      location: await dashboardPage('/log-in', `error=${refused.code}`),
      cookies: [...cookies, ...refused.cookies],
    };
  }
}

/** The address of a page of the dashboard. */
export async function dashboardPage(path: string, fragment?: string): Promise<string> {
  const page = new URL(path, await dashboardOrigin());
  if (fragment !== undefined) page.hash = fragment;
  return page.href;
}
