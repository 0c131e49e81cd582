import { randomUUID } from 'node:crypto';
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { fresh, shared, untilEnd } from '#test/support/fixtures.ts';
import { startReceiver } from '#test/support/receiver.ts';
import { testCertificate } from '#test/support/test-certificate.ts';
import { json, pullAnswer, pullBody, refusal, startServer } from '../sdk/scripted-server.ts';
import { buildCli, type Ending, failure } from './cli.ts';

let status = 200;

const me = (token: object) => ({
  user: { id: 'u', email: 'ada@example.com', name: 'Ada', emailVerified: true, isAdmin: false, createdAt: 'x' },
  organizations: [{ id: 'o-1', slug: 'acme', name: 'Acme', role: 'owner', plan: 'free' }],
  authentication: {
    method: 'token',
    token: { id: 't', name: 'ci', prefix: 'service_tok_ab', access: 'read', ...token },
  },
});
const [dev, production] = [
  { id: 'e-1', slug: 'dev' },
  { id: 'e-2', slug: 'production' },
];
const projects = [
  { id: 'p-1', slug: 'web-shop', name: 'Web Shop', environments: [dev, production] },
  { id: 'p-2', slug: 'ledger', name: 'Ledger', environments: [{ id: 'e-3', slug: 'dev' }] },
];
let limits: object = {};

const server = shared(() =>
  startServer((request, response) => {
    if (status !== 200) return refusal(status, 'unauthenticated')(request, response);
    if (request.path === '/v1/auth/me') return json(200, me(limits))(request, response);
    if (request.path === '/v1/projects/o-1') return json(200, { projects })(request, response);
    if (request.path.startsWith('/v1/projects/o-1/')) {
      const project = projects.find(({ slug }) => request.path.endsWith(`/${slug}`));
      return json(200, { project })(request, response);
    }
    return pullAnswer(3, { A: request.path, TOKEN: request.headers.authorization ?? 'none' })(request, response);
  }),
);
const cli = fresh(buildCli);
beforeEach(() => {
  status = 200;
  limits = {};
  server.requests.length = 0;
});

const place = { organization: 'acme', project: 'web-shop', environment: 'dev' };
const link = (changes: object = {}, folder = '') =>
  cli.file(`${folder}.holdfast.json`, JSON.stringify({ ...place, ...changes }));
const signedIn = { HOLDFAST_TOKEN: 'token-of-env' };
const pathOf = (stdout: string): string => JSON.parse(stdout).A;
const pull = (words: string[], env: Record<string, string> = {}, cwd = cli.home) =>
  cli.run(['pull', '--format', 'json', ...words], { env: { HOLDFAST_URL: server.url, ...signedIn, ...env }, cwd });

