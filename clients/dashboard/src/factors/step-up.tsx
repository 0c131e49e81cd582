import { signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { call, onStepUpRequired } from '../api.ts';
import { useAction } from '../load.ts';
import { epoch, onOtherUser } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import { Problem } from '../ui/problem.tsx';
import { askedBy, type Factor, FactorForm } from './factor-form.tsx';

/** Closes the prompt; `true` if the user completed the step-up. */
const answer = signal<((proved: boolean) => void) | undefined>(undefined);
let asking: Promise<boolean> | undefined;

// Concurrent requests share one prompt.
onStepUpRequired(() => {
  asking ??= new Promise<boolean>(resolve => {
    answer.value = proved => {
      asking = undefined;
      answer.value = undefined;
      resolve(proved);
    };
  });
  return asking;
});
onOtherUser(() => answer.value?.(false));

/** Opens over the page, which keeps its state. The request then continues. */
export function StepUp() {
  return answer.value === undefined ? null : <Question onDone={answer.value} />;
}

function Question({ onDone }: { onDone: (proved: boolean) => void }) {
  const [password, setPassword] = useState('');
  const began = useRef(epoch.value);
  const current = epoch.value;
  // A new session needs no step-up.
  useEffect(() => {
    if (current !== began.current) onDone(true);
  }, [current]);
  const send = async (factor: Exclude<Factor, { recoveryCode: string }> | undefined, challenge?: string) => {
    await call('POST /v1/auth/step-up', {
      body: { password, ...factor, ...(factor !== undefined && 'passkey' in factor ? { challenge } : {}) },
    });
    onDone(true);
  };
  const first = useAction(() => send(undefined));
  const asked = askedBy(first.error);
  return (
    <Dialog title="Confirm it’s you" onClose={() => onDone(false)}>
      {asked === undefined ? (
        <Form onSubmit={() => void first.run()}>
          <p>This is hard to undo, so please confirm your identity again. What you have entered is kept.</p>
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
          <Problem error={first.error} />
          <div class="actions">
            <Button type="submit" kind="primary" busy={first.busy}>
              Continue
            </Button>
            <Button kind="quiet" onClick={() => onDone(false)}>
              Cancel
            </Button>
          </div>
        </Form>
      ) : (
        <FactorForm
          asked={asked}
          onProve={async factor => {
            if ('recoveryCode' in factor) throw new Error('A step-up takes no recovery code.');
            await send(factor, asked.challenge);
          }}
          onBack={first.clear}
        />
      )}
    </Dialog>
  );
}
