import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { call, Refusal } from '../../api.ts';
import { useAction } from '../../load.ts';
import { navigate } from '../../router.ts';
import { loadSession, logOut, session, signedIn, user } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Problem } from '../../ui/problem.tsx';
import { SignInPage, takeFragmentToken } from './page.tsx';

/** An invitation's token while the user logs in or registers. It is only kept in memory. */
export const pendingInvitation = signal<string | undefined>(undefined);

/** Waits for a click, as every page of a mailed link does: a mail scanner opens links too, even in a real browser. */
export function VerifyEmail() {
  const [token] = useState(takeFragmentToken);
  const [done, setDone] = useState(false);
  const verify = useAction(async () => {
    await call('POST /v1/auth/verify-email', { body: { token: token ?? '' } });
    setDone(true);
    if (session.value) await loadSession();
  });
  const onward = <a href="/">Go to Holdfast</a>;
  if (done)
    return (
      <SignInPage title="E-mail verified">
        <p>Thank you. {onward}.</p>
      </SignInPage>
    );
  if (token === undefined)
    return (
      <SignInPage title="This link is incomplete">
        <p>Open the link in the e-mail again. {onward}.</p>
      </SignInPage>
    );
  return (
    <SignInPage title="Verify your e-mail">
      <p>Confirm that this address is yours. If you did not register, close this page.</p>
      <Problem error={verify.error} />
      {isDeadLink(verify.error) ? (
        <p>A link works once, for a day. Send another one from your account. {onward}.</p>
      ) : (
        <div class="actions">
          <Button kind="primary" busy={verify.busy} onClick={() => void verify.run()}>
            Verify the address
          </Button>
        </div>
      )}
    </SignInPage>
  );
}

export function UndoFactor() {
  const [token] = useState(takeFragmentToken);
  const [done, setDone] = useState(false);
  const undo = useAction(async () => {
    await call('POST /v1/auth/factors/undo', { body: { token: token ?? '' } });
    setDone(true);
  });
  if (done)
    return (
      <SignInPage title="Second factor removed">
        <p>All sessions of your account have ended, and all its tokens are revoked.</p>
        <p>
          Whoever added the factor may know your password: <a href="/forgot-password">choose a new one</a>.
        </p>
      </SignInPage>
    );
  if (token === undefined)
    return (
      <SignInPage title="This link is incomplete">
        <p>Open the link in the e-mail again.</p>
      </SignInPage>
    );
  return (
    <SignInPage title="Didn’t add this second factor?">
      <p>
        Then remove it here. This also removes recovery codes created with it, ends every session and revokes every
        token of your account.
      </p>
      <Problem error={undo.error} />
      {isDeadLink(undo.error) && <p>A link works once, for 7 days.</p>}
      {!isDeadLink(undo.error) && (
        <div class="actions">
          <Button kind="danger" busy={undo.busy} onClick={() => void undo.run()}>
            Remove it
          </Button>
        </div>
      )}
    </SignInPage>
  );
}

export function StopRecovery() {
  const [token] = useState(takeFragmentToken);
  const [done, setDone] = useState(false);
  const stop = useAction(async () => {
    await call('POST /v1/recovery/stop', { body: { token: token ?? '' } });
    setDone(true);
  });
  if (done)
    return (
      <SignInPage title="Stopped">
        <p>Nobody becomes an owner. Everybody in the organization is told so by e-mail.</p>
      </SignInPage>
    );
  if (token === undefined)
    return (
      <SignInPage title="This link is incomplete">
        <p>Open the link in the e-mail again.</p>
      </SignInPage>
    );
  return (
    <SignInPage title="Stop the recovery?">
      <p>
        The e-mail says whom the operators of this service are about to make an owner of your organization. Stop it if
        an owner can still log in, or if that is the wrong person. The audit log will show that you did.
      </p>
      <Problem error={stop.error} />
      {!isDeadLink(stop.error) && (
        <div class="actions">
          <Button kind="danger" busy={stop.busy} onClick={() => void stop.run()}>
            Stop it
          </Button>
        </div>
      )}
    </SignInPage>
  );
}

/** The link can't work any more, so that trying again is pointless. */
const isDeadLink = (error: unknown) => error instanceof Refusal && error.code === 'invalid_token';

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
