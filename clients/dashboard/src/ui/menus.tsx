import type { ComponentChildren } from 'preact';
import { logOut, session, user } from '../session.ts';
import { setTheme, theme, themes } from '../theme.ts';
import { leakedPath } from './leaked.tsx';
import './menus.css';

/** A browser popover. A button opens it by its id. */
function Menu({ id, end, children }: { id: string; end?: boolean; children: ComponentChildren }) {
  return (
    <div id={id} popover="auto" class={end ? 'menu end' : 'menu'}>
      {children}
    </div>
  );
}

interface MenuLinkProps {
  href: string;
  current?: boolean;
  children: ComponentChildren;
}

function MenuLink({ href, current, children }: MenuLinkProps) {
  return (
    <a href={href} aria-current={current ? 'true' : undefined} onClick={closeMenu}>
      {children}
    </a>
  );
}

function closeMenu({ currentTarget }: Event): void {
  if (currentTarget instanceof Element) currentTarget.closest<HTMLElement>('[popover]')?.hidePopover();
}

export function OrganizationMenu({ id, slug }: { id: string; slug: string | undefined }) {
  return (
    <Menu id={id}>
      {session.value?.organizations.map(({ slug: own, name, role }) => (
        <MenuLink key={own} href={`/organizations/${own}`} current={own === slug}>
          {name} <small>{role}</small>
        </MenuLink>
      ))}
      <hr />
      <MenuLink href="/organizations">New organization</MenuLink>
    </Menu>
  );
}

export function PersonMenu({ id, slug }: { id: string; slug: string | undefined }) {
  const you = user.value;
  const here = slug ?? session.value?.organizations[0]?.slug;
  return (
    <Menu id={id} end>
      <p>
        {you?.name}
        <small>{you?.email}</small>
      </p>
      <hr />
      <MenuLink href="/account">Account</MenuLink>
      <MenuLink href="/account/tokens">Tokens</MenuLink>
      {you?.isAdmin && <MenuLink href="/admin">Platform</MenuLink>}
      {here !== undefined && <MenuLink href={leakedPath(here)}>Something leaked?</MenuLink>}
      <MenuLink href="/v1/docs">API reference</MenuLink>
      <hr />
      <Themes />
      <hr />
      <button type="button" onClick={() => void logOut().catch(() => window.location.assign('/log-in'))}>
        Log out
      </button>
    </Menu>
  );
}

function Themes() {
  return (
    <fieldset class="themes">
      <legend class="visually-hidden">Colors</legend>
      {themes.map(name => (
        <label key={name}>
          <input type="radio" name="theme" checked={theme.value === name} onChange={() => setTheme(name)} />
          <span>{name}</span>
        </label>
      ))}
    </fieldset>
  );
}
