import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { corsPolicy } from '../cors-policy.ts';
import type { AccessLogValues } from './access-log.ts';
import { gatewayEvent, routeKeyOf, sourceIpOf, type Target, targetOf } from './gateway-event.ts';
import { exceedsPayload, type FunctionName, InvocationTimeout, type Invoke } from './invoke.ts';
import { createRouteTable, type Route } from './route-table.ts';
import { StartError } from './start-error.ts';

/** API Gateway's own bounds (HTTP API quotas): payload, request line and headers, integration time. */
const maximumBodyBytes = 10 * 1024 * 1024;
const maximumHeaderBytes = 10_240;
const integrationTimeoutMs = 30_000;
/** How long requests on open connections are still read after the stop. */
const unreadRequestsMs = 300;
const catchAll: FunctionName = { area: 'system', name: 'unknown-route' };

interface GatewayOptions {
  routes: readonly Route[];
  invoke: Invoke;
  dashboardOrigin: string;
  writeAccessLog: (values: AccessLogValues) => void;
  /** Local pages outside the API: exact path → the JSON it answers a GET with. */
  localPages: Readonly<Record<`/local/${string}`, () => unknown>>;
}

export interface Gateway {
  url: string;
  port: number;
  /** Before it is called, every request is answered 503. */
  serve: (options: GatewayOptions) => void;
  /** Takes no new request, finishes the accepted ones within `graceMs`, then cuts what is left. */
  stop: (graceMs: number) => Promise<void>;
}

interface Answer {
  statusCode: number;
  headers: Record<string, string>;
  cookies: readonly string[];
  body: Buffer;
  /** What the access log says beside the status. */
  integrationError?: string;
}

/**
 * Stands for the HTTP API: turns HTTP into payload format 2.0 events, invokes the route's function, and answers by
 * itself what API Gateway answers by itself. Port 0 takes a free one.
 * @throws StartError where the port cannot be had.
 */
export async function listen(port: number): Promise<Gateway> {
  let answer: ((request: IncomingMessage, response: ServerResponse) => Promise<void>) | undefined;
  let stopping = false;
  const open = new Map<Promise<void>, ServerResponse>();
  const server = createServer({ maxHeaderSize: maximumHeaderBytes, keepAliveTimeout: 60_000 }, (request, response) => {
    if (stopping) response.shouldKeepAlive = false;
    if (answer === undefined) {
      write(response, { ...message(503, 'Service Unavailable'), headers: { 'retry-after': '1' } });
      return;
    }
    const done = answer(request, response).catch(error => {
      console.error(error);
      response.destroy();
    });
    open.set(done, response);
    void done.finally(() => open.delete(done));
  });
  server.on('clientError', refuseMalformed);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(new StartError(portSentence(port, error))));
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The gateway has no port.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    serve(options) {
      answer = createAnswer(options);
    },
    async stop(graceMs) {
      stopping = true;
      for (const response of open.values()) response.shouldKeepAlive = false;
      const deadline = sleep(graceMs, undefined, { ref: false });
      // Not the close of node:http: that one cuts idle connections at once, and with them requests that have been sent
      // but not read yet. They are answered for a moment more, with an end to their connection.
      const closed = new Promise(resolve => NetServer.prototype.close.call(server, resolve));
      await Promise.race([closed, deadline, sleep(unreadRequestsMs)]);
      // A connection becomes idle only once its last answer has gone out.
      const sweep = setInterval(() => server.closeIdleConnections(), 20);
      // A client that went away does not end the work on its request.
      await Promise.race([Promise.all([closed, ...open.keys()]), deadline]);
      clearInterval(sweep);
      server.closeAllConnections();
      await closed;
    },
  };
}

