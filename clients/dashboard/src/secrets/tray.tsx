import type { Environment } from '@holdfast/contracts/projects/projects.ts';
import { Button } from '../ui/button.tsx';
import { count } from '../ui/count.ts';
import { EnvironmentMark } from '../ui/environment-mark.tsx';
import type { Stage } from './stage.ts';
import './secrets.css';

interface TrayProps {
  /** Named if a page stages changes of several environments. */
  of?: Environment;
  staged: Stage;
  onDiscard: () => void;
  onReview: () => void;
}

/** The number of staged changes, with a button to review them. */
export function Tray({ of, staged, onDiscard, onReview }: TrayProps) {
  const within = of === undefined ? '' : ` of ${of.slug}`;
  const named = (text: string) => (of === undefined ? {} : { label: `${text} ${of.slug}` });
  return (
    <aside class={`tray ${of?.type ?? ''}`} aria-label={`Staged changes${within}`}>
      <p>
        {of !== undefined && <EnvironmentMark type={of.type} name={of.slug} />}{' '}
        <strong>{count(staged.changes.size, 'change')} staged</strong>{' '}
        <span class="quiet">on revision {staged.revision}</span>
      </p>
      <div class="actions">
        <Button kind="quiet" {...named('Discard the changes of')} onClick={onDiscard}>
          Discard
        </Button>
        <Button kind="primary" {...named('Review')} onClick={onReview}>
          Review
        </Button>
      </div>
    </aside>
  );
}
