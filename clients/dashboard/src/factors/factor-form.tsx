import type { PasskeyAssertion, PasskeyRequestOptions } from '@holdfast/contracts/auth/passkeys.ts';
import { useState } from 'preact/hooks';
import { Refusal } from '../api.ts';
import { useAction } from '../load.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import { Problem } from '../ui/problem.tsx';
import { passkeysPossible, usePasskey } from './passkeys.ts';

type Method = 'passkey' | 'totp' | 'recovery_code';

/** The second factors that the service accepts after a correct password. */
interface Asked {
  challenge: string;
  methods: readonly Method[];
  publicKey?: PasskeyRequestOptions | undefined;
}

export type Factor = { passkey: PasskeyAssertion } | { totp: string } | { recoveryCode: string };

/**
 * The demand in an error that requires a second factor; undefined for other errors. An organization's demand has no
 * challenge.
 */
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
        <p>This account needs a passkey, and passkeys don’t work at this address.</p>
        <div class="actions">
          <Button onClick={onBack}>Back</Button>
        </div>
      </>
    );
  return (
    <Form key={method} onSubmit={values => void prove.run(values)}>
      <FactorField method={method} />
      <Problem error={prove.error} />
      <div class="actions">
        <Button type="submit" kind="primary" busy={prove.busy}>
          {method === 'passkey' ? 'Use your passkey' : 'Continue'}
        </Button>
        <Button kind="quiet" onClick={onBack}>
          Back
        </Button>
      </div>
      <OtherWays
        methods={methods.filter(other => other !== method)}
        onChoose={other => {
          prove.clear();
          setMethod(other);
        }}
      />
    </Form>
  );
}

function FactorField({ method }: { method: Method }) {
  if (method === 'passkey') return <p>Your device asks for your fingerprint, face or PIN.</p>;
  const isCode = method === 'totp';
  return (
    <Field
      label={isCode ? 'Code from your authenticator app' : 'Recovery code'}
      name="code"
      mono
      autofocus
      required
      autocomplete={isCode ? 'one-time-code' : 'off'}
      numeric={isCode}
      maxLength={isCode ? 7 : 64}
      hint={
        isCode
          ? 'Six digits. Each code works once.'
          : 'One of the codes that you kept when you added your second factor. Each works once.'
      }
    />
  );
}

function OtherWays({ methods, onChoose }: { methods: readonly Method[]; onChoose: (method: Method) => void }) {
  if (methods.length === 0) return null;
  return (
    <p class="other-ways">
      {methods.map(method => (
        <button key={method} type="button" class="link" onClick={() => onChoose(method)}>
          {otherWays[method]}
        </button>
      ))}
    </p>
  );
}
