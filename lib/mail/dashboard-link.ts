import { settings } from '../core/settings.ts';

/** The token stands in the fragment: browsers do not send it, so no server log and no Referer header holds it. */
export function dashboardLink(page: string, token: string): string {
  return `${new URL(`/${page}`, settings().DASHBOARD_ORIGIN)}#token=${token}`;
}
