import { settings } from '../core/settings.ts';

/** The token goes into the fragment. Browsers do not send it, so it reaches no server log and no Referer header. */
export function dashboardLink(page: string, token: string): string {
  return `${new URL(`/${page}`, settings().DASHBOARD_ORIGIN)}#token=${token}`;
}
