import { type Answer, call } from '../../api.ts';
import { useLoad } from '../../load.ts';
import { searchParameters } from '../../router.ts';
import { user } from '../../session.ts';
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
    <Page title={`Usage · ${organization.name}`} heading="Usage">
      {checkout === 'success' && <p class="notice">Thank you. The plan changes as soon as the payment is confirmed.</p>}
      {checkout === 'cancelled' && <p class="notice">The checkout was cancelled. You have not been charged.</p>}
      <Await of={billing}>
        {found => (
          <>
            {isPaid(found) && <CurrentPlan plan={found.plan} status={found.status} until={found.currentPeriodEnd} />}
            <UsageSection usage={found.usage} limits={found.limits} />
            {isPaid(found) ? (
              <PlanSection organization={organization} billing={found} />
            ) : (
              <WhoSetsLimits orgId={organization.id} />
            )}
          </>
        )}
      </Await>
    </Page>
  );
}

/** Whether plans are bought here, or one was. */
const isPaid = ({ forSale, status }: Answer<'GET /v1/billing/{orgId}'>) => forSale.length > 0 || status !== 'none';

function WhoSetsLimits({ orgId }: { orgId: string }) {
  return (
    <p class="hint">
      {user.value?.isAdmin ? (
        <>
          You can change the <a href={`/admin/organizations/${orgId}`}>limits of this organization</a>, and the{' '}
          <a href="/admin/plans">limits of all organizations</a>.
        </>
      ) : (
        'An administrator of this installation sets the limits.'
      )}
    </p>
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
