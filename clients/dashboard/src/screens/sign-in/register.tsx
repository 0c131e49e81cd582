import { useEffect } from 'preact/hooks';
import { call } from '../../api.ts';
import { useAction } from '../../load.ts';
import { navigate, searchParameters } from '../../router.ts';
import { session, signedIn } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { Problem } from '../../ui/problem.tsx';
import { pendingInvitation } from './links.tsx';
import { SignInPage } from './page.tsx';

export function Register() {
  const inside = Boolean(session.value);
  const invited = pendingInvitation.value !== undefined;
  useEffect(() => {
    if (inside) navigate(invited ? '/accept-invitation' : '/', { replace: true });
  }, [inside, invited]);
  const register = useAction(async ({ email = '', password = '', name, organizationName }: Record<string, string>) => {
    const { user } = await call('POST /v1/auth/register', {
      body: { email, password, ...(name ? { name } : {}), ...(organizationName ? { organizationName } : {}) },
    });
    await signedIn(user.id);
  });
  const to = searchParameters().get('to');
  return (
    <SignInPage
      title="Create an account"
      aside={
        <p>
          Have an account? <a href={to === null ? '/log-in' : `/log-in?to=${encodeURIComponent(to)}`}>Log in</a>
        </p>
      }
    >
      <p>
        Holdfast keeps the secrets of your team’s programs: encrypted, separate for each project and environment, and
        with a record of everyone who read them.{' '}
        {invited ? 'With an account you can accept your invitation.' : 'You start with an organization of your own.'}
      </p>
      <Form onSubmit={values => void register.run(values)}>
        <RegisterFields invited={invited} error={register.error} />
        <Problem error={register.error} />
        <div class="actions">
          <Button type="submit" kind="primary" busy={register.busy}>
            Create account
          </Button>
        </div>
      </Form>
    </SignInPage>
  );
}

function RegisterFields({ invited, error }: { invited: boolean; error: unknown }) {
  return (
    <>
      <Field label="E-mail" name="email" type="email" autocomplete="username" required autofocus error={error} />
      <Field
        label="Password"
        name="password"
        type="password"
        autocomplete="new-password"
        required
        minLength={12}
        maxLength={256}
        canBeShown
        hint="At least 12 characters. A sentence is easy to remember."
        error={error}
      />
      <Field label="Your name (optional)" name="name" autocomplete="name" maxLength={100} error={error} />
      {!invited && (
        <Field
          label="Organization (optional)"
          name="organizationName"
          autocomplete="organization"
          maxLength={100}
          hint="You can rename it later and create others."
          error={error}
        />
      )}
    </>
  );
}