function createAnswer(options: GatewayOptions) {
  const match = createRouteTable(options.routes);

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const receivedAt = Date.now();
    const requestId = `${randomBytes(11).toString('base64url')}=`;
    const target = targetOf(request.url ?? '');
    if (Object.hasOwn(options.localPages, target.rawPath)) {
      answerLocally(request, response, options.localPages[target.rawPath as `/local/${string}`]);
      return;
    }
    const route = match(request.method ?? '', target.rawPath);
    const isPreflight = isPreflightRequest(request);
    const body = isPreflight ? Buffer.alloc(0) : await readBody(request);
    if (body === undefined) return;
    const answer = isPreflight
      ? preflightAnswer(request, options.dashboardOrigin)
      : withCors(request, options.dashboardOrigin, await invokeRoute(request, target, route, body));
    answer.headers['apigw-requestid'] = requestId;
    write(response, answer);
    options.writeAccessLog({
      '$context.requestId': requestId,
      '$context.requestTimeEpoch': String(receivedAt),
      '$context.httpMethod': request.method ?? '-',
      '$context.routeKey': isPreflight ? '-' : routeKeyOf(route),
      '$context.status': String(answer.statusCode),
      '$context.responseLatency': String(Date.now() - receivedAt),
      '$context.responseLength': String(answer.body.length),
      '$context.identity.sourceIp': sourceIpOf(request),
      ...(answer.integrationError === undefined ? {} : { '$context.integrationErrorMessage': answer.integrationError }),
    });

    async function invokeRoute(
      from: IncomingMessage,
      to: Target,
      matched: ReturnType<typeof match>,
      content: Buffer | 'too-large',
    ): Promise<Answer> {
      if (content === 'too-large') return message(413, 'Request Entity Too Large');
      const event = gatewayEvent(from, to, matched, content, { requestId, receivedAt });
      if (exceedsPayload(event, event.body?.length ?? 0)) return message(413, 'Request Entity Too Large');
      const functionName =
        matched === undefined ? catchAll : { area: matched.route.area, name: matched.route.operationId };
      try {
        return answerOf(await options.invoke(functionName, event, integrationTimeoutMs));
      } catch (error) {
        const [status, text] =
          error instanceof InvocationTimeout
            ? ([503, 'Service Unavailable'] as const)
            : ([500, 'Internal Server Error'] as const);
        console.error(`${functionName.area}/${functionName.name} (request ${requestId}):`, error);
        return { ...message(status, text), integrationError: error instanceof Error ? error.message : String(error) };
      }
    }
  };
}

/** A function's result as API Gateway reads it (payload format 2.0): without a status it is the body of a 200. */
function answerOf(result: unknown): Answer {
  if (typeof result !== 'object' || result === null || !('statusCode' in result)) {
    const text = typeof result === 'string' ? result : JSON.stringify(result ?? null);
    return { ...empty(200), headers: { 'content-type': 'application/json' }, body: Buffer.from(text) };
  }
  const { statusCode, headers, cookies, body, isBase64Encoded } = result as Record<string, unknown>;
  const status = Number(statusCode);
  if (!Number.isInteger(status) || status < 200 || status > 599 || !(body === undefined || typeof body === 'string')) {
    throw new Error('The function returned a result that API Gateway does not accept.');
  }
  if (exceedsPayload(result, body?.length ?? 0)) throw new Error('The response exceeds the 6 MB of a Lambda function.');
  const lowered = Object.entries((headers ?? {}) as Record<string, string | number | boolean>).map(
    ([name, value]) => [name.toLowerCase(), String(value)] as const,
  );
  return {
    statusCode: status,
    headers: { 'content-type': 'text/plain;charset=utf-8', ...Object.fromEntries(lowered) },
    cookies: (cookies ?? []) as string[],
    body: Buffer.from(body ?? '', isBase64Encoded === true ? 'base64' : 'utf8'),
  };
}

function empty(statusCode: number): Answer {
  return { statusCode, headers: {}, cookies: [], body: Buffer.alloc(0) };
}

