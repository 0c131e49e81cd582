import { limitNames, planNames } from 'virtual:contracts';
import type { LimitName, PlanName } from '@holdfast/contracts/fields/limits.ts';
import { useState } from 'preact/hooks';
import { type Answer, call } from '../../api.ts';
import { useAction, useLoad } from '../../load.ts';
import { Await } from '../../ui/await.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { limitInWords, limitNamesInWords } from '../../ui/limits.ts';
import { Page, Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Select } from '../../ui/select.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { showToast } from '../../ui/toast.tsx';
import { RecoverySection } from './recovery.tsx';
import { OfPlatform } from './tabs.tsx';

type Found = Answer<'GET /v1/admin/orgs/{orgId}'>;

export function AdminOrganization({ parameters }: { parameters: Record<string, string> }) {
  return <OfPlatform>{() => <Inspect orgId={parameters.id ?? ''} />}</OfPlatform>;
}

function Inspect({ orgId }: { orgId: string }) {
  const loaded = useLoad<Found>(orgId, signal => call('GET /v1/admin/orgs/{orgId}', { params: { orgId }, signal }));
  return (
    <Page
      title={loaded.data?.organization.name ?? 'Organization'}
      lead={
        loaded.data && (
          <>
            <span class="mono">{loaded.data.organization.slug}</span>, since{' '}
            <Time at={loaded.data.organization.createdAt} />
          </>
        )
      }
    >
      <Await of={loaded}>
        {found => (
          <>
            <InForce found={found} />
            <InUse found={found} />
            <AllowedNetworks found={found} orgId={orgId} onSaved={() => void loaded.reload()} />
            <Overrides found={found} orgId={orgId} onSaved={() => void loaded.reload()} />
            <RecoverySection orgId={orgId} recovery={found.recovery} onChanged={() => void loaded.reload()} />
          </>
        )}
      </Await>
    </Page>
  );
}

interface FoundProps {
  found: Found;
}

interface SavingProps extends FoundProps {
  orgId: string;
  onSaved: () => void;
}

function InForce({ found: { limits } }: FoundProps) {
  return (
    <Section title="Limits in force">
      <Table
        caption="Limits in force"
        rows={limitNames}
        keyOf={name => name}
        columns={[
          { title: 'Limit', cell: name => limitNamesInWords[name] },
          { title: 'Value', number: true, cell: name => limitInWords(limits.effective[name]) },
          { title: 'From', cell: name => limits.source[name] },
        ]}
      />
    </Section>
  );
}

function AllowedNetworks({ found, orgId, onSaved }: SavingProps) {
  const [confirming, setConfirming] = useState(false);
  const { people, machines } = found.networks;
  if (people === null && machines === null) return null;
  return (
    <Section title="Allowed networks" lead="The organization rejects requests from other networks.">
      <Facts
        facts={[
          ['People', people?.join(', ') ?? 'every network'],
          ['Machines', machines?.join(', ') ?? 'every network'],
        ]}
      />
      <Button onClick={() => setConfirming(true)}>Allow every network</Button>
      {confirming && (
        <Confirm
          title="Allow every network"
          action="Allow"
          danger
          onClose={() => setConfirming(false)}
          onConfirm={async () => {
            await call('PATCH /v1/admin/orgs/{orgId}', { params: { orgId }, body: { networks: null } });
            showToast('Every network is allowed.');
            onSaved();
          }}
        >
          <p>Do this only if its owners have locked themselves out and ask for it. Their audit log records it.</p>
        </Confirm>
      )}
    </Section>
  );
}

function InUse({ found: { usage } }: FoundProps) {
  return (
    <Section title="Usage">
      <Facts facts={Object.entries(usage).map(([name, number]) => [name, number.toLocaleString('en')] as const)} />
    </Section>
  );
}

function Overrides({ found: { organization }, orgId, onSaved }: SavingProps) {
  const [plan, setPlan] = useState<PlanName>(organization.plan);
  const save = useAction(async (values: Record<string, string>) => {
    const limitOverrides = Object.fromEntries(
      limitNames.map(name => [name, values[name] === '' ? null : Number(values[name])]),
    ) as Record<LimitName, number | null>;
    await call('PATCH /v1/admin/orgs/{orgId}', { params: { orgId }, body: { plan, limitOverrides } });
    showToast('Plan and limits saved.');
    onSaved();
  });
  return (
    <Section
      title="Plan and overrides"
      lead="An override replaces the limit of the plan. Leave it empty to use the plan’s; −1 means unlimited."
    >
      <Form onSubmit={values => void save.run(values)}>
        <Select label="Plan" value={plan} options={planNames.map(name => [name, name] as const)} onChange={setPlan} />
        {limitNames.map(name => (
          <Field
            key={name}
            label={limitNamesInWords[name]}
            name={name}
            type="number"
            min={-1}
            max={1_000_000_000}
            value={organization.limitOverrides[name]?.toString() ?? ''}
            error={save.error}
          />
        ))}
        <Problem error={save.error} />
        <div class="actions">
          <Button type="submit" kind="primary" busy={save.busy}>
            Save
          </Button>
        </div>
      </Form>
    </Section>
  );
}
