import { useState } from 'preact/hooks';
import { Button } from '../../ui/button.tsx';
import { count } from '../../ui/count.ts';
import { Dialog } from '../../ui/dialog.tsx';
import type { ProjectProps } from '../../ui/in-project.tsx';
import { PromotionForm } from './promotion-form.tsx';
import { type Promoted, usePromotion } from './use-promotion.ts';

interface PromoteDialogProps extends Pick<ProjectProps, 'organization' | 'project' | 'reload'> {
  keys: readonly string[];
  /** The environments to begin with. */
  from?: string | undefined;
  to?: string | undefined;
  /** Moves the keys: stages their deletion in the source. Their values are in the target by then. */
  onMoved?: ((keys: readonly string[]) => void) | undefined;
  onClose: () => void;
}

/** Promotes chosen keys to another environment, or moves them there. The person sees the plan first. */
export function PromoteDialog({ onMoved, onClose, ...options }: PromoteDialogProps) {
  const [done, setDone] = useState<Promoted>();
  const promotion = usePromotion({
    ...options,
    onPromoted: promoted => {
      onMoved?.(promoted.keys);
      setDone(promoted);
    },
  });
  const { organization, project, keys } = options;
  const { from, to } = promotion;
  const history = `/organizations/${organization.slug}/projects/${project.slug}/environments/${to}/revisions`;
  const title =
    onMoved === undefined ? `Promote ${count(keys.length, 'key')}` : `Move ${count(keys.length, 'key')} from ${from}`;
  return (
    <Dialog title={title} size="sheet" onClose={onClose}>
      {done === undefined ? (
        <PromotionForm
          promotion={promotion}
          onMoved={
            onMoved &&
            (moved => {
              onMoved(moved);
              onClose();
            })
          }
        />
      ) : (
        <>
          <p>
            <span class="mono">{to}</span> is at revision {done.revision}. To undo this, restore revision{' '}
            {done.revision - 1} in <a href={history}>its history</a>.
          </p>
          {onMoved !== undefined && (
            <p>
              {count(done.keys.length, 'deletion')} in <span class="mono">{from}</span>{' '}
              {done.keys.length === 1 ? 'is' : 'are'} staged. Nothing is deleted until you review and apply it.
            </p>
          )}
          <div class="actions">
            <Button kind="primary" onClick={onClose}>
              Done
            </Button>
          </div>
        </>
      )}
    </Dialog>
  );
}
