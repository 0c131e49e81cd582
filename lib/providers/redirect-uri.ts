import { dashboardOrigin } from '../core/dashboard-origin.ts';

/**
 * Where an organization's provider sends browsers back to. Each organization has its own, so that one provider can't pass
 * on another's response as its own (mix-up: RFC 9700, section 4.4), even if neither names itself in it.
 */
export function callbackPath(orgSlug: string): string {
  return `/v1/auth/provider/${orgSlug}/callback`;
}

/** The redirect URI to register at a provider. The dashboard and the API share an origin there. */
export async function redirectUri(orgSlug: string): Promise<string> {
  return new URL(callbackPath(orgSlug), await dashboardOrigin()).href;
}
