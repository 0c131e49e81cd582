import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadFromFunctions } from '#infra/local/lambda/invoke.ts';
import { routes } from '#lib/contracts/routes.ts';
import { type Answer, type Api, startApi } from '../support/api.ts';
import { everyVerdict, verdictOf } from './every-verdict.ts';
import { expectedOf, rows } from './verdicts.ts';
import { buildWorld, type Headers, type World } from './world.ts';

let api: Api;
let world: World;

beforeAll(async () => {
  // Without workers, so that nothing changes the data between two requests.
  api = await startApi({}, name =>
    name.area === 'workers' ? Promise.resolve(() => ({ batchItemFailures: [] })) : loadFromFunctions(name),
  );
  world = await buildWorld(api);
});
afterAll(() => api.stop());

/** A route as the specification names it: `:orgId` for `{orgId}`, without the prefix. */
const specified = ({ method, path }: { method: string; path: string }) =>
  `${method} ${path.slice('/v1'.length).replace(/\{(\w+)\}/g, ':$1')}`;

describe('the table of verdicts', () => {
  it('has a verdict for every route of the service, and for no other', () => {
    const named = new Set(rows.map(({ route }) => route.split(' @ ')[0]));

    expect([...named].toSorted()).toEqual(routes.map(specified).toSorted());
    expect(named.size).toBe(routes.length);
  });

  it('covers every caller in every row', () => {
    for (const row of rows) {
      expect(Object.keys(expectedOf(row)).toSorted(), row.route).toEqual(Object.keys(world.callers).toSorted());
    }
  });
});

everyVerdict(() => ({ api, world }));

