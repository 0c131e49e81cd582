import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { expect, inject, it } from 'vitest';
import { resetProcessMemory } from '#lib/core/process-memory.ts';
import { keys } from '#lib/table/keys.ts';
import { type Answer, startApi } from '../support/api.ts';
import { openWorkplace } from '../support/environments.ts';
import { shared } from '../support/fixtures.ts';

/*
 * The whole service behind a proxy that answers as DynamoDB does when it throttles or fails, so that its errors pass
 * through the SDK's own parser.
 */

interface Refusal {
  status: number;
  body: Record<string, unknown>;
}

/** Forwards to the other server, except for requests that contain the text. */
async function startProxy(target: string) {
  const proxy = { hit: undefined as string | undefined, refusal: { status: 400, body: {} } as Refusal, refused: 0 };
  const pass = (body: Buffer, { method, url, headers }: IncomingMessage, response: ServerResponse) => {
    const { hostname, port } = new URL(target);
    forward({ hostname, port, method, path: url, headers }, answer => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    })
      .on('error', () => response.destroy())
      .end(body);
  };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await buffer(request);
    if (proxy.hit === undefined || !body.includes(proxy.hit)) return pass(body, request, response);
    proxy.refused += 1;
    response.writeHead(proxy.refusal.status, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(JSON.stringify(proxy.refusal.body));
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return Object.assign(proxy, { url: `http://127.0.0.1:${port}`, stop });
}

const throttling = (name: string, reason?: string): Refusal => ({
  status: 400,
  body: {
    __type: `com.amazonaws.dynamodb.v20120810#${name}`,
    message: 'Throughput exceeds the current capacity.',
    ...(reason !== undefined && {
      [name === 'ThrottlingException' ? 'throttlingReasons' : 'ThrottlingReasons']: [{ reason, resource: 'table' }],
    }),
  },
});
const failure: Refusal = {
  status: 500,
  body: { __type: 'com.amazonaws.dynamodb.v20120810#InternalServerError', message: 'Internal server error' },
};

function requireRejected({ status, headers, body }: Answer): void {
  expect([status, body?.error?.code]).toEqual([503, 'temporarily_unavailable']);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(30);
}

const dynamoDb = shared(() => startProxy(inject('dynamoDbUrl')));
const api = shared(() => startApi({ AWS_ENDPOINT_URL_DYNAMODB: dynamoDb.url, LOG_LEVEL: 'SILENT' }));

it.each([
  [
    'throttles a partition',
    throttling('ProvisionedThroughputExceededException', 'TableReadKeyRangeThroughputExceeded'),
  ],
  ['throttles, and does not say why', throttling('ProvisionedThroughputExceededException')],
  ['throttles with its other exception', throttling('ThrottlingException', 'TableReadKeyRangeThroughputExceeded')],
  ['fails', failure],
])(
  'while DynamoDB %s, one organization’s requests are rejected without a call, and all others answered',
  async (_, refusal) => {
    Object.assign(dynamoDb, { hit: undefined, refused: 0 });
    resetProcessMemory('throttled-resources');
    const [acme, other] = [await openWorkplace(api), await openWorkplace(api)];
    for (const place of [acme, other]) await place.importAll('dev', { A: 'one' });

    Object.assign(dynamoDb, { refusal, hit: `"${keys.environmentState(acme.pathOf()).pk}"` });
    requireRejected(await acme.pull('dev'));
    const { refused } = dynamoDb;
    expect(refused).toBeLessThanOrEqual(9);
    const answers = await Promise.all(
      Array.from({ length: 46 }, async () => {
        requireRejected(await acme.pull('dev'));
        return (await other.pull('dev')).status;
      }),
    );
    expect(new Set(answers)).toEqual(new Set([200]));
    expect(dynamoDb.refused - refused).toBeLessThanOrEqual(3);
  },
);
