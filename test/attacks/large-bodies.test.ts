import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { maximumPublicBodyBytes } from '../../lib/contracts/contract.ts';
import { routes } from '../../lib/contracts/routes.ts';
import { type Api, startApi } from '../support/api.ts';
import { seedPerson } from '../support/people.ts';
import { expectStatus } from '../support/sample-requests.ts';

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

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

    const answer = await api.call('POST', `/projects/${organization.id}`, { as: session, body: nested(4_800_000) });

    expect([answer.status, answer.body.error.details]).toEqual([
      400,
      [{ path: '', message: 'the body nests arrays and objects deeper than 20 levels' }],
    ]);
  });
});

/** Routes that accept JSON from unauthenticated callers. */
const open = routes.filter(
  route =>
    (route.access.kind === 'public' || route.access.kind === 'optional') &&
    route.method !== 'GET' &&
    !('rawBody' in route && route.rawBody),
);

/** JSON of exactly this size with the deepest possible nesting: the most work for a parser. */
function nested(bytes: number): string {
  const depth = Math.floor((bytes - 2) / 2);
  return '['.repeat(depth).padEnd(bytes - depth, ' ') + ']'.repeat(depth);
}

describe('a body from a stranger', () => {
  it.each(open.map(route => [route.operationId, route] as const))(
    'is rejected unparsed by %s above its limit',
    async (_, { method, path }) => {
      const send = (body: string) =>
        fetch(`${api.url}${path.replace('/v1', '').replaceAll(/\{\w+\}/g, 'x')}`, {
          method,
          headers: { 'content-type': 'application/json' },
          body,
        });
      const large = await send(nested(4_800_000));
      expect(large.status).toBe(413);
      expect(await large.json()).toMatchObject({
        error: { code: 'payload_too_large', details: { maximumBytes: maximumPublicBodyBytes } },
      });
      expect((await send(nested(maximumPublicBodyBytes))).status).not.toBe(413);
    },
  );

  it('is limited on several routes', () => {
    expect(open.length).toBeGreaterThan(4);
  });
});
