import type { Role } from '@holdfast/contracts/fields/role.ts';
import type { Environment } from '@holdfast/contracts/projects/projects.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Edit } from './edit.tsx';
import { History } from './history.tsx';
import { Paste } from './paste.tsx';
import type { Place } from './place.ts';
import { Review } from './review.tsx';
import type { Secrets } from './use-secrets.ts';
import '../ui/facts.css';

export type OpenDialog =
  | { kind: 'edit'; key?: string }
  | { kind: 'paste' | 'review' | 'help' }
  | { kind: 'history'; key: string };

interface DialogsProps {
  open: OpenDialog;
  place: Place;
  environment: Environment;
  role: Role;
  readable: boolean;
  secrets: Secrets;
  onClose: () => void;
}

/** The dialog that is open over an environment's secrets. */
export function SecretDialogs({ open, place, environment, role, readable, secrets, onClose }: DialogsProps) {
  switch (open.kind) {
    case 'edit':
      return (
        <Edit
          name={open.key}
          exists={secrets.exists}
          onStage={(key, value) => secrets.set([{ key, value }])}
          onClose={onClose}
        />
      );
    case 'paste':
      return <Paste onStage={secrets.set} onClose={onClose} />;
    case 'history':
      return <History {...{ place, environment, role, onClose }} name={open.key} />;
    case 'review':
      return <Review {...{ place, environment, role, readable, onClose }} onApplied={secrets.changed} />;
    case 'help':
      return <Shortcuts onClose={onClose} />;
  }
}

const shortcuts = [
  ['↑ ↓', 'move between keys'],
  ['Enter', 'new value'],
  ['r', 'reveal or hide'],
  ['c', 'copy the value'],
  ['/', 'filter'],
  ['?', 'this list'],
  ['⌘K', 'go to any page (Ctrl K)'],
] as const;

function Shortcuts({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <p class="hint">Single-key shortcuts work while the focus is in the table.</p>
      <dl class="facts">
        {shortcuts.map(([key, meaning]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
