import { dashboardOrigin } from '../core/dashboard-origin.ts';

/** The dashboard's billing page of an organization. The provider's hosted pages return to it. */
export async function billingPage(orgSlug: string, checkout?: 'success' | 'cancelled'): Promise<string> {
  const page = new URL(`/organizations/${orgSlug}/billing`, await dashboardOrigin());
  if (checkout !== undefined) page.searchParams.set('checkout', checkout);
  return page.href;
}
