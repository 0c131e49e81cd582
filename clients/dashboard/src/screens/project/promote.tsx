import { roleMay } from '../../secrets/rights.ts';
import { Await } from '../../ui/await.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Empty } from '../../ui/empty.tsx';
import { EmptyPage } from '../../ui/empty-page.tsx';
import type { ProjectProps } from '../../ui/in-project.tsx';
import { Page } from '../../ui/page.tsx';
import { Select } from '../../ui/select.tsx';
import { PromotionPlan } from './promotion-plan.tsx';
import { usePromotion } from './use-promotion.ts';

export function Promote({ organization, project, reload }: ProjectProps) {
  const sources = project.environments.filter(({ type }) => roleMay('read', organization.role, type));
  const targets = project.environments.filter(({ type }) => roleMay('write', organization.role, type));
  const promotion = usePromotion({
    params: { orgSlug: organization.slug, project: project.slug },
    sources,
    targets,
    reload,
  });
  const { from, to, target, overwrite, plan, change } = promotion;
  const title = `Promote · ${project.slug}`;
  if (sources.length === 0 || targets.length === 0)
    return (
      <EmptyPage
        title={title}
        heading="Promote"
        reason={`As a ${organization.role}, you can’t change any environment in this project.`}
      />
    );
  return (
    <Page
      title={title}
      heading="Promote"
      lead="Copies values from one environment to another, as one revision of the target."
    >
      <div class="filters">
        <Select
          label="From"
          value={from}
          options={sources.map(({ slug }) => [slug, slug])}
          onChange={slug => change({ from: slug })}
        />
        <Select
          label="To"
          value={to}
          options={targets.map(({ slug }) => [slug, slug])}
          onChange={slug => change({ to: slug })}
        />
        <Checkbox
          label="Overwrite values in the target"
          checked={overwrite}
          onChange={on => change({ overwrite: on })}
        />
      </div>
      {target === undefined ? (
        <Empty title="Choose two environments." />
      ) : (
        <Await of={plan} rows={6}>
          {planned => planned && <PromotionPlan planned={planned} target={target} promotion={promotion} />}
        </Await>
      )}
    </Page>
  );
}
