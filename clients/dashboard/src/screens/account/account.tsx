import { useState } from 'preact/hooks';
import { call } from '../../api.ts';
import { useAction, useLoad } from '../../load.ts';
import { loadSession, logOut, user } from '../../session.ts';
import { Await } from '../../ui/await.tsx';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Table } from '../../ui/table.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Time } from '../../ui/time.tsx';
import { showToast } from '../../ui/toast.tsx';
import { SecondFactors } from './second-factors.tsx';
import '../../ui/facts.css';

export function AccountTabs() {
  return (
    <Tabs
      label="You"
      tabs={[
        ['/account', 'Account'],
        ['/account/tokens', 'Tokens'],
      ]}
    />
  );
}

export function Account() {
  const rename = useAction(async ({ name = '' }: Record<string, string>) => {
    await call('PATCH /v1/auth/me', { body: { name } });
    await loadSession();
    showToast('Your name is changed.');
  });
  const verify = useAction(async () => {
    await call('POST /v1/auth/send-verification');
    showToast('A link is on its way to you.');
  });
  const you = user.value;
  if (you === undefined) return null;
  return (
    <>
      <AccountTabs />
      <Page title="Account">
        <Section title="You">
          <Form onSubmit={values => void rename.run(values)}>
            <Field
              label="Name"
              name="name"
              autocomplete="name"
              required
              maxLength={100}
              value={you.name}
              error={rename.error}
            />
            <Problem error={rename.error} />
            <div class="actions">
              <Button type="submit" busy={rename.busy}>
                Change name
              </Button>
            </div>
          </Form>
          <dl class="facts">
            <div>
              <dt>E-mail</dt>
              <dd>
                <span class="mono">{you.email}</span>{' '}
                {you.emailVerified ? <span class="good">verified</span> : <span class="bad">not verified</span>}
              </dd>
            </div>
          </dl>
          {!you.emailVerified && (
            <>
              <Problem error={verify.error} />
              <div class="actions">
                <Button busy={verify.busy} onClick={() => void verify.run()}>
                  Send the verification link
                </Button>
              </div>
            </>
          )}
        </Section>
        <Password />
        <SecondFactors />
        <Sessions />
      </Page>
    </>
  );
}

function Password() {
  const [revokeTokens, setRevokeTokens] = useState(false);
  const [round, setRound] = useState(0);
  const change = useAction(async ({ currentPassword = '', newPassword = '' }: Record<string, string>) => {
    await call('POST /v1/auth/change-password', {
      body: { currentPassword, newPassword, ...(revokeTokens ? { revokeTokens } : {}) },
    });
    setRound(before => before + 1);
    showToast('Your password is changed. Every other session has ended.');
  });
  return (
    <Section title="Password" lead="Changing it ends every other session.">
      <Form key={round} onSubmit={values => void change.run(values)}>
        <Field
          label="Current password"
          name="currentPassword"
          type="password"
          autocomplete="current-password"
          required
          error={change.error}
        />
        <Field
          label="New password"
          name="newPassword"
          type="password"
          autocomplete="new-password"
          required
          minLength={12}
          maxLength={256}
          hint="At least 12 characters."
          error={change.error}
        />
        <Checkbox label="Revoke my tokens as well" checked={revokeTokens} onChange={setRevokeTokens} />
        <Problem error={change.error} />
        <div class="actions">
          <Button type="submit" busy={change.busy}>
            Change password
          </Button>
        </div>
      </Form>
    </Section>
  );
}

function Sessions() {
  const sessions = useLoad('sessions', async signal => (await call('GET /v1/auth/sessions', { signal })).sessions);
  const end = useAction(async (sessionId: string, current: boolean) => {
    if (current) {
      await logOut();
      return;
    }
    await call('DELETE /v1/auth/sessions/{sessionId}', { params: { sessionId } });
    showToast('The session is ended.');
    await sessions.reload();
  });
  return (
    <Section title="Sessions" lead="Where you are logged in.">
      <Problem error={end.error} />
      <Await of={sessions}>
        {list => (
          <Table
            caption="Sessions"
            rows={list}
            keyOf={({ id }) => id}
            columns={[
              {
                title: 'Browser',
                cell: ({ userAgent, current }) => (
                  <>
                    {browserOf(userAgent)} {current && <span class="good">this one</span>}
                  </>
                ),
              },
              { title: 'From', cell: ({ ip }) => <span class="mono">{ip ?? 'unknown'}</span> },
              { title: 'Last used', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
              { title: 'Logged in', cell: ({ createdAt }) => <Time at={createdAt} /> },
              {
                title: 'Actions',
                hiddenTitle: true,
                cell: ({ id, current, ip }) => (
                  <Button
                    kind="quiet"
                    label={`${current ? 'Log out here' : `End the session from ${ip ?? 'unknown'}`}`}
                    onClick={() => void end.run(id, current)}
                  >
                    {current ? 'Log out' : 'End'}
                  </Button>
                ),
              },
            ]}
          />
        )}
      </Await>
    </Section>
  );
}

/** The names that a person knows a browser and a system by; the whole text where neither is in it. */
function browserOf(userAgent: string | null): string {
  if (userAgent === null) return 'unknown';
  const browser = /Firefox|Edg|OPR|Chrome|Safari/.exec(userAgent)?.[0];
  const system = /Windows|Android|iPhone|iPad|Mac OS X|Linux/.exec(userAgent)?.[0];
  const names: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera', 'Mac OS X': 'macOS' };
  if (browser === undefined || system === undefined) return userAgent.slice(0, 80);
  return `${names[browser] ?? browser} on ${names[system] ?? system}`;
}
