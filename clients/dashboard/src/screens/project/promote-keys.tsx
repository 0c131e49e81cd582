import type { OwnOrganization } from '@holdfast/contracts/auth/account.ts';
import type { Environment, Project } from '@holdfast/contracts/projects/projects.ts';
import { useState } from 'preact/hooks';
import { roleMay } from '../../secrets/rights.ts';
import { Await } from '../../ui/await.tsx';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { count } from '../../ui/count.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Select } from '../../ui/select.tsx';
import { PromotionPlan } from './promotion-plan.tsx';
import { type Promoted, usePromotion } from './use-promotion.ts';

interface PromoteKeysProps {
  organization: OwnOrganization;
  project: Project;
  from: Environment;
  /** The target to begin with; by default, the next environment. */
  to?: string;
  keys: readonly string[];
  /** Stages the deletion of the keys in the source. Their values are in the target by then. */
  onMoved?: ((keys: readonly string[]) => void) | undefined;
  reload: () => Promise<void>;
  onClose: () => void;
}

/** Promotes chosen keys to another environment, or moves them there. */
export function PromoteKeys({ organization, project, from, to, keys, onMoved, reload, onClose }: PromoteKeysProps) {
  const [done, setDone] = useState<Promoted>();
  const { environments } = project;
  const first = to ?? environments[environments.findIndex(({ id }) => id === from.id) + 1]?.slug;
  const targets = environments.filter(({ id, type }) => id !== from.id && roleMay('write', organization.role, type));
  const promotion = usePromotion({
    organization,
    project,
    from: from.slug,
    to: first,
    keys,
    reload,
    onPromoted: promoted => {
      onMoved?.(promoted.keys);
      setDone(promoted);
    },
  });
  const { target, overwrite, plan, change } = promotion;
  const verb = onMoved === undefined ? 'Promote' : 'Move';
  const history = `/organizations/${organization.slug}/projects/${project.slug}/environments/${target?.slug}/revisions`;
  return (
    <Dialog title={`${verb} ${count(keys.length, 'key')} from ${from.slug}`} size="sheet" onClose={onClose}>
      {target === undefined ? (
        <p>As a {organization.role}, you can’t change another environment of this project.</p>
      ) : done !== undefined ? (
        <>
          <p>
            <span class="mono">{target.slug}</span> is at revision {done.revision}. To undo this, restore revision{' '}
            {done.revision - 1} in <a href={history}>its history</a>.
          </p>
          {onMoved !== undefined && (
            <p>
              {count(done.keys.length, 'deletion')} in <span class="mono">{from.slug}</span>{' '}
              {done.keys.length === 1 ? 'is' : 'are'} staged. Nothing is deleted until you review and apply it.
            </p>
          )}
          <div class="actions">
            <Button kind="primary" onClick={onClose}>
              Done
            </Button>
          </div>
        </>
      ) : (
        <>
          <div class="filters">
            <Select
              label="To"
              value={target.slug}
              options={targets.map(({ slug }) => [slug, slug])}
              onChange={slug => change({ to: slug })}
            />
            <Checkbox
              label="Overwrite values in the target"
              checked={overwrite}
              onChange={on => change({ overwrite: on })}
            />
          </div>
          {onMoved !== undefined && (
            <p>
              After that, their deletion in <span class="mono">{from.slug}</span> is staged for you to review.
            </p>
          )}
          <Await of={plan} rows={6}>
            {planned =>
              planned && (
                <>
                  <PromotionPlan planned={planned} target={target} promotion={promotion} />
                  {onMoved !== undefined && isAllThere(planned.plan) && (
                    <Button
                      kind="primary"
                      onClick={() => {
                        onMoved(planned.plan.unchanged);
                        onClose();
                      }}
                    >
                      Stage {count(planned.plan.unchanged.length, 'deletion')} in {from.slug}
                    </Button>
                  )}
                </>
              )
            }
          </Await>
        </>
      )}
    </Dialog>
  );
}

/** Whether there is nothing to promote because the target has these values. */
const isAllThere = ({ created, updated, unchanged }: { created: string[]; updated: string[]; unchanged: string[] }) =>
  created.length + updated.length === 0 && unchanged.length > 0;
