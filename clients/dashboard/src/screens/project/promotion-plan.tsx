import type { Environment } from '@holdfast/contracts/projects/projects.ts';
import type { ChangePlan } from '@holdfast/contracts/secrets/changes.ts';
import { PlannedChange } from '../../secrets/planned-change.tsx';
import { linesOf } from '../../secrets/proof.tsx';
import { count } from '../../ui/count.ts';
import type { Planned, Promotion } from './use-promotion.ts';
import './project.css';

interface PromotionPlanProps {
  planned: Planned;
  target: Environment;
  promotion: Promotion;
}

/** What would change in the target. Each key can be left out. */
export function PromotionPlan({ planned, target, promotion }: PromotionPlanProps) {
  const { applying, takes, take, planAgain } = promotion;
  const lines = linesOf(planned.plan);
  const keys = lines.map(({ key }) => key).filter(takes);
  return (
    <div class={`railed ${target.type}`}>
      <PlannedChange
        environment={target}
        role={promotion.role}
        lines={lines.map(line => ({
          ...line,
          note: <Take name={line.key} taken={takes(line.key)} onTake={taken => take(line.key, taken)} />,
        }))}
        chosen={keys.length}
        revision={planned.revision}
        empty={`${target.slug} already has all of these values.`}
        label={`Promote ${count(keys.length, 'key')}`}
        busy={applying.busy}
        error={applying.error}
        onApply={sending => void applying.run(planned, keys, sending)}
        onPlanAgain={planAgain}
      >
        <Untouched plan={planned.plan} />
        {promotion.absent > 0 && (
          <p class="quiet">
            {count(promotion.absent, 'key')} not in {promotion.from}.
          </p>
        )}
      </PlannedChange>
    </div>
  );
}

function Take({ name, taken, onTake }: { name: string; taken: boolean; onTake: (taken: boolean) => void }) {
  return (
    <label class="take">
      <input
        type="checkbox"
        checked={taken}
        aria-label={`Promote ${name}`}
        onChange={event => onTake(event.currentTarget.checked)}
      />
    </label>
  );
}

function Untouched({ plan: { unchanged, skipped } }: { plan: ChangePlan }) {
  if (unchanged.length + skipped.length === 0) return null;
  return (
    <p class="quiet">
      {unchanged.length > 0 && `${count(unchanged.length, 'key')} already the same. `}
      {skipped.length > 0 && `${count(skipped.length, 'key')} left as they are in the target.`}
    </p>
  );
}
