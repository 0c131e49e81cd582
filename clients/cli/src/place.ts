import type { Holdfast, ResponseBody } from '@holdfast/sdk';
import type { AnyCredential } from './credentials/credentials.ts';
import { exitCodes, Failure, usage } from './failure.ts';
import { namesThere } from './names-there.ts';
import type { Settings } from './settings/settings.ts';
import { checkSlug, type Place, type PlaceMember } from './settings/settings-file.ts';
import type { Terminal } from './terminal.ts';

export type CurrentUser = ResponseBody<'GET', '/v1/auth/me'>;
export type Project = ResponseBody<'GET', '/v1/projects/{orgId}'>['projects'][number];

/** The possible sources of a place. */
interface Sources {
  settings: () => Settings;
  credential: () => Promise<AnyCredential>;
  client: () => Promise<Holdfast>;
  currentUser: () => Promise<CurrentUser>;
  terminal: Terminal;
}

interface PlaceFinder {
  /** Asks each question once. */
  find(member: PlaceMember): Promise<string>;
  /** @param organization its slug; the one in use if omitted */
  organizationId(organization?: string): Promise<string>;
}

const hintOf = {
  organization: 'Name one with --org, or link this directory: holdfast link ORG/PROJECT/ENV',
  project: 'Name one with --project, or link this directory: holdfast link ORG/PROJECT/ENV',
  environment: 'Name one with --env, or link this directory: holdfast link ORG/PROJECT/ENV',
};

const beginnings = {
  organization: 'Create one in the dashboard, or ask an owner or admin to invite you.',
  project: 'Create one for this directory: holdfast link --create',
  environment: 'Create one: holdfast envs create dev',
};

/** Runs `work` on the first call and returns its result from then on. A promise that is rejected is not kept. */
export function once<T>(work: () => T): () => T {
  let done: { result: T } | undefined;
  return () => {
    if (done === undefined) {
      const now = { result: work() };
      done = now;
      if (now.result instanceof Promise) {
        now.result.catch(() => {
          if (done === now) done = undefined;
        });
      }
    }
    return done.result;
  };
}

/** Finds the organization, project and environment: in the settings, by the token's scope, or by asking the user. */
export function createPlaceFinder({ settings, credential, client, currentUser, terminal }: Sources): PlaceFinder {
  const found: Partial<Place> = {};
  const projects = once(async (): Promise<Project[]> => {
    const orgId = await organizationId();
    return (await (await client()).request('GET', '/v1/projects/{orgId}', { path: { orgId } })).projects;
  });

  async function find(member: PlaceMember): Promise<string> {
    const known = found[member] ?? settings()[member]?.value;
    if (known !== undefined) return known;
    const chosen = await pick(terminal, member, await choicesOf(member));
    found[member] = chosen;
    return chosen;
  }

  /** A token limited to one organization leaves no choice. */
  async function choicesOf(member: PlaceMember): Promise<string[]> {
    const { identity } = await credential();
    // An identity has no account that lists its limits, but it sees nothing else.
    if (identity !== undefined) {
      return member === 'organization' ? [identity.organization] : choicesWithin(member, undefined, undefined);
    }
    const { organizations, authentication } = await currentUser();
    const { organizationId: orgId, projectId, environmentId } = authentication.token ?? {};
    return member === 'organization' ? slugsOf(organizations, orgId) : choicesWithin(member, projectId, environmentId);
  }

  async function choicesWithin(member: PlaceMember, projectId: Limit, environmentId: Limit): Promise<string[]> {
    const all = await projects();
    if (member === 'project') return slugsOf(all, projectId);
    const slug = await find('project');
    const project = all.find(one => one.slug === slug);
    if (project !== undefined) return slugsOf(project.environments, environmentId);
    const organization = await find('organization');
    const hint = `Create it: holdfast link ${organization}/${slug}/dev --create`;
    // Not `project_not_found`: that is an organization without any, for which `link` offers to create the first.
    throw new Failure(exitCodes.notFound, 'environment_not_found', `${organization} has no project ${slug}.`, {
      hint: namesThere(slugsOf(all, projectId), [slug], hint),
    });
  }

  async function organizationId(named?: string): Promise<string> {
    const slug = named ?? (await find('organization'));
    const { identity } = await credential();
    if (identity?.organization === slug) return identity.organizationId();
    const id = (await currentUser()).organizations.find(one => one.slug === slug)?.id;
    if (id !== undefined) return id;
    throw new Failure(exitCodes.notFound, 'organization_not_found', `You have no access to an organization ${slug}.`, {
      hint: 'List your organizations: holdfast orgs',
    });
  }

  return { find, organizationId };
}

/** The id a token is limited to, if any. */
type Limit = string | null | undefined;

const slugsOf = (all: readonly { id: string; slug: string }[], limit: Limit): string[] =>
  all.filter(one => limit == null || one.id === limit).map(({ slug }) => slug);

async function pick(terminal: Terminal, member: PlaceMember, choices: readonly string[]): Promise<string> {
  // Slugs appear in prompts and file names, so they are checked, whatever server they come from.
  for (const choice of choices) checkSlug(choice, `The service’s ${member}`);
  const [only] = choices;
  if (only !== undefined && choices.length === 1) return only;
  if (only === undefined) {
    throw new Failure(exitCodes.notFound, `${member}_not_found`, `You have no access to any ${member}.`, {
      hint: beginnings[member],
    });
  }
  if (terminal.confirms) return await terminal.choose(`Which ${member}?`, choices);
  throw usage(`Several ${member}s match: ${choices.slice(0, 20).join(', ')}.`, hintOf[member]);
}
