import { Button } from '../ui/button.tsx';
import { count } from '../ui/count.ts';
import type { Stage } from './stage.ts';
import './secrets.css';

/** The number of staged changes, with a button to review them. */
export function Tray({ staged, onDiscard, onReview }: { staged: Stage; onDiscard: () => void; onReview: () => void }) {
  return (
    <aside class="tray" aria-label="Staged changes">
      <p>
        <strong>{count(staged.changes.size, 'change')} staged</strong>{' '}
        <span class="quiet">on revision {staged.revision}</span>
      </p>
      <div class="actions">
        <Button kind="quiet" onClick={onDiscard}>
          Discard
        </Button>
        <Button kind="primary" onClick={onReview}>
          Review
        </Button>
      </div>
    </aside>
  );
}