describe('a setting', () => {
  it('comes from the flag, the environment, the nearest file or the user’s settings, in this order', async () => {
    const own = { environment: 'user', project: 'user', organization: 'user', url: server.url };
    cli.file('.config/holdfast/settings.json', JSON.stringify(own));
    const env = { HOLDFAST_URL: '' };
    expect(pathOf((await pull([], { HOLDFAST_URL: server.url })).stdout)).toBe('/v1/secrets/user/user/user');
    expect(pathOf((await pull([], env)).stdout)).toBe('/v1/secrets/user/user/user');
    link({ environment: 'file' });
    expect(pathOf((await pull([], env)).stdout)).toBe('/v1/secrets/acme/web-shop/file');
    expect(pathOf((await pull([], { ...env, HOLDFAST_ENV: 'env' })).stdout)).toBe('/v1/secrets/acme/web-shop/env');
    const { stdout } = await pull(['-e', 'flag', '--org', 'o', '-p', 'p'], { ...env, HOLDFAST_ENV: 'env' });
    expect(pathOf(stdout)).toBe('/v1/secrets/o/p/flag');
    // Also before the command, where the nearer one wins.
    const words = ['-e', 'front', '--org', 'front', 'pull', '--format', 'json', '--org', 'near'];
    const front = await cli.run(words, { env: { HOLDFAST_URL: server.url, ...signedIn } });
    expect(pathOf(front.stdout)).toBe('/v1/secrets/near/web-shop/front');
  });

  it('is looked up as far as the root of the repository', async () => {
    link({ environment: 'outside' });
    const inner = join(cli.home, 'repository/packages/a');
    mkdirSync(inner, { recursive: true });
    expect((await pull(['--no-input', '-p', 'web-shop'], {}, inner)).code).toBe(2);
    mkdirSync(join(cli.home, 'repository/.git'));
    expect((await pull(['-p', 'web-shop'], {}, inner)).code).toBe(2);
    link({ environment: 'root' }, 'repository/');
    expect(pathOf((await pull([], {}, inner)).stdout)).toBe('/v1/secrets/acme/web-shop/root');
    link({ environment: 'nearer' }, 'repository/packages/');
    expect(pathOf((await pull([], {}, inner)).stdout)).toBe('/v1/secrets/acme/web-shop/nearer');
  });

  // Only root can create another user's files.
  describe.runIf(process.geteuid?.() === 0)('in a file of another user', () => {
    const [theirs, mine] = [4242, 4343];
    const owned = (path: string, user: number) => chownSync(join(cli.home, path), user, user);
    const asMe = (folder: string) => {
      const options = { cwd: join(cli.home, folder), user: mine };
      const env = { HOLDFAST_URL: server.url, ...signedIn };
      return cli.run(['pull', '--format', 'json', '--no-input'], { env, ...options });
    };
    const files = ['shared', 'shared/.git', 'shared/.holdfast.json'];
    const expectIgnored = ({ code, stderr }: Ending) => {
      expect([code, server.requests.filter(({ path }) => path.includes('/secrets/'))]).toEqual([2, []]);
      expect(stderr).toContain('shared/.holdfast.json was ignored: it or its repository belongs to another user');
    };
    beforeEach(() => {
      for (const path of [cli.home, dirname(cli.bundle)]) chmodSync(path, 0o755);
      mkdirSync(join(cli.home, 'shared/.git'), { recursive: true });
      mkdirSync(join(cli.home, 'shared/below'));
      link({ environment: 'theirs' }, 'shared/');
    });

    it('are ignored, in that user’s directory and in one’s own below it', async () => {
      for (const path of files) owned(path, theirs);
      owned('shared/below', mine);

      expectIgnored(await asMe('shared'));
      expectIgnored(await asMe('shared/below'));
      link({ environment: 'mine' }, 'shared/below/');
      owned('shared/below/.holdfast.json', mine);
      expect(pathOf((await asMe('shared/below')).stdout)).toBe('/v1/secrets/acme/web-shop/mine');
    });

    it.each(files)('are ignored if only %s is theirs, by root too', async path => {
      for (const own of [...files, 'shared/below']) owned(own, mine);
      expect(pathOf((await asMe('shared/below')).stdout)).toBe('/v1/secrets/acme/web-shop/theirs');
      owned(path, theirs);

      server.requests.length = 0;
      expectIgnored(await asMe('shared/below'));
      expectIgnored(await pull(['--no-input'], {}, join(cli.home, 'shared/below')));
    });

    it('count if that user is root, or for root in that user’s own directory', async () => {
      expect(pathOf((await asMe('shared/below')).stdout)).toBe('/v1/secrets/acme/web-shop/theirs');
      for (const path of [...files, 'shared/below']) owned(path, theirs);
      const { stdout } = await pull([], {}, join(cli.home, 'shared/below'));
      expect(pathOf(stdout)).toBe('/v1/secrets/acme/web-shop/theirs');
    });
  });

  it.each([
    ['{"organisation": "acme"}', /unknown member “organisation”.*organization/],
    ['{"organization": "acme", "project": "web-shop"}', /has no environment/],
    ['{"organization": "ACME", "project": "web-shop", "environment": "dev"}', /slug/],
    ['{"organization": 1, "project": "web-shop", "environment": "dev"}', /organization that is not a string/],
    ['{"organization": "acme"', /is not JSON/],
    ['[]', /is not an object/],
    ['{"organization": "..", "project": "web-shop", "environment": "dev"}', /slug/],
  ])('in the file %s is rejected, with the reason', async (text, reason) => {
    cli.file('.holdfast.json', text);
    expect(await pull([])).toEqual(failure(2, reason));
    expect(server.requests).toEqual([]);
  });

  it('defaults to what the token is limited to', async () => {
    limits = { organizationId: 'o-1', projectId: 'p-1', environmentId: 'e-2' };
    const { stdout, stderr } = await pull([]);
    expect(pathOf(stdout)).toBe('/v1/secrets/acme/web-shop/production');
    expect(stderr).toBe('');
    limits = { organizationId: 'o-1', projectId: 'p-2' };
    expect(pathOf((await pull([])).stdout)).toBe('/v1/secrets/acme/ledger/dev');
  });

  it('that is missing is asked for on a terminal, and reported otherwise', async () => {
    expect(await pull([])).toEqual(failure(2, /Several projects match: web-shop, ledger\.\n.*holdfast link/));
    const options = { env: { HOLDFAST_URL: server.url, ...signedIn } };
    const dialog: [string | RegExp, string][] = [
      ['Number or name', '1\r'],
      [/Which environment[\s\S]*Number or name/, 'production\r'],
    ];
    const { stdout } = await cli.converse(['pull', '--format', 'json'], dialog, options);
    expect(stdout).toContain('/v1/secrets/acme/web-shop/production');
    expect((await cli.converse(['pull', '--no-input'], [], options)).code).toBe(2);
  });
});

