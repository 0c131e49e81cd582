import { dashboardOrigin } from '../core/dashboard-origin.ts';

export const callbackPath = '/v1/auth/provider/callback';

/** The redirect URI to register at a provider. The dashboard and the API share an origin there. */
export async function redirectUri(): Promise<string> {
  return new URL(callbackPath, await dashboardOrigin()).href;
}
