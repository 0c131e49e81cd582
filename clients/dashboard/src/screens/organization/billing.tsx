import { boughtPlans } from 'virtual:contracts';
import type { LimitName } from '../../../../../lib/contracts/fields/limits.ts';
import { call } from '../../api.ts';
import { useAction, useLoad } from '../../load.ts';
import { searchParameters } from '../../router.ts';
import { may, whoMay } from '../../session.ts';
import { Await } from '../../ui/await.tsx';
import { Button } from '../../ui/button.tsx';
import type { OrganizationProps } from '../../ui/in-organization.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Time } from '../../ui/time.tsx';
import '../../ui/facts.css';
import '../../ui/figures.css';
import '../../ui/meter.css';

const statuses = {
  none: 'No subscription',
  active: 'Paid',
  past_due: 'Payment is overdue',
  canceled: 'Subscription ended',
} as const;

export const limitNamesInWords: Readonly<Record<LimitName, string>> = {
  maxProjects: 'Projects',
  maxEnvironmentsPerProject: 'Environments in a project',
  maxSecretsPerEnvironment: 'Secrets in an environment',
  maxMembers: 'Members',
  maxWebhooks: 'Webhooks',
  auditRetentionDays: 'Days in the audit log',
};

export const limitInWords = (limit: number) => (limit === -1 ? 'unlimited' : limit.toLocaleString('en'));

export function Billing({ organization }: OrganizationProps) {
  const params = { orgId: organization.id };
  const billing = useLoad(organization.id, signal => call('GET /v1/billing/{orgId}', { params, signal }));
  const buy = useAction(async (plan: (typeof boughtPlans)[number]) => {
    const { url } = await call('POST /v1/billing/{orgId}/checkout', { params, body: { plan } });
    window.location.assign(url);
  });
  const portal = useAction(async () => {
    const { url } = await call('POST /v1/billing/{orgId}/portal', { params });
    window.location.assign(url);
  });
  const whyNot = may('start-checkout', organization.role) ? undefined : whoMay('start-checkout');
  const checkout = searchParameters().get('checkout');
  return (
    <Page title={`Billing · ${organization.name}`} heading="Billing">
      {checkout === 'success' && <p class="notice">Thank you. The plan changes as soon as the payment is confirmed.</p>}
      {checkout === 'cancelled' && <p class="notice">Nothing was bought.</p>}
      <Await of={billing}>
        {({ plan, status, limits, usage, currentPeriodEnd }) => (
          <>
            <p class="figure">
              <strong>{plan}</strong>
              <span class="quiet">
                {statuses[status]}
                {currentPeriodEnd !== null && (
                  <>
                    {' until '}
                    <Time at={currentPeriodEnd} />
                  </>
                )}
              </span>
            </p>
            <Section title="Use">
              <dl class="facts">
                <Meter name="Projects" used={usage.projects} limit={limits.maxProjects} />
                <Meter
                  name="Members and invitations"
                  used={usage.members + usage.invitations}
                  limit={limits.maxMembers}
                />
                <Meter name="Webhooks" used={usage.webhooks} limit={limits.maxWebhooks} />
                <div>
                  <dt>Environments</dt>
                  <dd>
                    {usage.environments.toLocaleString('en')}{' '}
                    <span class="quiet">up to {limitInWords(limits.maxEnvironmentsPerProject)} in a project</span>
                  </dd>
                </div>
                <div>
                  <dt>Secrets</dt>
                  <dd>
                    {usage.secrets.toLocaleString('en')}{' '}
                    <span class="quiet">up to {limitInWords(limits.maxSecretsPerEnvironment)} in an environment</span>
                  </dd>
                </div>
                <div>
                  <dt>Audit log</dt>
                  <dd>
                    {limits.auditRetentionDays === -1
                      ? 'kept for good'
                      : `kept for ${limitInWords(limits.auditRetentionDays)} days`}
                  </dd>
                </div>
              </dl>
            </Section>
            <Section title="Plan">
              <Problem error={buy.error ?? portal.error} />
              <div class="actions">
                {status !== 'active' &&
                  boughtPlans
                    .filter(name => name !== plan)
                    .map((name, index) => (
                      <Button
                        key={name}
                        kind={index === 0 ? 'primary' : 'plain'}
                        busy={buy.busy}
                        onClick={() => void buy.run(name)}
                        disabled={whyNot !== undefined}
                      >
                        Change to {name}
                      </Button>
                    ))}
                <Button busy={portal.busy} onClick={() => void portal.run()} whyNot={whyNot}>
                  Invoices and payment
                </Button>
              </div>
            </Section>
          </>
        )}
      </Await>
    </Page>
  );
}

function Meter({ name, used, limit }: { name: string; used: number; limit: number }) {
  const full = limit !== -1 && used >= limit;
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {used.toLocaleString('en')} <span class="quiet">of {limitInWords(limit)}</span>
        {limit !== -1 && (
          <meter min={0} max={Math.max(limit, 1)} value={Math.min(used, limit)} aria-label={`${name} used`} />
        )}
        {full && <span class="bad"> full</span>}
      </dd>
    </div>
  );
}
