import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createProject, createToken, startApi } from '#test/support/api.ts';
import { fresh, shared } from '#test/support/fixtures.ts';
import { seedPerson } from '#test/support/people.ts';
import { buildCli, type StartedCli, variablesOf } from './cli.ts';

const api = shared(startApi);
const cli = fresh(buildCli);
const ada = fresh(() => seedPerson({ name: 'Ada' }));
const project = fresh(() => createProject(api, ada));
const environment = fresh(async () =>
  variablesOf(api.url, (await createToken(api, ada)).token, `${ada.organization.slug}/${project.slug}/dev`),
);

const holdfast = (words: string[], input?: string | Buffer) =>
  cli.run(words, { env: environment, ...(input === undefined ? {} : { input }) });

/** The address that the command line asks the user to open. */
const pageOf = (text: string): URL => new URL(/http:\S+\/authorize-cli\?\S+/.exec(text)?.[0] ?? '');

/** Does what the dashboard does once the user has confirmed: the first step, with the session. */
async function confirm(page: URL, more: Record<string, unknown> = {}): Promise<{ code: string; iss: string }> {
  const { searchParams: asked } = page;
  const answer = await api.post(
    '/auth/cli-auth',
    { codeChallenge: asked.get('code_challenge'), name: asked.get('name'), access: asked.get('access'), ...more },
    ada.session,
  );
  expect(answer.status).toBe(201);
  return answer.body;
}

/** The address that the dashboard then redirects the browser to. */
function callbackOf(page: URL, { code, iss }: { code: string; iss: string }, changes: [string, string][] = []): URL {
  const back = new URL(page.searchParams.get('redirect_uri') ?? '');
  const state = page.searchParams.get('state') ?? '';
  for (const [name, value] of [['code', code], ['iss', iss], ['state', state], ...changes] as const) {
    back.searchParams.append(name, value);
  }
  return back;
}

const tokens = async () =>
  (await api.get('/auth/tokens', ada.session)).body.tokens as { id: string; name: string; access: string }[];

/** Starts signing in, and returns the page address once it is printed. */
async function beginLogin(words: string[] = [], terminal = false): Promise<{ started: StartedCli; page: URL }> {
  const started = cli.start(['login', '--url', api.url, ...words], { terminal, env: { BROWSER: 'true' } });
  await started.until(/authorize-cli\?\S+\s/);
  return { started, page: pageOf(started.seen()) };
}

