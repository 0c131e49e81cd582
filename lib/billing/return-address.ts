import { settings } from '../core/settings.ts';

/** The dashboard's billing page of an organization, where the provider's hosted pages lead back to. */
export function billingPage(orgSlug: string, checkout?: 'success' | 'cancelled'): string {
  const page = new URL(`/organizations/${orgSlug}/billing`, settings().DASHBOARD_ORIGIN);
  if (checkout !== undefined) page.searchParams.set('checkout', checkout);
  return page.href;
}
