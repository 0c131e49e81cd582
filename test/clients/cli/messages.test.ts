import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorOfFetch } from '#clients/sdk/src/errors.ts';
import { shared } from '#test/support/fixtures.ts';
import { testCertificate, testCertificateKey } from '#test/support/test-certificate.ts';
import { startServer } from '../sdk/scripted-server.ts';
import { buildCli, variablesOf } from './cli.ts';

let connections = 0;
let address: string;

const cli = shared(buildCli);
const gateway = shared(() =>
  startServer((_, response) => {
    response.writeHead(401, { 'content-type': 'text/html' }).end('<h1>Log in</h1>');
  }),
);
const privately = shared(() =>
  createServer({ cert: testCertificate, key: testCertificateKey }, (_, response) => {
    response.writeHead(404, { 'content-type': 'application/json' });
    response.end('{"error":{"code":"environment_not_found","message":"There is no such environment."}}');
  }),
);
beforeAll(async () => {
  privately.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>(resolve => privately.listen(0, '127.0.0.1', resolve));
  address = `https://127.0.0.1:${(privately.address() as AddressInfo).port}`;
});
afterAll(() => {
  privately?.close();
});

const settings = (url: string, more: Record<string, string> = {}) => ({ ...variablesOf(url, 'never-shown'), ...more });

describe('a message', () => {
  it('names the ways to trust a private authority, after one attempt', async () => {
    connections = 0;
    const { code, stderr } = await cli.run(['pull'], { env: settings(address) });
    expect([code, connections]).toEqual([8, 1]);
    expect(stderr).toMatch(/its certificate is not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\)\.\n.*NODE_EXTRA_CA_CERTS=/);
  });

  it.each(['SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS'])('is of the service if %s names the authority', async name => {
    const env = settings(address, { [name]: cli.file('ca.pem', `# ours\n${testCertificate}`) });
    const { code, stderr } = await cli.run(['pull'], { env });
    expect([code, stderr]).toEqual([5, expect.stringContaining('There is no such environment.')]);
  });

  it('does not blame the token for a web page of a gateway, in any command', async () => {
    for (const words of [['pull'], ['whoami']]) {
      const { code, stderr } = await cli.run(words, { env: settings(gateway.url) });
      expect([code, stderr]).toEqual([
        8,
        expect.stringMatching(/gateway answered 401 with a web page.*\nYour token is not/),
      ]);
    }
    const login = await cli.run(['login', '--with-token', '--url', gateway.url], { input: 'a-token' });
    expect(login.stderr).not.toContain('revoked');
  });

  it('lists the addresses of a name if none answers, and nothing was sent then', () => {
    const failures = ['127.0.0.1', '::1'].map((ip, index) => {
      const code = index === 0 ? 'ECONNREFUSED' : 'ENETUNREACH';
      return Object.assign(new Error('x'), { code, address: ip, syscall: 'connect' });
    });
    const cause = Object.assign(new AggregateError(failures), { code: 'ECONNREFUSED' });
    const error = errorOfFetch('https://x.example', new TypeError('fetch failed', { cause }));
    expect(error.message).toBe('No connection to https://x.example (127.0.0.1 ECONNREFUSED, ::1 ENETUNREACH).');
    expect(error).toMatchObject({ outcomeUnknown: false, retryable: true });
  });

  it('says that the working directory was deleted', async () => {
    const gone = cli.file('gone/file', '').replace(/\/file$/, '');
    const command = `cd '${gone}' && rm -r '${gone}' && exec '${process.execPath}' '${cli.bundle}' pull`;
    const { spawnSync } = await import('node:child_process');
    const { stderr, status } = spawnSync('sh', ['-c', command], { encoding: 'utf8', env: settings(gateway.url) });
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/^holdfast: The current directory was deleted or moved\./),
    ]);
  });

  it('on a PEM text in single quotes names what can hold it', async () => {
    const file = cli.file('.env', "KEY='-----BEGIN KEY-----\nnever-shown\n-----END KEY-----'\n");
    const { code, stderr } = await cli.run(['push', file], { env: settings(gateway.url) });
    expect([code, stderr]).toEqual([1, expect.stringContaining('holdfast push --format json')]);
    expect(stderr).not.toContain('never-shown');
  });
});

it('a file of another system may have a byte order mark, CRLF and blanks around its settings, its token and its address', async () => {
  const service = await startServer(({ headers, path }, response) => {
    const body = { path, authorization: headers.authorization };
    response.writeHead(404, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { code: 'x', message: `got ${JSON.stringify(body)}` } }));
  });
  try {
    cli.file(
      '.holdfast.json',
      '\ufeff{"organization": "acme ",\r\n"project": "web-shop",\r\n"environment": " dev"}\r\n',
    );
    const token = cli.file('token', '\ufeff \r\na-token\r\n\r\n');
    const env = { HOLDFAST_URL: `\ufeff ${service.url}/v1/\r\n`, HOLDFAST_TOKEN_FILE: token };
    const { stderr } = await cli.run(['list'], { env });
    expect(stderr).toContain('"path":"/v1/secrets/acme/web-shop/dev/keys","authorization":"Bearer a-token"');
  } finally {
    await service.stop();
  }
});

it('login asks for the code at once where no browser can be opened', async () => {
  const started = cli.start(['login', '--url', gateway.url], { terminal: true });
  await started.until('No browser can be opened here.');
  await started.until('Code: ');
  started.child.stdin?.write('\u0003');
  expect((await started.ended).code).toBe(130);
  const failing = cli.start(['login', '--url', gateway.url], { terminal: true, env: { BROWSER: 'false' } });
  await failing.until('Code: ');
  failing.child.stdin?.write('\u0003');
  expect((await failing.ended).code).toBe(130);
});