describe('the hand-off', () => {
  it('signs in through the browser, is used from then on, and is revoked by logout', async () => {
    const { started, page } = await beginLogin(['--access', 'write', '--name', 'laptop']);
    expect(page.origin).toBe(new URL(api.url).origin);
    expect(Object.fromEntries(page.searchParams)).toMatchObject({
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      redirect_uri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
      name: 'laptop',
      access: 'write',
    });
    const shown = await fetch(callbackOf(page, await confirm(page)));
    expect([shown.status, shown.headers.get('content-security-policy')]).toEqual([200, "default-src 'none'"]);
    expect(await shown.text()).toContain('has arrived');
    const { code, stdout, stderr } = await started.ended;
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toContain(`as ${ada.email}`);
    expect((await tokens()).map(({ name, access }) => [name, access])).toContainEqual(['laptop', 'write']);
    const kept = JSON.parse(readFileSync(join(cli.home, cli.credentialsOf(new URL(api.url).origin)), 'utf8'));
    expect(stderr).not.toContain(kept.token);
    expect((await cli.run(['whoami'])).stdout).toBe(`${ada.email}\n`);

    const out = await cli.run(['logout']);
    expect(out).toMatchObject({ code: 0, stderr: expect.stringContaining('revoked') });
    expect((await cli.run(['whoami'])).code).toBe(3);
    expect((await tokens()).map(({ name }) => name)).not.toContain('laptop');
  });

  it('accepts only the response it asked for', async () => {
    const { started, page } = await beginLogin();
    const redirect = page.searchParams.get('redirect_uri') ?? '';
    const state = page.searchParams.get('state') ?? '';
    const issued = await confirm(page);
    const { code } = issued;
    const statusOf = async (url: string, init?: RequestInit) => (await fetch(url, init)).status;
    expect(await statusOf(`${redirect}?code=${code}`)).toBe(400);
    expect(await statusOf(`${redirect}?code=${code}&state=${'x'.repeat(43)}`)).toBe(400);
    expect(await statusOf(`${redirect}?code=${code}&state=${state}`, { method: 'POST' })).toBe(400);
    expect(await statusOf(`${redirect.replace('/callback', '/')}?code=${code}&state=${state}`)).toBe(400);
    // A domain name of another site that resolves to this machine.
    const { request } = await import('node:http');
    const rebound = await new Promise<number | undefined>(resolve =>
      request(`${redirect}?code=${code}&state=${state}`, { headers: { host: 'evil.example' } }, ({ statusCode }) =>
        resolve(statusCode),
      ).end(),
    );
    expect(rebound).toBe(400);
    expect(await statusOf(callbackOf(page, issued).href)).toBe(200);
    expect((await started.ended).code).toBe(0);
    await expect(fetch(redirect)).rejects.toThrow();
  });

  it('exits with 3 if the person declines, or if the code belongs to another session', async () => {
    const first = await beginLogin();
    const state = first.page.searchParams.get('state') ?? '';
    await fetch(`${first.page.searchParams.get('redirect_uri')}?error=access_denied&state=${state}`);
    expect(await first.started.ended).toMatchObject({ code: 3, stderr: expect.stringContaining('denied') });
    const second = await beginLogin();
    const third = await beginLogin();
    const stolen = await confirm(third.page);
    await fetch(callbackOf(second.page, stolen));
    expect((await second.started.ended).code).not.toBe(0);
    third.started.child.kill();
    await third.started.ended;
    expect((await tokens()).filter(({ name }) => name.startsWith('holdfast on'))).toEqual([]);
  });

  it('accepts a pasted code without a browser, and does not echo it', async () => {
    const { started, page } = await beginLogin(['--no-browser'], true);
    expect(page.searchParams.has('redirect_uri')).toBe(false);
    const { code, iss } = await confirm(page);
    await started.until('Code: ');
    started.child.stdin?.write(`${code}~${Buffer.from(iss).toString('base64url')}\r`);
    const { code: exitCode } = await started.ended;
    expect(exitCode).toBe(0);
    expect(started.seen()).not.toContain(code);
    expect((await cli.run(['whoami'])).stdout).toBe(`${ada.email}\n`);
    const noTerminal = await cli.run(['login', '--no-browser', '--url', api.url]);
    expect(noTerminal).toMatchObject({ code: 2, stderr: expect.stringContaining('--with-token') });
  });

  it('redeems no code issued by another origin, or without an issuer', async () => {
    // A repository names this address, which redirects the browser to the genuine dashboard.
    const { createServer } = await import('node:http');
    const asked: string[] = [];
    const hostile = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.writeHead(302, { location: `${new URL(api.url).origin}${request.url}` }).end();
    });
    await new Promise<void>(resolve => hostile.listen(0, '127.0.0.1', resolve));
    const hostileUrl = `http://127.0.0.1:${(hostile.address() as { port: number }).port}`;
    try {
      const lured = cli.start(['login', '--url', hostileUrl], { env: { BROWSER: 'true' } });
      await lured.until(/authorize-cli\?\S+\s/);
      const page = pageOf(lured.seen());
      const issued = await confirm(page);
      await fetch(callbackOf(page, issued));
      const { code, stderr } = await lured.ended;
      expect(code).toBe(3);
      expect(stderr).toContain(`The code is for ${issued.iss}, not for ${hostileUrl}`);
      expect(asked).toEqual([]);

      const pasted = cli.start(['login', '--no-browser', '--url', hostileUrl], { terminal: true });
      await pasted.until(/authorize-cli\?\S+\s/);
      const second = await confirm(pageOf(pasted.seen()));
      await pasted.until('Code: ');
      pasted.child.stdin?.write(`${second.code}~${Buffer.from(second.iss).toString('base64url')}\r`);
      expect((await pasted.ended).code).toBe(3);
      expect(asked).toEqual([]);
    } finally {
      hostile.close();
    }
    const variants: ((page: URL, issued: { code: string; iss: string }) => URL)[] = [
      (page, issued) => callbackOf(page, issued, [['iss', issued.iss]]),
      (page, issued) => callbackOf(page, issued, [['iss', 'https://evil.example']]),
      (page, issued) => callbackOf(page, { ...issued, iss: 'https://$(id).example' }),
      (page, issued) => callbackOf(page, { ...issued, iss: '' }),
      (page, issued) => callbackOf(page, { ...issued, iss: `${issued.iss}.evil.example` }),
      (page, issued) => callbackOf(page, { ...issued, iss: `${issued.iss}/` }),
    ];
    for (const variant of variants) {
      const { started, page } = await beginLogin();
      await fetch(variant(page, await confirm(page)));
      const { code, stderr } = await started.ended;
      expect(code).toBe(3);
      expect(stderr).not.toContain('$(');
    }
    const { started, page } = await beginLogin(['--no-browser'], true);
    const { code: bare } = await confirm(page);
    await started.until('Code: ');
    started.child.stdin?.write(`${bare}\r`);
    expect((await started.ended).code).toBe(3);
    expect((await tokens()).filter(({ name }) => name.startsWith('holdfast on'))).toEqual([]);
  });

  it('with an address from the repository alone starts only after confirmation', async () => {
    cli.file('repository/.git', '');
    cli.file(
      'repository/.holdfast.json',
      JSON.stringify({ organization: 'acme', project: 'web-shop', environment: 'dev', url: api.url }),
    );
    const cwd = join(cli.home, 'repository');
    const unasked = await cli.run(['login'], { cwd, env: { BROWSER: 'true' } });
    expect(unasked).toMatchObject({ code: 2, stderr: expect.stringContaining('--url') });
    const asked = cli.start(['login', '--no-browser'], { cwd, terminal: true });
    await asked.until('Sign in there?');
    asked.child.stdin?.write('n\r');
    expect((await asked.ended).code).toBe(2);
    expect(asked.seen()).not.toContain('authorize-cli');
  });

  it('creates a token for a program, shown once on stdout', async () => {
    const words = ['tokens', 'create', 'pipeline', '--expires-in-days', '30', '-e', 'dev', '-p', project.slug];
    const started = cli.start(words, { env: { ...environment, BROWSER: 'true' } });
    await started.until(/authorize-cli\?\S+\s/);
    const page = pageOf(started.seen());
    expect(Object.fromEntries(page.searchParams)).toMatchObject({
      name: 'pipeline',
      access: 'read',
      environment: 'dev',
      expiresInDays: '30',
    });
    const code = await confirm(page, { organizationId: ada.organization.id, projectId: project.id });
    await fetch(callbackOf(page, code));
    const { stdout, code: exitCode } = await started.ended;
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^service_tok_\w+\n$/)]);
    const who = await cli.run(['whoami', '--json'], { env: { HOLDFAST_URL: api.url, HOLDFAST_TOKEN: stdout.trim() } });
    expect(JSON.parse(who.stdout).authentication.token).toMatchObject({ name: 'pipeline', projectId: project.id });
    // The token determines the project.
    const list = await cli.run(['envs'], { env: { HOLDFAST_URL: api.url, HOLDFAST_TOKEN: stdout.trim() } });
    expect(list.stdout).toContain('dev');
  });

  it('refers to the dashboard for listing and revoking other tokens', async () => {
    const shown = await holdfast(['tokens']);
    expect(shown.stderr).toContain('/account/tokens');
    const other = (await tokens())[0]?.id ?? '';
    await createToken(api, ada);
    const foreign = (await tokens()).find(({ id }) => id !== other)?.id ?? '';
    const own = JSON.parse((await holdfast(['whoami', '--json'])).stdout).authentication.token.id;
    const refused = await holdfast(['tokens', 'revoke', own === foreign ? other : foreign]);
    expect(refused).toMatchObject({ code: expect.toSatisfy((code: number) => code === 3 || code === 4) });
    expect((await holdfast(['tokens', 'revoke', 'current'])).code).toBe(0);
    expect((await holdfast(['tokens'])).code).toBe(3);
  });
});

