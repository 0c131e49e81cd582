import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { AccessLogValues } from '#infra/local/gateway/access-log.ts';
import { type Gateway, listen } from '#infra/local/gateway/gateway.ts';
import { mailPage } from '#infra/local/gateway/mail-page.ts';
import { createInvoke, type Handler, InvocationTimeout, type Invoke } from '#infra/local/lambda/invoke.ts';
import { eventually } from '#test/support/eventually.ts';
import { gate } from '#test/support/gate.ts';

const route = (method: string, path: string, operationId: string) => ({ method, path, operationId, area: 'test' });
const routes = [
  route('GET', '/v1/projects/{orgId}/{slug}', 'get-project'),
  route('POST', '/v1/projects/{orgId}', 'create-project'),
];

interface Invocation {
  name: string;
  event: APIGatewayProxyEventV2;
  context: Context;
}

let gateway: Gateway;
let invocations: Invocation[];
let accessLog: AccessLogValues[];
let answer: (event: APIGatewayProxyEventV2) => unknown;

beforeEach(async () => {
  invocations = [];
  accessLog = [];
  answer = () => ({ statusCode: 200, headers: { 'content-type': 'application/json' }, body: '{}' });
  gateway = await listen(0);
  serve(
    createInvoke(async ({ area, name }) => {
      const handler: Handler = (event, context) => {
        invocations.push({ name: `${area}/${name}`, event: event as APIGatewayProxyEventV2, context });
        return answer(event as APIGatewayProxyEventV2);
      };
      return handler;
    }),
  );
});

afterEach(() => gateway.stop(100));

function serve(invoke: Invoke): void {
  gateway.serve({
    routes,
    invoke,
    dashboardOrigin: 'https://app.example.com',
    writeAccessLog: values => accessLog.push(values),
    localPages: { '/local/mail': mailPage(() => mails) },
  });
}

const [to, createdAt] = ['"ada" <ada@example.com>', '2026-01-31T09:26:53.000Z'];
const mails = [
  { to, createdAt, subject: 'First <b>', text: 'javascript:alert(1) <script>' },
  { to, createdAt, subject: 'Second', text: 'Reset:\nhttp://localhost:3000/reset-password#token=a&b\n\nBye' },
];

const call = (path: string, init: RequestInit = {}) => fetch(gateway.url + path, init);
const post = (body: NonNullable<RequestInit['body']>, type = 'application/json') =>
  call('/v1/projects/acme', { method: 'POST', headers: { 'content-type': type }, body });
const contentOf = async (response: Response) => [response.status, await response.json()];

/** Sends bytes as they are and collects the response until the connection ends or has the given number of responses. */
async function raw(request: string, answers = 1): Promise<string> {
  const socket = await open();
  socket.write(request);
  let text = '';
  for await (const chunk of socket) {
    text += chunk;
    if (text.split('HTTP/1.1 ').length > answers && /\r\n\r\n/.test(text)) break;
  }
  return text;
}

/** The only request of a connection, with any method, path and headers. */
const rawRequest = (line: string, headers = 'Host: x\r\n') =>
  raw(`${line} HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`);

async function open(): Promise<Socket> {
  const socket = connect(gateway.port, '127.0.0.1');
  await once(socket, 'connect');
  onTestFinished(() => void socket.destroy());
  return socket.setEncoding('utf8');
}

function lastEvent(): APIGatewayProxyEventV2 {
  const event = invocations.at(-1)?.event;
  if (event === undefined) throw new Error('No function was invoked.');
  return event;
}

function silenceConsole(): void {
  const spy = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  onTestFinished(() => spy.mockRestore());
}

