import { beforeAll, describe, expect, it } from 'vitest';
import { bodyLimitOf, type Contract, maximumBodyBytes, maximumSmallBodyBytes } from '#lib/contracts/contract.ts';
import { routes } from '#lib/contracts/routes.ts';
import { useApi } from '../support/api.ts';
import { type Person, seedPerson } from '../support/people.ts';
import { expectStatus } from '../support/sample-requests.ts';

const api = useApi();

describe('a body from a user', () => {
  it('gets a response within Lambda’s limits, however many problems it has and however long its names are', async () => {
    const { organization, session } = await seedPerson();
    const send = (body: string) =>
      api.call('POST', `/secrets/${organization.slug}/shop/dev/bulk`, { as: session, body: `{"secrets":[],${body}}` });
    await expectStatus(api.post(`/projects/${organization.id}`, { name: 'Shop', slug: 'shop' }, session), 201);

    const many = await send(Array.from({ length: 300_000 }, (_, index) => `"x${index}":1`).join());
    const long = await send(`"${'x'.repeat(4_000_000)}":1`);

    expect([many.status, many.body.error.code, many.body.error.details.length]).toEqual([400, 'invalid_request', 1000]);
    expect(many.body.error.message).toMatch(/\(and 300\d\d\d more\)$/);
    expect([long.status, long.body.error.code]).toEqual([400, 'invalid_request']);
    expect(JSON.stringify(long.body).length).toBeLessThan(5000);
  });

  it('is rejected unparsed if it nests deeper than any body of the API', async () => {
    const { organization, session } = await seedPerson();

    const path = `/secrets/${organization.slug}/shop/dev/bulk`;
    const answer = await api.call('POST', path, { as: session, body: nested(4_800_000) });

    expect([answer.status, answer.body.error.details]).toEqual([
      400,
      [{ path: '', message: 'the body nests arrays and objects deeper than 20 levels' }],
    ]);
  });

  it('may name 1,000 of the longest keys', async () => {
    const { organization, session } = await seedPerson();
    await expectStatus(api.post(`/projects/${organization.id}`, { name: 'Shop', slug: 'shop' }, session), 201);
    const keys = Array.from({ length: 1000 }, (_, index) => `K${index}`.padEnd(256, '_'));

    const path = `/secrets/${organization.slug}/shop`;
    const deleted = await api.post(`${path}/dev/bulk-delete`, { keys }, session);
    const promoted = await api.post(`${path}/promote`, { from: 'dev', to: 'staging', keys }, session);
    const restored = await api.post(`${path}/dev/restore`, { revision: 0, keys }, session);

    expect([deleted.status, promoted.body.error.code, restored.status]).toEqual([200, 'secret_not_found', 200]);
  });
});

/** JSON of exactly this size with the deepest possible nesting: the most work for a parser. */
function nested(bytes: number): string {
  const depth = Math.floor((bytes - 2) / 2);
  return '['.repeat(depth).padEnd(bytes - depth, ' ') + ']'.repeat(depth);
}

const all: readonly Contract[] = routes;
const takingBodies = all.filter(({ method, rawBody }) => method !== 'GET' && rawBody !== true);

describe('a body above the limit of its route', () => {
  let admin: Person;
  beforeAll(async () => {
    admin = await seedPerson({ isAdmin: true });
  });

  it.each(takingBodies.map(route => [route.operationId, route] as const))(
    'is rejected unparsed by %s, and one at the limit is not',
    async (_, { access, method, path, ...route }) => {
      const limit = bodyLimitOf(route);
      const isOpen = access.kind === 'public' || access.kind === 'optional';
      const send = (body: string) => api.call(method, pathIn(path), { body, ...(isOpen ? {} : { as: admin.session }) });

      const large = await send(nested(limit + 1));
      expect([large.status, large.body.error]).toMatchObject([
        413,
        { code: 'payload_too_large', details: { maximumBytes: limit } },
      ]);
      expect((await send(nested(limit))).status).toBe(400);
    },
  );

  function pathIn(template: string): string {
    const values: Record<string, string> = {
      orgId: admin.organization.id,
      orgSlug: admin.organization.slug,
      key: 'KEY',
      planName: 'pro',
      token: 'x'.repeat(40),
    };
    return template.replace('/v1', '').replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      return values[name] ?? (name.toLowerCase().endsWith('id') ? admin.user.id : 'shop');
    });
  }

  it('may be large only if the route takes secrets or lists of their keys', () => {
    const large = takingBodies.filter(route => bodyLimitOf(route) > maximumSmallBodyBytes);
    expect(large.map(({ operationId }) => operationId).toSorted()).toEqual([
      'apply-changes',
      'bulk-delete-secrets',
      'import-secrets',
      'promote-secrets',
      'restore-secrets',
      'set-secret',
    ]);
    expect(Math.max(...large.map(bodyLimitOf))).toBe(maximumBodyBytes);
  });
});
