import type { OwnOrganization } from '@holdfast/contracts/auth/account.ts';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { liftConfinement } from '../api.ts';
import { match, pathname } from '../router.ts';
import { confinedTo, organizationBySlug, session, user } from '../session.ts';
import { Mark } from './mark.tsx';
import { OrganizationMenu, PersonMenu } from './menus.tsx';
import { Shortcuts } from './shortcuts.tsx';
import { focusFilter, isSearchShortcut, openOverPage, overPage, searchShortcut, singleKeyOf } from './single-keys.ts';
import { showToast } from './toast.tsx';
import './shell.css';

/** The frame of every page: location, account and navigation. */
export function Shell({ children }: { children: ComponentChildren }) {
  const open = overPage.value;
  const Search = usePalette();
  useShortcuts();
  const { organization, project } = whereabouts(pathname());
  const searched = organization ?? session.value?.organizations[0];
  return (
    <div class="shell">
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <header class="top">
        <a class="brand" href="/" aria-label="Holdfast: your projects">
          <Mark />
          <span>Holdfast</span>
        </a>
        <Trail organization={organization} project={project} />
        <TopEnd />
        <OrganizationMenu id="organizations" slug={organization?.slug} />
        <PersonMenu id="person" slug={organization?.slug} />
      </header>
      <Banner />
      <div id="content" tabIndex={-1}>
        {children}
      </div>
      {open === 'palette' && Search !== undefined && searched !== undefined && (
        <Search.Palette organization={searched} onClose={close} />
      )}
      {open === 'shortcuts' && <Shortcuts onClose={close} />}
    </div>
  );
}

const close = () => openOverPage(undefined);

/** The search, loaded after the page, which does not wait for it. */
function usePalette() {
  const [loaded, setLoaded] = useState<typeof import('./palette.tsx')>();
  useEffect(() => {
    import('./palette.tsx').then(setLoaded, () => showToast('The search could not be loaded. Load the page again.'));
  }, []);
  return loaded;
}

function useShortcuts(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const key = singleKeyOf(event);
      if (isSearchShortcut(event)) openOverPage('palette');
      else if (key === '?') openOverPage('shortcuts');
      else if (key !== '/') return;
      else if (!focusFilter()) openOverPage('palette');
      event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    return () => {
      document.removeEventListener('keydown', onKey);
      openOverPage(undefined);
    };
  }, []);
}

function Banner() {
  if (confinedTo.value !== undefined)
    return (
      <aside class="banner" aria-label="This session">
        This session is limited to {confinedTo.value}.{' '}
        <button type="button" class="link" onClick={() => void liftConfinement()}>
          Confirm with your own password or passkey
        </button>
      </aside>
    );
  if (user.value?.emailVerified !== false) return null;
  return (
    <aside class="banner" aria-label="Your e-mail">
      Your e-mail is not verified yet. Until then, you can’t invite members, create identities or add a second factor.{' '}
      <a href="/account">Send the link again</a>
    </aside>
  );
}

interface Whereabouts {
  organization: OwnOrganization | undefined;
  /** The slug of the current project. */
  project: string | undefined;
}

function whereabouts(path: string): Whereabouts {
  const parts = path.split('/');
  return {
    organization: parts[1] === 'organizations' ? organizationBySlug(parts[2] ?? '') : undefined,
    project: match('/organizations/:org/projects/:p', parts.slice(0, 5).join('/'))?.p,
  };
}

function Trail({ organization, project }: Whereabouts) {
  return (
    <nav class="trail" aria-label="Where you are">
      {organization !== undefined && (
        <button
          type="button"
          class="button quiet"
          popovertarget="organizations"
          aria-label={`${organization.name}: switch organization`}
        >
          {organization.name}
          <span class="caret" aria-hidden="true" />
        </button>
      )}
      {organization !== undefined && project !== undefined && (
        <>
          <span aria-hidden="true">/</span>
          <a href={`/organizations/${organization.slug}/projects/${project}`}>{project}</a>
        </>
      )}
    </nav>
  );
}

function TopEnd() {
  return (
    <div class="top-end">
      <button type="button" class="button quiet search" onClick={() => openOverPage('palette')}>
        Find <kbd>{searchShortcut}</kbd>
      </button>
      <button type="button" class="button quiet" popovertarget="person" aria-label="You and your settings">
        <span class="initial" aria-hidden="true">
          {(user.value?.name ?? '').trim().charAt(0).toUpperCase()}
        </span>
      </button>
    </div>
  );
}
