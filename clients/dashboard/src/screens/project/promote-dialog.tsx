import { count } from '../../ui/count.ts';
import { Dialog } from '../../ui/dialog.tsx';
import type { ProjectProps } from '../../ui/in-project.tsx';
import { PromotionForm } from './promotion-form.tsx';
import { usePromotion } from './use-promotion.ts';

interface PromoteDialogProps extends Pick<ProjectProps, 'organization' | 'project' | 'reload'> {
  keys: readonly string[];
  from?: string | undefined;
  to?: string | undefined;
  onClose: () => void;
}

/** Promotes the chosen keys. The person chooses the environments and sees the plan first. */
export function PromoteDialog({ organization, project, keys, from, to, onClose, reload }: PromoteDialogProps) {
  const promotion = usePromotion({ organization, project, keys, from, to, reload, onPromoted: onClose });
  return (
    <Dialog title={`Promote ${count(keys.length, 'key')}`} size="sheet" onClose={onClose}>
      <PromotionForm promotion={promotion} />
    </Dialog>
  );
}
