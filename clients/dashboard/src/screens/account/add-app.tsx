import { generate } from 'lean-qr/nano';
import { call } from '../../api.ts';
import { useAction, useLoad } from '../../load.ts';
import { Await } from '../../ui/await.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, FormActions } from '../../ui/form.tsx';
import { Problem } from '../../ui/problem.tsx';
import { showToast } from '../../ui/toast.tsx';

interface AddAppProps {
  /** Whether this app replaces one that is already set up. */
  replaces: boolean;
  onClose: () => void;
  /** Receives the recovery codes that come with the first factor. */
  onAdded: (recoveryCodes?: readonly string[]) => Promise<void>;
}

export function AddApp({ replaces, onClose, onAdded }: AddAppProps) {
  const secret = useLoad('totp', () => call('POST /v1/auth/totp'));
  const confirm = useAction(async ({ code = '' }: Record<string, string>) => {
    const { recoveryCodes } = await call('POST /v1/auth/totp/confirm', { body: { code: code.replaceAll(' ', '') } });
    showToast('Authenticator app set up.');
    await onAdded(recoveryCodes);
  });
  return (
    <Dialog title="Set up an authenticator app" onClose={onClose}>
      <Await of={secret}>
        {({ secret: text, uri }) => (
          <Form onSubmit={values => void confirm.run(values)}>
            <p>Scan this with the app, or type the key into it.</p>
            <AppKey text={text} uri={uri} />
            <Field
              label="Code shown in the app"
              name="code"
              mono
              autofocus
              required
              numeric
              maxLength={7}
              autocomplete="one-time-code"
              error={confirm.error}
              hint={
                replaces
                  ? 'Until you confirm, your current app keeps working.'
                  : 'This confirms that the app has the key.'
              }
            />
            <Problem error={confirm.error} />
            <FormActions busy={confirm.busy} onClose={onClose}>
              Confirm
            </FormActions>
          </Form>
        )}
      </Await>
    </Dialog>
  );
}

function AppKey({ text, uri }: { text: string; uri: string }) {
  return (
    <div class="enrol">
      <QrCode text={uri} label="The key as a QR code" />
      <div>
        <p class="hint">Key</p>
        <code class="mono">{text.match(/.{1,4}/g)?.join(' ')}</code>
        <div class="actions">
          <CopyButton kind="quiet" text={() => text} label="Copy the key" />
        </div>
      </div>
    </div>
  );
}

/** Dark on light in both themes, because some cameras read nothing else. */
function QrCode({ text, label }: { text: string; label: string }) {
  const code = generate(text);
  const quiet = 4;
  const size = code.size + 2 * quiet;
  const rows = Array.from({ length: code.size }, (_, index) => index);
  const dark = rows.flatMap(y => rows.flatMap(x => (code.get(x, y) ? [`M${x + quiet} ${y + quiet}h1v1h-1z`] : [])));
  return (
    <svg class="qr-code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <path d={dark.join('')} />
    </svg>
  );
}
