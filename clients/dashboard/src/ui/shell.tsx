import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { match, pathname } from '../router.ts';
import { logOut, organizationBySlug, session } from '../session.ts';
import { setTheme, theme } from '../theme.ts';
import { Mark } from './mark.tsx';
import { Palette } from './palette.tsx';
import './shell.css';

/** The frame of every page: where one is, who one is, and the way to everything else. */
export function Shell({ children }: { children: ComponentChildren }) {
  const [palette, setPalette] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        setPalette(true);
      }
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  const path = pathname();
  const parts = path.split('/');
  const slug = parts[1] === 'organizations' ? parts[2] : undefined;
  const current = slug === undefined ? undefined : organizationBySlug(slug);
  const project = match('/organizations/:org/projects/:p', parts.slice(0, 5).join('/'))?.p;
  const organizations = session.value?.organizations ?? [];
  const user = session.value?.user;
  return (
    <div class="shell">
      <a class="skip" href="#content" onClick={skip}>
        Skip to the content
      </a>
      <header class="top">
        <a class="brand" href="/" aria-label="Holdfast: your projects">
          <Mark />
          <span>Holdfast</span>
        </a>
        <nav class="trail" aria-label="Where you are">
          {current !== undefined && (
            <>
              <button
                type="button"
                class="button quiet"
                popovertarget="organizations"
                aria-label={`${current.name}: switch organization`}
              >
                {current.name}
                <span class="caret" aria-hidden="true" />
              </button>
              {project !== undefined && (
                <>
                  <span aria-hidden="true">/</span>
                  <a href={`/organizations/${current.slug}/projects/${project}`}>{project}</a>
                </>
              )}
            </>
          )}
        </nav>
        <div class="top-end">
          <button type="button" class="button quiet search" onClick={() => setPalette(true)}>
            Go to <kbd>⌘K</kbd>
          </button>
          <button type="button" class="button quiet" popovertarget="person" aria-label="You and your settings">
            <span class="initial" aria-hidden="true">
              {(user?.name ?? '').trim().charAt(0).toUpperCase()}
            </span>
          </button>
        </div>
        <div id="organizations" popover="auto" class="menu" onClick={closeMenu}>
          {organizations.map(({ slug: own, name, role }) => (
            <a key={own} href={`/organizations/${own}`} aria-current={own === slug ? 'true' : undefined}>
              {name} <small>{role}</small>
            </a>
          ))}
          <hr />
          <a href="/organizations">New organization</a>
        </div>
        <div id="person" popover="auto" class="menu end" onClick={closeMenu}>
          <p>
            {user?.name}
            <small>{user?.email}</small>
          </p>
          <hr />
          <a href="/account">Account</a>
          <a href="/account/tokens">Tokens</a>
          {user?.isAdmin && <a href="/admin">Platform</a>}
          <a href="/v1/docs">API reference</a>
          <hr />
          <fieldset class="themes">
            <legend class="visually-hidden">Colors</legend>
            {(['system', 'light', 'dark'] as const).map(name => (
              <label key={name}>
                <input type="radio" name="theme" checked={theme.value === name} onChange={() => setTheme(name)} />
                <span>{name}</span>
              </label>
            ))}
          </fieldset>
          <hr />
          <button type="button" onClick={() => void logOut().catch(() => window.location.assign('/log-in'))}>
            Log out
          </button>
        </div>
      </header>
      {user?.emailVerified === false && (
        <aside class="banner" aria-label="Your e-mail">
          Your e-mail is not verified yet. <a href="/account">Send the link again</a>
        </aside>
      )}
      <div id="content" tabIndex={-1}>
        {children}
      </div>
      {palette && <Palette onClose={() => setPalette(false)} organization={current} />}
    </div>
  );
}

function skip(event: Event): void {
  event.preventDefault();
  document.getElementById('content')?.focus();
}

function closeMenu(event: MouseEvent): void {
  const menu = event.currentTarget as HTMLElement;
  if (event.target instanceof Element && event.target.closest('a, button') !== null) menu.hidePopover();
}