describe('secrets', () => {
  const nasty = `'"\\ $HOME \`id\` #\n\r\t\u{1f642}\u2028\ufeffe\u0301`;

  it('are set from standard input, a file and a hidden prompt, and returned byte for byte', async () => {
    const set = await holdfast(['set', 'A'], nasty);
    expect([set.code, set.stdout]).toEqual([0, '']);
    expect(set.stderr).toMatch(/^A set, version 1; dev is at revision 1\.$/m);
    await holdfast(['set', 'B', '--from-file', cli.file('key.pem', 'with its line break\n')]);
    const typed = cli.start(['set', 'C'], { env: environment, terminal: true });
    await typed.until('Value of C: ');
    typed.child.stdin?.write('typed-secret\r');
    expect((await typed.ended).code).toBe(0);
    expect(typed.seen()).not.toContain('typed-secret');
    const pulled = await holdfast(['pull', '--json']);
    expect(JSON.parse(pulled.stdout)).toMatchObject({
      environment: 'dev',
      revision: 3,
      secrets: { A: nasty, B: 'with its line break\n', C: 'typed-secret' },
    });
    expect((await holdfast(['set', 'A', '--json', '--if-version', '0'], 'x')).code).toBe(6);
    expect((await holdfast(['set', 'A', '--if-revision', '1'], 'x')).code).toBe(6);
    expect((await holdfast(['set', 'D', '--from-file', '-'], Buffer.from([0xff, 0xfe]))).stderr).toContain('UTF-8');
    for (const bytes of [65_537, 12_000_000]) {
      const { code, stderr } = await holdfast(['set', 'D'], 'x'.repeat(bytes));
      expect([code, stderr]).toEqual([1, 'holdfast: The value of D must have at most 65536 bytes in UTF-8.\n']);
    }
    expect(JSON.parse((await holdfast(['set', 'A', '--json'], nasty)).stdout)).toMatchObject({
      changed: false,
      revision: 3,
    });
  });

  it('can’t be passed as arguments, and are not repeated in the error', async () => {
    for (const words of [
      ['set', 'A', 'hunter2'],
      ['set', 'A=hunter2'],
      ['set', 'A', '--value=hunter2'],
      ['set', 'A', '--', 'hunter2'],
      ['get', 'A', 'hunter2'],
    ]) {
      const { code, stdout, stderr } = await holdfast(words, '');
      expect([words, code]).toEqual([words, 2]);
      expect(stdout + stderr).not.toContain('hunter2');
    }
    expect(
      (await api.get(`/secrets/${ada.organization.slug}/${project.slug}/dev/keys`, ada.session)).body.keys,
    ).toEqual([]);
  });

  it('are listed, deleted and have a history', async () => {
    await holdfast(['set', 'A'], 'one-secret');
    await holdfast(['set', 'A'], 'two-secret');
    await holdfast(['set', 'B'], 'b');
    expect((await holdfast(['list'])).stdout).toMatch(/^A\t2\t\S+\t\S+@example\.com\nB\t1\t.*\n$/);
    expect((await holdfast(['history', 'A'])).stdout).not.toContain('secret');
    expect((await holdfast(['history', 'A', '--values'])).stdout).toMatch(
      /^2\t2\t.*"two-secret"\n1\t1\t.*"one-secret"\n$/,
    );
    const place = `/secrets/${ada.organization.slug}/${project.slug}/dev`;
    await api.post(`${place}/versions/A/destroy`, { versions: [1] }, ada.session);
    expect((await holdfast(['history', 'A'])).stdout).toMatch(/\n1\t1\t.*\tdestroyed\n$/);
    expect(await holdfast(['unset', 'A', 'NOPE'])).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/Not set in the first place: NOPE/),
    });
    expect((await holdfast(['unset', 'NOPE'])).code).toBe(5);
    expect(JSON.parse((await holdfast(['unset', 'B', '--json'])).stdout)).toMatchObject({
      deleted: ['B'],
      revision: 5,
    });
  });

  it('are written to a file completely, for its owner only, or not at all', async () => {
    await holdfast(['set', 'A'], 'a');
    const path = cli.file('out/.env', 'before', 0o644);
    expect((await holdfast(['pull', '-o', path])).stdout).toBe('');
    const { statSync, readdirSync } = await import('node:fs');
    expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual(['A=a\n', 0o600]);
    await holdfast(['set', 'B'], 'line\nbreak');
    await holdfast(['set', 'C'], 'all of \' " $x');
    const refused = await holdfast(['pull', '-f', 'docker', '-o', path]);
    expect([refused.code, refused.stdout]).toEqual([9, '']);
    expect(refused.stderr).toMatch(/B contains a line break/);
    const two = await holdfast(['pull', '-f', 'env']);
    expect([two.code, two.stdout]).toEqual([9, '']);
    expect(two.stderr).not.toContain('all of');
    expect([readFileSync(path, 'utf8'), readdirSync(join(path, '..'))]).toEqual(['A=a\n', ['.env']]);
    const folder = await holdfast(['pull', '--only', 'A', '-o', cli.home]);
    expect([folder.code, folder.stderr]).toEqual([1, expect.stringMatching(/can’t be written \(E\w+\)/)]);
    // If stdout is a file, it is appended to, not replaced or truncated.
    const log = cli.file('log', 'before\n');
    const script = `${process.execPath} ${cli.bundle} pull --only A -q -o /dev/stdout >> ${log}; echo after >> ${log}`;
    await promisify(execFile)('sh', ['-c', script], {
      env: { ...environment, HOME: cli.home, PATH: process.env.PATH },
    });
    expect(readFileSync(log, 'utf8')).toBe('before\nA=a\nafter\n');
    const asJson = JSON.parse(
      (await holdfast(['--json', 'pull', '--only', 'A', '-o', join(cli.home, 'no/such/file')])).stderr,
    );
    expect(asJson.error.code).toBe('not_written');
  });

  it('are masked on stderr for GitHub’s runner before they are printed', async () => {
    await holdfast(['set', 'A'], 'one\ntwo');
    const { stdout, stderr } = await holdfast(['pull', '--format', 'github', '-q']);
    expect(stderr).toBe('::add-mask::one\n::add-mask::two\n');
    expect(stdout).toMatch(/^A<<(ghadelimiter_[\w-]+)\none\ntwo\n\1\n$/);
  });
});

