import { useEffect, useState } from 'preact/hooks';
import { type Answer, call } from '../../api.ts';
import { askedBy, FactorForm } from '../../factors/factor-form.tsx';
import { passkeysPossible, usePasskey } from '../../factors/passkeys.ts';
import { useAction } from '../../load.ts';
import { signedIn, waitForOtherTabs } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { Problem } from '../../ui/problem.tsx';
import { ProviderLink } from '../../ui/provider-link.tsx';

interface LogInFormProps {
  /** The account whose data the page already shows. Its methods are shown at once. */
  email?: string;
  /** Where a provider returns to; without it, this page waits for another tab. */
  to?: string;
  /** The account must prove itself without the provider. */
  proving?: boolean;
}

interface Found extends Answer<'GET /v1/auth/sign-in'> {
  email: string;
}

/** Asks for the address, and then offers what its account can log in with. */
export function LogInForm({ email, to, proving = false }: LogInFormProps) {
  const [given, setGiven] = useState(email);
  const [found, setFound] = useState<Found>();
  useEffect(waitForOtherTabs, []);
  if (found === undefined) return <Address given={given} onFound={setFound} />;
  const onOther = () => {
    setGiven(undefined);
    setFound(undefined);
  };
  return <Methods key={found.email} found={found} to={to} proving={proving} onOther={onOther} />;
}

function Address({ given, onFound }: { given: string | undefined; onFound: (found: Found) => void }) {
  const look = useAction(async ({ email = '' }: Record<string, string>) => {
    onFound({ email, ...(await call('GET /v1/auth/sign-in', { query: { email } })) });
  });
  useEffect(() => {
    if (given !== undefined) void look.run({ email: given });
  }, []);
  const withPasskey = usePasskeyAlone();
  if (given !== undefined && look.error === undefined) return null;
  return (
    <Form onSubmit={values => void look.run(values)}>
      <Field
        label="E-mail"
        name="email"
        type="email"
        autocomplete="username"
        required
        autofocus
        value={given}
        error={look.error}
      />
      <Problem error={look.error ?? withPasskey.error} />
      <div class="actions">
        <Button type="submit" kind="primary" busy={look.busy}>
          Continue
        </Button>
        <PasskeyButton action={withPasskey} />
      </div>
    </Form>
  );
}

interface MethodsProps {
  found: Found;
  to: string | undefined;
  proving: boolean;
  onOther: () => void;
}

function Methods({ found: { email, organization }, to, proving, onOther }: MethodsProps) {
  const [withPassword, setWithPassword] = useState(proving || organization === undefined);
  return (
    <>
      <p class="other-ways">
        <span class="mono">{email}</span>
        <button type="button" class="link" onClick={onOther}>
          Use another address
        </button>
      </p>
      {withPassword ? (
        <Password email={email} />
      ) : (
        organization && <WithProvider organization={organization} to={to} onPassword={() => setWithPassword(true)} />
      )}
      {withPassword && organization !== undefined && !proving && (
        <p class="other-ways">
          <button type="button" class="link" onClick={() => setWithPassword(false)}>
            Sign in with {organization.name}
          </button>
        </p>
      )}
    </>
  );
}

interface WithProviderProps {
  organization: NonNullable<Found['organization']>;
  to: string | undefined;
  onPassword: () => void;
}

function WithProvider({ organization: { slug, name }, to, onPassword }: WithProviderProps) {
  const withPasskey = usePasskeyAlone();
  return (
    <>
      <div class="actions">
        <ProviderLink kind="primary" slug={slug} to={to}>
          Sign in with {name}
        </ProviderLink>
      </div>
      {to === undefined && <p class="hint">It opens in a new tab. This page continues when you are done there.</p>}
      <Problem error={withPasskey.error} />
      <p class="other-ways">
        <button type="button" class="link" onClick={onPassword}>
          Use your password
        </button>
        {passkeysPossible && (
          <button type="button" class="link" onClick={() => void withPasskey.run()}>
            Use a passkey
          </button>
        )}
      </p>
    </>
  );
}

function Password({ email }: { email: string }) {
  const logIn = useAction(async ({ password = '' }: Record<string, string>) => {
    const { user } = await call('POST /v1/auth/login', { body: { email, password } });
    await signedIn(user.id);
  });
  const withPasskey = usePasskeyAlone(logIn.clear);
  const asked = askedBy(logIn.error);
  if (asked !== undefined)
    return (
      <FactorForm
        asked={asked}
        onProve={async factor => {
          const { user } = await call('POST /v1/auth/login/verify', {
            body: { challenge: asked.challenge, ...factor },
          });
          await signedIn(user.id);
        }}
        onBack={logIn.clear}
      />
    );
  return (
    <Form onSubmit={values => void logIn.run(values)}>
      {/* Password managers read the account from the form that has the password. */}
      <input type="email" name="email" autocomplete="username" value={email} readOnly hidden />
      <Field
        label="Password"
        name="password"
        type="password"
        autocomplete="current-password"
        required
        autofocus
        error={logIn.error}
      />
      <Problem error={logIn.error ?? withPasskey.error} />
      <div class="actions">
        <Button type="submit" kind="primary" busy={logIn.busy}>
          Log in
        </Button>
        <PasskeyButton action={withPasskey} />
      </div>
    </Form>
  );
}

/** A log-in with a passkey alone, which also says whose account it is. */
function usePasskeyAlone(before?: () => void) {
  return useAction(async () => {
    before?.();
    const { challenge, publicKey } = await call('POST /v1/auth/login/options');
    const passkey = await usePasskey(publicKey);
    const { user } = await call('POST /v1/auth/login/verify', { body: { challenge, passkey } });
    await signedIn(user.id);
  });
}

function PasskeyButton({ action }: { action: ReturnType<typeof usePasskeyAlone> }) {
  if (!passkeysPossible) return null;
  return (
    <Button busy={action.busy} onClick={() => void action.run()}>
      Use a passkey
    </Button>
  );
}
