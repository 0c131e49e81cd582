import type { OwnUser } from '@holdfast/contracts/auth/account.ts';
import type { Passkey } from '@holdfast/contracts/auth/passkeys.ts';
import type { Dispatch, StateUpdater } from 'preact/hooks';
import { call } from '../../api.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { showToast } from '../../ui/toast.tsx';
import { AddApp } from './add-app.tsx';
import { AddPasskey } from './add-passkey.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';

/** The open dialog and its subject. */
export type Open =
  | { kind: 'add-passkey' | 'app' | 'remove-app' | 'renew' }
  | { kind: 'remove-passkey'; passkey: Passkey }
  | { kind: 'codes'; codes: readonly string[] };

interface DialogProps {
  open: Open;
  factors: OwnUser['secondFactors'];
  onOpen: Dispatch<StateUpdater<Open | undefined>>;
  /** Receives new recovery codes if the change created some. */
  onChanged: (recoveryCodes?: readonly string[]) => Promise<void>;
}

export function SecondFactorDialog({ open, factors, onOpen, onChanged }: DialogProps) {
  // Another dialog may have replaced it, such as the one with new recovery codes.
  const close = () => onOpen(now => (now === open ? undefined : now));
  switch (open.kind) {
    case 'add-passkey':
      return <AddPasskey onClose={close} onAdded={onChanged} />;
    case 'app':
      return <AddApp replaces={factors.totp} onClose={close} onAdded={onChanged} />;
    case 'codes':
      return <RecoveryCodes codes={open.codes} onClose={close} />;
    case 'remove-passkey':
      return (
        <RemovePasskey
          passkey={open.passkey}
          isLast={factors.passkeys === 1 && !factors.totp}
          onClose={close}
          onRemoved={onChanged}
        />
      );
    case 'remove-app':
      return <RemoveApp isLast={factors.passkeys === 0} onClose={close} onRemoved={onChanged} />;
    case 'renew':
      return <RenewCodes onClose={close} onRenewed={onChanged} />;
  }
}

const lastFactor =
  'It is your last second factor: after this, your password alone is enough to log in, and your recovery codes are deleted.';

interface RemoveProps {
  isLast: boolean;
  onClose: () => void;
  onRemoved: () => Promise<void>;
}

function RemovePasskey({ passkey, isLast, onClose, onRemoved }: RemoveProps & { passkey: Passkey }) {
  return (
    <Confirm
      title="Remove passkey"
      action="Remove"
      onClose={onClose}
      onConfirm={async () => {
        await call('DELETE /v1/auth/passkeys/{passkeyId}', { params: { passkeyId: passkey.id } });
        showToast(`Passkey ${passkey.name} removed.`);
        await onRemoved();
      }}
    >
      <p>
        <strong>{passkey.name}</strong> stops working at once. {isLast && lastFactor}
      </p>
    </Confirm>
  );
}

function RemoveApp({ isLast, onClose, onRemoved }: RemoveProps) {
  return (
    <Confirm
      title="Remove the authenticator app"
      action="Remove"
      onClose={onClose}
      onConfirm={async () => {
        await call('DELETE /v1/auth/totp');
        showToast('Authenticator app removed.');
        await onRemoved();
      }}
    >
      <p>Its codes stop working at once. {isLast && lastFactor}</p>
    </Confirm>
  );
}

interface RenewProps {
  onClose: () => void;
  onRenewed: (recoveryCodes: readonly string[]) => Promise<void>;
}

function RenewCodes({ onClose, onRenewed }: RenewProps) {
  return (
    <Confirm
      title="Make new recovery codes"
      action="Make ten new codes"
      danger={false}
      onClose={onClose}
      onConfirm={async () => {
        const { recoveryCodes } = await call('POST /v1/auth/recovery-codes');
        await onRenewed(recoveryCodes);
      }}
    >
      <p>Your current codes stop working.</p>
    </Confirm>
  );
}
