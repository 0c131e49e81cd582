import { useState } from 'preact/hooks';
import type { Passkey } from '../../../../../lib/contracts/auth/passkey.ts';
import { call } from '../../api.ts';
import { createPasskey, passkeysPossible } from '../../factors/passkeys.ts';
import { QrCode } from '../../factors/qr-code.tsx';
import { useAction, useLoad } from '../../load.ts';
import { loadSession, user } from '../../session.ts';
import { Await } from '../../ui/await.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { count } from '../../ui/count.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, FormActions } from '../../ui/form.tsx';
import { Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { showToast } from '../../ui/toast.tsx';
import './second-factors.css';

type Open =
  | { kind: 'add-passkey' | 'app' | 'remove-app' | 'renew' }
  | { kind: 'remove-passkey'; passkey: Passkey }
  | { kind: 'codes'; codes: readonly string[] };

/** What a stolen password is not enough against. */
export function SecondFactors() {
  const [open, setOpen] = useState<Open>();
  const passkeys = useLoad('passkeys', async signal => (await call('GET /v1/auth/passkeys', { signal })).passkeys);
  const have = user.value?.secondFactors;
  if (have === undefined) return null;
  const any = have.totp || have.passkeys > 0;
  const close = () => setOpen(undefined);
  const changed = async (codes?: readonly string[]) => {
    if (codes === undefined) close();
    else setOpen({ kind: 'codes', codes });
    await Promise.all([passkeys.reload(), loadSession()]);
  };
  return (
    <Section
      title="Second factors"
      lead="With one, your password alone lets nobody in. Nobody can switch it off for you, so keep the recovery codes."
    >
      <h3>Passkeys</h3>
      <Await of={passkeys} rows={1}>
        {list =>
          list.length === 0 ? (
            <p class="quiet">None yet. A passkey is your device’s fingerprint, face or PIN.</p>
          ) : (
            <Table
              caption="Passkeys"
              rows={list}
              keyOf={({ id }) => id}
              columns={[
                { title: 'Passkey', cell: ({ name }) => <strong>{name}</strong> },
                { title: 'Added', cell: ({ createdAt }) => <Time at={createdAt} /> },
                {
                  title: 'Last used',
                  cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : <Time at={lastUsedAt} />),
                },
                {
                  title: 'Actions',
                  hiddenTitle: true,
                  cell: passkey => (
                    <Button
                      kind="quiet"
                      label={`Remove the passkey ${passkey.name}`}
                      onClick={() => setOpen({ kind: 'remove-passkey', passkey })}
                    >
                      Remove
                    </Button>
                  ),
                },
              ]}
            />
          )
        }
      </Await>
      <div class="actions">
        <Button
          onClick={() => setOpen({ kind: 'add-passkey' })}
          whyNot={passkeysPossible ? undefined : 'Passkeys need a browser that knows them and an address with a name.'}
        >
          Add a passkey
        </Button>
      </div>
      <h3>Authenticator app</h3>
      <p class={have.totp ? 'good' : 'quiet'}>
        {have.totp ? '✓ Set up.' : 'None. An app on your phone shows a new code every 30 seconds.'}
      </p>
      <div class="actions">
        <Button onClick={() => setOpen({ kind: 'app' })}>{have.totp ? 'Set up another' : 'Set up an app'}</Button>
        {have.totp && (
          <Button kind="quiet" onClick={() => setOpen({ kind: 'remove-app' })}>
            Remove the app
          </Button>
        )}
      </div>
      {any && (
        <>
          <h3>Recovery codes</h3>
          <p class={have.recoveryCodesLeft > 3 ? 'quiet' : 'bad'}>
            {count(have.recoveryCodesLeft, 'code')} left. Each logs you in once without your second factor.
          </p>
          <div class="actions">
            <Button onClick={() => setOpen({ kind: 'renew' })}>Make new codes</Button>
          </div>
        </>
      )}
      {open?.kind === 'add-passkey' && <AddPasskey onClose={close} onAdded={changed} />}
      {open?.kind === 'app' && <AddApp replaces={have.totp} onClose={close} onAdded={changed} />}
      {open?.kind === 'codes' && <Codes codes={open.codes} onClose={close} />}
      {open?.kind === 'remove-passkey' && (
        <Confirm
          title="Remove passkey"
          action="Remove"
          onClose={close}
          onConfirm={async () => {
            await call('DELETE /v1/auth/passkeys/{passkeyId}', { params: { passkeyId: open.passkey.id } });
            showToast(`${open.passkey.name} is removed.`);
            await changed();
          }}
        >
          <p>
            <strong>{open.passkey.name}</strong> stops working at once. {lastOne(have.passkeys === 1 && !have.totp)}
          </p>
        </Confirm>
      )}
      {open?.kind === 'remove-app' && (
        <Confirm
          title="Remove the authenticator app"
          action="Remove"
          onClose={close}
          onConfirm={async () => {
            await call('DELETE /v1/auth/totp');
            showToast('The authenticator app is removed.');
            await changed();
          }}
        >
          <p>Its codes stop working at once. {lastOne(have.passkeys === 0)}</p>
        </Confirm>
      )}
      {open?.kind === 'renew' && (
        <Confirm
          title="Make new recovery codes"
          action="Make ten new codes"
          danger={false}
          // The new codes take its place.
          onClose={() => setOpen(now => (now?.kind === 'renew' ? undefined : now))}
          onConfirm={async () => {
            const { recoveryCodes } = await call('POST /v1/auth/recovery-codes');
            await changed(recoveryCodes);
          }}
        >
          <p>The codes that you have now stop working.</p>
        </Confirm>
      )}
    </Section>
  );
}

