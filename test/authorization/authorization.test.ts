import { beforeAll, describe, expect, it } from 'vitest';
import { routes } from '#lib/contracts/routes.ts';
import { type Answer, useApi } from '../support/api.ts';
import type { PathValues } from '../support/documented-request.ts';
import { everyVerdict, startWithoutWorkers, verdictOf } from './every-verdict.ts';
import { expectedOf, type Row, rows } from './verdicts.ts';
import { buildWorld, type Headers, type ProjectMember, projectMembers, type World } from './world.ts';

const api = useApi(() => startWithoutWorkers());
let world: World;

beforeAll(async () => {
  world = await buildWorld(api);
});

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

describe('a project that is not listed', () => {
  const members = Object.entries<ProjectMember>(projectMembers).filter(([, { inProject }]) => inProject !== undefined);
  const below = rows.filter(({ isBelowProject }) => isBelowProject);
  const inside = (slug: string): PathValues => ({ project: slug, slug });

  async function ask({ route, request }: Row, caller: string, slug: string): Promise<Answer> {
    const method = route.split(' ')[0] as string;
    const { path, body } = request(world, inside(slug));
    const answer = await api.call(method, path, { body, headers: { ...world.callers[`${caller}: session`] } });
    if (answer.status < 300 && method !== 'GET') await world.restore();
    return answer;
  }
  const content = ({ status, body }: Answer) => [status, { ...body.error, requestId: '' }];

  it.each(below.map(row => [row.route, row] as const))(
    'gives the organization’s role, or nothing: %s',
    async (_, row) => {
      const { slug } = world.own.otherProject;
      const roleVerdicts = new Map<string, string>();
      for (const [name, { role, limited }] of members) {
        const answer = await ask(row, name, slug);
        if (limited) {
          const missing = await ask(row, name, 'no-such-project');
          expect([name, content(answer)]).toEqual([name, content(missing)]);
          expect([name, verdictOf(answer)]).toEqual([name, 'project_not_found']);
        } else {
          const ofRole = roleVerdicts.get(role) ?? verdictOf(await ask(row, role, slug));
          roleVerdicts.set(role, ofRole);
          expect([name, verdictOf(answer)]).toEqual([name, ofRole]);
        }
      }
    },
  );

  it('is in no list of a limited member, and names no token', async () => {
    const { own } = world;
    for (const [name, { limited }] of members) {
      const as = { headers: { ...world.callers[`${name}: session`] } };
      const { projects } = (await api.call('GET', `/projects/${own.organization.id}`, as)).body;
      const listed = projects.map(({ slug }: { slug: string }) => slug);
      expect([name, listed]).toEqual([name, limited ? ['shop'] : ['other', 'shop']]);
      const { organizations } = (await api.call('GET', '/auth/me', as)).body;
      expect(organizations[0].projectRoles).toMatchObject([{ projectId: own.project.id, slug: 'shop' }]);
      const body = { name: 'x', organizationId: own.organization.id, projectId: own.otherProject.id };
      const made = await api.call('POST', '/auth/token', { ...as, body });
      expect([name, verdictOf(made)]).toEqual([name, limited ? 'project_not_found' : 'ok']);
    }
    await world.restore();
  });
});

describe('another tenant’s resources', () => {
  const owner = () => world.callers['owner: token for the organization'] as Headers;
  /** What a path can name that isn't the caller's, or isn't in the project that the path names. */
  const others: Readonly<Record<string, (world: World) => PathValues>> = {
    organization_not_found: ({ foreign: { organization } }) => ({ orgId: organization.id, orgSlug: organization.slug }),
    project_not_found: ({ foreign: { project } }) => ({ project: project.slug, slug: project.slug }),
    environment_not_found: ({ own: { otherProject } }) => ({
      env: 'load-test',
      project: otherProject.slug,
      slug: otherProject.slug,
    }),
    webhook_not_found: ({ foreign: { webhookId } }) => ({ webhookId }),
    identity_not_found: ({ foreign: { identityId } }) => ({ identityId }),
    member_not_found: ({ foreign: { memberId } }) => ({ id: memberId }),
    deleted_not_found: ({ foreign: { project } }) => ({ id: project.id }),
  };
  const parameters: Readonly<Record<string, RegExp>> = {
    organization_not_found: /:org/,
    project_not_found: /:(project|slug)/,
    environment_not_found: /:env/,
    webhook_not_found: /:webhookId/,
    identity_not_found: /:identityId/,
    member_not_found: /members\/.*:id$/,
    deleted_not_found: /deleted\/.*:id/,
  };
  const isAllowed = (row: Row) => expectedOf(row)['owner: token for the organization'] === row.allowed;
  const firstRows = rows.filter((row, index) => rows.findIndex(one => one.operationId === row.operationId) === index);
  const probes = Object.keys(others).flatMap(code =>
    firstRows
      .filter(row => row.kind === 'member' && isAllowed(row) && parameters[code]?.test(row.route.split(' @ ')[0] ?? ''))
      .map((row): [string, string, Row] => [code, row.route, row]),
  );

  it.each(probes)('can’t be found under one’s own organization: %s on %s', async (code, route, row) => {
    const { path, body } = row.request(world, others[code]?.(world));
    const answer = await api.call(route.split(' ')[0] as string, path, { body, headers: { ...owner() } });

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
