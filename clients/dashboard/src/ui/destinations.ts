import type { OwnOrganization } from '@holdfast/contracts/auth/account.ts';
import type { Project } from '@holdfast/contracts/projects/projects.ts';
import { type Answer, call } from '../api.ts';
import { navigate } from '../router.ts';
import { logOut, mayAnywhere, session, user } from '../session.ts';
import { setTheme, themes } from '../theme.ts';
import type { KeysIn } from './key-index.ts';
import { pathOfMember } from './member-name.tsx';
import { pagesFor } from './organization-pages.ts';
import { openOverPage } from './single-keys.ts';

/** Something that the palette finds. It is opened by its address, or it runs. */
export interface Found {
  name: string;
  /** Where it is, or what it is. */
  within: string;
  open: () => void;
  mono?: boolean;
}

export interface Group {
  title: string;
  found: readonly Found[];
}

type Page = readonly [name: string, path: string, operation?: string];

const projectPages: readonly Page[] = [
  ['Compare', '/compare'],
  ['Promote', '/promote'],
  ['Template', '/template'],
  ['Settings', '/settings'],
];

const accountPages: readonly Page[] = [
  ['Account', '/account'],
  ['Tokens', '/account/tokens'],
];

const platformPages: readonly Page[] = [
  ['Platform', '/admin'],
  ['Organizations of the platform', '/admin/organizations'],
  ['Plans of the platform', '/admin/plans'],
];

/** The dialogs and pages in which a person may make something. `?new` opens the dialog of a page. */
const makers: readonly Page[] = [
  ['New project', '?new=yes', 'create-project'],
  ['Invite a member', '/members?new=yes', 'invite-member'],
  ['New webhook', '/webhooks?new=yes', 'create-webhook'],
  ['New identity', '/identities/new', 'create-identity'],
];

const at = (name: string, within: string, address: string): Found => ({
  name,
  within,
  open: () => navigate(address),
});

const pagesAt = (base: string, within: string, pages: readonly Page[]) =>
  pages.map(([name, path]) => at(name, within, base + path));

export function projectsAndEnvironments(base: string, projects: readonly Project[]): Found[] {
  return projects.flatMap(({ name, slug, environments }) => [
    { ...at(slug, name === slug ? 'project' : name, `${base}/projects/${slug}`), mono: true },
    ...environments.map(environment => ({
      ...at(
        `${slug} / ${environment.slug}`,
        environment.type,
        `${base}/projects/${slug}/environments/${environment.slug}`,
      ),
      mono: true,
    })),
  ]);
}

export function pagesOf(organization: OwnOrganization, projects: readonly Project[]): Found[] {
  const { id, name, slug } = organization;
  const base = `/organizations/${slug}`;
  const others = (session.value?.organizations ?? []).filter(other => other.id !== id);
  return [
    ...pagesAt(
      base,
      name,
      pagesFor(organization).map(page => [page.name, page.path]),
    ),
    ...pagesAt('', 'you', accountPages),
    ...projects.flatMap(project => pagesAt(`${base}/projects/${project.slug}`, project.slug, projectPages)),
    ...others.map(other => at(other.name, 'organization', `/organizations/${other.slug}`)),
    ...(user.value?.isAdmin ? pagesAt('', 'administrator', platformPages) : []),
  ];
}

export function commandsFor(organization: OwnOrganization): Found[] {
  const run = (name: string, open: () => void): Found => ({ name, within: 'command', open });
  return [
    ...makers
      .filter(([, , operation = '']) => mayAnywhere(operation, organization))
      .map(([name, path]) => at(name, 'command', `/organizations/${organization.slug}${path}`)),
    at('New token', 'command', '/account/tokens?new=yes'),
    at('New organization', 'command', '/organizations'),
    run('Keyboard shortcuts', () => openOverPage('shortcuts')),
    ...themes.map(theme => run(`Colors: ${theme}`, () => setTheme(theme))),
    run('API reference', () => window.location.assign('/v1/docs')),
    run('Log out', () => void logOut().catch(() => window.location.assign('/log-in'))),
  ];
}

export function keysFound(base: string, lists: readonly KeysIn[]): Found[] {
  return lists.flatMap(({ project, environment, keys }) => {
    const path = `${base}/projects/${project.slug}/environments/${environment.slug}`;
    return keys.map(key => ({
      ...at(key, `${project.slug} / ${environment.slug}`, `${path}?key=${encodeURIComponent(key)}`),
      mono: true,
    }));
  });
}

export interface Roster {
  members: Answer<'GET /v1/members/{orgId}'>['members'];
  identities: Answer<'GET /v1/identities/{orgId}'>['identities'];
}

/** The people and, for those who may see them, the identities of the organization. */
export async function loadRoster(organization: OwnOrganization, signal: AbortSignal): Promise<Roster> {
  const { id: orgId, limited } = organization;
  const request = { params: { orgId }, signal };
  const [{ members }, { identities }] = await Promise.all([
    limited ? { members: [] } : call('GET /v1/members/{orgId}', request),
    mayAnywhere('list-identities', organization) ? call('GET /v1/identities/{orgId}', request) : { identities: [] },
  ]);
  return { members, identities };
}

export const peopleFound = (slug: string, { members }: Roster): Found[] =>
  members.map(({ id, name, email, role }) => at(name || email, `${email} · ${role}`, pathOfMember(slug, id)));

export const identitiesFound = (base: string, { identities }: Roster): Found[] =>
  identities.map(({ id, name, role }) => at(name, role, `${base}/identities/${id}`));

/** Those with every typed word in their name or place. Names that begin with the text come first. */
export function matching(all: readonly Found[], text: string): Found[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const [first = ''] = words;
  const rank = ({ name }: Found) => {
    const lower = name.toLowerCase();
    return lower === first ? 0 : lower.startsWith(first) ? 1 : lower.includes(first) ? 2 : 3;
  };
  return all
    .filter(({ name, within }) => words.every(word => `${name} ${within}`.toLowerCase().includes(word)))
    .toSorted((a, b) => rank(a) - rank(b));
}
