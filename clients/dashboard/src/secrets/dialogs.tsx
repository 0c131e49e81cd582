import type { Role } from '@holdfast/contracts/fields/role.ts';
import type { Environment } from '@holdfast/contracts/projects/projects.ts';
import { Dialog } from '../ui/dialog.tsx';
import { SecretPanel } from './panel.tsx';
import { Paste } from './paste.tsx';
import type { Place } from './place.ts';
import { Review } from './review.tsx';
import type { Secrets } from './use-secrets.ts';
import '../ui/facts.css';

export type OpenDialog =
  | { kind: 'secret'; key?: string; start?: 'revealed' | 'editing' }
  | { kind: 'paste' | 'review' | 'help' };

interface DialogsProps {
  open: OpenDialog;
  place: Place;
  environment: Environment;
  environments: readonly Environment[];
  role: Role;
  readable: boolean;
  secrets: Secrets;
  onClose: () => void;
}

/** The dialog that is open over an environment's secrets. */
export function SecretDialogs({ open, environments, readable, secrets, ...shared }: DialogsProps) {
  const { staging, changed } = secrets;
  switch (open.kind) {
    case 'secret':
      return <SecretPanel {...shared} {...{ environments, staging }} name={open.key} start={open.start} />;
    case 'paste':
      return <Paste onStage={staging.set} onClose={shared.onClose} />;
    case 'review':
      return <Review {...shared} readable={readable} onApplied={changed} />;
    case 'help':
      return <Shortcuts onClose={shared.onClose} />;
  }
}

const shortcuts = [
  ['↑ ↓', 'move between keys'],
  ['Enter', 'open the secret'],
  ['r', 'reveal the value'],
  ['e', 'new value'],
  ['c', 'copy the value'],
  ['Space', 'select'],
  ['Shift ↑ ↓', 'select several'],
  ['Esc', 'select nothing'],
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
