import { readdirSync, readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { shared, untilEnd } from '#test/support/fixtures.ts';
import { startReceiver } from '#test/support/receiver.ts';
import { inTurn, json, type Respond, refusal, startServer } from '../../sdk/scripted-server.ts';
import { type Ending, variablesOf } from '../cli.ts';
import { busybox, type Image, makeBusyboxImage, makeShellImage, pathOf, type Shell, shells } from './image.ts';

const token = 'service_tok_NeverShown';
const assertion = 'eyJNeverShown.payload.signature';
const value = `never-shown'"\\ $(echo x)\nsecond-line-never-shown`;
const secret = /NeverShown|never-shown|payload\.signature/;
let pull: Respond;
let redirect: string | undefined;
const plain = { 'content-type': 'text/plain; charset=utf-8', etag: '"7"' };
const text = (body: string, headers: Record<string, string> = {}, status = 200): Respond => {
  const all = { ...plain, 'content-length': Buffer.byteLength(body), ...headers };
  return (_, response) => void response.writeHead(status, all).end(body);
};
const exported = (values: Record<string, string>) =>
  Object.entries(values)
    .map(([key, one]) => `export ${key}='${one.replaceAll("'", "'\\''")}'\n`)
    .join('');

/** Where a service may redirect to. */
const elsewhere = shared(() => startServer(text(exported({ A: 'of another' }))));
const exchange = json(201, { token, expiresAt: '2026-01-31T09:41:53.589Z', organizationId: 'x' });
const server = shared(() =>
  startServer((request, response) => {
    if (request.path === '/run.sh') {
      return void response.writeHead(redirect === undefined ? 200 : 301, { location: redirect ?? '/' }).end();
    }
    return (request.path === '/v1/auth/exchange' ? exchange : pull)(request, response);
  }),
);
const installed = (program: string) => (pathOf(program) === undefined ? [] : [program]);
const image = shared(() => makeShellImage(server.url, [...installed('curl'), 'sleep']));
const withWget = shared(() => makeShellImage(server.url, [...installed('wget'), 'sleep']));
const alone = shared(() => makeBusyboxImage(server.url));
beforeEach(() => {
  server.requests.length = 0;
  elsewhere.requests.length = 0;
  redirect = undefined;
  pull = text(exported({ A: value }));
});

const withToken = () => variablesOf(server.url, token, 'acme/web-shop/production');
const withIdentity = () => {
  const { HOLDFAST_TOKEN: _, ...settings } = withToken();
  return { ...settings, HOLDFAST_IDENTITY: 'a4c7e10b', HOLDFAST_ID_TOKEN: assertion };
};
const run = (shell: Shell, of: Image = image) => of.run(shell, '/run.sh', ['/other/env'], { env: withToken() });

function expectRunByWget({ code, stdout, stderr }: Ending): void {
  const note = 'run.sh: curl is not installed. While wget runs, others can read the token in its arguments.\n';
  expect([code, stderr]).toEqual([0, note]);
  expect(stdout).toContain(`A=${value}\0`);
  expect(stdout.replace(`A=${value}\0`, '')).not.toMatch(secret);
}

async function expectRefused(shell: Shell, sentence: RegExp, of: Image = image): Promise<void> {
  const files = of.files();
  const { code, stdout, stderr } = await run(shell, of);
  expect([code, stdout]).toEqual([125, '']);
  expect(stderr).toMatch(sentence);
  expect(stderr).not.toMatch(secret);
  expect(of.files()).toEqual(files);
}

if (pathOf('strace') === undefined)
  process.stderr.write('SKIPPED: strace is not installed, so that arguments and files were not traced\n');

it('run.sh is at most 150 lines', () => {
  const lines = readFileSync(image.pathOf('run.sh'), 'utf8').split('\n');
  expect(lines.length - 1).toBeLessThanOrEqual(150);
});

describe.each(shells)('run.sh in $name', shell => {
  it.skipIf(pathOf('strace') === undefined)('shows no value and no token in an argument list', async () => {
    const calls = 'trace=execve,open,openat,creat';
    const under = ['strace', '-f', '-s', '1000000', '-e', calls, '-o', image.pathOf('tmp/log')];
    for (const [env, requests] of [
      [withToken(), 1],
      [withIdentity(), 2],
    ] as const) {
      const { code } = await image.run(shell, '/run.sh', ['/other/env'], { env, under });
      const lines = readFileSync(image.pathOf('tmp/log'), 'utf8').split('\n');
      const written = lines.filter(line => /O_WRONLY|O_RDWR|O_CREAT|creat\(/.test(line));
      expect(code).toBe(0);
      expect(lines.filter(line => line.includes('/curl", ["curl"')).length).toBe(requests);
      expect(lines.filter(line => line.includes('execve(') && secret.test(line))).toEqual([]);
      expect(written.filter(line => !/"\/dev\/(?:null|tty)"/.test(line))).toEqual([]);
    }
  });

  it('shows no value and no token in a trace', async () => {
    const tracing: { flags?: string[]; env?: Record<string, string> }[] = [
      ...['-x', '-v', '-xv', '-ax', '-eux'].map(flag => ({ flags: [flag] })),
      { env: { SHELLOPTS: 'xtrace:verbose', PS4: '+$hf_text$hf_body ' } },
      { flags: ['-x'], env: { BASH_XTRACEFD: '2', PS4: '+$A ' } },
    ];
    for (const settings of [withToken(), withIdentity()]) {
      for (const { flags = [], env = {} } of tracing) {
        const options = { env: { ...settings, ...env }, flags };
        const ended = await image.run(shell, '/run.sh', ['/other/env', '-0'], options);
        expect({ ...ended, flags }).toMatchObject({ code: 0, stdout: expect.stringContaining(`A=${value}\0`) });
        expect(ended.stdout.replace(`A=${value}\0`, '')).not.toMatch(secret);
        expect(ended.stderr).not.toMatch(secret);
      }
    }
  });

  it('shows no value and no token to ps while it waits, and leaves no file', async () => {
    const answer = pull;
    const seen: string[] = [];
    // The client is running while the service looks.
    pull = (request, response) => {
      for (const pid of readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
        try {
          seen.push(readFileSync(join('/proc', pid, 'cmdline'), 'utf8'));
        } catch {
          // It has ended.
        }
      }
      answer(request, response);
    };
    const files = image.files();
    for (const env of [withToken(), withIdentity()]) {
      expect((await image.run(shell, '/run.sh', ['/other/env'], { env })).code).toBe(0);
    }
    expect(seen.filter(line => line.startsWith('curl\0')).length).toBeGreaterThanOrEqual(2);
    expect(seen.filter(line => line.includes('/run.sh\0')).length).toBeGreaterThanOrEqual(2);
    expect(seen.filter(line => secret.test(line))).toEqual([]);
    expect(image.files()).toEqual(files);
  });

  it.each([
    ['a command', `export A='x'; echo ran >/tmp/ran\n`],
    ['a substitution', `export A='x'$(echo ran >/tmp/ran)\n`],
    ['a substitution in a name', `export A$(echo ran >/tmp/ran)='x'\n`],
    ['double quotes', `export A="$(echo ran >/tmp/ran)"\n`],
    ['an escaped command', `export A='x'\\''\n';echo ran >/tmp/ran\n`],
    ['a command in the middle', `export A='x'\necho ran >/tmp/ran\nexport B='y'\n`],
    ['a command at the end', `export A='x'\necho ran >/tmp/ran\n`],
    ['a command at the start', `echo ran >/tmp/ran\nexport A='x'\n`],
    ['two names', `export A='x' B='y'\n`],
    ['no quotes', 'export A=x\n'],
    ['another statement', `readonly A='x'\n`],
    ['a name with other characters', `export A.B='x'\n`],
    ['a name that begins with a digit', `export 1A='x'\n`],
    ['a page', '<html>export A=\n</html>\n'],
    ['a value without an end', `export A='x\n`],
    ['no line break at the end', `export A='x'`],
    ['half an escaped quote', `export A='x'\\\n`],
    ['half a value', `export A='x'\nexport B='y`],
    ['half a name', `export A='x'\nexport B`],
  ])('runs nothing for an answer with %s', async (_, body) => {
    pull = text(body);
    await expectRefused(shell, /is not a list of secrets/);
  });

  it.each<[string, Respond, RegExp]>([
    ['without a revision', text(exported({ A: value }), { etag: '' }), /the revision is missing/],
    ['with another ETag', text(exported({ A: value }), { etag: '"7; echo"' }), /the revision is missing or has/],
    ['of another type', text(exported({ A: value }), { 'content-type': 'text/html' }), /incomplete or not text/],
    ['with another status', text(exported({ A: value }), {}, 206), /could not be pulled: 206/],
    ['that redirects', text('', { location: 'http://127.0.0.1:1/' }, 302), /could not be pulled: 302/],
    ['of a gateway', text('<h1>never-shown</h1>', {}, 500), /could not be pulled: 500, curl ended with 0/],
    ['of a service that is down', refusal(503, 'unavailable'), /could not be pulled: \{"error"/],
  ])('runs nothing for an answer %s', async (_, respond, sentence) => {
    pull = respond;
    await expectRefused(shell, sentence);
  });

  it('tries once where the certificate is not trusted, and says how to trust it', async () => {
    const untrusted = await untilEnd(startReceiver(undefined, { tls: true }));
    const env = { ...withToken(), HOLDFAST_URL: untrusted.url };
    const { code, stderr } = await image.run(shell, '/run.sh', ['/other/env'], { env });
    expect([code, untrusted.connections()]).toEqual([125, 1]);
    expect(stderr).toMatch(
      /its certificate is not trusted\. For a private authority, set SSL_CERT_FILE to its file\n$/,
    );
  });

  it('does not blame the token for the web page of a gateway', async () => {
    pull = text('<h1>Log in</h1>', { 'content-type': 'text/html' }, 401);
    await expectRefused(shell, /401, curl ended with 0 \(a gateway or log-in page, so the token is not the cause\)/);
  });

  it('prints no control characters of an answer, however they are encoded', async () => {
    for (const control of ['\u001b]0;renamed\u0007', '\r', '\u009b31m', '\u007f']) {
      const body = `{"error":{"code":"forbidden","message":"x${control}y"}}`;
      pull = text(body, { 'content-type': 'application/json' }, 403);
      const { code, stdout, stderr } = await run(shell);
      const plainly = 'run.sh: the secrets could not be pulled: 403, curl ended with 0\n';
      expect([code, stdout, stderr]).toEqual([125, '', plainly]);
    }
    pull = text('{"error":{"code":"forbidden","message":"You can’t."}}', { 'content-type': 'application/json' }, 403);
    expect((await run(shell)).stderr).toContain('You can’t.');
  });

  it('shows no value that names a locale, which bash would quote if it does not know it', async () => {
    const locale = 'never-shown';
    pull = text(exported({ A: '1', LC_ALL: locale, LC_CTYPE: locale, LANG: locale }));
    const { code, stdout, stderr } = await run(shell);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.split('\n')).toEqual(expect.arrayContaining(['A=1', `LC_ALL=${locale}`, `LANG=${locale}`]));
  });

  it('starts nothing without a variable that the shell keeps read-only', async () => {
    pull = text(exported({ A: '1', UID: 'never-shown' }));
    const { code, stdout, stderr } = await run(shell);
    const isReadOnly = shell.name.startsWith('bash');
    expect(code).toBe(isReadOnly ? 125 : 0);
    if (isReadOnly) {
      expect([stdout, stderr]).toEqual(['', 'run.sh: the shell does not allow one of these variables to be set\n']);
    } else expect(stdout).toContain('UID=never-shown\n');
  });

  it('runs nothing if the answer is cut, however its length is given', async () => {
    const cut = exported({ A: value });
    const cuts: ((response: ServerResponse) => unknown)[] = [
      response => response.writeHead(200, { ...plain, 'content-length': 1000 }).write(cut, () => response.destroy()),
      response => response.writeHead(200, plain).write(cut, () => response.destroy()),
      response => response.socket?.end(`HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\netag: "7"\r\n\r\n${cut}`),
      response => response.socket?.end('HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\netag: "7"\r\n'),
    ];
    for (const respond of cuts) {
      pull = (_, response) => void respond(response);
      await expectRefused(shell, /incomplete or not text|could not be pulled/);
    }
  });

  it('asks again while the service is busy, and for an interim answer waits for the next', async () => {
    const answer = inTurn(refusal(503, 'unavailable'), refusal(429, 'rate_limited'), text(exported({ A: 'one' })));
    pull = (request, response) => {
      response.writeContinue();
      answer(request, response);
    };
    const { code, stdout } = await run(shell);
    expect([code, stdout.includes('A=one\n'), server.requests.length]).toEqual([0, true, 3]);
  });

  it('waits for a limit that ends within HOLDFAST_WAIT, and says so', async () => {
    const limited = (seconds: number) => refusal(429, 'rate_limited', undefined, { 'retry-after': String(seconds) });
    pull = inTurn(limited(1), limited(0), text(exported({ A: 'one' })));
    const env = { ...withToken(), HOLDFAST_WAIT: '1m' };
    const patient = await image.run(shell, '/run.sh', ['/other/env'], { env });
    expect(patient).toMatchObject({ code: 0, stdout: expect.stringContaining('A=one\n') });
    expect(patient.stderr).toMatch(/^(?:run\.sh: http:\S+ answered 429, trying again in [12] s\n){2}$/);
    for (const [seconds, wait] of [
      [120, ''],
      [0, '0'],
      [61, '60s'],
    ] as const) {
      server.requests.length = 0;
      pull = limited(seconds);
      const ended = await image.run(shell, '/run.sh', ['/other/env'], { env: { ...env, HOLDFAST_WAIT: wait } });
      expect(ended).toMatchObject({ code: 125, stderr: expect.stringContaining('"code":"rate_limited"') });
      expect(server.requests).toHaveLength(1);
    }
    const wrong = await image.run(shell, '/run.sh', ['/other/env'], { env: { ...env, HOLDFAST_WAIT: 'long' } });
    expect(wrong).toMatchObject({ code: 125, stderr: expect.stringContaining('HOLDFAST_WAIT') });
  });

  describe.skipIf(pathOf('wget') === undefined)('without curl', () => {
    it('uses wget, and says what others can see meanwhile', async () => {
      for (const env of [withToken(), withIdentity()]) {
        const ended = await withWget.run(shell, '/run.sh', ['/other/env', '-0'], { env });
        expectRunByWget(ended);
      }
      const { body } = server.requests.find(({ path }) => path === '/v1/auth/exchange') ?? {};
      expect(body).toEqual({ identityId: 'a4c7e10b', organizationSlug: 'acme', subjectToken: assertion });
    });

    it('runs nothing if the service refuses, the answer is cut or its length is unknown', async () => {
      const cut = exported({ A: value });
      const cutShort: Respond = (_, response) =>
        void response.writeHead(200, { ...plain, 'content-length': 1000 }).write(cut, () => response.destroy());
      const withoutLength: Respond = (_, response) => void response.writeHead(200, plain).end(cut);
      for (const answer of [refusal(403, 'forbidden'), cutShort, withoutLength, text('export A=x\n')]) {
        pull = answer;
        await expectRefused(shell, /could not be pulled|incomplete|not a list of secrets/, withWget);
      }
    });

    it('follows no redirect, and sends the token nowhere else', async () => {
      const location = `${elsewhere.url}/run.sh`;
      pull = (_, response) => void response.writeHead(302, { location }).end();
      await expectRefused(shell, /could not be pulled: 302, wget ended with \d+ \(curl would show why\)/, withWget);
      expect(elsewhere.requests).toEqual([]);
    });

    // busybox runs its own wget, whatever the PATH has.
    const title = 'sends no token with a wget that does not check certificates';
    it.skipIf(shell.command[0]?.endsWith('busybox'))(title, async () => {
      const careless = await untilEnd(makeShellImage(server.url, []));
      const [program = ''] = shell.command;
      const notice = 'wget: note: TLS certificate validation not implemented';
      const interpreter = careless.seenAs(`/bin/${program}`);
      const script = `#!${interpreter}\necho "$@" >>${careless.seenAs('/tmp/asked')}\necho '${notice}' >&2\n`;
      careless.file('bin/wget', script);
      const env = { ...withToken(), HOLDFAST_URL: 'https://secrets.example.com' };
      const { code, stderr } = await careless.run(shell, '/run.sh', ['/other/env'], { env });
      expect([code, stderr]).toEqual([125, expect.stringContaining('this wget checks no certificates: install curl')]);
      const requests = '--help\n-q -S -O /dev/null https://secrets.example.com/run.sh\n';
      expect(readFileSync(careless.pathOf('tmp/asked'), 'utf8')).toBe(requests);
    });
  });
});

describe.skipIf(!shells.includes(busybox))('run.sh with nothing but busybox', () => {
  const runAlone = () => alone.run(busybox, '/run.sh', [alone.seenAs('/bin/env'), '-0'], { env: withToken() });

  it('runs the command', async () => {
    expectRunByWget(await runAlone());
  });

  it('sends no token to a service that redirects, because this wget would send it to the next address', async () => {
    redirect = `${elsewhere.url}/run.sh`;
    const { code, stdout, stderr } = await runAlone();
    expect([code, stdout]).toEqual([125, '']);
    expect(stderr).toContain('run.sh: HOLDFAST_URL redirects to another address: use that one\n');
    expect([...server.requests, ...elsewhere.requests].filter(({ headers }) => headers.authorization)).toEqual([]);
  });

  it('runs nothing with the answer that a redirect leads to', async () => {
    pull = (_, response) => void response.writeHead(302, { location: elsewhere.url }).end();
    const { code, stdout, stderr } = await runAlone();
    expect([code, stdout]).toEqual([125, '']);
    expect(stderr).toContain('could not be pulled: 302, wget ended with 0');
    expect(elsewhere.requests.length).toBe(1);
  });
});