describe('the other commands', () => {
  it('list and create resources, and print the service’s own response with --json', async () => {
    expect((await holdfast(['orgs'])).stdout).toContain(ada.organization.slug);
    expect((await holdfast(['projects', 'create', 'Ledger', '--description', 'books'])).stdout).toBe('ledger\n');
    expect((await holdfast(['projects', 'create', 'Ledger', '--slug', 'ledger'])).code).toBe(6);
    expect((await holdfast(['projects'])).stdout).toMatch(/^ledger\tLedger\tdev /m);
    expect((await holdfast(['envs', 'create', 'Preview', '--type', 'development'])).stdout).toBe('preview\n');
    expect(
      JSON.parse((await holdfast(['envs', '--json'])).stdout).environments.map(({ slug }: { slug: string }) => slug),
    ).toContain('preview');
    const invited = await holdfast(['members', 'invite', 'bob@example.com', '--role', 'viewer', '--json']);
    expect(Object.keys(JSON.parse(invited.stdout))).toEqual(['invitation', 'mailed']);
    expect((await holdfast(['members'])).stdout).toMatch(/^bob@example\.com\t\tviewer\tinvited until/m);
    expect((await holdfast(['audit', '--limit', '2'])).stdout.trim().split('\n')).toHaveLength(2);
    expect(
      JSON.parse((await holdfast(['audit', '--action', 'project.created', '--json'])).stdout).entries.length,
    ).toBeGreaterThan(1);
    expect((await holdfast(['audit', '--org', 'not-mine'])).code).toBe(5);
  });

  it('check an environment against the template, and exit with 7 if it doesn’t match', async () => {
    await holdfast(['template', 'add', 'PORT', '--pattern', '\\d+', '--description', 'where it listens']);
    await holdfast(['template', 'add', 'EXTRA', '--no-required']);
    expect((await holdfast(['template'])).stdout).toBe('EXTRA\tno\t\t\nPORT\tyes\t\\d+\twhere it listens\n');
    const missing = await holdfast(['validate']);
    expect([missing.code, missing.stdout]).toEqual([7, 'missing PORT\n']);
    await holdfast(['set', 'PORT'], 'secret-port');
    const invalid = await holdfast(['validate', 'dev', '--json']);
    expect([invalid.code, JSON.parse(invalid.stdout).valid]).toEqual([7, false]);
    expect(invalid.stdout + invalid.stderr).not.toContain('secret-port');
    await holdfast(['set', 'PORT'], '80');
    expect((await holdfast(['validate'])).code).toBe(0);
    expect((await holdfast(['template', 'remove', 'PORT'])).code).toBe(0);
    expect((await holdfast(['template', 'remove', 'PORT'])).code).toBe(5);
  });

  it('are readable on a terminal: local times, and a hint if there is nothing yet', async () => {
    const onTerminal = async (words: string[]) => {
      const env = { ...environment, TZ: 'Asia/Tokyo', TERM: 'dumb' };
      return (await cli.start(words, { env, terminal: true }).ended).stdout.replaceAll('\r', '');
    };
    expect(await onTerminal(['list'])).toBe(
      'dev has no keys at revision 0. Begin: holdfast push .env, or holdfast set KEY\n',
    );
    expect(await onTerminal(['revisions'])).toBe('Nothing has changed dev yet.\n');
    expect(await onTerminal(['template'])).toContain('holdfast template add KEY');
    await holdfast(['set', 'A'], 'a');
    const { createdAt } = JSON.parse((await holdfast(['revisions', '--json'])).stdout).revisions[0];
    const inTokyo = new Date(Date.parse(createdAt) + 9 * 60 * 60 * 1000).toISOString().slice(0, 19).replace('T', ' ');
    expect(await onTerminal(['history', 'A'])).toMatch(new RegExp(`^VERSION .*\\n1 +1 +${inTokyo} `));
    expect(await onTerminal(['revisions'])).toMatch(/^REVISION .*\n1 +(?:just now|\d+ seconds? ago) /);
    expect((await holdfast(['revisions'])).stdout).toContain(`1\t${createdAt}\t`);
  });

  it('link a directory to an existing environment', async () => {
    const place = `${ada.organization.slug}/${project.slug}`;
    const env = { HOLDFAST_URL: api.url, HOLDFAST_TOKEN: environment.HOLDFAST_TOKEN ?? '' };
    expect((await cli.run(['link', `${place}/nope`], { env })).code).toBe(5);
    expect((await cli.run(['link', 'one/two'], { env })).code).toBe(2);
    expect((await cli.run(['link', `${place}/staging`], { env })).code).toBe(0);
    expect(JSON.parse(readFileSync(join(cli.home, '.holdfast.json'), 'utf8'))).toEqual({
      organization: ada.organization.slug,
      project: project.slug,
      environment: 'staging',
    });
    await cli.run(['set', 'A'], { env, input: 'of staging' });
    expect((await cli.run(['run', 'sh', '-c', 'echo $A'], { env })).stdout).toBe('of staging\n');
  });

  it('have an exit code for each kind of failure', async () => {
    const { token } = await createToken(api, ada, { access: 'read' });
    const readOnly = { ...environment, HOLDFAST_TOKEN: token };
    expect((await cli.run(['set', 'A'], { env: readOnly, input: 'x' })).code).toBe(4);
    expect((await cli.run(['list'], { env: { ...environment, HOLDFAST_TOKEN: 'service_tok_no' } })).code).toBe(3);
    expect((await cli.run(['list', '-e', 'nope'], { env: environment })).code).toBe(5);
    expect((await cli.run(['list'], { env: { ...environment, HOLDFAST_URL: 'http://127.0.0.1:1' } })).code).toBe(8);
    expect((await cli.run(['nonsense'], { env: environment })).code).toBe(2);
    const asJson = await cli.run(['list', '-e', 'nope', '--json'], { env: environment });
    expect(asJson.stdout).toBe('');
    expect(JSON.parse(asJson.stderr).error).toMatchObject({
      code: 'environment_not_found',
      requestId: expect.any(String),
    });
  });

  it('strip terminal control sequences from other people’s values', async () => {
    await holdfast(['set', 'A'], '\u001b[2J\u0007\u009b31m');
    const { stdout } = await holdfast(['history', 'A', '--values']);
    expect(stdout).not.toMatch(/[^\P{Cc}\t\n]/u);
    expect(stdout).toContain('"\\u001b[2J\\u0007\\u009b31m"');
  });
});
