import { useState } from 'preact/hooks';
import { call } from '../../api.ts';
import { useAction } from '../../load.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { Problem } from '../../ui/problem.tsx';
import { SignInPage, takeFragmentToken } from './page.tsx';

export function ForgotPassword() {
  const [sent, setSent] = useState(false);
  const ask = useAction(async ({ email = '' }: Record<string, string>) => {
    await call('POST /v1/auth/forgot-password', { body: { email } });
    setSent(true);
  });
  const back = (
    <p>
      <a href="/log-in">Back to the log-in</a>
    </p>
  );
  if (sent)
    return (
      <SignInPage title="Check your e-mail" aside={back}>
        <p>
          If there is an account with this address, a link to choose a new password is on its way. It works for an hour.
        </p>
      </SignInPage>
    );
  return (
    <SignInPage title="Forgot your password?" aside={back}>
      <Form onSubmit={values => void ask.run(values)}>
        <Field label="E-mail" name="email" type="email" autocomplete="username" required autofocus error={ask.error} />
        <Problem error={ask.error} />
        <div class="actions">
          <Button type="submit" kind="primary" busy={ask.busy}>
            Send a link
          </Button>
        </div>
      </Form>
    </SignInPage>
  );
}

export function ResetPassword() {
  const [token] = useState(takeFragmentToken);
  const [done, setDone] = useState(false);
  const reset = useAction(async ({ newPassword = '' }: Record<string, string>) => {
    await call('POST /v1/auth/reset-password', { body: { token: token ?? '', newPassword } });
    setDone(true);
  });
  if (done)
    return (
      <SignInPage title="Password changed">
        <p>Every session and every token of your account has ended.</p>
        <p>
          <a href="/log-in">Log in with the new password</a>
        </p>
      </SignInPage>
    );
  if (token === undefined)
    return (
      <SignInPage title="This link is incomplete">
        <p>
          Open the link in the e-mail again, or <a href="/forgot-password">ask for another one</a>.
        </p>
      </SignInPage>
    );
  return (
    <SignInPage title="Choose a new password">
      <p>It ends every session and revokes every token of your account.</p>
      <Form onSubmit={values => void reset.run(values)}>
        <Field
          label="New password"
          name="newPassword"
          type="password"
          autocomplete="new-password"
          required
          autofocus
          minLength={12}
          maxLength={256}
          hint="At least 12 characters."
          error={reset.error}
        />
        <Problem error={reset.error} />
        <div class="actions">
          <Button type="submit" kind="primary" busy={reset.busy}>
            Change password
          </Button>
        </div>
      </Form>
    </SignInPage>
  );
}