describe('The event', () => {
  it('has the payload format 2.0 of an HTTP API', async () => {
    const response = await call('/v1/projects/acme/my%20shop%2Fone?b=2&a=1&b=3%204&empty', {
      headers: { 'User-Agent': 'Test/1', 'X-Custom': 'Value', Cookie: 'first=1; second=2' },
    });
    expect(invocations[0]?.name).toBe('test/get-project');
    expect(lastEvent()).toEqual({
      version: '2.0',
      routeKey: 'GET /v1/projects/{orgId}/{slug}',
      rawPath: '/v1/projects/acme/my shop/one',
      rawQueryString: 'b=2&a=1&b=3%204&empty',
      cookies: ['first=1', 'second=2'],
      headers: expect.objectContaining({
        host: `127.0.0.1:${gateway.port}`,
        'user-agent': 'Test/1',
        'x-custom': 'Value',
        'x-forwarded-for': '127.0.0.1',
        'x-forwarded-proto': 'http',
      }),
      queryStringParameters: { b: '2,3 4', a: '1', empty: '' },
      pathParameters: { orgId: 'acme', slug: 'my shop/one' },
      requestContext: {
        accountId: '000000000000',
        apiId: 'local',
        domainName: '127.0.0.1',
        domainPrefix: '127',
        http: {
          method: 'GET',
          path: '/v1/projects/acme/my shop/one',
          protocol: 'HTTP/1.1',
          sourceIp: '127.0.0.1',
          userAgent: 'Test/1',
        },
        requestId: response.headers.get('apigw-requestid'),
        routeKey: 'GET /v1/projects/{orgId}/{slug}',
        stage: '$default',
        time: expect.stringMatching(/^\d{2}\/[A-Z][a-z]{2}\/\d{4}:\d{2}:\d{2}:\d{2} \+0000$/),
        timeEpoch: expect.any(Number),
      },
      isBase64Encoded: false,
    });
    expect(lastEvent().headers.cookie).toBeUndefined();
    expect(lastEvent().headers.connection).toBeUndefined();
  });

  it('joins repeated headers with commas and appends the address to X-Forwarded-For', async () => {
    await rawRequest(
      'GET /v1/projects/a/b',
      'Host: x\r\nX-One: 1\r\nx-one: 2\r\nX-Forwarded-For: 9.9.9.9\r\nCookie: a=1\r\nCookie: b=2\r\n__proto__: odd\r\n',
    );
    const { headers, cookies } = lastEvent();
    expect(headers).toMatchObject({ 'x-one': '1,2', 'x-forwarded-for': '9.9.9.9, 127.0.0.1' });
    expect(Object.hasOwn(headers, '__proto__')).toBe(true);
    expect(cookies).toEqual(['a=1', 'b=2']);
  });

  it.each([
    ['application/json', 'ü', false],
    ['application/json; charset=utf-8', 'ü', false],
    ['text/csv', 'ü', false],
    ['application/problem+json', 'ü', false],
    ['application/x-www-form-urlencoded', 'a=b', true],
    ['application/octet-stream', 'ü', true],
    ['image/png', 'ü', true],
    // Every byte of a body that only claims to be text is preserved.
    ['application/json', Buffer.of(0x22, 0xff, 0x22), true],
  ])('of a %s body is encoded only if it is not text', async (contentType, body, isBase64Encoded) => {
    await post(body, contentType);
    const text = isBase64Encoded ? Buffer.from(body).toString('base64') : body;
    expect(lastEvent()).toMatchObject({ isBase64Encoded, body: text });
  });

  it('includes the context of a Lambda function', async () => {
    await call('/v1/projects/a/b');
    const context = invocations[0]?.context;
    expect(context?.functionName).toBe('test-get-project');
    expect(context?.getRemainingTimeInMillis()).toBeGreaterThan(25_000);
  });
});

describe('A request without a route', () => {
  it.each([
    ['an unknown path', 'GET', '/v2'],
    ['a wrong method', 'DELETE', '/v1/projects/acme'],
    ['an odd method', 'PROPFIND', '/v1/projects/acme/shop'],
    ['a malformed encoding', 'GET', '/v1/projects/acme/%zz?a=%zz'],
    ['OPTIONS that is no preflight', 'OPTIONS', '/v1/projects/acme'],
  ])('goes to the catch-all: %s', async (_, method, path) => {
    await rawRequest(`${method} ${path}`);
    expect(invocations).toMatchObject([{ name: 'system/unknown-route', event: { routeKey: '$default' } }]);
    expect(lastEvent().pathParameters).toBeUndefined();
  });

  it('gets no body if the method is HEAD', async () => {
    answer = () => ({ statusCode: 404, body: '{"error":{}}' });
    const text = await rawRequest('HEAD /v1/projects/acme/shop');
    expect(text).toMatch(/^HTTP\/1\.1 404 /);
    expect(text).toMatch(/content-length: 12\r\n/i);
    expect(text.endsWith('\r\n\r\n')).toBe(true);
  });

  it('may also have its address in absolute form', async () => {
    await rawRequest('GET http://other.example/v1/projects/a/b?x=1');
    expect(lastEvent()).toMatchObject({ rawPath: '/v1/projects/a/b', rawQueryString: 'x=1' });
  });
});

