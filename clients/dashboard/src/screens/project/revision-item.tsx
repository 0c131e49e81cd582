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
  proposalAt: (id: string) => string;
  onCompare: () => void;
  onRestore: () => void;
}

/** One revision: what happened, who did it and why. */
export function RevisionItem({ entry, current, restorable, proposalAt, onCompare, onRestore }: RevisionItemProps) {
  const { revision, createdBy, createdAt, message, proposal, approvedBy = [] } = entry;
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
        {proposal !== undefined && (
          <p class="quiet">
            <a href={proposalAt(proposal.id)}>Proposed</a>
            {approvedBy.length > 0 && ` and approved by ${listed(approvedBy.map(({ email }) => email))}`}
          </p>
        )}
        {message !== null && <p class="message">“{message}”</p>}
        <ChangedKeys entry={entry} />
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

const listed = (names: readonly string[]) => new Intl.ListFormat('en').format(names);

function headline({ action, from, restored }: RevisionEntry): string {
  if (restored !== undefined) return `Restored revision ${restored}`;
  if (from !== undefined) return `Promoted from ${from.slug} at ${from.revision}`;
  if (action === 'secret.bulk_set') return 'Imported';
  if (action === 'secret.deleted' || action === 'secret.bulk_delete') return 'Deleted';
  return 'Changed';
}

const shownKeys = 6;

/** The first keys that a change names. */
export function ChangedKeys({ entry }: { entry: Parameters<typeof linesOf>[0] }) {
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
