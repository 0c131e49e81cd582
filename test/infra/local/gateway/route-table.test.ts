import { describe, expect, it } from 'vitest';
import { createRouteTable } from '#infra/local/gateway/route-table.ts';

const route = (method: string, path: string) => ({ method, path, area: 'test', operationId: `${method} ${path}` });
const match = createRouteTable([
  route('GET', '/v1/projects/{orgId}'),
  route('GET', '/v1/projects/{orgId}/{slug}'),
  route('POST', '/v1/members/{orgId}/invite'),
  route('POST', '/v1/members/invite/{token}'),
  route('GET', '/v1/secrets/{org}/{project}/{env}'),
  route('GET', '/v1/secrets/{org}/{project}/promote'),
  route('POST', '/v1/billing/webhook'),
  route('GET', '/v1/billing/{orgId}'),
]);

describe('The route table', () => {
  it.each<[string, string, string, Record<string, string>]>([
    ['prefers a fixed segment', 'GET', '/v1/secrets/acme/shop/promote', { org: 'acme', project: 'shop' }],
    ['uses a parameter', 'GET', '/v1/secrets/acme/shop/dev', { org: 'acme', project: 'shop', env: 'dev' }],
    ['tries the parameter if a fixed segment leads nowhere', 'POST', '/v1/members/invite/invite', { token: 'invite' }],
    ['tries it whatever the method', 'GET', '/v1/billing/webhook', { orgId: 'webhook' }],
    ['tries it before a fixed segment', 'POST', '/v1/members/acme/invite', { orgId: 'acme' }],
    ['splits before decoding, so that an encoded slash stays', 'GET', '/v1/projects/a%2Fb', { orgId: 'a/b' }],
    ['decodes each segment', 'GET', '/v1/projects/%C3%BC/%20', { orgId: 'ü', slug: ' ' }],
  ])('%s: %s %s', (_, method, path, pathParameters) => {
    expect(match(method, path)?.pathParameters).toEqual(pathParameters);
  });

  it.each([
    ['a wrong method', 'DELETE', '/v1/projects/acme'],
    ['a trailing slash', 'POST', '/v1/billing/webhook/'],
    ['an empty segment', 'GET', '/v1/projects/'],
    ['an unknown path', 'GET', '/v2/projects/acme'],
    ['an invalid encoding', 'GET', '/v1/projects/%zz'],
    ['bytes that are not UTF-8', 'GET', '/v1/projects/%ff'],
    ['the root', 'GET', '/'],
  ])('has no route for %s', (_, method, path) => {
    expect(match(method, path)).toBeUndefined();
  });

  it('accepts a parameter named like a member of every object', () => {
    const odd = createRouteTable([route('GET', '/{__proto__}')]);
    expect(Object.entries(odd('GET', '/x')?.pathParameters ?? {})).toEqual([['__proto__', 'x']]);
  });
});
