import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';

/** The page of those who are not signed in yet: a mark, a column, nothing else. */
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

/** A holdfast: the root by which kelp holds on to rock. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <path d="M16 3v26M16 12c-4.5-1-7-4-7-8M16 12c4.5-1 7-4 7-8M16 20c-6 0-10 3-10 9M16 20c6 0 10 3 10 9M16 22c-3 1-4 3-4 7M16 22c3 1 4 3 4 7" />
    </svg>
  );
}

/**
 * The token that a mailed link carries in its fragment. It leaves the address bar and the history before any request is
 * made, and stays in memory alone.
 */
export function takeFragmentToken(): string | undefined {
  const token = new URLSearchParams(window.location.hash.slice(1)).get('token');
  if (window.location.hash !== '') history.replaceState(null, '', window.location.pathname + window.location.search);
  return token ?? undefined;
}
