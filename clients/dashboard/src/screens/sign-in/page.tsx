import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Mark } from '../../ui/mark.tsx';
import './page.css';

/** The layout for signed-out users: a logo and one column. */
export function SignInPage({
  title,
  children,
  aside,
}: {
  title: string;
  children: ComponentChildren;
  aside?: ComponentChildren;
}) {
  useEffect(() => {
    document.title = `${title} · Holdfast`;
  }, [title]);
  return (
    <main class="sign-in">
      <p class="brand">
        <Mark /> Holdfast
      </p>
      <h1>{title}</h1>
      {children}
      {aside !== undefined && <div class="aside">{aside}</div>}
    </main>
  );
}

/**
 * The token from the fragment of a mailed link. It is removed from the address bar and the history before any request,
 * and then only kept in memory.
 */
export function takeFragmentToken(): string | undefined {
  const token = new URLSearchParams(window.location.hash.slice(1)).get('token');
  if (window.location.hash !== '') history.replaceState(null, '', window.location.pathname + window.location.search);
  return token ?? undefined;
}
