import { type Environment, type Holdfast, identityTimeoutMs } from '@holdfast/sdk';
import { connect } from './connect.ts';
import { type AnyCredential, requireCredential, tokenFor } from './credentials/credentials.ts';
import { usage } from './failure.ts';
import type { Output } from './output.ts';
import { type CurrentUser, createPlaceFinder, once, type Project } from './place.ts';
import { type GivenFlags, requireUrl, resolveSettings, type Settings } from './settings/settings.ts';
import { type Place, type PlaceMember, placeMembers } from './settings/settings-file.ts';
import type { Terminal } from './terminal.ts';

/** One run of the command line. It reads settings and prompts only on demand. */
export interface Session {
  readonly output: Output;
  readonly terminal: Terminal;
  settings(): Settings;
  /** Without `/v1`. */
  url(): string;
  credential(): Promise<AnyCredential>;
  client(): Promise<Holdfast>;
  request: Holdfast['request'];
  /** For modules that load on demand: whatever they import is bundled to load on demand too. */
  connect: typeof connect;
  currentUser(): Promise<CurrentUser>;
  /** The requested members of the place, from the settings, the token or a prompt. */
  place<M extends PlaceMember>(...members: readonly M[]): Promise<Record<M, string>>;
  environment(slug?: string): Promise<Environment>;
  /** The environments that values are read from, the lowest layer first. Only one unless there are layers. */
  layers(): Promise<Environment[]>;
  /** @param organization its slug; the one in use if omitted */
  organizationId(organization?: string): Promise<string>;
  project(): Promise<Project>;
  /** Stops announcing retries. */
  silenceRetries(): void;
  /** Makes the service treat the credential as one for names only, whatever it may read. Not after the first request. */
  restrictToNames(): void;
}

export function openSession(flags: GivenFlags & { wait?: number }, output: Output, terminal: Terminal): Session {
  const settings = once(() => resolveSettings(flags, process.cwd(), output.warn));
  const url = () => requireUrl(settings()).value;
  const credential = once(() => requireCredential(settings()));
  let announcesRetries = true;
  let isForNames = false;
  // A command may send several requests, and all their waits together are limited.
  const waitMs = flags.wait === undefined ? undefined : { leftMs: flags.wait, pausedUntil: 0 };
  const onRetry: ConstructorParameters<typeof Holdfast>[0]['onRetry'] = ({ error, delayMs }) => {
    const wait = delayMs < 1000 ? '' : ` in ${Math.round(delayMs / 1000)} s`;
    // A cached copy makes short outages unimportant, but nobody should wait without knowing.
    if (announcesRetries || delayMs >= 5000) output.note(`holdfast: ${error.message} Trying again${wait}.`);
  };
  const client = once(async () =>
    connect({
      url: url(),
      token: tokenFor(await credential()),
      tokenTimeoutMs: identityTimeoutMs,
      waitMs,
      onRetry,
      ...(isForNames && { fetch: fetchForNames }),
    }),
  );
  const currentUser = once(async () => (await client()).request('GET', '/v1/auth/me'));
  const { find, organizationId } = createPlaceFinder({ settings, credential, client, currentUser, terminal });

  const environmentOf = async (slug: string, organization?: string, project?: string) =>
    (await client()).environment(
      organization ?? (await find('organization')),
      project ?? (await find('project')),
      slug,
    );

  const session: Session = {
    output,
    terminal,
    settings,
    url,
    credential,
    client,
    request: (async (...asked: Parameters<Holdfast['request']>) => (await client()).request(...asked)) as never,
    connect,
    currentUser,
    organizationId,
    place: async (...members) => {
      if ((members as readonly PlaceMember[]).includes('environment')) requireOneEnvironment(settings());
      const place: Partial<Place> = {};
      // Organization first: each choice narrows the next one.
      for (const member of placeMembers) {
        if ((members as readonly PlaceMember[]).includes(member)) place[member] = await find(member);
      }
      return place as Place;
    },
    environment: async slug => {
      if (slug === undefined) requireOneEnvironment(settings());
      return environmentOf(slug ?? (await find('environment')));
    },
    layers: async () => {
      const { layers } = settings();
      const below = layers.map(({ organization, project, environment }) =>
        environmentOf(environment, organization, project),
      );
      return [...(await Promise.all(below)), await environmentOf(await find('environment'))];
    },
    project: async () => {
      const slug = await find('project');
      const path = { orgId: await organizationId(), slug };
      return (await (await client()).request('GET', '/v1/projects/{orgId}/{slug}', { path })).project;
    },
    silenceRetries: () => {
      announcesRetries = false;
    },
    restrictToNames: () => {
      isForNames = true;
    },
  };
  return session;
}

const fetchForNames: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers);
  headers.set('holdfast-access', 'names');
  return fetch(input, { ...init, headers });
};

/** @throws Failure if --env was given several times */
function requireOneEnvironment({ hasSeveralEnvironments }: Settings): void {
  if (!hasSeveralEnvironments) return;
  throw usage('This command takes one environment.', 'Only holdfast run, pull and sync take several: give --env once.');
}
