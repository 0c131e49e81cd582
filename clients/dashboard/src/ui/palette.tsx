import { useState } from 'preact/hooks';
import type { OwnOrganization } from '../../../../lib/contracts/auth/own-organization.ts';
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

/** Goes anywhere by typing a part of its name. */
export function Palette({ onClose, organization }: { onClose: () => void; organization: OwnOrganization | undefined }) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const projects = useLoad(organization?.id ?? 'none', async signal =>
    organization === undefined
      ? []
      : (await call('GET /v1/projects/{orgId}', { params: { orgId: organization.id }, signal })).projects,
  );
  const places: Place[] = [
    ...(projects.data ?? []).flatMap(project => {
      const href = `/organizations/${organization?.slug}/projects/${project.slug}`;
      return [
        { name: project.name, within: 'project', href },
        ...project.environments.map(environment => ({
          name: `${project.slug} / ${environment.slug}`,
          within: environment.type,
          href: `${href}/environments/${environment.slug}`,
        })),
      ];
    }),
    ...(organization === undefined ? [] : placesOf(organization)),
    ...(session.value?.organizations ?? [])
      .filter(({ id }) => id !== organization?.id)
      .map(({ name, slug }) => ({ name, within: 'organization', href: `/organizations/${slug}` })),
    { name: 'Account', within: 'you', href: '/account' },
    { name: 'Tokens', within: 'you', href: '/account/tokens' },
  ];
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = places
    .filter(({ name, within }) => words.every(word => `${name} ${within}`.toLowerCase().includes(word)))
    .slice(0, 12);
  const chosen = Math.min(at, found.length - 1);
  const go = (place: Place | undefined) => {
    if (place === undefined) return;
    onClose();
    navigate(place.href);
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
        onKeyDown={event => {
          if (event.key === 'ArrowDown') setAt(Math.min(found.length - 1, chosen + 1));
          else if (event.key === 'ArrowUp') setAt(Math.max(0, chosen - 1));
          else if (event.key === 'Enter') go(found[chosen]);
          else return;
          event.preventDefault();
        }}
      />
      <ul id="places" role="listbox" aria-label="Pages" class="places">
        {found.map((place, index) => (
          <li
            key={place.href}
            id={`place-${index}`}
            role="option"
            aria-selected={index === chosen}
            tabIndex={-1}
            onClick={() => go(place)}
          >
            {place.name} <small>{place.within}</small>
          </li>
        ))}
      </ul>
      {found.length === 0 && (
        <p class="hint">{projects.data === undefined && projects.pending ? 'Looking …' : 'Nothing fits.'}</p>
      )}
    </Dialog>
  );
}
