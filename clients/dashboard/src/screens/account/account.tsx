import type { OwnUser } from '@holdfast/contracts/auth/account.ts';
import { useState } from 'preact/hooks';
import { call, liftConfinement } from '../../api.ts';
import { useAction } from '../../load.ts';
import { confinedTo, loadSession, user } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, FormActions } from '../../ui/form.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { showToast } from '../../ui/toast.tsx';
import { CloseAccount } from './close.tsx';
import { DeletedOrganizations } from './deleted-organizations.tsx';
import { Organizations } from './organizations.tsx';
import { Password } from './password.tsx';
import { Providers } from './providers.tsx';
import { SecondFactors } from './second-factors.tsx';
import { Sessions } from './sessions.tsx';
import { AccountTabs } from './tabs.tsx';

export function Account() {
  const you = user.value;
  if (you === undefined) return null;
  if (confinedTo.value !== undefined) return <ConfinedAccount you={you} organization={confinedTo.value} />;
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
        <DeletedOrganizations />
        <CloseAccount />
      </Page>
    </>
  );
}

/** What a session that is limited to an organization can see of the account. */
function ConfinedAccount({ you, organization }: { you: OwnUser; organization: string }) {
  return (
    <>
      <AccountTabs />
      <Page title="Account">
        <Section title="You">
          <Facts
            facts={[
              ['Name', you.name],
              ['E-mail', <span class="mono">{you.email}</span>],
            ]}
          />
        </Section>
        <Section
          title="Password and second factors"
          lead={`You signed in with the provider of ${organization}, so this session is limited to that organization. Your own password or passkey gives you access to the rest of your account.`}
        >
          <div class="actions">
            <Button onClick={() => void liftConfinement()}>Confirm it’s you</Button>
          </div>
        </Section>
        <Sessions />
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
  const [changing, setChanging] = useState(false);
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
      <Problem error={verify.error} />
      <div class="actions">
        {!emailVerified && (
          <Button busy={verify.busy} onClick={() => void verify.run()}>
            Send the verification link
          </Button>
        )}
        <Button onClick={() => setChanging(true)}>Change e-mail…</Button>
      </div>
      {changing && <ChangeEmail email={email} onClose={() => setChanging(false)} />}
    </>
  );
}

function ChangeEmail({ email: current, onClose }: { email: string; onClose: () => void }) {
  const change = useAction(async ({ email = '' }: Record<string, string>) => {
    await call('POST /v1/auth/change-email', { body: { email } });
    onClose();
    showToast(`A link is on its way to ${email}. It changes the address.`);
  });
  return (
    <Dialog title="Change e-mail" onClose={onClose}>
      <Form onSubmit={values => void change.run(values)}>
        <p>
          We mail a link to the new address. Your address changes once you use it. <span class="mono">{current}</span>{' '}
          gets a notice, with a link that undoes the change for 7 days.
        </p>
        <Field
          label="New e-mail address"
          name="email"
          type="email"
          autocomplete="email"
          required
          autofocus
          maxLength={254}
          error={change.error}
        />
        <Problem error={change.error} />
        <FormActions busy={change.busy} onClose={onClose}>
          Send the link
        </FormActions>
      </Form>
    </Dialog>
  );
}
