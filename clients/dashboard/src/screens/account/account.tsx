import type { OwnUser } from '../../../../../lib/contracts/auth/get-current-user.ts';
import { call } from '../../api.ts';
import { useAction } from '../../load.ts';
import { loadSession, user } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { showToast } from '../../ui/toast.tsx';
import { Organizations } from './organizations.tsx';
import { Password } from './password.tsx';
import { Providers } from './providers.tsx';
import { SecondFactors } from './second-factors.tsx';
import { Sessions } from './sessions.tsx';
import { AccountTabs } from './tabs.tsx';

export function Account() {
  const you = user.value;
  if (you === undefined) return null;
  return (
    <>
      <AccountTabs />
      <Page title="Account">
        <Section title="You">
          <Name name={you.name} />
          <Email you={you} />
        </Section>
        <Password />
        <SecondFactors factors={you.secondFactors} />
        <Sessions />
        <Providers />
        <Organizations />
      </Page>
    </>
  );
}

function Name({ name: current }: { name: string }) {
  const rename = useAction(async ({ name = '' }: Record<string, string>) => {
    await call('PATCH /v1/auth/me', { body: { name } });
    await loadSession();
    showToast('Name changed.');
  });
  return (
    <Form onSubmit={values => void rename.run(values)}>
      <Field
        label="Name"
        name="name"
        autocomplete="name"
        required
        maxLength={100}
        value={current}
        error={rename.error}
      />
      <Problem error={rename.error} />
      <div class="actions">
        <Button type="submit" busy={rename.busy}>
          Change name
        </Button>
      </div>
    </Form>
  );
}

function Email({ you: { email, emailVerified } }: { you: OwnUser }) {
  const verify = useAction(async () => {
    await call('POST /v1/auth/send-verification');
    showToast('A link is on its way to you.');
  });
  const state = emailVerified ? <span class="good">verified</span> : <span class="bad">not verified</span>;
  return (
    <>
      <Facts
        facts={[
          [
            'E-mail',
            <>
              <span class="mono">{email}</span> {state}
            </>,
          ],
        ]}
      />
      {!emailVerified && (
        <>
          <Problem error={verify.error} />
          <div class="actions">
            <Button busy={verify.busy} onClick={() => void verify.run()}>
              Send the verification link
            </Button>
          </div>
        </>
      )}
    </>
  );
}