describe('an address in a committed file', () => {
  it('gets no token from the environment', async () => {
    link({ url: server.url });
    const unsent = /HOLDFAST_TOKEN is not sent to .*\n.*HOLDFAST_URL=/;
    expect(await pull([], { HOLDFAST_URL: '' })).toEqual(failure(3, unsent));
    const tokenFile = cli.file('token', 'token-of-file\n');
    expect((await pull([], { HOLDFAST_URL: '', HOLDFAST_TOKEN: '', HOLDFAST_TOKEN_FILE: tokenFile })).code).toBe(3);
    expect(server.requests).toEqual([]);
    expect(JSON.parse((await pull([])).stdout).TOKEN).toBe('Bearer token-of-env');
  });

  it('gets one if the user’s own settings name it too', async () => {
    link({ url: `${server.url}/v1` });
    cli.file('.config/holdfast/settings.json', JSON.stringify({ url: `${server.url}/` }));
    expect(JSON.parse((await pull([], { HOLDFAST_URL: '' })).stdout).TOKEN).toBe('Bearer token-of-env');
  });

  it('gets no token stored for another origin, including another port or scheme', async () => {
    link({ url: server.url });
    const kept = (origin: string) =>
      cli.file(cli.credentialsOf(origin), JSON.stringify({ origin, token: 'kept', handedOff: true }));
    const port = Number(new URL(server.url).port);
    const similar = [`http://127.0.0.1:${port + 1}`, `http://localhost:${port}`, `https://127.0.0.1:${port}`];
    for (const origin of [...similar, 'https://holdfast.example.com']) {
      kept(origin);
      expect((await pull([], { HOLDFAST_URL: '', HOLDFAST_TOKEN: '' })).code).toBe(3);
    }
    expect(server.requests).toEqual([]);
    kept(server.url);
    expect(JSON.parse((await pull([], { HOLDFAST_URL: '', HOLDFAST_TOKEN: '' })).stdout).TOKEN).toBe('Bearer kept');
  });

  it('gets no token from login --with-token, and never becomes the default', async () => {
    link({ url: server.url });
    expect((await cli.run(['login', '--with-token'], { input: 'a-token' })).code).toBe(2);
    expect(server.requests).toEqual([]);
    const path = cli.file('.config/holdfast/settings.json', JSON.stringify({ url: 'https://own.example.com' }));
    expect((await cli.run(['login', '--with-token', '--url', server.url], { input: 'a-token' })).code).toBe(0);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ url: server.url });
  });

  it('must be encrypted, except on this machine', async () => {
    expect(await pull([], { HOLDFAST_URL: 'http://holdfast.example.com' })).toEqual(failure(2, 'not encrypted'));
    expect(server.requests).toEqual([]);
    for (const url of ['ftp://x', 'https://user:pass@x', 'https://x?token=1', 'nonsense', 'https://x/#a']) {
      expect((await pull([], { HOLDFAST_URL: url })).code).toBe(2);
    }
  });

  it.each(['https://evil.example/;id', 'https://$(id).example', 'https://evil.example/a|b', "https://e.example/'&id"])(
    'can’t put a command into the hint to paste: %s',
    async url => {
      link({ url });
      for (const command of [['pull'], ['login', '--with-token']]) {
        const ended = await cli.run(command, { env: { HOLDFAST_TOKEN: 'a-token' }, input: 'a-token' });
        expect(ended).toEqual(failure(2, 'characters that shells treat specially'));
        expect(ended.stderr).not.toMatch(/HOLDFAST_URL=|--url http/);
      }
    },
  );
});

