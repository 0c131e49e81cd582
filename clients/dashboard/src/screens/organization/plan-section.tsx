import { limitNames } from 'virtual:contracts';
import type { OwnOrganization } from '@holdfast/contracts/auth/account.ts';
import type { LimitName } from '@holdfast/contracts/fields/limits.ts';
import { type Answer, call } from '../../api.ts';
import { useAction } from '../../load.ts';
import { whyNot } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { limitInWords, limitNamesInWords } from '../../ui/limits.ts';
import { Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { type Column, Table } from '../../ui/table.tsx';

type Billing = Answer<'GET /v1/billing/{orgId}'>;

/** The limits of all plans side by side, with buttons to change the plan. */
export function PlanSection({ organization, billing }: { organization: OwnOrganization; billing: Billing }) {
  const { plan, plans, status, forSale } = billing;
  const params = { orgId: organization.id };
  const buy = useAction(async (chosen: Billing['forSale'][number]) => {
    const { url } = await call('POST /v1/billing/{orgId}/checkout', { params, body: { plan: chosen } });
    window.location.assign(url);
  });
  const portal = useAction(async () => {
    const { url } = await call('POST /v1/billing/{orgId}/portal', { params });
    window.location.assign(url);
  });
  const forbidden = whyNot('start-checkout', organization.role);
  const others = status === 'active' ? [] : forSale.filter(name => name !== plan);
  return (
    <Section
      title="Plans"
      lead="What each plan allows. The payment provider shows the price before you confirm; nothing is charged until then."
    >
      <Table caption="Limits of each plan" rows={limitNames} keyOf={name => name} columns={columns(plan, plans)} />
      <Problem error={buy.error ?? portal.error} />
      <div class="actions">
        {others.map((name, index) => (
          <Button
            key={name}
            kind={index === 0 ? 'primary' : 'plain'}
            busy={buy.busy}
            onClick={() => void buy.run(name)}
            disabled={forbidden !== undefined}
          >
            Change to {name}
          </Button>
        ))}
        <Button busy={portal.busy} onClick={() => void portal.run()} whyNot={forbidden}>
          Invoices and payment
        </Button>
      </div>
      {status === 'active' && <p class="hint">To change or cancel a paid plan, go to “Invoices and payment”.</p>}
    </Section>
  );
}

function columns(current: Billing['plan'], plans: Billing['plans']): Column<LimitName>[] {
  return [
    { title: 'Limit', cell: name => limitNamesInWords[name] },
    ...plans.map(({ name: plan, limits }) => ({
      title: plan === current ? `${plan} (yours)` : plan,
      number: true,
      cell: (name: LimitName) => limitInWords(limits[name]),
    })),
  ];
}
