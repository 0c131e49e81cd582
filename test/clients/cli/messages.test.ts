import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { findProgram } from '#clients/cli/src/run/find-program.ts';
import { errorOfFetch } from '#clients/sdk/src/errors.ts';
import { shared, untilEnd } from '#test/support/fixtures.ts';
import { startReceiver } from '#test/support/receiver.ts';
import { testCertificate } from '#test/support/test-certificate.ts';
import { json, startServer } from '../sdk/scripted-server.ts';
import { buildCli, failure, variablesOf } from './cli.ts';

const cli = shared(buildCli);
const gateway = shared(() =>
  startServer((_, response) => {
    response.writeHead(401, { 'content-type': 'text/html' }).end('<h1>Log in</h1>');
  }),
);
/** Behind a certificate of a private authority. */
const privately = shared(() => {
  const body = '{"error":{"code":"environment_not_found","message":"There is no such environment."}}';
  const headers = { 'content-type': 'application/json' };
  return startReceiver(response => response.writeHead(404, headers).end(body), { tls: true });
});

const settings = (url: string, more: Record<string, string> = {}) => ({ ...variablesOf(url, 'never-shown'), ...more });

describe('a message', () => {
  it('names the ways to trust a private authority, after one attempt', async () => {
    const untrusted = /its certificate is not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\)\.\n.*NODE_EXTRA_CA_CERTS=/;
    expect(await cli.run(['pull'], { env: settings(privately.url) })).toEqual(failure(8, untrusted));
    expect(privately.connections()).toBe(1);
  });

  it.each(['SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS'])('is of the service if %s names the authority', async name => {
    const env = settings(privately.url, { [name]: cli.file('ca.pem', `# ours\n${testCertificate}`) });
    expect(await cli.run(['pull'], { env })).toEqual(failure(5, 'There is no such environment.'));
  });

  it('does not blame the token for a web page of a gateway, in any command', async () => {
    for (const words of [['pull'], ['whoami']]) {
      const ended = await cli.run(words, { env: settings(gateway.url) });
      expect(ended).toEqual(failure(8, /gateway answered 401 with a web page.*\nYour token is not/));
    }
    const login = await cli.run(['login', '--with-token', '--url', gateway.url], { input: 'a-token' });
    expect(login.stderr).not.toContain('revoked');
  });

  it('advises no new token where the present one is accepted again after a sign-in', async () => {
    const message = 'Sign in with it in the dashboard; then they are accepted again.';
    const service = await untilEnd(startServer(json(403, { error: { code: 'provider_required', message } })));
    const ended = await cli.run(['whoami'], { env: settings(service.url) });
    expect(ended.stderr).toContain(message);
    expect(ended.stderr).not.toContain('holdfast login');
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
    const { stderr, status } = spawnSync('sh', ['-c', command], { encoding: 'utf8', env: settings(gateway.url) });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^holdfast: The current directory was deleted or moved\./);
  });

  it('on a PEM text in single quotes names what can hold it', async () => {
    const file = cli.file('.env', "KEY='-----BEGIN KEY-----\nnever-shown\n-----END KEY-----'\n");
    const pushed = await cli.run(['push', file], { env: settings(gateway.url) });
    expect(pushed).toEqual(failure(1, 'holdfast push --format json'));
    expect(pushed.stderr).not.toContain('never-shown');
  });
});

it('a file of another system may have a byte order mark, CRLF and blanks around its settings, its token and its address', async () => {
  const service = await untilEnd(
    startServer(({ headers, path }, response) => {
      const message = `got ${JSON.stringify({ path, authorization: headers.authorization })}`;
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { code: 'x', message } }));
    }),
  );
  const lines = ['\ufeff{"organization": "acme ",', '"project": "web-shop",', '"environment": " dev"}', ''];
  cli.file('.holdfast.json', lines.join('\r\n'));
  const token = cli.file('token', '\ufeff \r\na-token\r\n\r\n');
  const env = { HOLDFAST_URL: `\ufeff ${service.url}/v1/\r\n`, HOLDFAST_TOKEN_FILE: token };
  const { stderr } = await cli.run(['list'], { env });
  expect(stderr).toContain('"path":"/v1/secrets/acme/web-shop/dev/keys","authorization":"Bearer a-token"');
});

