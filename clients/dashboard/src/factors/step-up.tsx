import { freshRoutes } from 'virtual:contracts';
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { call, onStepUpRequired, type RouteName, type StepUpKind } from '../api.ts';
import { useAction } from '../load.ts';
import {
  confinedTo,
  epoch,
  onOtherUser,
  organizationBySlug,
  session,
  signedIn,
  user,
  waitForOtherTabs,
} from '../session.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Problem } from '../ui/problem.tsx';
import { ProviderLink } from '../ui/provider-link.tsx';
import { askedBy } from './factor-form.tsx';
import { passkeysPossible, usePasskey } from './passkeys.ts';
import { ProofForm } from './proof-form.tsx';

interface Prompt {
  kind: StepUpKind;
  /** What needs it. */
  route: RouteName | undefined;
  /** Closes it; `true` if the user completed the step-up. */
  onDone: (proved: boolean) => void;
}

const prompt = signal<Prompt | undefined>(undefined);
let asking: Promise<boolean> | undefined;

// Concurrent requests share one prompt. A step-up with an own credential serves them all.
onStepUpRequired((kind, route) => {
  asking ??= new Promise<boolean>(resolve => {
    const onDone = (proved: boolean) => {
      asking = undefined;
      prompt.value = undefined;
      resolve(proved);
    };
    prompt.value = { kind, route, onDone };
  });
  if (kind === 'own' && prompt.value !== undefined) prompt.value = { ...prompt.value, kind };
  return asking;
});
onOtherUser(() => prompt.value?.onDone(false));

/** Opens over the page, which keeps its state. The request then continues. */
export function StepUp() {
  return prompt.value === undefined ? null : <Question key={prompt.value.kind} {...prompt.value} />;
}

function Question({ kind, route, onDone }: Prompt) {
  const began = useRef(epoch.value);
  const current = epoch.value;
  useEffect(waitForOtherTabs, []);
  // A new session needs no step-up.
  useEffect(() => {
    if (current !== began.current) onDone(true);
  }, [current]);
  const { provider } = session.value ?? {};
  const confined = confinedTo.value;
  // The provider's word counts only in its organization, so it would limit a session that reaches more.
  const mayAskProvider = kind === 'any' && confined !== undefined;
  const [withPassword, setWithPassword] = useState(!mayAskProvider);
  const onProved = async () => {
    if (confined === undefined) onDone(true);
    else await signedIn();
  };
  return (
    <Dialog title="Confirm it’s you" onClose={() => onDone(false)}>
      {provider && !withPassword ? (
        <WithProvider
          why={<Why route={route} />}
          slug={provider.orgSlug}
          onProved={onProved}
          onCancel={() => onDone(false)}
          onPassword={() => setWithPassword(true)}
        />
      ) : (
        <WithPassword why={<Why kind={kind} route={route} />} onProved={onProved} onCancel={() => onDone(false)} />
      )}
    </Dialog>
  );
}

const Why = ({ kind = 'any', route }: { kind?: StepUpKind; route: RouteName | undefined }) =>
  kind === 'any' ? (
    <p>{purposeOf(route)}</p>
  ) : (
    <p>
      This session is limited to {confinedTo.value}, because its sign-in provider vouches for you only there. Your own
      password or passkey gives you access to the rest of your account.
    </p>
  );

/** What the confirmation is for, from the contract. */
function purposeOf(route = ''): string {
  const { summary, roles } = freshRoutes[route] ?? {};
  if (summary === undefined) return 'Please confirm your identity again.';
  if (route.startsWith('GET ')) return `Only a recently confirmed ${roles?.join(' or ') ?? 'user'} sees this page.`;
  const deed = summary.replace(/^Start to /, '');
  return `To ${deed.charAt(0).toLowerCase()}${deed.slice(1)}, please confirm your identity again. Your input is kept.`;
}

interface OwnCredentialProps {
  why: ComponentChildren;
  onProved: () => Promise<void>;
  onCancel: () => void;
}

function WithPassword({ why, onProved, onCancel }: OwnCredentialProps) {
  const withPasskey = usePasskeyStepUp(onProved);
  return (
    <ProofForm
      action="Continue"
      send={async body => {
        await call('POST /v1/auth/step-up', { body });
        await onProved();
      }}
      onCancel={onCancel}
      error={withPasskey.error}
      otherWays={
        session.value?.provider && (
          <p class="other-ways">
            <PasskeyLink action={withPasskey} />
            <a href="/forgot-password" target="_blank" rel="noopener">
              Choose a password, if you have none
            </a>
          </p>
        )
      }
    >
      {why}
    </ProofForm>
  );
}

/** The provider asks again in a tab of its own, because leaving the page would lose what was entered on it. */
function WithProvider({
  why,
  slug,
  onProved,
  onCancel,
  onPassword,
}: OwnCredentialProps & { slug: string; onPassword: () => void }) {
  const withPasskey = usePasskeyStepUp(onProved);
  return (
    <>
      {why}
      <p class="hint">
        The provider of {organizationBySlug(slug)?.name ?? slug} opens in a new tab. Once you have signed in there, this
        page continues.
      </p>
      <Problem error={withPasskey.error} />
      <div class="actions">
        <ProviderLink kind="primary" slug={slug} only="stepUp">
          Sign in again
        </ProviderLink>
        <Button kind="quiet" onClick={onCancel}>
          Cancel
        </Button>
      </div>
      <p class="other-ways">
        <PasskeyLink action={withPasskey} />
        <button type="button" class="link" onClick={onPassword}>
          Use your password
        </button>
      </p>
    </>
  );
}

/** A step-up with a passkey alone, which a session that came through a provider may do. */
function usePasskeyStepUp(onProved: () => Promise<void>) {
  return useAction(async () => {
    const { challenge, publicKey } = await passkeyChallenge();
    await call('POST /v1/auth/step-up', { body: { challenge, passkey: await usePasskey(publicKey) } });
    await onProved();
  });
}

function PasskeyLink({ action }: { action: ReturnType<typeof usePasskeyStepUp> }) {
  if (!passkeysPossible || (user.value?.secondFactors.passkeys ?? 0) === 0) return null;
  return (
    <button type="button" class="link" onClick={() => void action.run()}>
      Use a passkey
    </button>
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
