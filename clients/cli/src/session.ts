import type { Holdfast, ResponseBody } from '@holdfast/sdk';
import { connect } from './connect.ts';
import { type AnyCredential, requireCredential } from './credentials/credentials.ts';
import { exitCodes, Failure, usage } from './failure.ts';
import type { Output } from './output.ts';
import { type GivenFlags, requireUrl, resolveSettings, type Settings } from './settings/settings.ts';
import { type Place, type PlaceMember, placeMembers } from './settings/settings-file.ts';
import type { Terminal } from './terminal.ts';

export type CurrentUser = ResponseBody<'GET', '/v1/auth/me'>;
export type Project = ResponseBody<'GET', '/v1/projects/{orgId}'>['projects'][number];

/** One run of the command line. Nothing is read and nobody is asked before it is needed. */
export interface Session {
  readonly output: Output;
  readonly terminal: Terminal;
  settings(): Settings;
  /** Without `/v1`. */
  url(): string;
  credential(): Promise<AnyCredential>;
  client(): Promise<Holdfast>;
  currentUser(): Promise<CurrentUser>;
  /** Organization, project and environment, as far as is asked for, from the settings, the token or a person. */
  place<M extends PlaceMember>(...members: readonly M[]): Promise<Record<M, string>>;
  environment(slug?: string): Promise<ReturnType<Holdfast['environment']>>;
  organizationId(): Promise<string>;
  project(): Promise<Project>;
  /** From now on no retry is announced. */
  silenceRetries(): void;
}

const hintOf = {
  organization: 'Name one with --org, or link this directory: holdfast link',
  project: 'Name one with --project, or link this directory: holdfast link',
  environment: 'Name one with --env, or link this directory: holdfast link',
};

export function openSession(flags: GivenFlags, output: Output, terminal: Terminal): Session {
  const once = <T>(work: () => T): (() => T) => {
    let done: { result: T } | undefined;
    return () => {
      done ??= { result: work() };
      return done.result;
    };
  };
  const settings = once(() => resolveSettings(flags, process.cwd()));
  const url = () => requireUrl(settings()).value;
  const credential = once(() => requireCredential(settings()));
  const client = once(async () => {
    const { token } = await credential();
    const onRetry: ConstructorParameters<typeof Holdfast>[0]['onRetry'] = ({ error, delayMs }) => {
      const wait = delayMs < 1000 ? '' : ` in ${Math.round(delayMs / 1000)} s`;
      if (announcesRetries) output.note(`holdfast: ${error.message} Trying again${wait}.`);
    };
    return await connect({ url: url(), token, onRetry });
  });
  let announcesRetries = true;
  const currentUser = once(async () => (await client()).request('GET', '/v1/auth/me'));
  const projects = once(async () => {
    const orgId = await organizationId();
    return (await (await client()).request('GET', '/v1/projects/{orgId}', { path: { orgId } })).projects;
  });
  const found: Partial<Place> = {};

  async function find(member: PlaceMember): Promise<string> {
    const known = found[member] ?? settings()[member]?.value;
    if (known !== undefined) return known;
    const chosen = await pick(member, await choicesOf(member));
    found[member] = chosen;
    return chosen;
  }

  /** A token that is limited to one leaves no choice. */
  async function choicesOf(member: PlaceMember): Promise<string[]> {
    const { identity } = await credential();
    if (identity !== undefined) return choicesOfIdentity(member, identity.organization);
    const { organizations, authentication } = await currentUser();
    const { organizationId: orgId, projectId, environmentId } = authentication.token ?? {};
    const within = <T extends { id: string; slug: string }>(all: readonly T[], id: string | null | undefined) =>
      all.filter(one => id == null || one.id === id).map(({ slug }) => slug);
    if (member === 'organization') return within(organizations, orgId);
    const all = await projects();
    if (member === 'project') return within(all, projectId);
    const slug = await find('project');
    return within(all.find(project => project.slug === slug)?.environments ?? [], environmentId);
  }

  /** An identity has no account that would tell its limits, but sees nothing else. */
  async function choicesOfIdentity(member: PlaceMember, organization: string): Promise<string[]> {
    if (member === 'organization') return [organization];
    const all = await projects();
    if (member === 'project') return all.map(({ slug }) => slug);
    const slug = await find('project');
    return (all.find(project => project.slug === slug)?.environments ?? []).map(one => one.slug);
  }

  async function pick(member: PlaceMember, choices: readonly string[]): Promise<string> {
    const [only] = choices;
    if (only !== undefined && choices.length === 1) return only;
    if (only === undefined) throw new Failure(exitCodes.notFound, `${member}_not_found`, `You can see no ${member}.`);
    if (terminal.canAsk) return await terminal.choose(`Which ${member}?`, choices);
    throw usage(`It is not clear which ${member} is meant: ${choices.slice(0, 20).join(', ')}.`, hintOf[member]);
  }

  async function organizationId(): Promise<string> {
    const slug = await find('organization');
    const { identity } = await credential();
    if (identity?.organization === slug) return identity.organizationId();
    const id = (await currentUser()).organizations.find(one => one.slug === slug)?.id;
    if (id !== undefined) return id;
    throw new Failure(exitCodes.notFound, 'organization_not_found', `You can see no organization ${slug}.`, {
      hint: 'Those you can see: holdfast orgs',
    });
  }

  const session: Session = {
    output,
    terminal,
    settings,
    url,
    credential,
    client,
    currentUser,
    organizationId,
    place: async (...members) => {
      const place: Partial<Place> = {};
      // From the outside in: what a person chooses first decides what there is to choose next.
      for (const member of placeMembers) {
        if ((members as readonly PlaceMember[]).includes(member)) place[member] = await find(member);
      }
      return place as Place;
    },
    environment: async slug => {
      const { organization, project } = await session.place('organization', 'project');
      return (await client()).environment(organization, project, slug ?? (await find('environment')));
    },
    project: async () => {
      const slug = await find('project');
      const path = { orgId: await organizationId(), slug };
      return (await (await client()).request('GET', '/v1/projects/{orgId}/{slug}', { path })).project;
    },
    silenceRetries: () => {
      announcesRetries = false;
    },
  };
  return session;
}
