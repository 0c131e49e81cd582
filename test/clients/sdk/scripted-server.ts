import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { startReceiver } from '#test/support/receiver.ts';

export interface ReceivedRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they sent
  body: any;
  /** Whether the client disconnected before the response. */
  aborted: boolean;
}

export type ScriptedServer = Awaited<ReturnType<typeof startServer>>;

export type Respond = (request: ReceivedRequest, response: ServerResponse) => void;

/** A real HTTP server on a free local port, with responses scripted by the test. */
export async function startServer(respond: Respond) {
  const requests: ReceivedRequest[] = [];
  const { url, stop } = await startReceiver((response, { method, path, headers, body }) => {
    const { pathname, searchParams: query } = new URL(path, 'http://localhost');
    const text = body.toString();
    const isJson = headers['content-type']?.startsWith('application/json');
    const content = isJson ? JSON.parse(text) : text || undefined;
    const request: ReceivedRequest = { method, path: pathname, query, headers, body: content, aborted: false };
    response.on('close', () => {
      request.aborted = !response.writableFinished;
    });
    requests.push(request);
    respond(request, response);
  });
  return { url, requests, stop };
}

/** Responds with one script after the other, then repeats the last one. */
export function inTurn(...scripts: Respond[]): Respond {
  let next = 0;
  return (request, response) => scripts[Math.min(next++, scripts.length - 1)]?.(request, response);
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Respond {
  return (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'request-1', ...headers });
    response.end(status === 304 ? undefined : JSON.stringify(body));
  };
}

export function refusal(
  status: number,
  code: string,
  details?: unknown,
  headers: Record<string, string> = {},
): Respond {
  return json(status, { error: { code, message: `It is ${code}.`, requestId: 'request-1', details } }, headers);
}

export const hang: Respond = () => {};

export const reset: Respond = (_, response) => {
  response.socket?.resetAndDestroy();
};

/** Announces more bytes than it sends, then closes the connection. */
export const halfAnswer: Respond = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"secrets": [{"key": "A", "value": "half-of-a-va', () => response.socket?.destroy());
};

const author = { id: '5f0c9a52-7b1e-4c43-9a55-0d6c1e8f2b11', email: 'ada@example.com' };
const at = '2026-01-31T09:26:53.589Z';

export function pullBody(revision: number, values: Record<string, string>) {
  const secrets = Object.entries(values).map(([key, value]) => {
    return { key, value, version: 1, createdAt: at, updatedAt: at, updatedBy: author };
  });
  return { secrets, revision };
}

/** A pull's response with its ETag; 304 if the request has that ETag. */
export function pullAnswer(revision: number, values: Record<string, string>): Respond {
  const headers = { etag: `"${revision}"` };
  return (request, response) =>
    request.headers['if-none-match'] === headers.etag
      ? json(304, undefined, headers)(request, response)
      : json(200, pullBody(revision, values), headers)(request, response);
}
