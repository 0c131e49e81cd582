import { useEffect } from 'preact/hooks';
import { call } from '../../api.ts';
import { askedBy, FactorForm } from '../../factors/factor-form.tsx';
import { passkeysPossible, usePasskey } from '../../factors/passkeys.ts';
import { useAction } from '../../load.ts';
import { navigate, searchParameters } from '../../router.ts';
import { logOut, session, signedIn } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { Problem } from '../../ui/problem.tsx';
import { pendingInvitation } from './links.tsx';
import { SignInPage } from './page.tsx';

interface LogInFormProps {
  /** The only account that may log in, if the page already shows its data. */
  email?: string | undefined;
  autofocus?: boolean | undefined;
}

function LogInForm({ email, autofocus }: LogInFormProps) {
  const logIn = useAction(async (values: Record<string, string>) => {
    await call('POST /v1/auth/login', { body: { email: values.email ?? '', password: values.password ?? '' } });
    await signedIn();
  });
  const withPasskey = useAction(async () => {
    const { challenge, publicKey } = await call('POST /v1/auth/login/options');
    await call('POST /v1/auth/login/verify', { body: { challenge, passkey: await usePasskey(publicKey) } });
    await signedIn();
  });
  const asked = askedBy(logIn.error);
  if (asked !== undefined)
    return (
      <FactorForm
        asked={asked}
        onProve={async factor => {
          await call('POST /v1/auth/login/verify', { body: { challenge: asked.challenge, ...factor } });
          await signedIn();
        }}
        onBack={logIn.clear}
      />
    );
  return (
    <Form onSubmit={values => void logIn.run(values)}>
      <Credentials email={email} autofocus={autofocus} error={logIn.error} />
      <Problem error={logIn.error ?? withPasskey.error} />
      <div class="actions">
        <Button type="submit" kind="primary" busy={logIn.busy}>
          Log in
        </Button>
        {passkeysPossible && (
          <Button
            busy={withPasskey.busy}
            onClick={() => {
              logIn.clear();
              void withPasskey.run();
            }}
          >
            Use a passkey
          </Button>
        )}
      </div>
    </Form>
  );
}

interface CredentialsProps extends LogInFormProps {
  error: unknown;
}

function Credentials({ email, autofocus = false, error }: CredentialsProps) {
  return (
    <>
      <Field
        label="E-mail"
        name="email"
        type="email"
        autocomplete="username"
        required
        error={error}
        {...(email === undefined ? { autofocus } : { value: email })}
      />
      <Field
        label="Password"
        name="password"
        type="password"
        autocomplete="current-password"
        required
        error={error}
        autofocus={email !== undefined}
      />
    </>
  );
}

/** Only a path of this dashboard, never another site's URL. */
function destination(): string {
  const to = searchParameters().get('to') ?? '/';
  const url = URL.canParse(to, window.location.origin) ? new URL(to, window.location.origin) : undefined;
  return url?.origin === window.location.origin && to.startsWith('/') ? url.pathname + url.search : '/';
}

export function LogIn() {
  const inside = Boolean(session.value);
  useEffect(() => {
    if (inside)
      navigate(pendingInvitation.value === undefined ? destination() : '/accept-invitation', { replace: true });
  }, [inside]);
  const to = searchParameters().get('to');
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
            <a href={to === null ? '/register' : `/register?to=${encodeURIComponent(to)}`}>Create an account</a>
          </p>
        </>
      }
    >
      <LogInForm autofocus />
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
