import type { OwnOrganization } from '@holdfast/contracts/auth/account.ts';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { call } from '../api.ts';
import { useLoad } from '../load.ts';
import { count } from './count.ts';
import {
  commandsFor,
  type Found,
  type Group,
  identitiesFound,
  keysFound,
  loadRoster,
  matching,
  pagesOf,
  peopleFound,
  projectsAndEnvironments,
} from './destinations.ts';
import { Dialog } from './dialog.tsx';
import { useKeyIndex, useSettled } from './key-index.ts';
import { Problem } from './problem.tsx';
import './palette.css';

interface PaletteProps {
  organization: OwnOrganization;
  onClose: () => void;
}

/** Finds keys, projects, people, identities, pages and commands by a part of their names. */
export function Palette({ organization, onClose }: PaletteProps) {
  const [text, setText] = useState('');
  const [at, setAt] = useState<string>();
  const { groups, hidden, notes } = useFound(organization, text);
  const options = groups.flatMap(({ found }) => found);
  // By its name, because results that arrive later move it.
  const chosen = Math.max(
    0,
    options.findIndex(option => idOf(option) === at),
  );
  const move = (by: number) => {
    const next = options[Math.max(0, Math.min(options.length - 1, chosen + by))];
    setAt(next && idOf(next));
  };
  const go = (option: Found | undefined) => {
    if (option === undefined) return;
    onClose();
    option.open();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else if (event.key === 'Enter') go(options[chosen]);
    else return;
    event.preventDefault();
  };
  useEffect(() => document.getElementById(`option-${chosen}`)?.scrollIntoView({ block: 'nearest' }), [chosen]);
  return (
    <Dialog title="Find" onClose={onClose}>
      <input
        class="palette"
        role="combobox"
        aria-label="Key, project, person, page or command"
        aria-autocomplete="list"
        aria-expanded={options.length > 0}
        aria-controls="found"
        aria-activedescendant={options.length > 0 ? `option-${chosen}` : undefined}
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={event => {
          setText(event.currentTarget.value);
          setAt(undefined);
        }}
        onKeyDown={onKeyDown}
      />
      <Options groups={groups} chosen={chosen} onGo={go} />
      <div class="hint" role="status">
        {hidden > 0 && <p>And {count(hidden, 'more result')}. Type more to find fewer.</p>}
        {notes.busy ? (
          <p>Searching …</p>
        ) : (
          options.length === 0 && (
            <p>
              Nothing is called {`“${text.trim()}”`} in {organization.name}.
            </p>
          )
        )}
        {notes.unreadable > 0 && text !== '' && (
          <p>Keys of {count(notes.unreadable, 'environment')} are not searched, because you can’t read them.</p>
        )}
      </div>
      {notes.failures.map(({ error, retry }) => (
        <Problem key={String(error)} error={error} retry={retry} />
      ))}
    </Dialog>
  );
}

const idOf = ({ name, within }: Found) => `${name} ${within}`;

/** Options of a group that are shown. */
const mostShown = 8;

function useFound(organization: OwnOrganization, text: string) {
  const base = `/organizations/${organization.slug}`;
  const projects = useLoad(
    organization.id,
    async signal => (await call('GET /v1/projects/{orgId}', { params: { orgId: organization.id }, signal })).projects,
  );
  const roster = useLoad(organization.id, signal => loadRoster(organization, signal));
  const isTyped = text.trim().length > 1;
  const index = useKeyIndex(organization, projects.data, useSettled(isTyped));
  const keys = useMemo(() => keysFound(base, index.lists), [base, index.lists]);
  const known = projects.data ?? [];
  const all: Group[] = [
    { title: 'Projects', found: projectsAndEnvironments(base, known) },
    { title: 'Pages', found: pagesOf(organization, known) },
    { title: 'Keys', found: isTyped ? keys : [] },
    { title: 'People', found: text === '' || !roster.data ? [] : peopleFound(organization.slug, roster.data) },
    { title: 'Identities', found: text === '' || !roster.data ? [] : identitiesFound(base, roster.data) },
    { title: 'Commands', found: commandsFor(organization) },
  ];
  const matched = all.map(({ title, found }) => ({ title, found: matching(found, text) }));
  const groups = matched
    .map(({ title, found }) => ({ title, found: found.slice(0, mostShown) }))
    .filter(({ found }) => found.length > 0);
  const sum = (of: readonly Group[]) => of.reduce((total, { found }) => total + found.length, 0);
  return {
    groups,
    hidden: text === '' ? 0 : sum(matched) - sum(groups),
    notes: {
      busy: projects.pending || roster.pending || index.searching,
      unreadable: index.unreadable,
      failures: [
        { error: projects.error, retry: () => void projects.reload() },
        { error: roster.error, retry: () => void roster.reload() },
        { error: index.error, retry: index.retry },
      ].filter(({ error }) => error !== undefined),
    },
  };
}

interface OptionsProps {
  groups: readonly Group[];
  chosen: number;
  onGo: (option: Found) => void;
}

/** The focus stays in the combobox, which names the chosen option. */
function Options({ groups, chosen, onGo }: OptionsProps) {
  let index = -1;
  return (
    <div id="found" role="listbox" aria-label="Found" class="places">
      {groups.map(({ title, found }) => (
        // biome-ignore lint/a11y/useSemanticElements: a group of options, not of form fields
        <div key={title} role="group" aria-labelledby={`group-${title}`}>
          <p id={`group-${title}`} role="presentation" class="quiet">
            {title}
          </p>
          {found.map(option => {
            index += 1;
            return (
              <button
                type="button"
                key={idOf(option)}
                id={`option-${index}`}
                role="option"
                aria-selected={index === chosen}
                tabIndex={-1}
                onClick={() => onGo(option)}
              >
                <span class={option.mono ? 'mono' : undefined}>{option.name}</span> <small>{option.within}</small>
              </button>
            );
          })}
        </div>
      ))}
    </div>
  );
}
