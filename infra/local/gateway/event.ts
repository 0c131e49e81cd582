import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { Route, RouteMatch } from './route-table.ts';

/** The request target as sent: the path still encoded, the query without its question mark. */
export interface Target {
  rawPath: string;
  rawQueryString: string;
}

/** Splits a request target. Proxies send it in absolute form; its origin is dropped. */
export function targetOf(url: string): Target {
  const [path = '', ...query] = url.replace(/^https?:\/\/[^/?]*/i, '').split('?');
  return { rawPath: path.startsWith('/') ? path : `/${path}`, rawQueryString: query.join('?') };
}

const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'te',
  'upgrade',
  'expect',
]);

/** A request with its complete body, and the route that it matched, if any. */
export interface Received {
  target: Target;
  route: RouteMatch<Route> | undefined;
  body: Buffer;
  requestId: string;
  receivedAt: number;
}

/** The payload format 2.0 event that API Gateway creates for a request to an HTTP API. */
export function gatewayEvent(request: IncomingMessage, received: Received): APIGatewayProxyEventV2 {
  const { target, route: match, body, requestId, receivedAt } = received;
  const { rawPath, rawQueryString } = target;
  const headers = headersOf(request);
  const cookies = headers.get('cookie');
  headers.delete('cookie');
  const query = [...new URLSearchParams(rawQueryString)];
  const method = request.method ?? '';
  const sourceIp = sourceIpOf(request);
  headers.set('x-forwarded-for', [headers.get('x-forwarded-for'), sourceIp].filter(Boolean).join(', '));
  headers.set('x-forwarded-port', String(request.socket.localPort));
  headers.set('x-forwarded-proto', 'http');
  // Despite the field's name, an HTTP API passes the decoded path. Routing and parameters do not depend on it.
  const path = decoded(rawPath);
  return {
    version: '2.0',
    routeKey: routeKeyOf(match),
    rawPath: path,
    rawQueryString,
    ...(cookies === undefined ? {} : { cookies: cookies.split(/[;,]\s*/).filter(cookie => cookie !== '') }),
    headers: Object.fromEntries(headers),
    ...(query.length === 0 ? {} : { queryStringParameters: Object.fromEntries(joined(query)) }),
    ...(match === undefined || Object.keys(match.pathParameters).length === 0
      ? {}
      : { pathParameters: match.pathParameters }),
    requestContext: {
      accountId: '000000000000',
      apiId: 'local',
      domainName: '127.0.0.1',
      domainPrefix: '127',
      http: {
        method,
        path,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp,
        userAgent: headers.get('user-agent') ?? '',
      },
      requestId,
      routeKey: routeKeyOf(match),
      stage: '$default',
      time: commonLogTime(receivedAt),
      timeEpoch: receivedAt,
    },
    ...bodyOf(body, headers),
  };
}

/** `GET /v1/…/{parameter}` for a matched route, `$default` for the catch-all. */
export function routeKeyOf(match: RouteMatch<Route> | undefined): string {
  return match === undefined ? '$default' : `${match.route.method} ${match.route.path}`;
}

export function sourceIpOf(request: IncomingMessage): string {
  return (request.socket.remoteAddress ?? '127.0.0.1').replace(/^::ffff:/, '');
}

/** Headers by lower-case name. The values of a repeated header are joined with commas. */
function headersOf(request: IncomingMessage): Map<string, string> {
  const pairs: [string, string][] = [];
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    const name = (request.rawHeaders[index] ?? '').toLowerCase();
    if (!hopByHop.has(name)) pairs.push([name, request.rawHeaders[index + 1] ?? '']);
  }
  return joined(pairs);
}

function joined(pairs: readonly (readonly [string, string])[]): Map<string, string> {
  const values = new Map<string, string>();
  for (const [name, value] of pairs) {
    const before = values.get(name);
    values.set(name, before === undefined ? value : `${before},${value}`);
  }
  return values;
}

const textTypes = /^(text\/.*|application\/(json|xml|javascript|.+\+json|.+\+xml))$/;

/**
 * Text is passed as is, everything else in base64. Invalid UTF-8 in a text type also becomes base64, so that no byte is
 * lost.
 */
function bodyOf(body: Buffer, headers: Map<string, string>): { body?: string; isBase64Encoded: boolean } {
  if (body.length === 0) return { isBase64Encoded: false };
  const mediaType = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
  const isText = textTypes.test(mediaType) && !headers.has('content-encoding') && isUtf8(body);
  return isText
    ? { body: body.toString('utf8'), isBase64Encoded: false }
    : { body: body.toString('base64'), isBase64Encoded: true };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** e.g. `12/Mar/2026:19:03:58 +0000` */
function commonLogTime(epochMs: number): string {
  const [, day, month, year, time] = /^\w+, (\d+) (\w+) (\d+) ([\d:]+)/.exec(new Date(epochMs).toUTCString()) ?? [];
  return `${day}/${month}/${year}:${time} +0000`;
}
