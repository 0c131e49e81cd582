import { limitNames } from 'virtual:contracts';
import type { Plan } from '@holdfast/contracts/fields/limits.ts';
import { useState } from 'preact/hooks';
import { call } from '../../api.ts';
import { useAction, useLoad } from '../../load.ts';
import { Await } from '../../ui/await.tsx';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { limitNamesInWords } from '../../ui/limits.ts';
import { Page, Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { showToast } from '../../ui/toast.tsx';
import { OfPlatform } from './tabs.tsx';

export function AdminPlans() {
  return <OfPlatform>{() => <Plans />}</OfPlatform>;
}

function Plans() {
  const plans = useLoad('plans', async signal => (await call('GET /v1/admin/plans', { signal })).plans);
  return (
    <Page title="Plans" lead="The default limits of each plan; −1 means unlimited. Changes take effect immediately.">
      <Await of={plans}>{list => list.map(plan => <OnePlan key={plan.name} plan={plan} />)}</Await>
    </Page>
  );
}

function OnePlan({ plan }: { plan: Plan }) {
  const [stored, setStored] = useState(plan.limits);
  const save = useAction(async (values: Record<string, string>) => {
    // A limit that is sent no longer follows its default, so unchanged ones are not.
    const changed = limitNames.filter(name => Number(values[name]) !== stored[name]);
    if (changed.length > 0) {
      const limits = Object.fromEntries(changed.map(name => [name, Number(values[name])]));
      const params = { planName: plan.name };
      setStored((await call('PUT /v1/admin/plans/{planName}', { params, body: { limits } })).plan.limits);
    }
    showToast(`Plan ${plan.name} saved.`);
  });
  return (
    <Section title={plan.name}>
      <Form label={plan.name} onSubmit={values => void save.run(values)}>
        <div class="grid">
          {limitNames.map(name => (
            <Field
              key={name}
              label={limitNamesInWords[name]}
              name={name}
              type="number"
              required
              min={-1}
              max={1_000_000_000}
              value={stored[name].toString()}
              error={save.error}
            />
          ))}
        </div>
        <Problem error={save.error} />
        <div class="actions">
          <Button type="submit" busy={save.busy}>
            Save {plan.name}
          </Button>
        </div>
      </Form>
    </Section>
  );
}