describe('a credential', () => {
  it('is read from the file that HOLDFAST_TOKEN_FILE names', async () => {
    link();
    const tokenFile = cli.file('token', 'token-of-file\n');
    const { stdout } = await pull([], { HOLDFAST_TOKEN: '', HOLDFAST_TOKEN_FILE: tokenFile });
    expect(JSON.parse(stdout).TOKEN).toBe('Bearer token-of-file');
    expect((await pull([], { HOLDFAST_TOKEN: '', HOLDFAST_TOKEN_FILE: '/no/such' })).code).toBe(3);
  });

  it('is stored by login for its owner only, with a message, and is used for its origin', async () => {
    const login = await cli.run(['login', '--with-token', '--url', server.url], { input: 'a-token\n' });
    expect(login).toMatchObject({ code: 0, stdout: '' });
    const path = join(cli.home, cli.credentialsOf(server.url));
    expect(login.stderr).toContain(`The token is stored in ${path}`);
    expect(login.stderr).not.toContain('a-token');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
    link();
    const { stdout } = await cli.run(['get', 'TOKEN']);
    expect(stdout).toBe('Bearer a-token');
    const status = await cli.run(['status', '--json']);
    expect(JSON.parse(status.stdout)).toMatchObject({
      url: { value: server.url, source: expect.stringContaining('settings.json') },
      project: { value: 'web-shop', source: join(cli.home, '.holdfast.json') },
      credential: { source: path },
    });
    expect(status.stdout).not.toContain('a-token');
    const sent = server.requests.length;
    await cli.run(['status']);
    expect(server.requests.length).toBe(sent);
  });

  it('that can’t be sent in a header exits with 3, reports its source, and is not repeated', async () => {
    link();
    for (const HOLDFAST_TOKEN of ['two words', 'tok\u00e9n']) {
      const ended = await pull([], { HOLDFAST_TOKEN });
      expect(ended).toEqual(failure(3, /^holdfast: HOLDFAST_TOKEN is not a token: [^\n]*\n$/));
      expect(ended.stderr).not.toContain(HOLDFAST_TOKEN);
    }
    const withFile = (path: string) => pull([], { HOLDFAST_TOKEN: '', HOLDFAST_TOKEN_FILE: path });
    expect(await withFile(cli.file('empty', '\n'))).toEqual(failure(3, 'holds no token'));
    expect(await withFile(cli.home)).toEqual(failure(3, 'can’t be read (EISDIR)'));
    const login = await cli.run(['login', '--with-token', '--url', server.url], { input: '\n' });
    expect(login).toEqual(failure(3, 'Standard input holds no token'));
    expect(server.requests).toEqual([]);
  });

  it('is stored for each of six services signed in to concurrently', async () => {
    const start = () => untilEnd(startServer(json(200, me(limits))));
    const services = await Promise.all(Array.from({ length: 6 }, start));
    const logins = await Promise.all(
      services.map(({ url }) => cli.run(['login', '--with-token', '--url', url], { input: 'a-token' })),
    );
    const users = await Promise.all(services.map(({ url }) => cli.run(['whoami', '--url', url])));
    expect(logins.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 0]);
    expect(new Set(users.map(({ stdout }) => stdout))).toEqual(new Set(['ada@example.com\n']));
  });

  it('that is rejected is reported with its source and a remedy', async () => {
    link();
    status = 401;
    expect((await pull([])).stderr).toMatch(
      /The token in HOLDFAST_TOKEN is unknown, expired or revoked\..*\nReplace it/,
    );
    const kept = { origin: server.url, token: 'kept', handedOff: true };
    cli.file(cli.credentialsOf(server.url), JSON.stringify(kept));
    expect((await pull([], { HOLDFAST_TOKEN: '' })).stderr).toMatch(/\nSign in: holdfast login\n$/);
    const login = await cli.run(['login', '--with-token', '--url', server.url], { input: 'bad', env: signedIn });
    expect(login.stderr).toContain('This token is unknown, expired or revoked; it was not stored.');
  });

  it('is read without an echo if login --with-token runs on a terminal', async () => {
    const words = ['login', '--with-token', '--url', server.url];
    const { code, stdout } = await cli.converse(words, [['Token: ', 'typed-token\r']]);
    expect([code, stdout]).toEqual([0, expect.not.stringContaining('typed-token')]);
    expect(readFileSync(join(cli.home, cli.credentialsOf(server.url)), 'utf8')).toContain('typed-token');
  });

  it('that the service rejects is not stored', async () => {
    status = 401;
    expect((await cli.run(['login', '--with-token', '--url', server.url], { input: 'bad' })).code).toBe(3);
    status = 200;
    expect((await cli.run(['whoami', '--url', server.url])).code).toBe(3);
  });

  it('is missing: the exit code is 3, and the message says what to do', async () => {
    link();
    expect(await cli.run(['list', '--url', server.url])).toEqual(failure(3, 'holdfast login'));
    expect((await cli.run(['list'])).code).toBe(2);
  });
});

