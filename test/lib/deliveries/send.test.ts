import diagnostics from 'node:diagnostics_channel';
import { createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { send } from '#lib/deliveries/send.ts';
import { connectorTo, type Sending } from '#lib/outbound/guarded-request.ts';
import { eventually } from '#test/support/eventually.ts';
import { untilEnd } from '#test/support/fixtures.ts';
import { sendUntilClosed, startReceiver } from '#test/support/receiver.ts';
import { testCertificate } from '#test/support/test-certificate.ts';
import { forbiddenTargets } from '../webhooks/forbidden-targets.ts';

const local: Sending = { allowLoopback: true };
const strict: Sending = { allowLoopback: false };
const body = Buffer.from('{"a":1}');
const post = (url: string, sending = local) => send(url, { 'Content-Type': 'application/json' }, body, sending);
const resolving = (...addresses: string[]) => ({ ...strict, resolve: async () => addresses });
const megabyte = 1024 * 1024;
const receiver = (...options: Parameters<typeof startReceiver>) => untilEnd(startReceiver(...options));

async function listen(server: Server): Promise<number> {
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
  return (server.address() as { port: number }).port;
}

async function socketsOpenedBy(work: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const opened = () => {
    count += 1;
  };
  diagnostics.subscribe('net.client.socket', opened);
  try {
    await work();
  } finally {
    diagnostics.unsubscribe('net.client.socket', opened);
  }
  return count;
}

const timedOut = { statusCode: null, error: 'timed out after 5 s' };

// They wait together.
describe.concurrent('after 5 s, send', () => {
  it('gives up on a receiver that does not respond', async ({ expect, onTestFinished }) => {
    const { url, received, stop } = await startReceiver(() => undefined);
    onTestFinished(stop);
    const outcome = await post(url);
    expect(outcome).toMatchObject(timedOut);
    expect(outcome.responseTimeMs).toBeGreaterThanOrEqual(4900);
    expect(received).toHaveLength(1);
  });

  it('gives up on a receiver that never finishes the TLS handshake', async ({ expect, onTestFinished }) => {
    const silent = createServer(socket => socket.on('error', () => undefined).resume());
    let closed = 0;
    silent.on('connection', socket => {
      socket.on('close', () => {
        closed += 1;
      });
    });
    const port = await listen(silent);
    onTestFinished(() => void silent.close());
    expect(await post(`https://127.0.0.1:${port}/`)).toMatchObject(timedOut);
    await eventually(() => expect(closed).toBe(1));
  });

  it('treats a response with an endless body as no response', async ({ expect, onTestFinished }) => {
    const { url, stop } = await startReceiver(async response => {
      response.writeHead(200);
      while (!response.destroyed) {
        response.write('x');
        await sleep(200);
      }
    });
    onTestFinished(stop);
    expect(await post(url)).toMatchObject(timedOut);
  });

  it('includes the name lookup', async ({ expect }) => {
    const never = { ...strict, resolve: () => new Promise<never>(() => undefined) };
    expect(await post('https://receiver.example/', never)).toMatchObject(timedOut);
  });
});

describe('send', () => {
  it('posts the bytes and returns the status', async () => {
    const { url, received } = await receiver();
    const outcome = await post(`${url}/hook?a=b`);
    expect(outcome).toMatchObject({ statusCode: 204, error: null });
    expect(received).toMatchObject([{ method: 'POST', path: '/hook?a=b', body }]);
    expect(received[0]?.headers).toMatchObject({ 'content-type': 'application/json', 'content-length': '7' });
  });

  it.each([
    [200, null],
    [299, null],
    [301, 'answered 301 (redirects are not followed)'],
    [404, 'answered 404'],
    [500, 'answered 500'],
  ])('reports %i as received', async (status, error) => {
    const { url } = await receiver(response => response.writeHead(status, { 'content-length': '2' }).end('ok'));
    expect(await post(url)).toMatchObject({ statusCode: status, error });
  });

  it('does not follow a redirect', async () => {
    const other = await receiver();
    const { url } = await receiver(response => response.writeHead(307, { location: other.url }).end());
    expect(await post(url)).toMatchObject({ statusCode: 307 });
    expect(other.connections()).toBe(0);
  });

  it('reads only the beginning of a huge response', async () => {
    let sentBytes: Promise<number> | undefined;
    const { url } = await receiver(response => {
      sentBytes = sendUntilClosed(response, 500 * megabyte);
    });
    expect(await post(url)).toMatchObject({ statusCode: 200, error: null });
    expect(await sentBytes).toBeLessThan(50 * megabyte);
  });

  it('gives plain reasons for failures', async () => {
    const closed = await startReceiver();
    await closed.stop();
    const reset = await receiver(response => response.socket?.destroy());
    const unlimited = await receiver(response => response.writeHead(200, { 'x-long': 'x'.repeat(100_000) }).end());
    const notHttp = createServer(socket => socket.on('error', () => undefined).end('SSH-2.0-test\r\n'));
    const port = await listen(notHttp);
    onTestFinished(() => void notHttp.close());
    const reasonOf = async (...request: Parameters<typeof post>) => (await post(...request)).error;
    expect(await reasonOf(closed.url)).toBe('the connection was refused');
    expect(await reasonOf(reset.url)).toBe('the connection was closed before the response was complete');
    expect(await reasonOf(unlimited.url)).toBe('the response headers are too long');
    expect(await reasonOf(`http://127.0.0.1:${port}/`)).toBe('the response is not HTTP');
    expect(await reasonOf('https://receiver.example/', resolving())).toBe('the name does not resolve');
  });

  it('verifies that the certificate matches the URL’s host name', async () => {
    const { port, received } = await receiver(undefined, { tls: true });
    const trusting = { ...local, trustedCertificates: testCertificate };
    const resolved = { ...trusting, resolve: async () => ['127.0.0.1'] };
    const errorOf = async (host: string, sending: Sending) => (await post(`https://${host}:${port}/`, sending)).error;
    expect(await errorOf('127.0.0.1', local)).toMatch(/^the certificate is not valid/);
    expect(await errorOf('other.example', resolved)).toMatch(/^the certificate is not valid/);
    expect(received).toHaveLength(0);
    expect(await errorOf('receiver.example', resolved)).toBeNull();
    expect(await errorOf('127.0.0.1', resolved)).toBeNull();
    expect(await errorOf('localhost', trusting)).toBeNull();
    const hosts = ['receiver.example', '127.0.0.1', 'localhost'].map(host => `${host}:${port}`);
    expect(received.map(({ headers }) => headers.host)).toEqual(hosts);
  });
});

describe('the target check', () => {
  it('opens no connection for any forbidden target', async () => {
    const opened = await socketsOpenedBy(async () => {
      for (const url of forbiddenTargets) {
        const outcome = await post(url, resolving('127.0.0.1'));
        expect(outcome, url).toMatchObject({ statusCode: null, error: expect.any(String) });
      }
    });
    expect(forbiddenTargets.length).toBeGreaterThanOrEqual(60);
    expect(opened).toBe(0);
  });

  it.each([
    [['10.0.0.1'], '10.0.0.1'],
    [['93.184.215.14', '127.0.0.1'], '127.0.0.1'],
    [['127.0.0.1', '93.184.215.14'], '127.0.0.1'],
    [['2606:2800:21f::1', '::1'], '::1'],
    [['93.184.215.14', 'fd00:ec2::254'], 'fd00:ec2::254'],
    [['93.184.215.14', '::ffff:169.254.169.254'], '::ffff:169.254.169.254'],
    [['64:ff9b::a9fe:a9fe'], '64:ff9b::a9fe:a9fe'],
    [['93.184.215.14', 'fe80::1%eth0'], 'fe80::1%eth0'],
    [['93.184.215.14', 'nonsense'], 'nonsense'],
  ])('opens no connection to a name that resolves to %j', async (addresses, forbidden) => {
    let outcome: unknown;
    const opened = await socketsOpenedBy(async () => {
      outcome = await post('https://receiver.example/', resolving(...addresses));
    });
    expect(outcome).toMatchObject({ statusCode: null, error: `the address ${forbidden} is not public` });
    expect(opened).toBe(0);
  });

  it('resolves a name once, and connects to the checked address: a later DNS answer changes nothing', async () => {
    const target = await receiver();
    const answers = [['127.0.0.1'], ['10.0.0.1'], ['169.254.169.254']];
    let asked = 0;
    const sending = { ...local, resolve: async () => answers[asked++] ?? [] };
    const url = `http://localhost:${target.port}/`;
    expect(await post(url, sending)).toMatchObject({ statusCode: 204 });
    expect(asked).toBe(1);
    // The next delivery sees the changed DNS answer, and rejects it.
    expect(await post(url, sending)).toMatchObject({ error: 'the address 10.0.0.1 is not public' });
    expect(target.received).toHaveLength(1);
  });

  it('allows loopback if the setting permits it, but no other private address', async () => {
    const target = await receiver();
    const sending = { ...local, resolve: async () => ['127.0.0.1', '192.168.1.1'] };
    const outcome = await post(`http://localhost:${target.port}/`, sending);
    expect(outcome).toMatchObject({ error: 'the address 192.168.1.1 is not public' });
    expect(target.connections()).toBe(0);
  });

  it('checks the peer’s address again before sending a byte', async () => {
    const { port, received } = await receiver();
    const connect = connectorTo(['127.0.0.1'], strict, new AbortController().signal);
    const error = await new Promise(resolve => {
      connect({ hostname: 'receiver.example', protocol: 'http:', port: String(port) }, (...[problem]) =>
        resolve(problem),
      );
    });
    expect(error).toMatchObject({ message: 'the address 127.0.0.1 is not public' });
    expect(received).toHaveLength(0);
  });
});
