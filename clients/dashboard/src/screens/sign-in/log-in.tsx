import { useEffect, useState } from 'preact/hooks';
import { navigate, searchParameters } from '../../router.ts';
import { epoch, logOut, session } from '../../session.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { takeDestination } from '../../ui/provider-link.tsx';
import { pendingInvitation } from './links.tsx';
import { LogInForm } from './log-in-form.tsx';
import { SignInPage } from './page.tsx';
import { ProviderFactor } from './provider-factor.tsx';
import { ProviderRefusal, takeRefusal } from './provider-refusal.tsx';

/**
 * Only a path of this dashboard, never another site's URL. What is returned is checked rather than what was given: the
 * path of `/.//host` on this origin is `//host`, which names another. The API is none of the dashboard's pages either: a
 * link to it could start a sign-in.
 */
function pathOf(to: string): string {
  const { origin } = window.location;
  const given = to.startsWith('/') && URL.canParse(to, origin) ? new URL(to, origin) : undefined;
  const path = given?.origin === origin ? given.pathname + given.search : '/';
  return /^\/(?:\/|v1(?:\/|$))/.test(path) ? '/' : path;
}

export function LogIn() {
  const [refusal, setRefusal] = useState(takeRefusal);
  const [leftFor] = useState(takeDestination);
  const [began] = useState(epoch.value);
  const inside = Boolean(session.value);
  const to = searchParameters().get('to') ?? (refusal === undefined ? undefined : leftFor);
  const destination = pathOf(to ?? '/');
  const invited = pendingInvitation.value !== undefined;
  // A user who is already signed in first sees why the provider's answer was rejected.
  const leaves = inside && (refusal === undefined || epoch.value !== began);
  useEffect(() => {
    if (leaves) navigate(invited ? '/accept-invitation' : destination, { replace: true });
  }, [leaves]);
  if (inside && refusal !== undefined)
    return (
      <SignInPage title="You are still signed in">
        <ProviderRefusal code={refusal} />
        <p>
          <a href={destination}>Continue as {session.value?.user.email}</a>
        </p>
      </SignInPage>
    );
  return (
    <SignInPage
      title="Log in"
      aside={
        <>
          <p>
            <a href="/forgot-password">Forgot your password?</a>
          </p>
          <p>
            New here?{' '}
            <a href={to === undefined ? '/register' : `/register?to=${encodeURIComponent(to)}`}>Create an account</a>
          </p>
        </>
      }
    >
      <ProviderRefusal code={refusal} />
      {refusal === 'second_factor_required' ? (
        <ProviderFactor onBack={() => setRefusal(undefined)} />
      ) : (
        <LogInForm proving={refusal === 'link_required'} to={destination} />
      )}
    </SignInPage>
  );
}

/** Opens over the page when the session ends. Staged changes are kept unless another user logs in. */
export function LogInAgain() {
  const email = session.value?.user.email ?? '';
  return (
    <Dialog title="Log in again" firm onClose={() => undefined}>
      <p>Your session has ended. What you were working on is still here.</p>
      <LogInForm email={email} />
      <p class="hint">
        Someone else?{' '}
        <button
          type="button"
          class="link"
          onClick={() => {
            void logOut().catch(() => window.location.assign('/log-in'));
          }}
        >
          Leave this page
        </button>
        ; staged changes are dropped.
      </p>
    </Dialog>
  );
}