describe('another tenant’s resources', () => {
  const owner = () => world.callers['owner: token for the organization'] as Headers;
  /** Another tenant's slug or id under the caller's own organization, which returns 404. */
  const probes: readonly [string, (world: World) => string, string, unknown?][] = [
    ['GET', ({ own, foreign }) => `/projects/${own.organization.id}/${foreign.project.slug}`, 'project_not_found'],
    ['DELETE', ({ own, foreign }) => `/projects/${own.organization.id}/${foreign.project.slug}`, 'project_not_found'],
    [
      'POST',
      ({ own, foreign }) => `/projects/${own.organization.id}/${foreign.project.slug}/rotate-key`,
      'project_not_found',
      {},
    ],
    [
      'POST',
      ({ own, foreign }) => `/projects/${own.organization.id}/${foreign.project.slug}/environments`,
      'project_not_found',
      { name: 'x' },
    ],
    [
      'PATCH',
      ({ own, foreign }) => `/projects/${own.organization.id}/${foreign.project.slug}`,
      'project_not_found',
      { name: 'x' },
    ],
    [
      'PATCH',
      ({ own, foreign }) => `/projects/${own.organization.id}/${foreign.project.slug}/environments/dev`,
      'project_not_found',
      { name: 'x' },
    ],
    [
      'DELETE',
      ({ own, foreign }) => `/projects/${own.organization.id}/${foreign.project.slug}/environments/dev`,
      'project_not_found',
    ],
    [
      'DELETE',
      ({ own }) => `/projects/${own.organization.id}/${own.otherProject.slug}/environments/load-test`,
      'environment_not_found',
    ],
    [
      'PATCH',
      ({ own, foreign }) => `/templates/${own.organization.slug}/${foreign.project.slug}/KEY`,
      'project_not_found',
      { required: false },
    ],
    ['PATCH', ({ foreign }) => `/orgs/${foreign.organization.id}`, 'organization_not_found', { name: 'x' }],
    ['GET', ({ own, foreign }) => `/secrets/${own.organization.slug}/${foreign.project.slug}/dev`, 'project_not_found'],
    [
      'PUT',
      ({ own, foreign }) => `/secrets/${own.organization.slug}/${foreign.project.slug}/dev`,
      'project_not_found',
      { key: 'A', value: 'a' },
    ],
    [
      'POST',
      ({ own, foreign }) => `/secrets/${own.organization.slug}/${foreign.project.slug}/promote`,
      'project_not_found',
      { from: 'dev', to: 'staging' },
    ],
    [
      'GET',
      ({ own, foreign }) => `/secrets/${own.organization.slug}/${foreign.project.slug}/dev/versions/KEY`,
      'project_not_found',
    ],
    // An environment that exists in another project of the organization.
    [
      'GET',
      ({ own }) => `/secrets/${own.organization.slug}/${own.otherProject.slug}/load-test`,
      'environment_not_found',
    ],
    ['GET', ({ own, foreign }) => `/templates/${own.organization.slug}/${foreign.project.slug}`, 'project_not_found'],
    [
      'POST',
      ({ own, foreign }) => `/templates/${own.organization.slug}/${foreign.project.slug}`,
      'project_not_found',
      { key: 'A' },
    ],
    ['GET', ({ own, foreign }) => `/webhooks/${own.organization.id}/${foreign.webhookId}`, 'webhook_not_found'],
    ['DELETE', ({ own, foreign }) => `/webhooks/${own.organization.id}/${foreign.webhookId}`, 'webhook_not_found'],
    [
      'PATCH',
      ({ own, foreign }) => `/webhooks/${own.organization.id}/${foreign.webhookId}`,
      'webhook_not_found',
      { active: false },
    ],
    [
      'POST',
      ({ own, foreign }) => `/webhooks/${own.organization.id}/${foreign.webhookId}/test`,
      'webhook_not_found',
      {},
    ],
    ['GET', ({ own, foreign }) => `/identities/${own.organization.id}/${foreign.identityId}`, 'identity_not_found'],
    ['DELETE', ({ own, foreign }) => `/identities/${own.organization.id}/${foreign.identityId}`, 'identity_not_found'],
    [
      'PATCH',
      ({ own, foreign }) => `/identities/${own.organization.id}/${foreign.identityId}`,
      'identity_not_found',
      { role: 'viewer' },
    ],
    [
      'PATCH',
      ({ own, foreign }) => `/members/${own.organization.id}/${foreign.memberId}`,
      'member_not_found',
      { role: 'viewer' },
    ],
    ['DELETE', ({ own, foreign }) => `/members/${own.organization.id}/${foreign.memberId}`, 'member_not_found'],
  ];

  it.each(probes)('can’t be found under one’s own organization: %s (%#)', async (method, path, code, body) => {
    const answer = await api.call(method, path(world), { body, headers: { ...owner() } });

    expect([answer.status, answer.body.error.code]).toEqual([404, code]);
  });

  it('can’t be used to limit a webhook', async () => {
    const { own, foreign } = world;
    const hook = { url: 'https://hooks.example.com/y', events: ['secret.updated'] };
    const limited = async (limits: object) =>
      verdictOf(
        await api.call('POST', `/webhooks/${own.organization.id}`, { body: { ...hook, ...limits }, headers: owner() }),
      );

    expect(await limited({ projectId: foreign.project.id })).toBe('project_not_found');
    expect(await limited({ environmentId: foreign.project.environments[0]?.id })).toBe('environment_not_found');
  });

  it('can’t be revoked: a token belongs to its user', async () => {
    const answer = await api.call('DELETE', `/auth/tokens/${world.foreign.tokenId}`, {
      headers: { ...(world.callers['owner: session'] as Headers) },
    });

    expect(verdictOf(answer)).toBe('token_not_found');
  });

  it('can’t be distinguished from missing resources', async () => {
    const { foreign } = world;
    const { organization, project } = foreign;
    const as = { headers: { ...(world.callers['admin: session'] as Headers) } };
    const content = ({ status, body }: Answer) => [status, { ...body.error, requestId: '' }];
    const pairs = [
      [`/projects/${organization.id}`, `/projects/${crypto.randomUUID()}`],
      [`/secrets/${organization.slug}/${project.slug}/dev`, '/secrets/no-such-org/no-such-project/dev'],
      [`/secrets/${organization.slug}/no-such-project/dev`, '/secrets/no-such-org/no-such-project/dev'],
      [`/members/${organization.id}`, `/members/${crypto.randomUUID()}`],
      // The message about a malformed id only describes its format, so it does not reveal whether a slug exists.
      [`/members/${organization.slug}`, '/members/no-such-org'],
    ] as const;

    for (const [real, invented] of pairs) {
      expect(content(await api.call('GET', real, as))).toEqual(content(await api.call('GET', invented, as)));
    }
    expect(verdictOf(await api.call('GET', '/members/not-even-a-uuid', as))).toBe('organization_not_found');
  });

  it('return the same response to an invalid request: an unauthorized caller learns nothing more', async () => {
    const path = `/secrets/${world.foreign.organization.slug}/${world.foreign.project.slug}/dev`;

    const answer = await api.call('PUT', path, { body: '{"key":', headers: { ...owner() } });

    expect(verdictOf(answer)).toBe('organization_not_found');
  });
});
