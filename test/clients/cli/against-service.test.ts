import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createToken } from '#test/support/api.ts';
import { untilEnd } from '#test/support/fixtures.ts';
import { seedPerson } from '#test/support/people.ts';
import { startReceiver } from '#test/support/receiver.ts';
import { join as joinOrganization } from '#test/support/sample-requests.ts';
import { failure, type StartedCli, variablesOf } from './cli.ts';
import { useShop } from './shop.ts';

const { api, cli, ada, project, environment, of, holdfast, onTerminal } = useShop();
const pageOf = (text: string): URL => new URL(/http:\S+\/authorize-cli\?\S+/.exec(text)?.[0] ?? '');

interface Issued {
  code: string;
  iss: string;
}

/** Does what the dashboard does once the user has confirmed: the first step, with the session. */
async function confirm({ searchParams }: URL, more: Record<string, unknown> = {}): Promise<Issued> {
  const { code_challenge: codeChallenge, name, access } = Object.fromEntries(searchParams);
  const answer = await api.post('/auth/cli-auth', { codeChallenge, name, access, ...more }, ada.session);
  expect(answer.status).toBe(201);
  return answer.body;
}

/** The address that the dashboard then redirects the browser to. */
function callbackOf(page: URL, { code, iss }: Issued): URL {
  const back = new URL(page.searchParams.get('redirect_uri') ?? '');
  const state = page.searchParams.get('state') ?? '';
  for (const [name, value] of Object.entries({ code, iss, state })) back.searchParams.append(name, value);
  return back;
}

const tokens = async () =>
  (await api.get('/auth/tokens', ada.session)).body.tokens as { id: string; name: string; access: string }[];

/** The code as the dashboard shows it to somebody who has to paste it. */
const pasted = ({ code, iss }: Issued) => `${code}~${Buffer.from(iss).toString('base64url')}\r`;

async function beginLogin(words: string[] = [], url = api.url): Promise<{ started: StartedCli; page: URL }> {
  const terminal = words.includes('--no-browser');
  const started = cli.start(['login', '--url', url, ...words], { terminal, env: { BROWSER: 'true' } });
  await started.until(/authorize-cli\?\S+\s/);
  return { started, page: pageOf(started.seen()) };
}

