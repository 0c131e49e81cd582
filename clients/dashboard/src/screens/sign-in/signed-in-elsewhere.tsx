import { useEffect } from 'preact/hooks';
import { session, tellOtherTabs } from '../../session.ts';
import { SignInPage } from './page.tsx';

/**
 * Where a provider returns to in the tab that a waiting page opened for it. It tells that page to continue, and closes
 * itself if the browser allows it: a tab in which nothing was entered has a history of one page.
 */
export function SignedInElsewhere() {
  const inside = Boolean(session.value);
  useEffect(() => {
    if (!inside) return;
    tellOtherTabs();
    if (window.history.length === 1) window.close();
  }, [inside]);
  if (session.value === undefined) return null;
  if (session.value === null)
    return (
      <SignInPage title="You are not signed in">
        <p>
          <a href="/log-in?to=/signed-in">Log in here</a>, and the page that you came from continues.
        </p>
      </SignInPage>
    );
  return (
    <SignInPage title="You are signed in">
      <p>Your other tab continues. You can close this one.</p>
      <p>
        <a href="/">Go to your projects instead</a>
      </p>
    </SignInPage>
  );
}
