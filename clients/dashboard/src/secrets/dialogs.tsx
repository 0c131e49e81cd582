import type { Role } from '@holdfast/contracts/fields/role.ts';
import type { Environment } from '@holdfast/contracts/projects/projects.ts';
import { SecretPanel } from './panel.tsx';
import { Paste } from './paste.tsx';
import type { Place } from './place.ts';
import { Review } from './review.tsx';
import type { Secrets } from './use-secrets.ts';

export type OpenDialog =
  | { kind: 'secret'; key?: string; start?: 'revealed' | 'editing' }
  | { kind: 'paste' | 'review' };

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
      return (
        <SecretPanel
          {...shared}
          {...{ environments, staging }}
          name={open.key}
          start={open.start}
          onDescribed={secrets.keys.reload}
        />
      );
    case 'paste':
      return <Paste onStage={staging.set} onClose={shared.onClose} />;
    case 'review':
      return <Review {...shared} readable={readable} onApplied={changed} />;
  }
}
