import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DashboardFiles } from '#clients/dashboard/build.ts';
import { exceedsPayload, type FunctionName, InvocationTimeout, type Invoke } from '../lambda/invoke.ts';
import { listenOnLoopback } from '../machine/loopback.ts';
import { StartError } from '../machine/start-error.ts';
import type { AccessLogValues } from './access-log.ts';
import { type Answer, answerOf, empty, message, write } from './answer.ts';
import { isPreflightRequest, preflightAnswer, withCors } from './cors.ts';
import { dashboardAnswer } from './dashboard.ts';
import { gatewayEvent, type Received, routeKeyOf, sourceIpOf, targetOf } from './event.ts';
import { createRouteTable, type Route } from './route-table.ts';

/** API Gateway's limits (HTTP API quotas): payload, request line and headers, integration time. */
const maximumBodyBytes = 10 * 1024 * 1024;
const maximumHeaderBytes = 10_240;
const integrationTimeoutMs = 30_000;
/** How long the gateway keeps reading requests on open connections after it starts to stop. */
const unreadRequestsMs = 300;
const catchAll: FunctionName = { area: 'system', name: 'unknown-route' };

interface GatewayOptions {
  routes: readonly Route[];
  invoke: Invoke;
  dashboardOrigin: string;
  writeAccessLog: (values: AccessLogValues) => void;
  /** The dashboard, served at `/` and at every path without another page, and the downloads beside it. */
  files?: DashboardFiles;
  /** Local pages outside the API, by their exact path. */
  localPages: Readonly<Record<`/local/${string}`, LocalPage>>;
}

export interface LocalPage {
  /** Returned for a GET. */
  json?: () => unknown;
  /** For a POST, with the query's parameters. Done when it resolves. */
  run?: (query: URLSearchParams) => Promise<void>;
  /** For a GET by a browser, which accepts HTML. */
  html?: { render: () => string; headers: Readonly<Record<string, string>> };
}

export interface Gateway {
  url: string;
  port: number;
  /** Until it is called, the gateway answers every request with 503. */
  serve: (options: GatewayOptions) => void;
  /** Stops accepting requests, finishes the accepted ones within `graceMs`, then cuts the remaining connections. */
  stop: (graceMs: number) => Promise<void>;
}

/**
 * A stand-in for the HTTP API: it turns HTTP requests into payload format 2.0 events, invokes the route's function, and
 * answers on its own where API Gateway would. Port 0 picks a free one.
 * @param isNamed whether clients will reach it as `localhost`, which may also mean `::1`
 * @throws StartError if the port cannot be opened
 */
export async function listen(port: number, isNamed = false): Promise<Gateway> {
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
  const ownPort = await listenOnLoopback(server, port).catch((error: NodeJS.ErrnoException) => {
    throw new StartError(portSentence(port, error));
  });
  // Otherwise another program of this machine could answer there.
  const overIpv6 = new NetServer(socket => server.emit('connection', socket));
  if (isNamed) {
    await listenOnLoopback(overIpv6, ownPort, '::1').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') throw new StartError(portSentence(ownPort, error));
    });
  }
  return {
    url: `http://127.0.0.1:${ownPort}`,
    port: ownPort,
    serve(options) {
      answer = createAnswer(options);
    },
    async stop(graceMs) {
      stopping = true;
      overIpv6.close();
      for (const response of open.values()) response.shouldKeepAlive = false;
      const deadline = sleep(graceMs, undefined, { ref: false });
      // node:http's close would cut idle connections at once, losing requests that were sent but not read yet. For a
      // moment, those are still answered, with `Connection: close`.
      const closed = new Promise(resolve => NetServer.prototype.close.call(server, resolve));
      await Promise.race([closed, deadline, sleep(unreadRequestsMs)]);
      // A connection is idle only after its last response was sent.
      const sweep = setInterval(() => server.closeIdleConnections(), 20);
      // A client that disconnects does not abort the work on its request.
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
      await answerLocally(request, response, options.localPages[target.rawPath as `/local/${string}`]);
      return;
    }
    const dashboard = options.files && dashboardAnswer(options.files, request.method ?? '', target.rawPath);
    if (dashboard !== undefined) {
      request.resume();
      write(response, dashboard);
      return;
    }
    const route = match(request.method ?? '', target.rawPath);
    const isPreflight = isPreflightRequest(request);
    const body = isPreflight ? Buffer.alloc(0) : await readBody(request);
    if (body === undefined) return;
    const answer = isPreflight
      ? preflightAnswer(request, options.dashboardOrigin)
      : withCors(
          request,
          options.dashboardOrigin,
          await invokeRoute(options.invoke, request, { target, route, body, requestId, receivedAt }),
        );
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
      ...(answer.gatewayError === undefined ? {} : { '$context.error.message': answer.gatewayError }),
    });
  };
}

