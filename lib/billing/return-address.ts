import { settings } from '../core/settings.ts';

/** The dashboard's billing page of an organization. The provider's hosted pages return to it. */
export function billingPage(orgSlug: string, checkout?: 'success' | 'cancelled'): string {
  const page = new URL(`/organizations/${orgSlug}/billing`, settings().DASHBOARD_ORIGIN);
  if (checkout !== undefined) page.searchParams.set('checkout', checkout);
  return page.href;
}
