import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { handler as logIn } from '#functions/auth/log-in.ts';
import { handler as logOut } from '#functions/auth/log-out.ts';
import { mayComeDirectly } from '#lib/api/open-request.ts';
import type { Contract } from '#lib/contracts/contract.ts';
import { routes } from '#lib/contracts/routes.ts';
import { cameThroughEdge, sourceOf } from '#lib/core/request-source.ts';
import { useSettings } from '#test/support/api.ts';

const secrets = ['the-new-secret-of-the-edge', 'the-secret-before-it'];
const edgeIs = (given: readonly string[]) => useSettings({ TABLE_NAME: 'none', EDGE_SECRETS: given.join(',') });

/** A request as the gateway passes it on. Its own address is that of the gateway's caller. */
function event(headers: Record<string, string>): APIGatewayProxyEventV2 {
  const http = { method: 'POST', path: '/v1/auth/logout', protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: '' };
  const requestContext = { http, requestId: 'r', routeKey: 'POST /v1/auth/logout' };
  return { headers, rawPath: http.path, isBase64Encoded: false, requestContext } as APIGatewayProxyEventV2;
}

const viewer = '2001:db8::7';
const ipOf = (headers: Record<string, string>) => sourceOf(event(headers)).ip;

describe('the address of a caller', () => {
  it.each(secrets)('is the viewer’s with one of the edge’s secrets: %s', secret => {
    edgeIs(secrets);
    expect(ipOf({ 'x-viewer-address': viewer, 'x-origin-secret': secret })).toBe(viewer);
  });

  it.each([
    ['no secret', {}],
    ['an empty secret', { 'x-origin-secret': '' }],
    ['a wrong secret', { 'x-origin-secret': 'guessed' }],
    ['the list of secrets', { 'x-origin-secret': secrets.join(',') }],
  ])('is not taken from a header with %s', (_, headers) => {
    edgeIs(secrets);
    expect(ipOf({ 'x-viewer-address': viewer, ...headers })).toBe('192.0.2.1');
    expect(cameThroughEdge(event(headers))).toBe(false);
  });

  it('is not taken from a header without an edge', () => {
    edgeIs([]);
    expect(ipOf({ 'x-viewer-address': viewer, 'x-origin-secret': '' })).toBe('192.0.2.1');
    expect(cameThroughEdge(event({}))).toBe(true);
  });

  it('is the edge’s if the edge sends something that is not an address', () => {
    edgeIs(secrets);
    expect(ipOf({ 'x-viewer-address': 'localhost', 'x-origin-secret': secrets[0] ?? '' })).toBe('192.0.2.1');
  });
});

describe('a request that bypasses the edge', () => {
  const send = async (
    headers: Record<string, string>,
    to: (...input: Parameters<typeof logOut>) => ReturnType<typeof logOut> = logOut,
  ) => {
    const answer = await to(event({ 'content-type': 'application/json', ...headers }), {} as never);
    return { status: answer.statusCode, code: JSON.parse(answer.body ?? '{}').error?.code };
  };

  it('gets the response of an unknown path, before anything is read', async () => {
    edgeIs(secrets);
    expect(await send({ 'x-origin-secret': 'guessed' })).toEqual({ status: 404, code: 'route_not_found' });
    expect(await send({})).toEqual({ status: 404, code: 'route_not_found' });
  });

  it('is served with a token, or to exchange an assertion, where the installation has a direct origin', async () => {
    const direct = { TABLE_NAME: 'none', EDGE_SECRETS: secrets.join(','), DIRECT_ORIGIN: 'true' };
    useSettings(direct);
    const refused = { status: 404, code: 'route_not_found' };
    const token = { authorization: 'Bearer service_tok_guessed' };
    expect(await send(token)).toEqual({ status: 401, code: 'unauthenticated' });
    // A session's cookie without a token.
    expect(await send({})).toEqual(refused);
    expect(await send(token, logIn)).toEqual(refused);
    for (const contract of routes as readonly Contract[]) {
      const { access, operationId } = contract;
      const isExchange = operationId === 'exchange-assertion';
      expect(mayComeDirectly(contract, event({})), operationId).toBe(isExchange);
      const takesTokens = !['public', 'optional'].includes(access.kind);
      expect(mayComeDirectly(contract, event(token)), operationId).toBe(isExchange || takesTokens);
    }
    useSettings({ ...direct, DIRECT_ORIGIN: 'false' });
    expect(await send(token)).toEqual(refused);
  });

  it('has the address that the gateway saw, whatever it claims', () => {
    useSettings({ TABLE_NAME: 'none', EDGE_SECRETS: secrets.join(','), DIRECT_ORIGIN: 'true' });
    expect(ipOf({ 'x-viewer-address': viewer })).toBe('192.0.2.1');
  });

  it('differs from one through the edge, which gets the route’s own response', async () => {
    edgeIs(secrets);
    expect(await send({ 'x-origin-secret': secrets[0] ?? '' })).toEqual({ status: 401, code: 'unauthenticated' });
  });
});
