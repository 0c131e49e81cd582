import { call } from '../../api.ts';
import { createPasskey } from '../../factors/passkeys.ts';
import { useAction } from '../../load.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, FormActions } from '../../ui/form.tsx';
import { Problem } from '../../ui/problem.tsx';
import { showToast } from '../../ui/toast.tsx';

interface AddPasskeyProps {
  onClose: () => void;
  /** Receives the recovery codes that come with the first factor. */
  onAdded: (recoveryCodes?: readonly string[]) => Promise<void>;
}

export function AddPasskey({ onClose, onAdded }: AddPasskeyProps) {
  const add = useAction(async ({ name = '' }: Record<string, string>) => {
    const { challenge, publicKey } = await call('POST /v1/auth/passkeys/options');
    const passkey = await createPasskey(publicKey);
    const added = await call('POST /v1/auth/passkeys', { body: { challenge, name, passkey } });
    showToast(`Passkey ${name} added.`);
    await onAdded(added.recoveryCodes);
  });
  return (
    <Dialog title="Add a passkey" onClose={onClose}>
      <Form onSubmit={values => void add.run(values)}>
        <Field
          label="Name"
          name="name"
          required
          maxLength={100}
          placeholder="laptop"
          hint="A name to recognize it by."
          error={add.error}
        />
        <Problem error={add.error} />
        <FormActions busy={add.busy} onClose={onClose}>
          Continue
        </FormActions>
        <p class="hint">Your device asks for your fingerprint, face or PIN.</p>
      </Form>
    </Dialog>
  );
}
