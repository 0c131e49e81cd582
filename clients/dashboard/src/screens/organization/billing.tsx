import { call } from '../../api.ts';
import { useLoad } from '../../load.ts';
import { searchParameters } from '../../router.ts';
import { Await } from '../../ui/await.tsx';
import type { OrganizationProps } from '../../ui/in-organization.tsx';
import { Page } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { PlanSection } from './plan-section.tsx';
import { UsageSection } from './usage-section.tsx';
import '../../ui/figures.css';

const statuses = {
  none: 'No subscription',
  active: 'Paid',
  past_due: 'Payment is overdue',
  canceled: 'Subscription ended',
} as const;

export function Billing({ organization }: OrganizationProps) {
  const params = { orgId: organization.id };
  const billing = useLoad(organization.id, signal => call('GET /v1/billing/{orgId}', { params, signal }));
  const checkout = searchParameters().get('checkout');
  return (
    <Page title={`Billing · ${organization.name}`} heading="Billing">
      {checkout === 'success' && <p class="notice">Thank you. The plan changes as soon as the payment is confirmed.</p>}
      {checkout === 'cancelled' && <p class="notice">The checkout was cancelled. You have not been charged.</p>}
      <Await of={billing}>
        {found => (
          <>
            <CurrentPlan plan={found.plan} status={found.status} until={found.currentPeriodEnd} />
            <UsageSection usage={found.usage} limits={found.limits} />
            <PlanSection organization={organization} billing={found} />
          </>
        )}
      </Await>
    </Page>
  );
}

interface CurrentPlanProps {
  plan: string;
  status: keyof typeof statuses;
  until: string | null;
}

function CurrentPlan({ plan, status, until }: CurrentPlanProps) {
  return (
    <p class="figure">
      <strong>{plan}</strong>
      <span class="quiet">
        {statuses[status]}
        {until !== null && (
          <>
            {' until '}
            <Time at={until} />
          </>
        )}
      </span>
    </p>
  );
}