/** An answer in API Gateway's own shape. */
function message(statusCode: number, text: string): Answer {
  return {
    ...empty(statusCode),
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify({ message: text })),
  };
}

function write(response: ServerResponse, { statusCode, headers, cookies, body }: Answer): void {
  if (response.destroyed) return;
  const hasBody = statusCode !== 204 && statusCode !== 304;
  try {
    response.writeHead(statusCode, {
      ...headers,
      ...(cookies.length > 0 ? { 'set-cookie': [...cookies] } : {}),
      ...(hasBody ? { 'content-length': body.length } : {}),
    });
    response.end(hasBody ? body : undefined);
  } catch (error) {
    // A header that HTTP cannot carry.
    console.error(error);
    response.writeHead(500, { 'content-type': 'application/json' }).end('{"message":"Internal Server Error"}');
  }
}

/** The whole body; `too-large` over API Gateway's bound; undefined where the client went away in the middle. */
async function readBody(request: IncomingMessage): Promise<Buffer | 'too-large' | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request) {
      bytes += chunk.length;
      // The rest is read and dropped: a client that is still sending would not see the answer.
      if (bytes <= maximumBodyBytes) chunks.push(chunk);
      else chunks.length = 0;
    }
  } catch {
    return undefined;
  }
  return bytes > maximumBodyBytes ? 'too-large' : Buffer.concat(chunks);
}

function isPreflightRequest({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
}

function preflightAnswer({ headers }: IncomingMessage, dashboardOrigin: string): Answer {
  if (headers.origin !== dashboardOrigin) return empty(204);
  return {
    ...empty(204),
    headers: {
      'access-control-allow-origin': dashboardOrigin,
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': corsPolicy.allowMethods.join(','),
      'access-control-allow-headers': corsPolicy.allowHeaders.join(','),
      'access-control-max-age': String(corsPolicy.maxAgeSeconds),
    },
  };
}

/** With CORS configured, API Gateway sets these headers itself and ignores a function's. */
function withCors({ headers }: IncomingMessage, dashboardOrigin: string, answer: Answer): Answer {
  const own = Object.entries(answer.headers).filter(([name]) => !name.startsWith('access-control-'));
  const cors =
    headers.origin === dashboardOrigin
      ? {
          'access-control-allow-origin': dashboardOrigin,
          'access-control-allow-credentials': 'true',
          'access-control-expose-headers': corsPolicy.exposeHeaders.join(','),
        }
      : {};
  return { ...answer, headers: { ...Object.fromEntries(own), ...cors } };
}

/**
 * Mails hold link tokens, so the local pages answer only to a loopback host name: a page of the Internet whose own name
 * was pointed at this machine cannot read them.
 */
function answerLocally(request: IncomingMessage, response: ServerResponse, page: (() => unknown) | undefined): void {
  request.resume();
  const isLoopback = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i.test(request.headers.host ?? '');
  if (page === undefined || request.method !== 'GET' || !isLoopback) {
    write(response, message(404, 'Not Found'));
    return;
  }
  write(response, {
    ...empty(200),
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    body: Buffer.from(JSON.stringify(page())),
  });
}

/** What is not HTTP gets one line and no connection. */
function refuseMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const [status, text] =
    error.code === 'HPE_HEADER_OVERFLOW' ? [431, 'Request Header Fields Too Large'] : [400, 'Bad Request'];
  const body = JSON.stringify({ message: text });
  socket.end(
    `HTTP/1.1 ${status} ${text}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n` +
      `connection: close\r\n\r\n${body}`,
  );
}

function portSentence(port: number, error: NodeJS.ErrnoException): string {
  if (error.code === 'EADDRINUSE') return `Port ${port} is already in use; set PORT to another one.`;
  if (error.code === 'EACCES') return `Port ${port} may not be opened by this user; set PORT to another one.`;
  return `Port ${port} cannot be opened (${error.message}); set PORT to another one.`;
}
