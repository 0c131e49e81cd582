import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { maximumPublicBodyBytes } from '../../lib/contracts/contract.ts';
import { routes } from '../../lib/contracts/routes.ts';
import { type Api, startApi } from '../support/api.ts';

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

/** Routes that a stranger may send JSON to. */
const open = routes.filter(
  route =>
    (route.access.kind === 'public' || route.access.kind === 'optional') &&
    route.method !== 'GET' &&
    !('rawBody' in route && route.rawBody),
);

/** JSON of exactly so many bytes, nested as deep as it goes: the most work that a parser can be given. */
function nested(bytes: number): string {
  const depth = Math.floor((bytes - 2) / 2);
  return '['.repeat(depth).padEnd(bytes - depth, ' ') + ']'.repeat(depth);
}

describe('a body from a stranger', () => {
  it.each(open.map(route => [route.operationId, route] as const))(
    'is refused unparsed by %s above its limit',
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
