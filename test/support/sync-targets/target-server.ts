import type { IncomingHttpHeaders } from 'node:http';
import { startReceiver } from '../receiver.ts';

/** What goes wrong with a request: refused connections, answers that are lost after the work is done, limits, errors. */
export type Fault = 'refuse' | 'lose' | 'limit' | 'error';

export interface TargetRequest {
  method: string;
  /** Without the query. */
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: each target reads what it documents
  body: any;
}

export interface TargetAnswer {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

export type TargetServer = Awaited<ReturnType<typeof startTarget>>;

/** A server of a target, with faults on demand. */
export async function startTarget(
  answer: (request: TargetRequest) => TargetAnswer | Promise<TargetAnswer>,
  tls = false,
) {
  const requests: TargetRequest[] = [];
  let faultOf: (request: TargetRequest, index: number) => Fault | undefined = () => undefined;
  const receiver = await startReceiver(
    async (response, { method, path, headers, body }) => {
      const { pathname, searchParams } = new URL(path, 'http://localhost');
      const text = body.toString();
      const request = {
        method,
        path: decodeURIComponent(pathname),
        query: searchParams,
        headers,
        body: text === '' ? undefined : JSON.parse(text),
      };
      requests.push(request);
      const fault = faultOf(request, requests.length);
      if (fault === 'refuse') return response.socket?.destroy();
      if (fault === 'limit') return response.writeHead(429, { 'retry-after': '0' }).end();
      if (fault === 'error') return response.writeHead(503).end();
      const given = await answer(request);
      if (fault === 'lose') return response.socket?.destroy();
      const isEmpty = given.body === undefined;
      response.writeHead(given.status, {
        ...(isEmpty ? {} : { 'content-type': 'application/json' }),
        ...given.headers,
      });
      return response.end(isEmpty ? undefined : JSON.stringify(given.body));
    },
    { tls },
  );
  return {
    url: receiver.url,
    port: receiver.port,
    requests,
    /** @param next undefined for none */
    setFaults: (next: typeof faultOf = () => undefined) => {
      faultOf = next;
    },
    /** Fails the requests with these numbers, counted from now on from 1. */
    failAt: (faults: Readonly<Record<number, Fault>>) => {
      const start = requests.length;
      faultOf = (_, index) => faults[index - start];
    },
    stop: receiver.stop,
  };
}

/** What the tests of all targets need of one: what is there, and what somebody else changes there. */
export interface TargetWorld {
  server: TargetServer;
  /** For `--to`. */
  to: string;
  /** How the command line finds and uses it. */
  variables: Record<string, string>;
  /** What is there, by name, as its programs get it. */
  values: () => Map<string, string>;
  /** As somebody without a sync does it. */
  set: (name: string, value: string) => void;
  remove: (name: string) => void;
  stop: () => Promise<void>;
}
