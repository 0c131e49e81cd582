import { dashboardOrigin } from '../core/dashboard-origin.ts';

/** The billing page of an organization in the dashboard, where the provider's hosted pages return to. */
export async function billingPage(orgSlug: string, checkout?: 'success' | 'cancelled'): Promise<string> {
  const page = new URL(`/organizations/${orgSlug}/billing`, await dashboardOrigin());
  if (checkout !== undefined) page.searchParams.set('checkout', checkout);
  return page.href;
}
