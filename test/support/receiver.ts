import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { testCertificate, testCertificateKey } from './test-certificate.ts';

export interface Received {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  at: number;
}

/** A real webhook receiver on loopback. `answer` determines its response; 204 by default. */
export async function startReceiver(
  answer: (response: ServerResponse, received: Received) => unknown = response => response.writeHead(204).end(),
  { tls = false, host = '127.0.0.1', isShared = false } = {},
) {
  const received: Received[] = [];
  let connections = 0;
  const server: Server = tls ? createTlsServer({ cert: testCertificate, key: testCertificateKey }) : createServer();
  server.on('connection', () => {
    connections += 1;
  });
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = '', url: path = '', headers } = request;
    const whole = { method, path, headers, body: Buffer.concat(chunks), at: Date.now() };
    received.push(whole);
    await answer(response, whole);
  };
  // Some tests have a sender that gives up in the middle.
  server.on('request', (request, response) => void take(request, response).catch(() => undefined));
  // A shared one is never stopped, and must not keep the process alive.
  if (isShared) server.unref();
  server.listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    /** Base address on 127.0.0.1, without a path. */
    url: `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`,
    port,
    /** How many connections were opened, even without a request. */
    connections: () => connections,
    received,
    stop: async (): Promise<void> => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Responds with up to so many bytes, until the other side closes the connection. @returns how many were sent */
export async function sendUntilClosed(response: ServerResponse, maximumBytes: number): Promise<number> {
  const chunk = Buffer.alloc(64 * 1024, ' ');
  let sentBytes = 0;
  response.writeHead(200);
  while (sentBytes < maximumBytes && !response.destroyed) {
    sentBytes += chunk.length;
    if (response.write(chunk)) continue;
    const woken = new AbortController();
    await Promise.race(['drain', 'close'].map(event => once(response, event, { signal: woken.signal })));
    woken.abort();
  }
  response.end();
  return sentBytes;
}
export type Receiver = Awaited<ReturnType<typeof startReceiver>>;
