import type { ChangePlan } from '@holdfast/contracts/secrets/changes.ts';
import { Await } from '../../ui/await.tsx';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { count } from '../../ui/count.ts';
import { Empty } from '../../ui/empty.tsx';
import { Select } from '../../ui/select.tsx';
import { PromotionPlan } from './promotion-plan.tsx';
import type { Promotion } from './use-promotion.ts';

interface PromotionFormProps {
  promotion: Promotion;
  /** Stages the deletion of keys that the target already has. With it, the keys are moved and their source is fixed. */
  onMoved?: ((keys: readonly string[]) => void) | undefined;
}

/** The environments of a promotion, and its plan. */
export function PromotionForm({ promotion, onMoved }: PromotionFormProps) {
  const { sources, targets, from, to, target, overwrite, plan, change, whyNone } = promotion;
  return (
    <>
      <div class="filters">
        {onMoved === undefined && (
          <Select
            label="From"
            value={from}
            options={sources.map(({ slug }) => [slug, slug])}
            onChange={slug => change({ from: slug })}
          />
        )}
        <Select
          label="To"
          value={to}
          options={targets.filter(({ slug }) => slug !== from || slug === to).map(({ slug }) => [slug, slug])}
          onChange={slug => change({ to: slug })}
        />
        <Checkbox
          label="Overwrite values in the target"
          checked={overwrite}
          onChange={on => change({ overwrite: on })}
        />
      </div>
      {onMoved !== undefined && target !== undefined && (
        <p>
          {target.approvals > 0
            ? 'Only the promotion is proposed. Once it is applied, delete the keys in '
            : 'After that, their deletion in '}
          <span class="mono">{from}</span>
          {target.approvals > 0 ? '.' : ' is staged for you to review.'}
        </p>
      )}
      {target === undefined ? (
        <Empty title={whyNone ?? 'Choose two environments.'} />
      ) : (
        <Await of={plan} rows={6}>
          {planned =>
            planned && (
              <>
                <PromotionPlan planned={planned} target={target} promotion={promotion} />
                {onMoved !== undefined && isAllThere(planned.plan) && (
                  <Button kind="primary" onClick={() => onMoved(planned.plan.unchanged)}>
                    Stage {count(planned.plan.unchanged.length, 'deletion')} in {from}
                  </Button>
                )}
              </>
            )
          }
        </Await>
      )}
    </>
  );
}

/** Whether there is nothing to promote because the target has these values. */
const isAllThere = ({ created, updated, unchanged }: ChangePlan) =>
  created.length + updated.length === 0 && unchanged.length > 0;
