import { useState } from 'preact/hooks';
import { linesOf } from '../../secrets/proof.tsx';
import { Button } from '../../ui/button.tsx';
import { Time } from '../../ui/time.tsx';
import type { RevisionEntry } from './use-revisions.ts';
import '../../ui/journal.css';
import './project.css';

interface RevisionItemProps {
  entry: RevisionEntry;
  /** The newest revision is what the environment holds, so there is nothing to restore. */
  current: boolean;
  restorable: boolean;
  onCompare: () => void;
  onRestore: () => void;
}

/** One revision: what happened, who did it and why. */
export function RevisionItem({ entry, current, restorable, onCompare, onRestore }: RevisionItemProps) {
  const { revision, createdBy, createdAt, message } = entry;
  return (
    <li>
      <p class="when mono">{revision}</p>
      <div>
        <p>
          <strong>{headline(entry)}</strong>{' '}
          <span class="quiet">
            {createdBy?.email ?? 'an operator'}, <Time at={createdAt} />
          </span>
        </p>
        {message !== null && <p class="message">“{message}”</p>}
        <Changes entry={entry} />
        <div class="actions">
          <Button kind="quiet" label={`Diff of revision ${revision}`} onClick={onCompare}>
            Diff
          </Button>
          {!current && (
            <Button kind="quiet" label={`Restore revision ${revision}`} onClick={onRestore} disabled={!restorable}>
              Restore …
            </Button>
          )}
        </div>
      </div>
    </li>
  );
}

function headline({ action, from, restored }: RevisionEntry): string {
  if (restored !== undefined) return `Restored revision ${restored}`;
  if (from !== undefined) return `Promoted from ${from.slug} at ${from.revision}`;
  if (action === 'secret.bulk_set') return 'Imported';
  if (action === 'secret.deleted' || action === 'secret.bulk_delete') return 'Deleted';
  return 'Changed';
}

const shownKeys = 6;

function Changes({ entry }: { entry: RevisionEntry }) {
  const [open, setOpen] = useState(false);
  const lines = linesOf(entry);
  return (
    <p class="mono keys">
      {(open ? lines : lines.slice(0, shownKeys)).map(({ mark, key }) => (
        <span key={key} class={`inline-mark ${mark === '+' ? 'added' : mark === '−' ? 'deleted' : 'changed'}`}>
          {mark} {key}
        </span>
      ))}
      {!open && lines.length > shownKeys && (
        <button type="button" class="link" onClick={() => setOpen(true)}>
          and {lines.length - shownKeys} more
        </button>
      )}
    </p>
  );
}
