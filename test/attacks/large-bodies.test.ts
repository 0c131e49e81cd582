import { beforeAll, describe, expect, it } from 'vitest';
import { bodyLimitOf, type Contract, maximumBodyBytes, maximumSmallBodyBytes } from '#lib/contracts/contract.ts';
import { routes } from '#lib/contracts/routes.ts';
import { codeOf, createProject, useApi } from '../support/api.ts';
import { shared } from '../support/fixtures.ts';
import { seedPerson } from '../support/people.ts';
import { words } from '../support/words.ts';

const api = useApi();
const admin = shared(() => seedPerson({ isAdmin: true }));
let secrets: string;
beforeAll(async () => {
  await createProject(api, admin);
  secrets = `/secrets/${admin.organization.slug}/shop`;
});

describe('a body from a user', () => {
  it('gets a response within Lambda’s limits, however many problems it has and however long its names are', async () => {
    const send = (body: string) =>
      api.call('POST', `${secrets}/dev/bulk`, { as: admin.session, body: `{"secrets":[],${body}}` });

    const many = await send(Array.from({ length: 100_000 }, (_, index) => `"x${index}":1`).join());
    const long = await send(`"${'x'.repeat(4_000_000)}":1`);

    expect([codeOf(many), many.body.error.details.length]).toEqual(['400 invalid_request', 1000]);
    expect(many.body.error.message).toMatch(/\(and 100\d\d\d more\)$/);
    expect(codeOf(long)).toBe('400 invalid_request');
    expect(JSON.stringify(long.body).length).toBeLessThan(5000);
  });

  it('is rejected unparsed if it nests deeper than any body of the API', async () => {
    const answer = await api.call('POST', `${secrets}/dev/bulk`, { as: admin.session, body: nested(4_800_000) });

    const message = 'the body nests arrays and objects deeper than 20 levels';
    expect([answer.status, answer.body.error.details]).toEqual([400, [{ path: '', message }]]);
  });

  it('may name 1,000 of the longest keys', async () => {
    const keys = Array.from({ length: 1000 }, (_, index) => `K${index}`.padEnd(256, '_'));

    const deleted = await api.post(`${secrets}/dev/bulk-delete`, { keys }, admin.session);
    const promoted = await api.post(`${secrets}/promote`, { from: 'dev', to: 'staging', keys }, admin.session);
    const restored = await api.post(`${secrets}/dev/restore`, { revision: 0, keys }, admin.session);

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
  it.each(takingBodies.map(route => [route.operationId, route] as const))(
    'is rejected unparsed by %s, and one at the limit is not',
    async (_, { access, method, path, ...route }) => {
      const limit = bodyLimitOf(route);
      const isOpen = access.kind === 'public' || access.kind === 'optional';
      const send = (body: string) => api.call(method, pathIn(path), { body, ...(isOpen ? {} : { as: admin.session }) });

      const large = await send(nested(limit + 1));
      expect(codeOf(large)).toBe('413 payload_too_large');
      expect(large.body.error.details).toMatchObject({ maximumBytes: limit });
      expect((await send(nested(limit))).status).toBe(400);
    },
  );

  function pathIn(template: string): string {
    const { organization } = admin;
    const ids = { orgId: organization.id, orgSlug: organization.slug };
    const values: Record<string, string> = { ...ids, key: 'KEY', planName: 'pro', token: 'x'.repeat(40) };
    return template.replace('/v1', '').replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      return values[name] ?? (name.toLowerCase().endsWith('id') ? admin.user.id : 'shop');
    });
  }

  it('may be large only if the route takes secrets or lists of their keys', () => {
    const large = takingBodies.filter(route => bodyLimitOf(route) > maximumSmallBodyBytes);
    const listed =
      'apply-changes bulk-delete-secrets create-proposal import-secrets promote-secrets restore-secrets set-secret';
    expect(large.map(({ operationId }) => operationId).toSorted()).toEqual(words(listed));
    expect(Math.max(...large.map(bodyLimitOf))).toBe(maximumBodyBytes);
  });
});