describe("The function's result", () => {
  it('is written with its headers, cookies and decoded body', async () => {
    answer = () => ({
      statusCode: 201,
      headers: { 'Content-Type': 'application/json', ETag: '"7"', 'X-Number': 5 },
      cookies: ['a=1; HttpOnly', 'b=2'],
      body: Buffer.from('{"ü":1}').toString('base64'),
      isBase64Encoded: true,
    });
    const response = await call('/v1/projects/a/b');
    expect(response.headers.getSetCookie()).toEqual(['a=1; HttpOnly', 'b=2']);
    expect(Object.fromEntries(response.headers)).toMatchObject({ etag: '"7"', 'x-number': '5' });
    expect(await contentOf(response)).toEqual([201, { ü: 1 }]);
  });

  it('is the body of a 200 if it has no status', async () => {
    answer = () => ({ hello: 'there' });
    const response = await call('/v1/projects/a/b');
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toEqual({ hello: 'there' });
  });

  it('has no body with a 304', async () => {
    answer = () => ({ statusCode: 304, headers: { etag: '"7"' } });
    const text = await rawRequest('GET /v1/projects/a/b');
    expect(text).toMatch(/^HTTP\/1\.1 304 /);
    expect(text).not.toMatch(/content-length/i);
  });

  it.each<[string, () => unknown]>([
    ['throws', () => Promise.reject(new Error('boom'))],
    ['answers a status that is none', () => ({ statusCode: 99 })],
    ['answers a body that is no text', () => ({ statusCode: 200, body: {} })],
    ['answers more than 6 MB', () => ({ statusCode: 200, body: 'x'.repeat(6 * 1024 * 1024 + 100) })],
    ['answers more than 6 MB once escaped', () => ({ statusCode: 200, body: '"'.repeat(3.2 * 1024 * 1024) })],
    ['answers a header that HTTP cannot carry', () => ({ statusCode: 200, headers: { 'x-bad': 'a\nb' } })],
  ])('is an Internal Server Error of the gateway if the function %s', async (_, result) => {
    silenceConsole();
    answer = result;
    expect(await contentOf(await call('/v1/projects/a/b'))).toEqual([500, { message: 'Internal Server Error' }]);
  });

  it('can be nearly 6 MB', async () => {
    answer = () => ({ statusCode: 200, body: 'x'.repeat(6 * 1024 * 1024 - 1000) });
    expect(await (await call('/v1/projects/a/b')).text()).toHaveLength(6 * 1024 * 1024 - 1000);
  });

  it('is Service Unavailable if the function takes too long', async () => {
    silenceConsole();
    serve(() => Promise.reject(new InvocationTimeout()));
    expect(await contentOf(await call('/v1/projects/a/b'))).toEqual([503, { message: 'Service Unavailable' }]);
  });

  it('is not awaited longer than an invocation may take', async () => {
    const invoke = createInvoke(async () => () => sleep(5000, undefined, { ref: false }));
    await expect(invoke({ area: 'a', name: 'b' }, {}, 50)).rejects.toBeInstanceOf(InvocationTimeout);
  });
});

