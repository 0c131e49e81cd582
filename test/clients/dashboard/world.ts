import { randomUUID } from 'node:crypto';
import { buildDashboard } from '#clients/dashboard/build.ts';
import { resetProcessMemory } from '#lib/core/process-memory.ts';
import { type Answer, type Api, createProject, startApi } from '#test/support/api.ts';
import { shared } from '#test/support/fixtures.ts';
import { identityOf } from '#test/support/issuer.ts';
import { type Person, seedPerson } from '#test/support/people.ts';
import { expectStatus } from '#test/support/sample-requests.ts';
import { useBrowser } from './browser.ts';

export type World = Awaited<ReturnType<typeof buildWorld>>;

export function useWorld() {
  const world = shared(buildWorld);
  return { world, ...useBrowser(() => world.origin) };
}

/** The dashboard under a host name, to which passkeys belong, and the browser of a test file. */
export function useDashboard(settings: () => Record<string, string> = () => ({})) {
  const api = shared(async () => {
    const started = await startDashboard(settings());
    const origin = started.origin.replace('127.0.0.1', 'localhost');
    process.env.DASHBOARD_ORIGIN = origin;
    resetProcessMemory('settings');
    return { ...started, origin };
  });
  return { api, ...useBrowser(() => api.origin) };
}

export async function startDashboard(settings: Record<string, string> = {}): Promise<Api & { origin: string }> {
  const api = await startApi({ INVITATION_LIMIT: '-1', ...settings }, undefined, buildDashboard());
  return { ...api, origin: new URL(api.url).origin };
}

const shop = [
  ['DATABASE_URL', 'postgres://shop:correct-horse@db.internal:5432/shop'],
  ['DATABASE_POOL_SIZE', '20'],
  ['LOG_LEVEL', 'info'],
  ['MAIL_FROM', 'Shop <hello@shop.example>'],
  ['PAYMENT_API_KEY', 'sk_example_0000'],
  ['PAYMENT_WEBHOOK_SECRET', 'whsec_example_0000'],
  ['SEARCH_INDEX_ENDPOINT_FOR_THE_WHOLE_CATALOGUE_OF_PRODUCTS', 'https://search.internal/v2'],
  ['SESSION_SIGNING_KEY', '-----BEGIN PRIVATE KEY-----\nMIIEvQ\nAAAA\n-----END PRIVATE KEY-----\n'],
] as const;

/** An organization with one member of every role, a project with secrets, a webhook, a template and some history. */
export async function buildWorld() {
  const { origin, ...api } = await startDashboard();
  const [owner, admin, developer, viewer, platform] = await Promise.all([
    seedPerson({ name: 'Ada Lovelace' }),
    seedPerson({ name: 'Grace Hopper' }),
    seedPerson({ name: 'Alan Turing' }),
    seedPerson({ name: 'Mary Shelley' }),
    seedPerson({ name: 'Root', isAdmin: true }),
  ]);
  const { organization } = owner;
  for (const [role, person] of Object.entries({ admin, developer, viewer })) await join(api, owner, person, role);
  const project = await createProject(api, owner, 'Web shop');
  const asOwner = async (method: string, path: string, body?: unknown): Promise<Answer['body']> =>
    (await expectStatus(api.call(method, path, { as: owner.session, body }), 200, 201, 202, 204)).body;
  const path = (environment: string) => `/secrets/${organization.slug}/${project.slug}/${environment}`;
  for (const [environment, secrets] of Object.entries({
    dev: shop,
    staging: shop.slice(0, 6),
    production: shop.slice(2),
  })) {
    const end = environment === 'dev' ? '' : ' ';
    const body = { secrets: secrets.map(([key, value]) => ({ key, value: value + end })) };
    await asOwner('POST', `${path(environment)}/bulk`, body);
  }
  await asOwner('PUT', path('dev'), { key: 'LOG_LEVEL', value: 'debug' });
  await asOwner('POST', `/webhooks/${organization.id}`, { url: 'http://127.0.0.1:9/hook', events: ['secret.updated'] });
  const gitHub = { url: 'https://token.actions.githubusercontent.com' };
  const deploys = identityOf(gitHub, { name: 'web-shop deploy', projectId: project.id });
  await asOwner('POST', `/identities/${organization.id}`, deploys);
  for (const [key, description] of [
    ['DATABASE_URL', 'Where orders are kept.'],
    ['SENTRY_DSN', 'Where errors are sent.'],
  ])
    await asOwner('POST', `/templates/${organization.slug}/${project.slug}`, { key, description });
  await asOwner('POST', '/auth/token', { name: 'deploy pipeline', access: 'read' });
  return {
    api,
    origin,
    organization,
    people: { owner, admin, developer, viewer },
    platform,
    project,
    /** The environment's path in the API, without `/v1`. */
    path,
    owner: asOwner,
    stop: api.stop,
    screen: (environment: string) =>
      `/organizations/${organization.slug}/projects/${project.slug}/environments/${environment}`,
  };
}

