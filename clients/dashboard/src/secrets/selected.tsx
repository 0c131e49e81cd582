import type { Role } from '@holdfast/contracts/fields/role.ts';
import { whyNot } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { count } from '../ui/count.ts';
import type { Selection } from './use-rows.ts';
import './secrets.css';

export type OnSelected = 'promote' | 'move' | 'values';

interface SelectedProps {
  selection: Selection;
  shown: number;
  role: Role;
  writable: boolean;
  onDelete: () => void;
  onOpen: (what: OnSelected) => void;
}

/** The maximum number of keys in a change. */
const mostKeys = 1000;

/** The number of selected keys, with what can be done with all of them. */
export function Selected({ selection, shown, role, writable, onDelete, onOpen }: SelectedProps) {
  const { selected, clear } = selection;
  const stored = selected.filter(({ entry }) => entry !== undefined).length;
  const hidden = selected.length - shown;
  const mayDelete =
    selected.length > mostKeys
      ? `At most ${mostKeys.toLocaleString('en')} keys can be changed at once.`
      : stored > 1
        ? whyNot('bulk-delete-secrets', role)
        : undefined;
  return (
    <aside class="tray" aria-label="Selected keys">
      <p aria-live="polite">
        <strong>{count(selected.length, 'key')} selected</strong>
        {hidden > 0 && <span class="quiet"> {hidden.toLocaleString('en')} hidden by the filter</span>}
      </p>
      <div class="actions">
        {stored > 0 && (
          <>
            <Button onClick={() => onOpen('values')}>Copy or download …</Button>
            <Button onClick={() => onOpen('promote')}>Promote …</Button>
          </>
        )}
        {writable && (
          <>
            {stored > 0 && mayDelete === undefined && <Button onClick={() => onOpen('move')}>Move …</Button>}
            <Button kind="danger" onClick={onDelete} whyNot={mayDelete}>
              Delete
            </Button>
          </>
        )}
        <Button kind="quiet" onClick={clear}>
          Select nothing
        </Button>
      </div>
    </aside>
  );
}
