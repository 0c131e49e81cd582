import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Refusal } from '../../api.ts';
import { useAction } from '../../load.ts';
import { Button } from '../../ui/button.tsx';
import { Problem } from '../../ui/problem.tsx';
import { SignInPage, takeFragmentToken } from './page.tsx';

interface MailedLinkProps {
  title: string;
  /** What the link does. */
  children: ComponentChildren;
  /** The button's label. */
  action: string;
  danger?: boolean;
  run: (token: string) => Promise<unknown>;
  /** What to say about a link that can't work any more, so that trying again is pointless. */
  dead?: ComponentChildren;
  /** Added where the token is missing. */
  incomplete?: ComponentChildren;
  done: { title: string; content: ComponentChildren };
}

/**
 * The page of a mailed link. It waits for a click: a mail scanner opens links too, even in a real browser.
 */
export function MailedLink({ title, children, action, danger, run, dead, incomplete, done }: MailedLinkProps) {
  const [token] = useState(takeFragmentToken);
  const [isDone, setDone] = useState(false);
  const use = useAction(async () => {
    await run(token ?? '');
    setDone(true);
  });
  if (isDone) return <SignInPage title={done.title}>{done.content}</SignInPage>;
  if (token === undefined)
    return (
      <SignInPage title="This link is incomplete">
        <p>Open the link in the e-mail again. {incomplete}</p>
      </SignInPage>
    );
  const isDead = use.error instanceof Refusal && use.error.code === 'invalid_token';
  return (
    <SignInPage title={title}>
      {children}
      <Problem error={use.error} />
      {isDead && dead !== undefined && <p>{dead}</p>}
      {!isDead && (
        <div class="actions">
          <Button kind={danger ? 'danger' : 'primary'} busy={use.busy} onClick={() => void use.run()}>
            {action}
          </Button>
        </div>
      )}
    </SignInPage>
  );
}