const lastOne = (last: boolean) =>
  last
    ? 'It is your last second factor: afterwards your password alone lets anyone in, and your recovery codes go.'
    : '';

interface AddProps {
  onClose: () => void;
  onAdded: (recoveryCodes?: readonly string[]) => Promise<void>;
}

function AddPasskey({ onClose, onAdded }: AddProps) {
  const add = useAction(async ({ name = '' }: Record<string, string>) => {
    const { challenge, publicKey } = await call('POST /v1/auth/passkeys/options');
    const passkey = await createPasskey(publicKey);
    const added = await call('POST /v1/auth/passkeys', { body: { challenge, name, passkey } });
    showToast(`The passkey ${name} is added.`);
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
          hint="What you will know it by."
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

function AddApp({ replaces, onClose, onAdded }: AddProps & { replaces: boolean }) {
  const secret = useLoad('totp', () => call('POST /v1/auth/totp'));
  const confirm = useAction(async ({ code = '' }: Record<string, string>) => {
    const { recoveryCodes } = await call('POST /v1/auth/totp/confirm', { body: { code: code.replaceAll(' ', '') } });
    showToast('The authenticator app is set up.');
    await onAdded(recoveryCodes);
  });
  return (
    <Dialog title="Set up an authenticator app" onClose={onClose}>
      <Await of={secret}>
        {({ secret: text, uri }) => (
          <Form onSubmit={values => void confirm.run(values)}>
            <p>Scan this with the app, or type the key into it.</p>
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
            <Field
              label="Code that the app shows"
              name="code"
              mono
              autofocus
              required
              numeric
              maxLength={7}
              autocomplete="one-time-code"
              error={confirm.error}
              hint={
                replaces ? 'Until then the app that you have now keeps working.' : 'It shows that the app has the key.'
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

/** They leave the page with this dialog. */
function Codes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  return (
    <Dialog title="Recovery codes" firm onClose={onClose}>
      <p>
        Keep them where you keep your passports, not next to your password. They are <strong>shown this once</strong>.
        Without your second factor and these codes nobody can let you in.
      </p>
      <ol class="codes mono">
        {codes.map(code => (
          <li key={code}>{code}</li>
        ))}
      </ol>
      <div class="actions">
        <CopyButton kind="primary" text={() => codes.join('\n')} />
        <Button onClick={onClose}>I have them</Button>
      </div>
    </Dialog>
  );
}