describe('a proxy from the environment', () => {
  const connections: string[] = [];
  const secure = fresh(() =>
    startReceiver(
      (response, { path }) => {
        const isExchange = path === '/v1/auth/exchange';
        const issued = { token: 'service_tok_x', expiresAt: '2999-01-01T00:00:00.000Z', organizationId: randomUUID() };
        response.writeHead(isExchange ? 201 : 200, { 'content-type': 'application/json' });
        response.end(JSON.stringify(isExchange ? issued : pullBody(1, { A: 'by proxy' })));
      },
      { tls: true },
    ),
  );
  const proxy = fresh(async () => {
    const server = createServer((request, response) => {
      connections.push(`${request.method} ${request.url}`);
      response.writeHead(502).end();
    });
    server.on('connect', (request, socket) => {
      connections.push(`${request.method} ${request.url}`);
      const through = connect(secure.port, '127.0.0.1', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
      through.on('error', () => socket.destroy());
      socket.on('error', () => through.destroy());
      through.pipe(socket).pipe(through);
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const stop = () => {
      server.close();
      server.closeAllConnections();
    };
    return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop };
  });
  const env = fresh(() => ({
    HOLDFAST_ORG: 'acme',
    HOLDFAST_PROJECT: 'web-shop',
    HOLDFAST_ENV: 'dev',
    HTTPS_PROXY: proxy.address,
    HTTP_PROXY: proxy.address,
    NODE_EXTRA_CA_CERTS: cli.file('ca.pem', testCertificate),
  }));
  beforeEach(() => {
    connections.length = 0;
  });
  const away = { HOLDFAST_URL: 'https://receiver.example:4433' };

  it('is used for the service, but not for this machine', async () => {
    const { stdout, stderr } = await pull([], { ...env, ...away });
    expect([stderr, stdout]).toEqual(['', '{\n  "A": "by proxy"\n}\n']);
    expect(connections).toEqual(['CONNECT receiver.example:4433']);
    expect(pathOf((await pull([], env)).stdout)).toBe('/v1/secrets/acme/web-shop/dev');
    expect(connections).toHaveLength(1);
  });

  it('is used to sign in as an identity, even for the first request', async () => {
    const identity = { HOLDFAST_IDENTITY: randomUUID(), HOLDFAST_ID_TOKEN: 'a token of the platform' };
    const { code, stderr } = await cli.run(['whoami'], { env: { ...env, ...away, ...identity } });
    expect([code, stderr]).toEqual([0, '']);
    expect(connections).toEqual(['CONNECT receiver.example:4433']);
  });
});

describe('the offline cache', () => {
  const cached = { HOLDFAST_CACHE: '1' };
  const cacheFile = () => join(cli.home, '.cache/holdfast');
  const out = { HOLDFAST_URL: 'http://127.0.0.1:1' };

  beforeEach(() => {
    link();
  });

  it('is written only on request', async () => {
    await pull([]);
    expect(statSync(cacheFile(), { throwIfNoEntry: false })).toBeUndefined();
    await pull(['--cache']);
    expect(statSync(cacheFile()).mode & 0o777).toBe(0o700);
  });

  it('contains no value that can be read without the token', async () => {
    await pull([], cached);
    const [name = ''] = readdirSync(cacheFile());
    const path = join(cacheFile(), name);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const text = readFileSync(path, 'utf8');
    expect(text + name).not.toMatch(/web-shop|token-of-env|secrets/);
    expect((await pull(['--offline'], { HOLDFAST_TOKEN: 'another' })).code).toBe(8);
    const { revision, ...rest } = JSON.parse(text);
    for (const change of [{ revision: revision + 1 }, { at: rest.at + 1 }, { data: 'AAAA' }]) {
      cli.file(`.cache/holdfast/${name}`, JSON.stringify({ ...rest, revision, ...change }));
      expect((await pull(['--offline'])).code).toBe(8);
    }
    cli.file(`.cache/holdfast/${name}`, text);
    expect((await pull(['--offline'])).code).toBe(0);
  });

  it('lets pull and run work without a network, with one line of warning', async () => {
    const own = await startServer(pullAnswer(5, { A: 'kept' }));
    const env = { ...cached, HOLDFAST_URL: own.url };
    expect((await pull([], env)).stderr).toBe('');
    await own.stop();
    const { stdout, stderr, code } = await pull([], env);
    expect([JSON.parse(stdout).A, code]).toEqual(['kept', 0]);
    expect(stderr).toMatch(
      /^holdfast: the service does not respond; continuing with revision 5, pulled \d+ (?:seconds?|minutes?) ago\.\n$/,
    );
    const run = await cli.run(['run', 'sh', '-c', 'echo $A $HOLDFAST_REVISION'], { env: { ...env, ...signedIn } });
    expect(run).toMatchObject({ code: 0, stdout: 'kept 5\n' });
    expect((await pull(['--only', 'NOPE'], env)).code).toBe(5);
    expect((await pull([], { HOLDFAST_URL: own.url })).code).toBe(8);
  }, 240_000);

  it('is the only source with --offline', async () => {
    await pull([], cached);
    server.requests.length = 0;
    const { stdout } = await pull(['--offline']);
    expect([pathOf(stdout), server.requests.length]).toEqual(['/v1/secrets/acme/web-shop/dev', 0]);
    expect((await pull(['--offline', '-e', 'staging'])).code).toBe(8);
    expect((await pull(['--offline'], out)).code).toBe(8);
    expect((await pull(['--offline', '--revision', '1'])).code).toBe(2);
  });

  it.each([401, 403, 404])('is deleted once the service returns %i', async refused => {
    await pull([], cached);
    status = refused;
    expect((await pull([], cached)).code).toBe({ 401: 3, 403: 4, 404: 5 }[refused]);
    status = 200;
    expect((await pull(['--offline'])).code).toBe(8);
  });
});
