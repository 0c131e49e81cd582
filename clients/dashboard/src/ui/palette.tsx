import type { OwnOrganization } from '@holdfast/contracts/auth/account.ts';
import type { Project } from '@holdfast/contracts/projects/projects.ts';
import { useState } from 'preact/hooks';
import { call } from '../api.ts';
import { useLoad } from '../load.ts';
import { navigate } from '../router.ts';
import { session } from '../session.ts';
import { Dialog } from './dialog.tsx';
import './palette.css';

interface Place {
  name: string;
  within: string;
  href: string;
}

function placesOf({ name, slug }: OwnOrganization): Place[] {
  const base = `/organizations/${slug}`;
  return ['Projects', 'Members', 'Webhooks', 'Identities', 'Audit', 'Billing', 'Settings'].map((screen, index) => ({
    name: screen,
    within: name,
    href: index === 0 ? base : `${base}/${screen.toLowerCase()}`,
  }));
}

/** Every destination: the organization's projects and pages, then other organizations, then the account. */
function allPlaces(organization: OwnOrganization | undefined, projects: readonly Project[]): Place[] {
  const others = (session.value?.organizations ?? []).filter(({ id }) => id !== organization?.id);
  return [
    ...projects.flatMap(project => placesIn(project, `/organizations/${organization?.slug}/projects/${project.slug}`)),
    ...(organization === undefined ? [] : placesOf(organization)),
    ...others.map(({ name, slug }) => ({ name, within: 'organization', href: `/organizations/${slug}` })),
    { name: 'Account', within: 'you', href: '/account' },
    { name: 'Tokens', within: 'you', href: '/account/tokens' },
  ];
}

function placesIn({ name, slug, environments }: Project, href: string): Place[] {
  return [
    { name, within: 'project', href },
    ...environments.map(environment => ({
      name: `${slug} / ${environment.slug}`,
      within: environment.type,
      href: `${href}/environments/${environment.slug}`,
    })),
  ];
}

/** The destinations whose name contains every typed word. */
function matching(places: readonly Place[], text: string): Place[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return places.filter(({ name, within }) => words.every(word => `${name} ${within}`.toLowerCase().includes(word)));
}

const mostShown = 12;

/** Navigates to any page by a part of its name. */
export function Palette({ onClose, organization }: { onClose: () => void; organization: OwnOrganization | undefined }) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const projects = useLoad(organization?.id ?? 'none', async signal =>
    organization === undefined
      ? []
      : (await call('GET /v1/projects/{orgId}', { params: { orgId: organization.id }, signal })).projects,
  );
  const found = matching(allPlaces(organization, projects.data ?? []), text).slice(0, mostShown);
  const chosen = Math.min(at, found.length - 1);
  const go = (place: Place | undefined) => {
    if (place === undefined) return;
    onClose();
    navigate(place.href);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') setAt(Math.min(found.length - 1, chosen + 1));
    else if (event.key === 'ArrowUp') setAt(Math.max(0, chosen - 1));
    else if (event.key === 'Enter') go(found[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Go to" onClose={onClose}>
      <input
        class="palette"
        role="combobox"
        aria-label="Project, environment or page"
        aria-expanded="true"
        aria-controls="places"
        aria-activedescendant={found.length > 0 ? `place-${chosen}` : undefined}
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={event => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <Places found={found} chosen={chosen} onGo={go} />
      {found.length === 0 && (
        <p class="hint">{projects.data === undefined && projects.pending ? 'Loading …' : 'Nothing matches.'}</p>
      )}
    </Dialog>
  );
}

interface PlacesProps {
  found: readonly Place[];
  chosen: number;
  onGo: (place: Place) => void;
}

/** The focus stays in the combobox, which names the chosen option. */
function Places({ found, chosen, onGo }: PlacesProps) {
  return (
    <div id="places" role="listbox" aria-label="Pages" class="places">
      {found.map((place, index) => (
        <button
          type="button"
          key={place.href}
          id={`place-${index}`}
          role="option"
          aria-selected={index === chosen}
          tabIndex={-1}
          onClick={() => onGo(place)}
        >
          {place.name} <small>{place.within}</small>
        </button>
      ))}
    </div>
  );
}
