import { signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { call, onStepUpRequired } from '../api.ts';
import { useAction } from '../load.ts';
import { epoch, onOtherUser, organizationBySlug, session, user, waitForOtherTabs } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import { Problem } from '../ui/problem.tsx';
import { ProviderLink } from '../ui/provider-link.tsx';
import { askedBy, type Factor, FactorForm } from './factor-form.tsx';
import { passkeysPossible, usePasskey } from './passkeys.ts';

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

interface QuestionProps {
  onDone: (proved: boolean) => void;
}

function Question({ onDone }: QuestionProps) {
  const began = useRef(epoch.value);
  const current = epoch.value;
  useEffect(waitForOtherTabs, []);
  // A new session needs no step-up.
  useEffect(() => {
    if (current !== began.current) onDone(true);
  }, [current]);
  const provider = session.value?.provider;
  const [withPassword, setWithPassword] = useState(!provider);
  return (
    <Dialog title="Confirm it’s you" onClose={() => onDone(false)}>
      {provider && !withPassword ? (
        <WithProvider slug={provider.orgSlug} onDone={onDone} onPassword={() => setWithPassword(true)} />
      ) : (
        <WithPassword onDone={onDone} />
      )}
    </Dialog>
  );
}

const Why = () => <p>This is hard to undo, so please confirm your identity again. What you have entered is kept.</p>;

function WithPassword({ onDone }: QuestionProps) {
  const [password, setPassword] = useState('');
  const send = async (factor: Exclude<Factor, { recoveryCode: string }> | undefined, challenge?: string) => {
    await call('POST /v1/auth/step-up', {
      body: { password, ...factor, ...(factor !== undefined && 'passkey' in factor ? { challenge } : {}) },
    });
    onDone(true);
  };
  const first = useAction(() => send(undefined));
  const asked = askedBy(first.error);
  if (asked !== undefined)
    return (
      <FactorForm
        asked={asked}
        onProve={async factor => {
          if ('recoveryCode' in factor) throw new Error('A step-up takes no recovery code.');
          await send(factor, asked.challenge);
        }}
        onBack={first.clear}
      />
    );
  return (
    <Form onSubmit={() => void first.run()}>
      <Why />
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
  );
}

/** The provider asks again in a tab of its own, because leaving the page would lose what was entered on it. */
function WithProvider({ slug, onDone, onPassword }: QuestionProps & { slug: string; onPassword: () => void }) {
  const withPasskey = useAction(async () => {
    const { challenge, publicKey } = await passkeyChallenge();
    await call('POST /v1/auth/step-up', { body: { challenge, passkey: await usePasskey(publicKey) } });
    onDone(true);
  });
  return (
    <>
      <Why />
      <p class="hint">
        The provider of {organizationBySlug(slug)?.name ?? slug} opens in a new tab. When you have signed in there, this
        page continues.
      </p>
      <Problem error={withPasskey.error} />
      <div class="actions">
        <ProviderLink kind="primary" slug={slug} only="stepUp">
          Sign in again
        </ProviderLink>
        <Button kind="quiet" onClick={() => onDone(false)}>
          Cancel
        </Button>
      </div>
      <p class="other-ways">
        {passkeysPossible && (user.value?.secondFactors.passkeys ?? 0) > 0 && (
          <button type="button" class="link" onClick={() => void withPasskey.run()}>
            Use a passkey
          </button>
        )}
        <button type="button" class="link" onClick={onPassword}>
          Use your password
        </button>
      </p>
    </>
  );
}

/** A step-up without any proof is refused with the challenge for a passkey. @throws Refusal for every other response */
async function passkeyChallenge() {
  try {
    await call('POST /v1/auth/step-up', { body: {} });
  } catch (error) {
    const { challenge, publicKey } = askedBy(error) ?? {};
    if (challenge !== undefined && publicKey !== undefined) return { challenge, publicKey };
    throw error;
  }
  throw new Error('A step-up without a proof was accepted.');
}
