import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { call } from '../../api.ts';
import { useAction } from '../../load.ts';
import { navigate } from '../../router.ts';
import { loadSession, logOut, session, signedIn, user } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Problem } from '../../ui/problem.tsx';
import { MailedLink } from './mailed-link.tsx';
import { SignInPage, takeFragmentToken } from './page.tsx';

/** An invitation's token while the user logs in or registers. It is only kept in memory. */
export const pendingInvitation = signal<string | undefined>(undefined);

export function VerifyEmail() {
  return (
    <MailedLink
      title="Verify your e-mail"
      action="Verify the address"
      run={async token => {
        await call('POST /v1/auth/verify-email', { body: { token } });
        if (session.value) await loadSession();
      }}
      dead={<>A link works once, for a day. Send another one from your account. {onward}.</>}
      incomplete={<>{onward}.</>}
      done={{ title: 'E-mail verified', content: <p>Thank you. {onward}.</p> }}
    >
      <p>Confirm that this address is yours. If you did not register, close this page.</p>
    </MailedLink>
  );
}

const onward = <a href="/">Go to Holdfast</a>;

export function ChangeEmail() {
  return (
    <MailedLink
      title="Use this e-mail address?"
      action="Use this address"
      run={async token => {
        await call('POST /v1/auth/change-email/confirm', { body: { token } });
        if (session.value) await loadSession();
      }}
      dead={<>A link works once, for a day. Ask for another one in your account. {onward}.</>}
      done={{
        title: 'E-mail address changed',
        content: <p>From now on, log in with this address. {onward}.</p>,
      }}
    >
      <p>Your account gets the address that this link was mailed to. If you did not ask for this, close this page.</p>
    </MailedLink>
  );
}

export function UndoEmail() {
  return (
    <MailedLink
      title="Keep your e-mail address?"
      action="Keep my address"
      danger
      run={token => call('POST /v1/auth/change-email/undo', { body: { token } })}
      dead="A link works once, for 7 days."
      done={{
        title: 'You kept your address',
        content: (
          <>
            <p>All sessions of your account have ended, and all its tokens are revoked.</p>
            <p>
              Whoever asked for the change may know your password: <a href="/forgot-password">choose a new one</a>.
            </p>
          </>
        ),
      }}
    >
      <p>
        Your account keeps the address that this link was mailed to, or gets it back. This ends every session, revokes
        every token, and ends links to sign-in providers. A password or second factor that was set meanwhile no longer
        works.
      </p>
    </MailedLink>
  );
}

export function UndoFactor() {
  return (
    <MailedLink
      title="Didn’t add this second factor?"
      action="Remove it"
      danger
      run={token => call('POST /v1/auth/factors/undo', { body: { token } })}
      dead="A link works once, for 7 days."
      done={{
        title: 'Second factor removed',
        content: (
          <>
            <p>All sessions of your account have ended, and all its tokens are revoked.</p>
            <p>
              Whoever added the factor may know your password: <a href="/forgot-password">choose a new one</a>.
            </p>
          </>
        ),
      }}
    >
      <p>
        Then remove it here. This also removes recovery codes created with it, ends every session and revokes every
        token of your account.
      </p>
    </MailedLink>
  );
}

export function StopRecovery() {
  return (
    <MailedLink
      title="Stop the recovery?"
      action="Stop it"
      danger
      run={token => call('POST /v1/recovery/stop', { body: { token } })}
      done={{
        title: 'Stopped',
        content: <p>Nobody becomes an owner. Everybody in the organization is told so by e-mail.</p>,
      }}
    >
      <p>
        The e-mail says whom the operators of this service are about to make an owner of your organization. Stop it if
        an owner can still log in, or if that is the wrong person. The audit log will show that you did.
      </p>
    </MailedLink>
  );
}

export function AcceptInvitation() {
  const [found] = useState(takeFragmentToken);
  useEffect(() => {
    if (found !== undefined) pendingInvitation.value = found;
  }, [found]);
  const token = pendingInvitation.value ?? found;
  const accept = useAction(async () => {
    const { organization } = await call('POST /v1/members/invite/{token}/accept', { params: { token: token ?? '' } });
    pendingInvitation.value = undefined;
    await signedIn();
    navigate(`/organizations/${organization.slug}`, { replace: true });
  });
  if (token === undefined)
    return (
      <SignInPage title="This link is incomplete">
        <p>Open the link in the e-mail again, or ask for another invitation.</p>
      </SignInPage>
    );
  if (session.value === undefined) return null;
  if (session.value === null)
    return (
      <SignInPage title="You are invited">
        <p>Log in, or create an account, to join the organization that invited you.</p>
        <div class="actions">
          <a class="button primary" href="/register">
            Create an account
          </a>
          <a class="button" href="/log-in">
            Log in
          </a>
        </div>
      </SignInPage>
    );
  return (
    <SignInPage title="You are invited">
      <p>
        You are signed in as <strong class="mono">{user.value?.email}</strong>. Join with this account?
      </p>
      <Problem error={accept.error} />
      <div class="actions">
        <Button kind="primary" busy={accept.busy} onClick={() => void accept.run()}>
          Join
        </Button>
        <Button kind="quiet" onClick={() => void logOut()}>
          Use another account
        </Button>
      </div>
    </SignInPage>
  );
}
