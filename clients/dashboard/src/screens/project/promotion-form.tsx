import { Await } from '../../ui/await.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Select } from '../../ui/select.tsx';
import { PromotionPlan } from './promotion-plan.tsx';
import type { Promotion } from './use-promotion.ts';

/** The environments of a promotion, and its plan. */
export function PromotionForm({ promotion }: { promotion: Promotion }) {
  const { sources, targets, from, to, target, overwrite, plan, change } = promotion;
  return (
    <>
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
    </>
  );
}