it('login asks for the code at once where no browser can be opened', async () => {
  const words = ['login', '--url', gateway.url];
  expect((await cli.converse(words, [[/No browser can be opened here\.[\s\S]*Code: /, '\u0003']])).code).toBe(130);
  expect((await cli.converse(words, [['Code: ', '\u0003']], { env: { BROWSER: 'false' } })).code).toBe(130);
});

describe('names the next step', () => {
  const shell = "holdfast run -- sh -c '…'";
  it.each([
    ['projects list', 'holdfast projects lists them'],
    ['orgs ls', 'holdfast orgs lists them'],
    ['members remove ada', 'in the dashboard'],
    ['projects creat x', 'Did you mean projects create?'],
    ['list prod', '-e prod'],
    ['push .env prod', '-e prod'],
    ['list never-shown', '-e ENVIRONMENT'],
    ['pull .env', 'holdfast pull -o .env'],
    ['list -c dev', 'Did you mean -e dev?'],
    ['run --config dev -- true', 'Did you mean -e dev?'],
    ['--config=dev list', 'Did you mean -e'],
    ['run --command x', shell],
    ['run -c x', shell],
    ['login --token never-shown', 'holdfast login --with-token'],
    ['login --token=never-shown', 'your shell’s history'],
    ['revoke', 'Did you mean tokens revoke?'],
    ['propose', '--propose after push'],
    ['approve x', 'Did you mean proposals approve?'],
    ['proposals new', '--propose after push'],
    ['proposals delete x', 'Did you mean proposals withdraw?'],
    ['auth login', 'Did you mean login?'],
    ['unlink', '.holdfast.json'],
    ['config get KEY', 'Did you mean get?'],
    ['compare', 'Did you mean diff?'],
    ['dashboard', 'holdfast status'],
    ['unst KEY', 'Did you mean unset?'],
    ['agent', /^(?![\s\S]*Did you mean)/],
    ['unpull', /^(?![\s\S]*Did you mean)/],
    ['restore 1 --at 2h', 'Name either a revision or a time, not both.'],
    ['restore dev@1', 'holdfast revisions'],
    ['restore --at today', 'its beginning is called yesterday. Expected a time'],
    ['restore --at noon', /Expected a time such as 2026-01-31T18:00, yesterday .* or an age/],
  ] as const)('after holdfast %s', async (words, step) => {
    const { code, stderr } = await cli.run(words.split(' '));
    expect([code, stderr]).toEqual([
      words.startsWith('run') ? 125 : 2,
      typeof step === 'string' ? expect.stringContaining(step) : expect.stringMatching(step),
    ]);
    expect(stderr).not.toContain('never-shown');
  });

  const refusing = (code: string, status: number) =>
    untilEnd(
      startServer((_, response) => {
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ error: { code, message: 'Said by the service.' } }));
      }),
    );

  it.each([
    ['unauthenticated', 401, 3, 'The token in HOLDFAST_TOKEN is unknown, expired or revoked.'],
    ['forbidden', 403, 4, 'Ask an owner, whom holdfast members shows'],
    ['plan_limit_exceeded', 403, 4, 'An administrator of the installation can raise it'],
    ['secret_not_found', 404, 5, 'holdfast list -p shop -e production'],
  ] as const)('after a refusal with %s', async (code, status, exit, step) => {
    const { url } = await refusing(code, status);
    const words = ['-p', 'shop', '-e', 'production', 'get', 'NOPE'];
    expect(await cli.run(words, { env: settings(url) })).toEqual(failure(exit, step));
  });

  it('after a command with a blank in its name', () => {
    expect(() => findProgram('echo $X', {})).toThrow(expect.objectContaining({ hint: expect.stringContaining(shell) }));
  });
});
