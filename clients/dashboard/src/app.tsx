import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { sessionEnded } from './api.ts';
import { navigate, pathname } from './router.ts';
import {
  AcceptInvitation,
  ChangeEmail,
  StopRecovery,
  UndoEmail,
  UndoFactor,
  VerifyEmail,
} from './screens/sign-in/links.tsx';
import { LogIn, LogInAgain } from './screens/sign-in/log-in.tsx';
import { ForgotPassword, ResetPassword } from './screens/sign-in/passwords.tsx';
import { Register } from './screens/sign-in/register.tsx';
import { SignedInElsewhere } from './screens/sign-in/signed-in-elsewhere.tsx';
import { loadSession, session } from './session.ts';
import { Problem } from './ui/problem.tsx';
import { Toasts } from './ui/toast.tsx';

/** Screens that work without a session. `/log-in` loads only these. */
const open: Readonly<Record<string, ComponentType>> = {
  '/log-in': LogIn,
  '/register': Register,
  '/forgot-password': ForgotPassword,
  '/reset-password': ResetPassword,
  '/verify-email': VerifyEmail,
  '/change-email': ChangeEmail,
  '/undo-email': UndoEmail,
  '/undo-factor': UndoFactor,
  '/stop-recovery': StopRecovery,
  '/accept-invitation': AcceptInvitation,
  '/signed-in': SignedInElsewhere,
};

export function App() {
  const [failure, setFailure] = useState<unknown>();
  const path = pathname();
  const load = () => {
    setFailure(undefined);
    loadSession().catch(setFailure);
  };
  useEffect(load, []);
  const Open = open[path];
  const signedOut = session.value === null;
  useEffect(() => {
    if (signedOut && Open === undefined) toLogIn();
  }, [signedOut, Open]);
  if (failure !== undefined)
    return (
      <main class="sign-in">
        <h1>Holdfast is not responding</h1>
        <Problem error={failure} retry={load} />
      </main>
    );
  return (
    <>
      {Open !== undefined ? <Open /> : session.value ? <SignedIn /> : null}
      {sessionEnded.value && session.value && Open === undefined && <LogInAgain />}
      <Toasts />
    </>
  );
}

/** Redirects to the log-in, which returns to this page. The fragment is never included. */
function toLogIn(): void {
  const here = window.location.pathname + window.location.search;
  navigate(here === '/' ? '/log-in' : `/log-in?to=${encodeURIComponent(here)}`, { replace: true });
}

function SignedIn() {
  const [Screens, setScreens] = useState<{ component: ComponentType }>();
  const [failure, setFailure] = useState<unknown>();
  useEffect(() => {
    import('./signed-in.tsx').then(({ Screens: component }) => setScreens({ component }), setFailure);
  }, []);
  if (failure !== undefined) return <Problem error={failure} retry={() => window.location.reload()} />;
  return Screens === undefined ? null : <Screens.component />;
}
