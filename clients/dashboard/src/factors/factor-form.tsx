import { useState } from 'preact/hooks';
import type { PasskeyAssertion } from '../../../../lib/contracts/auth/passkey-credential.ts';
import type { PasskeyRequestOptions } from '../../../../lib/contracts/auth/passkey-options.ts';
import { Refusal } from '../api.ts';
import { useAction } from '../load.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import { Problem } from '../ui/problem.tsx';
import { passkeysPossible, usePasskey } from './passkeys.ts';
import './factor-form.css';

type Method = 'passkey' | 'totp' | 'recovery_code';

/** What the service asks for after a right password. */
interface Asked {
  challenge: string;
  methods: readonly Method[];
  publicKey?: PasskeyRequestOptions;
}

export type Factor = { passkey: PasskeyAssertion } | { totp: string } | { recoveryCode: string };

/** What a refusal asks for, if it asks for a second factor. An organization that demands one asks for nothing. */
export function askedBy(error: unknown): Asked | undefined {
  return error instanceof Refusal && error.code === 'second_factor_required' && error.status === 401
    ? (error.details as Asked)
    : undefined;
}

const otherWays: Readonly<Record<Method, string>> = {
  passkey: 'Use a passkey',
  totp: 'Use your authenticator app',
  recovery_code: 'Use a recovery code',
};

export function FactorForm({
  asked,
  onProve,
  onBack,
}: {
  asked: Asked;
  /** @throws Refusal for a wrong factor */
  onProve: (factor: Factor) => Promise<void>;
  onBack: () => void;
}) {
  const methods = asked.methods.filter(method => method !== 'passkey' || passkeysPossible);
  const [method, setMethod] = useState(methods[0]);
  const prove = useAction(async ({ code = '' }: Record<string, string>) => {
    if (method === 'passkey' && asked.publicKey !== undefined)
      await onProve({ passkey: await usePasskey(asked.publicKey) });
    else if (method === 'totp') await onProve({ totp: code.replaceAll(' ', '') });
    else await onProve({ recoveryCode: code.trim() });
  });
  if (method === undefined)
    return (
      <>
        <p>This account is proved with a passkey, and passkeys don’t work at this address.</p>
        <div class="actions">
          <Button onClick={onBack}>Back</Button>
        </div>
      </>
    );
  return (
    <Form key={method} onSubmit={values => void prove.run(values)}>
      {method === 'passkey' && <p>Your device asks for your fingerprint, face or PIN.</p>}
      {method === 'totp' && (
        <Field
          label="Code of your authenticator app"
          name="code"
          mono
          autofocus
          required
          autocomplete="one-time-code"
          numeric
          maxLength={7}
          hint="Six digits. Each code counts once."
        />
      )}
      {method === 'recovery_code' && (
        <Field
          label="Recovery code"
          name="code"
          mono
          autofocus
          required
          maxLength={64}
          hint="One of those that you kept when you added your second factor. Each works once."
        />
      )}
      <Problem error={prove.error} />
      <div class="actions">
        <Button type="submit" kind="primary" busy={prove.busy}>
          {method === 'passkey' ? 'Use your passkey' : 'Continue'}
        </Button>
        <Button kind="quiet" onClick={onBack}>
          Back
        </Button>
      </div>
      {methods.length > 1 && (
        <p class="other-ways">
          {methods
            .filter(other => other !== method)
            .map(other => (
              <button
                key={other}
                type="button"
                class="link"
                onClick={() => {
                  prove.clear();
                  setMethod(other);
                }}
              >
                {otherWays[other]}
              </button>
            ))}
        </p>
      )}
    </Form>
  );
}