type ReceivedOrTooLarge = Omit<Received, 'body'> & { body: Buffer | 'too-large' };

/** The gateway's own response to a request that reaches no function. The reason is in the access log. */
function refusal(status: number, text: string): Answer {
  return { ...message(status, text), gatewayError: text };
}

async function invokeRoute(invoke: Invoke, request: IncomingMessage, received: ReceivedOrTooLarge): Promise<Answer> {
  const { route, body, requestId } = received;
  if (body === 'too-large') return refusal(413, 'Request Entity Too Large');
  const event = gatewayEvent(request, { ...received, body });
  if (exceedsPayload(event, event.body?.length ?? 0)) return refusal(413, 'Request Entity Too Large');
  const functionName = route === undefined ? catchAll : { area: route.route.area, name: route.route.operationId };
  try {
    return answerOf(await invoke(functionName, event, integrationTimeoutMs));
  } catch (error) {
    console.error(`${functionName.area}/${functionName.name} (request ${requestId}):`, error);
    const isTimeout = error instanceof InvocationTimeout;
    return {
      ...(isTimeout ? message(503, 'Service Unavailable') : message(500, 'Internal Server Error')),
      integrationError: error instanceof Error ? error.message : String(error),
    };
  }
}

/** The whole body; `too-large` above API Gateway's limit; undefined if the client disconnected midway. */
async function readBody(request: IncomingMessage): Promise<Buffer | 'too-large' | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request) {
      bytes += chunk.length;
      // Reads and drops the rest, because a client that is still sending would not see the response.
      if (bytes <= maximumBodyBytes) chunks.push(chunk);
      else chunks.length = 0;
    }
  } catch {
    return undefined;
  }
  return bytes > maximumBodyBytes ? 'too-large' : Buffer.concat(chunks);
}

/**
 * Mails contain link tokens, so the local pages are only served for a loopback host name: a website whose own name
 * resolves to this machine (DNS rebinding) can't read them.
 */
async function answerLocally(
  request: IncomingMessage,
  response: ServerResponse,
  page: LocalPage | undefined,
): Promise<void> {
  request.resume();
  const isLoopback = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i.test(request.headers.host ?? '');
  const { run, json } = page ?? {};
  // Browsers send an origin with each POST, and no website may run anything here.
  if (run !== undefined && request.method === 'POST' && isLoopback && request.headers.origin === undefined) {
    const { searchParams } = new URL(request.url ?? '', 'http://localhost');
    const isDone = await run(searchParams).then(
      () => true,
      () => false,
    );
    write(response, isDone ? message(200, 'OK') : message(500, 'Internal Server Error'));
    return;
  }
  if (page === undefined || json === undefined || request.method !== 'GET' || !isLoopback) {
    write(response, message(404, 'Not Found'));
    return;
  }
  const html = /\btext\/html\b/.test(request.headers.accept ?? '') ? page.html : undefined;
  write(response, {
    ...empty(200),
    headers: {
      'content-type': 'application/json',
      ...html?.headers,
      'cache-control': 'no-store',
      vary: 'accept',
    },
    body: Buffer.from(html?.render() ?? JSON.stringify(json())),
  });
}

/** Answers requests that are not valid HTTP, and closes the connection. */
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
  if (error.code === 'EACCES') return `Port ${port} cannot be opened by this user; set PORT to another one.`;
  return `Port ${port} cannot be opened (${error.message}); set PORT to another one.`;
}