describe('The limits of API Gateway and Lambda', () => {
  it.each([
    ['over 10 MB', 10 * 1024 * 1024 + 1],
    ['far over 10 MB', 40 * 1024 * 1024],
    ['over the 6 MB of an event', 6 * 1024 * 1024 + 1000],
  ])('reject a body %s before any function runs', async (_, bytes) => {
    const response = await post(Buffer.alloc(bytes, 'x'), 'text/plain');
    expect(await contentOf(response)).toEqual([413, { message: 'Request Entity Too Large' }]);
    expect(invocations).toEqual([]);
  });

  it('allow 5 MB of JSON', async () => {
    const body = JSON.stringify('x'.repeat(5 * 1024 * 1024));
    await post(body);
    expect(lastEvent().body).toBe(body);
  });

  it('apply to headers over 10 KB', async () => {
    const response = await call('/v1/projects/a/b', { headers: { 'x-long': 'x'.repeat(11_000) } });
    expect(response.status).toBe(431);
  });

  it('apply to bytes that are not HTTP', async () => {
    expect(await raw('nonsense\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n.*\{"message":"Bad Request"\}$/s);
  });
});

describe('CORS', () => {
  const origin = 'https://app.example.com';
  const allowed = { 'access-control-allow-origin': origin, 'access-control-allow-credentials': 'true' };
  const preflight = (origin: string) =>
    call('/v1/projects/acme', {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' },
    });

  it("handles the dashboard's preflight requests itself", async () => {
    const response = await preflight(origin);
    expect(response.status).toBe(204);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      ...allowed,
      'access-control-allow-methods': 'GET,POST,PUT,PATCH,DELETE',
      'access-control-allow-headers': 'content-type,authorization,if-match,if-none-match,x-requested-with',
    });
    expect(invocations).toEqual([]);
  });

  const foreign = ['https://evil.example', 'null', 'https://app.example.com.evil.example'];
  it.each(foreign)('allows nothing for %s', async origin => {
    answer = () => ({ statusCode: 200, headers: { 'Access-Control-Allow-Origin': '*' }, body: '{}' });
    for (const response of [await preflight(origin), await call('/v1/projects/a/b', { headers: { origin } })]) {
      expect([...response.headers.keys()].filter(name => name.startsWith('access-control'))).toEqual([]);
    }
  });

  it('lets the dashboard read the response and its headers', async () => {
    const response = await call('/v1/projects/a/b', { headers: { origin } });
    expect(Object.fromEntries(response.headers)).toMatchObject({
      ...allowed,
      'access-control-expose-headers': 'etag,x-request-id,retry-after',
    });
  });
});

describe('A connection', () => {
  it('carries several requests, even pipelined ones, and answers them in order', async () => {
    answer = async event => {
      const slug = event.pathParameters?.slug ?? '';
      await sleep(slug === 'first' ? 100 : 0);
      return { statusCode: 200, body: slug };
    };
    const request = (slug: string) => `GET /v1/projects/a/${slug} HTTP/1.1\r\nHost: x\r\n\r\n`;
    const text = await raw(request('first') + request('second') + request('third'), 3);
    expect(text.match(/first|second|third/g)).toEqual(['first', 'second', 'third']);
  });

  it('that ends in the middle of a body invokes nothing and affects no other', async () => {
    const socket = await open();
    socket.write('POST /v1/projects/acme HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc');
    socket.destroy();
    await once(socket, 'close');
    expect((await call('/v1/projects/a/b')).status).toBe(200);
    expect(invocations).toMatchObject([{ name: 'test/get-project' }]);
  });

  it('that ends before the response does not stop the work', async () => {
    const released = gate();
    let state = 'not begun';
    answer = async () => {
      state = 'begun';
      await released.opened;
      state = 'finished';
      return { statusCode: 200 };
    };
    const socket = await open();
    socket.write('GET /v1/projects/a/b HTTP/1.1\r\nHost: x\r\n\r\n');
    await eventually(() => expect(state).not.toBe('not begun'));
    socket.destroy();
    await once(socket, 'close');
    const stopped = gateway.stop(600_000);
    released.open();
    await stopped;
    expect(state).toBe('finished');
  });
});

