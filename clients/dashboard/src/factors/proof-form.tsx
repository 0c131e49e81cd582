import type { AccountProof } from '@holdfast/contracts/auth/sign-in.ts';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { z } from 'zod';
import { useAction } from '../load.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import { Problem } from '../ui/problem.tsx';
import { askedBy, type Factor, FactorForm } from './factor-form.tsx';

interface ProofFormProps {
  children: ComponentChildren;
  /** The button's label. */
  action: string;
  danger?: boolean;
  /** @throws Refusal for a wrong password, and if the account has a second factor */
  send: (proof: z.input<typeof AccountProof>) => Promise<void>;
  onCancel: () => void;
  /** Of another way. */
  error?: unknown;
  otherWays?: ComponentChildren;
}

/** Asks for the account's password, and for its second factor if it has one. */
export function ProofForm({ children, action, danger, send, onCancel, error, otherWays }: ProofFormProps) {
  const [password, setPassword] = useState('');
  const prove = (factor: Exclude<Factor, { recoveryCode: string }> | undefined, challenge?: string) =>
    send({ password, ...factor, ...(factor !== undefined && 'passkey' in factor ? { challenge } : {}) });
  const first = useAction(() => prove(undefined));
  const asked = askedBy(first.error);
  if (asked !== undefined)
    return (
      <FactorForm
        asked={asked}
        onProve={async factor => {
          if ('recoveryCode' in factor) throw new Error('A step-up takes no recovery code.');
          await prove(factor, asked.challenge);
        }}
        onBack={first.clear}
      />
    );
  return (
    <Form onSubmit={() => void first.run()}>
      {children}
      <Field
        label="Password"
        name="password"
        type="password"
        autocomplete="current-password"
        required
        autofocus
        value={password}
        onInput={setPassword}
        error={first.error}
      />
      <Problem error={first.error ?? error} />
      <div class="actions">
        <Button type="submit" kind={danger ? 'danger' : 'primary'} busy={first.busy}>
          {action}
        </Button>
        <Button kind="quiet" onClick={onCancel}>
          Cancel
        </Button>
      </div>
      {otherWays}
    </Form>
  );
}