async function paste({ started }: { started: StartedCli }, text: string) {
  await started.until('Code: ');
  started.child.stdin?.write(text);
  return started.ended;
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
    expect(shown.status).toBe(200);
    expect(shown.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-\S+'; base-uri/,
    );
    expect(await shown.text()).toContain('has arrived');
    const { code, stdout, stderr } = await started.ended;
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toContain(`as ${ada.email}`);
    expect((await tokens()).map(({ name, access }) => [name, access])).toContainEqual(['laptop', 'write']);
    const kept = JSON.parse(readFileSync(join(cli.home, cli.credentialsOf(new URL(api.url).origin)), 'utf8'));
    expect(stderr).not.toContain(kept.token);
    expect((await cli.run(['whoami'])).stdout).toBe(`${ada.email}\n`);

    expect(await cli.run(['logout'])).toMatchObject({ code: 0, stderr: expect.stringContaining('revoked') });
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
    const headers = { host: 'evil.example' };
    const rebound = await new Promise<IncomingMessage>(resolve =>
      request(`${redirect}?code=${code}&state=${state}`, { headers }, resolve).end(),
    );
    expect(rebound.statusCode).toBe(400);
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
    await fetch(callbackOf(second.page, await confirm(third.page)));
    expect((await second.started.ended).code).not.toBe(0);
    third.started.child.kill();
    await third.started.ended;
    expect((await tokens()).filter(({ name }) => name.startsWith('holdfast on'))).toEqual([]);
  });

  it('accepts a pasted code without a browser, and does not echo it', async () => {
    const begun = await beginLogin(['--no-browser']);
    expect(begun.page.searchParams.has('redirect_uri')).toBe(false);
    const issued = await confirm(begun.page);
    expect(await paste(begun, pasted(issued))).toMatchObject({
      code: 0,
      stdout: expect.not.stringContaining(issued.code),
    });
    expect((await cli.run(['whoami'])).stdout).toBe(`${ada.email}\n`);
    expect(await cli.run(['login', '--no-browser', '--url', api.url])).toEqual(failure(2, '--with-token'));
  });

  it('redeems no code issued by another origin, or without an issuer', async () => {
    // A repository names this address, which redirects the browser to the genuine dashboard.
    const hostile = await untilEnd(
      startReceiver((response, { path }) =>
        response.writeHead(302, { location: `${new URL(api.url).origin}${path}` }).end(),
      ),
    );
    const lured = await beginLogin([], hostile.url);
    const issued = await confirm(lured.page);
    await fetch(callbackOf(lured.page, issued));
    expect(await lured.started.ended).toMatchObject({
      code: 3,
      stderr: expect.stringContaining(`The code is for ${issued.iss}, not for ${hostile.url}`),
    });
    const pasting = await beginLogin(['--no-browser'], hostile.url);
    expect((await paste(pasting, pasted(await confirm(pasting.page)))).code).toBe(3);
    expect(hostile.received).toEqual([]);
    const { iss } = issued;
    // Two issuers are rejected even if both are the right one.
    const twice = [iss, 'https://evil.example'].map(second => [iss, second]);
    const others = ['https://$(id).example', '', `${iss}.evil.example`, `${iss}/`].map(other => [other]);
    for (const [first = '', ...more] of [...twice, ...others]) {
      const { started, page } = await beginLogin();
      const callback = callbackOf(page, { ...(await confirm(page)), iss: first });
      for (const second of more) callback.searchParams.append('iss', second);
      await fetch(callback);
      expect(await started.ended).toMatchObject({ code: 3, stderr: expect.not.stringContaining('$(') });
    }
    const bare = await beginLogin(['--no-browser']);
    await bare.started.until('Code: ');
    bare.started.child.stdin?.write(`${(await confirm(bare.page)).code}\r`);
    await bare.started.until('not the whole code');
    bare.started.child.stdin?.write('\r');
    expect((await bare.started.ended).code).toBe(3);
    expect((await tokens()).filter(({ name }) => name.startsWith('holdfast on'))).toEqual([]);
  });

  it('with an address from the repository alone starts only after confirmation', async () => {
    cli.file('repository/.git', '');
    const place = { organization: 'acme', project: 'web-shop', environment: 'dev' };
    cli.file('repository/.holdfast.json', JSON.stringify({ ...place, url: api.url }));
    const cwd = join(cli.home, 'repository');
    expect(await cli.run(['login'], { cwd, env: { BROWSER: 'true' } })).toEqual(failure(2, '--url'));
    const asked = await cli.converse(['login', '--no-browser'], [['Sign in there?', 'n\r']], { cwd });
    expect(asked).toMatchObject({ code: 2, stdout: expect.not.stringContaining('authorize-cli') });
  });

  it('creates a token for a program, shown once on stdout', async () => {
    const words = ['tokens', 'create', 'pipeline', '--expires-in-days', '30', '-e', 'dev', '-p', project.slug];
    const started = cli.start(words, { env: { ...environment, BROWSER: 'true' } });
    await started.until(/authorize-cli\?\S+\s/);
    const page = pageOf(started.seen());
    const limits = { name: 'pipeline', access: 'read', environment: 'dev', expiresInDays: '30' };
    expect(Object.fromEntries(page.searchParams)).toMatchObject(limits);
    const code = await confirm(page, { organizationId: ada.organization.id, projectId: project.id });
    await fetch(callbackOf(page, code));
    const { stdout, code: exitCode } = await started.ended;
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^service_tok_\w+\n$/)]);
    const env = { HOLDFAST_URL: api.url, HOLDFAST_TOKEN: stdout.trim() };
    const who = await cli.run(['whoami', '--json'], { env });
    expect(JSON.parse(who.stdout).authentication.token).toMatchObject({ name: 'pipeline', projectId: project.id });
    // The token determines the project.
    expect((await cli.run(['envs'], { env })).stdout).toContain('dev');
  });

  it('refers to the dashboard for listing and revoking other tokens', async () => {
    expect((await holdfast(['tokens'])).stderr).toContain('/account/tokens');
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
    expect(set.stderr).toMatch(/^A set, 2 lines, version 1; dev is at revision 1\.$/m);
    await holdfast(['set', 'B', '--from-file', cli.file('key.pem', 'with its line break\n')]);
    const typed = await cli.converse(['set', 'C'], [['Value of C: ', 'typed-secret\r']], { env: environment });
    expect(typed).toMatchObject({ code: 0, stdout: expect.not.stringContaining('typed-secret') });
    const secrets = { A: nasty, B: 'with its line break\n', C: 'typed-secret' };
    const pulled = await holdfast(['pull', '--json']);
    expect(JSON.parse(pulled.stdout)).toMatchObject({ environment: 'dev', revision: 3, secrets });
    expect((await holdfast(['set', 'A', '--json', '--if-version', '0'], 'x')).code).toBe(6);
    expect((await holdfast(['set', 'A', '--if-revision', '1'], 'x')).code).toBe(6);
    expect((await holdfast(['set', 'D', '--from-file', '-'], Buffer.from([0xff, 0xfe]))).stderr).toContain('UTF-8');
    for (const bytes of [65_537, 12_000_000]) {
      const { code, stderr } = await holdfast(['set', 'D'], 'x'.repeat(bytes));
      expect([code, stderr]).toEqual([1, 'holdfast: The value of D must have at most 65536 bytes in UTF-8.\n']);
    }
    const again = await holdfast(['set', 'A', '--json'], nasty);
    expect(JSON.parse(again.stdout)).toMatchObject({ changed: false, revision: 3 });
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
    expect((await of().keys()).keys).toEqual([]);
  });

  it('are listed, deleted and have a history', async () => {
    await holdfast(['set', 'A'], 'one-secret');
    await holdfast(['set', 'A'], 'two-secret');
    await holdfast(['set', 'B'], 'b');
    expect((await holdfast(['list'])).stdout).toMatch(/^A\t2\t\S+\t\S+@example\.com\nB\t1\t.*\n$/);
    expect((await holdfast(['history', 'A'])).stdout).not.toContain('secret');
    const { stdout } = await holdfast(['history', 'A', '--values']);
    expect(stdout).toMatch(/^2\t2\t.*"two-secret"\n1\t1\t.*"one-secret"\n$/);
    const place = `/secrets/${ada.organization.slug}/${project.slug}/dev`;
    await api.post(`${place}/versions/A/destroy`, { versions: [1] }, ada.session);
    expect((await holdfast(['history', 'A'])).stdout).toMatch(/\n1\t1\t.*\tdestroyed\n$/);
    const unset = await holdfast(['unset', 'A', 'NOPE']);
    expect([unset.code, unset.stderr]).toEqual([0, expect.stringContaining('Not set in the first place: NOPE')]);
    expect((await holdfast(['unset', 'NOPE'])).code).toBe(5);
    const asJson = await holdfast(['unset', 'B', '--json']);
    expect(JSON.parse(asJson.stdout)).toMatchObject({ deleted: ['B'], revision: 5 });
  });

  it('are written to a file completely, for its owner only, or not at all', async () => {
    await holdfast(['set', 'A'], 'a');
    const path = cli.file('out/.env', 'before', 0o644);
    expect((await holdfast(['pull', '-o', path])).stdout).toBe('');
    expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual(['A=a\n', 0o600]);
    await holdfast(['set', 'B'], 'line\nbreak');
    await holdfast(['set', 'C'], 'all of \' " $x');
    expect(await holdfast(['pull', '-f', 'docker', '-o', path])).toEqual(failure(9, 'B contains a line break'));
    expect(await holdfast(['pull', '-f', 'env'])).toEqual(failure(9, /^(?!.*all of ')/s));
    expect([readFileSync(path, 'utf8'), readdirSync(join(path, '..'))]).toEqual(['A=a\n', ['.env']]);
    expect(await holdfast(['pull', '--only', 'A', '-o', cli.home])).toEqual(failure(1, /can’t be written \(E\w+\)/));
    // If stdout is a file, it is appended to, not replaced or truncated.
    const log = cli.file('log', 'before\n');
    const script = `${process.execPath} ${cli.bundle} pull --only A -q -o /dev/stdout >> ${log}; echo after >> ${log}`;
    const env = { ...environment, HOME: cli.home, PATH: process.env.PATH };
    await promisify(execFile)('sh', ['-c', script], { env });
    expect(readFileSync(log, 'utf8')).toBe('before\nA=a\nafter\n');
    const nowhere = await holdfast(['--json', 'pull', '--only', 'A', '-o', join(cli.home, 'no/such/file')]);
    expect(JSON.parse(nowhere.stderr).error.code).toBe('not_written');
  });

  it('are masked on stderr for GitHub’s runner before they are printed', async () => {
    await holdfast(['set', 'A'], 'one\ntwo');
    expect(await holdfast(['pull', '--format', 'github', '-q'])).toMatchObject({
      stdout: expect.stringMatching(/^A<<(ghadelimiter_[\w-]+)\none\ntwo\n\1\n$/),
      stderr: '::add-mask::one\n::add-mask::two\n',
    });
  });
});

describe('values that name other keys', () => {
  const url = 'postgres://app:\u0024{PASSWORD}@db';

  it('are set with --expand, and without it stay as they are', async () => {
    await holdfast(['set', 'PASSWORD'], 's3cret');
    expect((await holdfast(['set', 'URL', '--expand'], url)).code).toBe(0);
    await holdfast(['set', 'PLAIN'], url);
    const { secrets } = JSON.parse((await holdfast(['pull', '--json'])).stdout);
    expect(secrets).toEqual({ PASSWORD: 's3cret', URL: 'postgres://app:s3cret@db', PLAIN: url });
    expect((await holdfast(['get', 'URL'])).stdout).toContain('postgres://app:s3cret@db');
    const again = await holdfast(['set', 'URL', '--expand', '--json'], url);
    expect(JSON.parse(again.stdout)).toMatchObject({ changed: false });
  });

  it('are refused with what is wrong, and keep what they name', async () => {
    const missing = await holdfast(['set', 'URL', '--expand'], url);
    expect([missing.code, missing.stderr]).toEqual([
      1,
      expect.stringContaining('names PASSWORD, which does not exist'),
    ]);
    await holdfast(['set', 'PASSWORD'], 's3cret');
    await holdfast(['set', 'URL', '--expand'], url);
    const removed = await holdfast(['unset', 'PASSWORD']);
    expect(removed.code).not.toBe(0);
    expect(removed.stderr).toContain('because the value of URL names it');
    expect((await holdfast(['set', 'A', '--expand', '--generate', '32'])).code).toBe(2);
    const proposed = await holdfast(['set', 'OTHER', '--expand', '--propose', '--json'], url);
    expect(JSON.parse(proposed.stdout).proposal).toMatchObject({ created: ['OTHER'], expand: ['OTHER'] });
  });
});

describe('a file that was pulled where values name other keys', () => {
  const url = 'postgres://app:\u0024{PASSWORD}@db';
  const prepared = async () => {
    await holdfast(['set', 'PASSWORD'], 's3cret');
    await holdfast(['set', 'URL', '--expand'], url);
    return (await holdfast(['pull', '-f', 'dotenv'])).stdout;
  };

  it('is pushed without a change of them', async () => {
    const text = await prepared();
    const again = await holdfast(['push', '-', '--json'], text);
    expect(JSON.parse(again.stdout)).toMatchObject({ created: [], updated: [], unchanged: ['PASSWORD', 'URL'] });
    const more = await holdfast(['push', '-', '--prune', '--json', '--message', 'more'], `${text}MORE=1\n`);
    expect(JSON.parse(more.stdout)).toMatchObject({ created: ['MORE'], updated: [] });
    expect(more.stderr).not.toContain('plain');
    await holdfast(['set', 'PASSWORD'], 'next');
    expect((await holdfast(['get', 'URL'])).stdout).toContain('postgres://app:next@db');
  });

  it('makes one plain text only with a warning that names it, which diff gives too', async () => {
    const text = (await prepared()).replace('@db', '@other');
    const warning = expect.stringContaining('URL: names other keys, and becomes plain text.');
    const [diff, pushed] = [await holdfast(['diff', '-'], text), await holdfast(['push', '-'], text)];
    expect([diff, pushed]).toMatchObject([
      { code: 0, stderr: warning },
      { code: 0, stderr: warning },
    ]);
    expect(pushed.stderr).not.toContain('s3cret');
    await holdfast(['set', 'PASSWORD'], 'next');
    expect((await holdfast(['get', 'URL'])).stdout).toContain('postgres://app:s3cret@other');
    expect((await holdfast(['push', '-'], text)).stderr).not.toContain('plain');
  });
});

it('a file is pushed by a developer who may not read the environment', async () => {
  const alan = await seedPerson();
  await joinOrganization(api, ada, alan, 'developer');
  const { token } = await createToken(api, alan, { organizationId: ada.organization.id });
  const production = variablesOf(api.url, token, `${ada.organization.slug}/${project.slug}/production`);
  await of('production').import({ A: '1' });
  const pulled = await holdfast(['pull'], undefined, production);
  const pushed = await holdfast(['push', '-'], 'A=2\n', production);
  expect([pulled.code, pushed.code]).toEqual([4, 0]);
  expect((await of('production').pull()).require('A')).toBe('2');
});

describe('the other commands', () => {
  it('list and create resources, and print the service’s own response with --json', async () => {
    expect((await holdfast(['orgs'])).stdout).toContain(ada.organization.slug);
    expect((await holdfast(['projects', 'create', 'Ledger', '--description', 'books'])).stdout).toBe('ledger\n');
    expect((await holdfast(['projects', 'create', 'Ledger', '--slug', 'ledger'])).code).toBe(6);
    expect((await holdfast(['projects'])).stdout).toMatch(/^ledger\tLedger\tdev /m);
    expect((await holdfast(['envs', 'create', 'Preview', '--type', 'development'])).stdout).toBe('preview\n');
    const { environments } = JSON.parse((await holdfast(['envs', '--json'])).stdout);
    expect(environments).toContainEqual(expect.objectContaining({ slug: 'preview' }));
    const invited = await holdfast(['members', 'invite', 'bob@example.com', '--role', 'viewer', '--json']);
    expect(Object.keys(JSON.parse(invited.stdout))).toEqual(['invitation', 'mailed']);
    expect((await holdfast(['members'])).stdout).toMatch(/^bob@example\.com\t\tviewer\tinvited until/m);
    const alan = await seedPerson();
    await joinOrganization(api, ada, alan, 'viewer');
    const roles = ['members', 'projects', alan.email, '--in', 'ledger=admin', '--limited'];
    expect((await holdfast(roles)).stderr).toContain('viewer in the organization; projects: only ledger: admin');
    expect((await holdfast(['members'])).stdout).toMatch(new RegExp(`^${alan.email}\t.*\tonly ledger: admin$`, 'm'));
    expect((await holdfast([...roles.slice(0, 3), '--in', 'nowhere=admin'])).code).toBe(5);
    expect((await holdfast([...roles.slice(0, 3), '--in', 'ledger=owner'])).code).toBe(2);
    await holdfast([...roles.slice(0, 3), '--clear']);
    const { member } = JSON.parse((await holdfast([...roles.slice(0, 3), '--json'])).stdout);
    expect(member).toMatchObject({ role: 'viewer', limited: false, projectRoles: [] });
    expect((await holdfast(['audit', '--limit', '2'])).stdout.trim().split('\n')).toHaveLength(2);
    const created = await holdfast(['audit', '--action', 'project.created', '--json']);
    expect(JSON.parse(created.stdout).entries.length).toBeGreaterThan(1);
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

  it('describe keys in the template, and list those with a tag and those that are due', async () => {
    await holdfast(['set', 'API_KEY'], 'canary-of-due');
    await holdfast(['template', 'add', 'API_KEY']);
    const words = ['template', 'set', 'API_KEY', '--max-age', '10d', '--tag', 'payments', '--tag', 'mail'];
    const described = await holdfast([...words, '--renew-url', 'https://example.com/keys', '--json']);
    expect(JSON.parse(described.stdout).templateKey).toMatchObject({ maxAgeDays: 10, tags: ['payments', 'mail'] });
    const due = await holdfast(['due', '--exit-code']);
    expect([due.code, due.stdout]).toEqual([
      7,
      expect.stringMatching(/API_KEY\t.*\/dev\t1\thttps:\/\/example.com\/keys\n$/),
    ]);
    const rotating = await holdfast(['due', '--format', 'rotate']);
    expect([rotating.code, rotating.stdout, rotating.stderr]).toEqual([
      0,
      expect.stringMatching(/^[^/\t]+\/dev\/API_KEY\n$/),
      '',
    ]);
    expect((await holdfast(['due', '--format', 'rotate', '--json'])).code).toBe(2);
    const none = await holdfast(['due', '--within', '5d', '--format', 'rotate']);
    expect([none.stdout, none.stderr]).toEqual(['', 'Nothing is due within 5 days.\n']);
    expect((await holdfast(['due', '--within', '5d', '--exit-code'])).code).toBe(0);
    expect((await holdfast(['due', '--mine'])).stdout).toBe('');
    expect((await holdfast(['list', '--tag', 'payments'])).stdout).toMatch(/^API_KEY\t1\t/);
    expect((await holdfast(['list', '--tag', 'other'])).stdout).toBe('');
    expect((await holdfast(['template', 'set', 'API_KEY', '--max-age', 'none'])).code).toBe(0);
    expect((await holdfast(['due', '--exit-code'])).code).toBe(0);
    const owned = await holdfast(['template', 'set', 'API_KEY', '--owner', ada.email.toUpperCase(), '--json']);
    expect(JSON.parse(owned.stdout).templateKey.owner).toBe(ada.user.id);
    const unknown = await holdfast(['template', 'set', 'API_KEY', '--owner', 'nobody@example.com']);
    expect(unknown).toEqual(failure(5, /No member has the address/));
    expect((await holdfast(['template', 'set', 'API_KEY'])).code).toBe(2);
    expect((await holdfast(['due', '--within', '30'])).code).toBe(2);
  });

  it('turn comments above keys into descriptions and write them back, but never what was commented out', async () => {
    const text =
      '# Where the mail goes.\n# Ask Ada.\nMAIL_HOST=mail\n\n# OLD_TOKEN=canary-of-comments\nTOKEN=new\nPLAIN=1\n';
    expect((await holdfast(['push', '-', '--describe'], text)).code).toBe(0);
    const { keys } = JSON.parse((await holdfast(['template', '--json'])).stdout);
    expect(keys).toEqual([
      expect.objectContaining({ key: 'MAIL_HOST', required: false, description: 'Where the mail goes.\nAsk Ada.' }),
    ]);
    const pulled = await holdfast(['pull', '-f', 'dotenv', '--comments', '--only', 'MAIL_HOST,PLAIN']);
    expect(pulled.stdout).toBe('# Where the mail goes.\n# Ask Ada.\nMAIL_HOST=mail\nPLAIN=1\n');
    expect((await holdfast(['pull', '-f', 'json', '--comments'])).code).toBe(2);
  });

  it('never describe a key with a line of a value, nor cut a description within a character', async () => {
    const secret = 'CERT="one\n# canary-of-lines\nNEXT=two"\nNEXT=plain\n';
    const refused = await holdfast(['push', '-', '--describe'], secret);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('looks like a comment')]);
    expect((await holdfast(['list'])).stdout).toBe('');
    const long = `${'a'.repeat(999)}🙂`;
    expect((await holdfast(['push', '-', '--describe'], `# ${long}🙂\nNEXT=plain\n`)).code).toBe(0);
    const { keys } = JSON.parse((await holdfast(['template', '--json'])).stdout);
    expect(keys).toEqual([expect.objectContaining({ key: 'NEXT', description: long })]);
  });

  it('are readable on a terminal: local times, and a hint if there is nothing yet', async () => {
    const shown = async (...words: string[]) => (await onTerminal(words, { TZ: 'Asia/Tokyo' })).stdout;
    expect(await shown('list')).toBe('dev has no keys at revision 0. Begin: holdfast push .env, or holdfast set KEY\n');
    expect(await shown('revisions')).toBe('Nothing has changed dev yet.\n');
    expect(await shown('template')).toContain('holdfast template add KEY');
    await holdfast(['set', 'A'], 'a');
    const { createdAt } = JSON.parse((await holdfast(['revisions', '--json'])).stdout).revisions[0];
    const inTokyo = new Date(Date.parse(createdAt) + 9 * 60 * 60 * 1000).toISOString().slice(0, 19).replace('T', ' ');
    expect(await shown('history', 'A')).toMatch(new RegExp(`^VERSION .*\\n1 +1 +${inTokyo} `));
    expect(await shown('revisions')).toMatch(/^REVISION .*\n1 +(?:just now|\d+ seconds? ago) /);
    expect((await holdfast(['revisions'])).stdout).toContain(`1\t${createdAt}\t`);
  });

  it('link a directory to an existing environment', async () => {
    const place = `${ada.organization.slug}/${project.slug}`;
    const env = { HOLDFAST_URL: api.url, HOLDFAST_TOKEN: environment.HOLDFAST_TOKEN ?? '' };
    expect((await cli.run(['link', `${place}/nope`], { env })).code).toBe(5);
    expect((await cli.run(['link', 'one/two'], { env })).code).toBe(2);
    expect((await cli.run(['link', `${place}/staging`], { env })).code).toBe(0);
    const linked = { organization: ada.organization.slug, project: project.slug, environment: 'staging' };
    const url = new URL(api.url).origin;
    expect(JSON.parse(readFileSync(join(cli.home, '.holdfast.json'), 'utf8'))).toEqual({ ...linked, url });
    await cli.run(['set', 'A'], { env, input: 'of staging' });
    expect((await cli.run(['run', 'sh', '-c', 'echo $A'], { env })).stdout).toBe('of staging\n');
  });

  it('have an exit code for each kind of failure', async () => {
    const { token } = await createToken(api, ada, { access: 'read' });
    expect((await holdfast(['set', 'A'], 'x', { HOLDFAST_TOKEN: token })).code).toBe(4);
    expect((await holdfast(['list'], '', { HOLDFAST_TOKEN: 'service_tok_no' })).code).toBe(3);
    expect((await holdfast(['list', '-e', 'nope'])).code).toBe(5);
    expect((await holdfast(['list'], '', { HOLDFAST_URL: 'http://127.0.0.1:1' })).code).toBe(8);
    expect((await holdfast(['nonsense'])).code).toBe(2);
    const { stdout, stderr } = await holdfast(['list', '-e', 'nope', '--json']);
    const error = { code: 'environment_not_found', requestId: expect.any(String) };
    expect([stdout, JSON.parse(stderr).error]).toEqual(['', expect.objectContaining(error)]);
  });

  it('strip terminal control sequences from other people’s values', async () => {
    await holdfast(['set', 'A'], '\u001b[2J\u0007\u009b31m');
    const { stdout } = await holdfast(['history', 'A', '--values']);
    expect(stdout).not.toMatch(/[^\P{Cc}\t\n]/u);
    expect(stdout).toContain('"\\u001b[2J\\u0007\\u009b31m"');
  });
});