describe('Stopping', () => {
  it('finishes accepted requests and accepts no new ones', async () => {
    const released = gate();
    let begun = 0;
    answer = async () => {
      begun += 1;
      await released.opened;
      return { statusCode: 200, body: 'done' };
    };
    const accepted = Array.from({ length: 5 }, () => call('/v1/projects/a/b'));
    await eventually(() => expect(begun).toBe(5));
    const stopped = gateway.stop(600_000);
    await expect(call('/v1/projects/a/b')).rejects.toThrow();
    released.open();
    expect(await Promise.all(accepted.map(async response => (await response).text()))).toEqual(Array(5).fill('done'));
    await stopped;
  });

  it('does not wait for an idle connection, and for a stuck one only as long as its grace period', async () => {
    let hasBegun = false;
    answer = () => {
      hasBegun = true;
      return new Promise(() => undefined);
    };
    await open();
    const stuck = call('/v1/projects/a/b').catch(() => 'cut');
    await eventually(() => expect(hasBegun).toBe(true));
    await gateway.stop(300);
    expect(await stuck).toBe('cut');
  });
});

describe('The access log', () => {
  it('has one record per request, with the route but without the path', async () => {
    const response = await call('/v1/projects/a/b?secret=1');
    await call('/elsewhere', { method: 'POST', body: 'x' });
    expect(accessLog).toEqual([
      {
        '$context.requestId': response.headers.get('apigw-requestid'),
        '$context.requestTimeEpoch': expect.stringMatching(/^\d{13}$/),
        '$context.httpMethod': 'GET',
        '$context.routeKey': 'GET /v1/projects/{orgId}/{slug}',
        '$context.status': '200',
        '$context.responseLatency': expect.stringMatching(/^\d+$/),
        '$context.responseLength': '2',
        '$context.identity.sourceIp': '127.0.0.1',
      },
      expect.objectContaining({ '$context.routeKey': '$default', '$context.httpMethod': 'POST' }),
    ]);
  });

  it('records why the gateway itself rejected a request', async () => {
    await call('/v1/projects/a', { method: 'POST', body: 'x'.repeat(10 * 1024 * 1024 + 1) });
    const reason = { '$context.error.message': 'Request Entity Too Large' };
    expect(accessLog).toMatchObject([{ '$context.status': '413', ...reason }]);
    expect(invocations).toEqual([]);
  });
});

it('A local page is outside the API and its log, and is served only under a loopback host name', async () => {
  expect(await (await call('/local/mail')).json()).toEqual({ messages: mails });
  const foreign = await raw('GET /local/mail HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n');
  expect(foreign).toMatch(/^HTTP\/1\.1 404 /);
  expect((await call('/local/mail', { method: 'POST' })).status).toBe(404);
  expect([invocations, accessLog]).toEqual([[], []]);
});

it('Sent mail is a page in a browser: newest first, with links, escaped, and nothing that runs', async () => {
  const response = await call('/local/mail', { headers: { accept: 'text/html,*/*;q=0.8' } });
  const page = await response.text();
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const policy = response.headers.get('content-security-policy');
  expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-/);
  const [style = ''] = page.match(/(?<=<style>)[^<]*/) ?? [];
  expect(policy).toContain(createHash('sha256').update(style).digest('base64'));
  const link = 'http://localhost:3000/reset-password#token=a&amp;b';
  expect(page).toContain(`Reset:\n<a href="${link}">${link}</a>\n`);
  expect(page.indexOf('Second')).toBeLessThan(page.indexOf('First'));
  expect(page).toContain('To &quot;ada&quot; &lt;ada@example.com&gt;, <time datetime="2026-01-31T09:26:53.000Z">');
  expect(page).not.toMatch(/<b>|<script|javascript:[^<]*<\/a>/);
});

it('The gateway returns 503 until it serves', async () => {
  const starting = await listen(0);
  const { status, headers } = await fetch(`${starting.url}/v1/auth/me`);
  expect([status, headers.get('retry-after')]).toEqual([503, '1']);
  await starting.stop(100);
});

it('A port in use is reported in one sentence', async () => {
  const message = `Port ${gateway.port} is already in use; set PORT to another one.`;
  await expect(listen(gateway.port)).rejects.toMatchObject({ name: 'StartError', message });
});
