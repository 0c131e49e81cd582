import { useState } from 'preact/hooks';
import { call, Refusal } from '../../api.ts';
import { useAction, useLoad } from '../../load.ts';
import { Apply, linesOf, Proof, planOf } from '../../secrets/proof.tsx';
import { Await } from '../../ui/await.tsx';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { count } from '../../ui/count.ts';
import { Empty } from '../../ui/empty.tsx';
import type { ProjectProps } from '../../ui/in-project.tsx';
import { Page } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Select } from '../../ui/select.tsx';
import { showToast } from '../../ui/toast.tsx';
import { roleMay } from './environment.tsx';
import './promote.css';

interface Planned {
  plan: ReturnType<typeof planOf>;
  revision: number;
}

export function Promote({ organization, project, reload }: ProjectProps) {
  const sources = project.environments.filter(({ type }) => roleMay('read', organization.role, type));
  const targets = project.environments.filter(({ type }) => roleMay('write', organization.role, type));
  const [from, setFrom] = useState(sources[0]?.slug ?? '');
  const [to, setTo] = useState(targets.find(({ slug }) => slug !== sources[0]?.slug)?.slug ?? '');
  const [overwrite, setOverwrite] = useState(true);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const target = targets.find(({ slug }) => slug === to);
  const params = { orgSlug: organization.slug, project: project.slug };
  const possible = from !== '' && target !== undefined && from !== to;
  const plan = useLoad<Planned | undefined>(`${from} ${to} ${overwrite}`, async signal => {
    if (!possible) return undefined;
    const answer = await call('POST /v1/secrets/{orgSlug}/{project}/promote', {
      params,
      query: { dryRun: true },
      body: { from, to, overwrite },
      signal,
    });
    return { plan: planOf(answer), revision: answer.revision };
  });
  const promote = useAction(async (planned: Planned, keys: string[], message: string) => {
    const { revision } = await call('POST /v1/secrets/{orgSlug}/{project}/promote', {
      params,
      body: { from, to, overwrite, keys, ...(message === '' ? {} : { message }) },
      ifMatch: planned.revision,
    });
    showToast(`Promoted ${count(keys.length, 'key')}: ${to} is at revision ${revision}.`);
    setLeft(new Set());
    await Promise.all([plan.reload(), reload()]);
  });
  if (sources.length === 0 || targets.length === 0)
    return (
      <Page title={`Promote · ${project.slug}`} heading="Promote">
        <Empty title={`As a ${organization.role} you can’t change any environment of this project.`} />
      </Page>
    );
  const choose = (change: () => void) => {
    setLeft(new Set());
    promote.clear();
    change();
  };
  return (
    <Page
      title={`Promote · ${project.slug}`}
      heading="Promote"
      lead="Copies values from one environment to another, as one revision of the target."
    >
      <div class="filters">
        <Select
          label="From"
          value={from}
          options={sources.map(({ slug }) => [slug, slug])}
          onChange={slug => choose(() => setFrom(slug))}
        />
        <Select
          label="To"
          value={to}
          options={targets.map(({ slug }) => [slug, slug])}
          onChange={slug => choose(() => setTo(slug))}
        />
        <Checkbox
          label="Replace values that the target has"
          checked={overwrite}
          onChange={on => choose(() => setOverwrite(on))}
        />
      </div>
      {!possible && <Empty title="Choose two environments." />}
      <Await of={plan} rows={6}>
        {planned => {
          if (planned === undefined || target === undefined) return null;
          const lines = linesOf(planned.plan);
          const keys = lines.map(({ key }) => key).filter(key => !left.has(key));
          return (
            <div class={`railed ${target.type}`}>
              <Proof
                from={planned.revision}
                to={keys.length === 0 ? undefined : planned.revision + 1}
                empty={`${to} has all of this already.`}
                lines={lines.map(line => ({
                  ...line,
                  note: (
                    <label class="take">
                      <input
                        type="checkbox"
                        checked={!left.has(line.key)}
                        aria-label={`Promote ${line.key}`}
                        onChange={event => {
                          const next = new Set(left);
                          if (event.currentTarget.checked) next.delete(line.key);
                          else next.add(line.key);
                          setLeft(next);
                        }}
                      />
                    </label>
                  ),
                }))}
              />
              {planned.plan.unchanged.length + planned.plan.skipped.length > 0 && (
                <p class="quiet">
                  {planned.plan.unchanged.length > 0 &&
                    `${count(planned.plan.unchanged.length, 'key')} the same already. `}
                  {planned.plan.skipped.length > 0 &&
                    `${count(planned.plan.skipped.length, 'key')} left as the target has them.`}
                </p>
              )}
              <Problem error={promote.error} />
              {promote.error instanceof Refusal && promote.error.status === 412 && (
                <Button
                  onClick={() => {
                    promote.clear();
                    void plan.reload();
                  }}
                >
                  Look at what would change now
                </Button>
              )}
              {lines.length > 0 && (
                <Apply
                  environment={target}
                  label={`Promote ${count(keys.length, 'key')}`}
                  busy={promote.busy}
                  disabled={keys.length === 0}
                  onApply={message => void promote.run(planned, keys, message)}
                />
              )}
            </div>
          );
        }}
      </Await>
    </Page>
  );
}