export async function join(api: Api, owner: Person, person: Person, role: string): Promise<void> {
  const invited = await expectStatus(
    api.post(`/members/${owner.organization.id}/invite`, { email: `${randomUUID()}@example.com`, role }, owner.session),
    201,
  );
  await expectStatus(api.post(`/members/invite/${invited.body.token}/accept`, undefined, person.session), 200, 201);
}

export function screensOf(
  { organization, project, people }: World,
  ids: { webhook: string; identity: string; environment: string; member: string },
) {
  const base = `/organizations/${organization.slug}`;
  const inProject = `${base}/projects/${project.slug}`;
  return {
    signedOut: {
      'log-in': '/log-in',
      register: '/register',
      'forgot-password': '/forgot-password',
      'reset-password': '/reset-password#token=EXAMPLE-EXAMPLE-EXAMPLE-0000',
      'verify-email': '/verify-email#token=EXAMPLE-EXAMPLE-EXAMPLE-0000',
      'undo-factor': '/undo-factor#token=EXAMPLE-EXAMPLE-EXAMPLE-0000',
      'change-email': '/change-email#token=EXAMPLE-EXAMPLE-EXAMPLE-0000',
      'undo-email': '/undo-email#token=EXAMPLE-EXAMPLE-EXAMPLE-0000',
      'stop-recovery': '/stop-recovery#token=EXAMPLE-EXAMPLE-EXAMPLE-0000',
      'accept-invitation': '/accept-invitation#token=EXAMPLE-EXAMPLE-EXAMPLE-0000',
      'log-in-refused': '/log-in#error=provider_refused',
      'signed-in-elsewhere': '/signed-in',
    },
    signedIn: {
      projects: base,
      members: `${base}/members`,
      member: `${base}/members/${ids.member}`,
      access: `${base}/members/access?type=all`,
      webhooks: `${base}/webhooks`,
      webhook: `${base}/webhooks/${ids.webhook}`,
      identities: `${base}/identities`,
      identity: `${base}/identities/${ids.identity}`,
      'new-identity': `${base}/identities/new`,
      'new-identity-made': `${base}/identities/${ids.identity}?new`,
      audit: `${base}/audit`,
      'audit-filtered': `${base}/audit?actor=${people.owner.user.id}&project=${project.id}&key=LOG_LEVEL`,
      leaked: `${base}/audit/exposure`,
      exposure: `${base}/audit/exposure?user=${people.owner.user.id}`,
      'exposure-of-identity': `${base}/audit/exposure?identity=${ids.identity}`,
      'who-knows': `${base}/audit/exposure?environment=${ids.environment}&key=LOG_LEVEL`,
      billing: `${base}/billing`,
      'organization-settings': `${base}/settings`,
      'sign-in-provider': `${base}/settings/sign-in`,
      project: inProject,
      'environment-dev': `${inProject}/environments/dev`,
      'environment-staging': `${inProject}/environments/staging`,
      'environment-production': `${inProject}/environments/production`,
      revisions: `${inProject}/environments/dev/revisions`,
      proposals: `${inProject}/environments/dev/proposals`,
      compare: `${inProject}/compare/dev/staging`,
      promote: `${inProject}/promote`,
      template: `${inProject}/template`,
      people: `${inProject}/people`,
      'project-settings': `${inProject}/settings`,
      account: '/account',
      tokens: '/account/tokens',
      'new-organization': '/organizations',
      'authorize-cli': `/authorize-cli?code_challenge=${'a'.repeat(43)}&redirect_uri=${encodeURIComponent('http://127.0.0.1:4567/callback')}&state=s&name=laptop&access=write`,
      'authorize-cli-refused': `/authorize-cli?code_challenge=${'a'.repeat(43)}&redirect_uri=${encodeURIComponent('https://evil.example/')}`,
      'not-found': `${base}/nothing/here`,
      'no-such-project': `${base}/projects/web-shp`,
      'no-such-environment': `${inProject}/environments/prod`,
    },
    platform: {
      admin: '/admin',
      'admin-organizations': '/admin/organizations',
      'admin-organization': `/admin/organizations/${organization.id}`,
      'admin-plans': '/admin/plans',
    },
  };
}
