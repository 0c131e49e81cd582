import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { scratchDirectory } from '#test/support/fixtures.ts';

const root = join(import.meta.dirname, '../../..');
const scratch = scratchDirectory();

function run(env: Record<string, string>): ChildProcess {
  const child = spawn(process.execPath, [join(root, 'infra/local/start.ts')], {
    cwd: scratch,
    env: { PATH: process.env.PATH, HOME: scratch, LOG_LEVEL: 'SILENT', ...env },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

async function finish(child: ChildProcess): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const output = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', text => {
    output.stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', text => {
    output.stderr += text;
  });
  const [code] = await once(child, 'close');
  return { code, ...output };
}

interface Started {
  child: ChildProcess;
  url: string;
  port: string;
  /** What it has written to stderr so far. */
  errors: () => string;
}

async function start(env: Record<string, string>): Promise<Started> {
  const child = run({ PORT: '0', ...env });
  let errors = '';
  child.stderr?.on('data', text => {
    errors += text;
  });
  const line = await Promise.race([
    once(child.stdout?.setEncoding('utf8') ?? child, 'data').then(([text]) => String(text)),
    once(child, 'exit').then(() => ''),
  ]);
  const [, url, port] = /^ready (http:\/\/127\.0\.0\.1:(\d+)\/v1)\n$/.exec(line) ?? [];
  if (url === undefined || port === undefined) throw new Error(`Not ready: ${line}${errors}`);
  return { child, url, port, errors: () => errors };
}

async function endOf(child: ChildProcess): Promise<number | null> {
  const [code] = child.exitCode === null ? await once(child, 'exit') : [child.exitCode];
  return code;
}

const account = { email: 'ada@example.com', password: 'correct horse battery' };

const post = (url: string, body: unknown): Promise<Response> =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });

describe('npm start', () => {
  it('keeps its data after a normal stop and after a kill, and refuses a second start meanwhile', async () => {
    const DATA_DIR = join(scratch, 'kept');
    const first = await start({ DATA_DIR });
    expect((await post(`${first.url}/auth/register`, account)).status).toBe(201);
    const second = await finish(run({ PORT: '0', DATA_DIR }));
    expect(second).toMatchObject({ code: 1, stdout: '' });
    expect(second.stderr).toMatch(/^Another local stack is running on the data directory .*kept; [^\n]*\.\n$/);
    first.child.kill('SIGTERM');
    expect(await endOf(first.child)).toBe(0);

    const third = await start({ DATA_DIR });
    expect((await post(`${third.url}/auth/login`, account)).status).toBe(200);
    third.child.kill('SIGKILL');
    // At once and on the same data, although the JVM of the killed stack may still run.
    const fourth = await start({ DATA_DIR });
    expect((await post(`${fourth.url}/auth/login`, account)).status).toBe(200);
    const mail = await fetch(new URL('/local/mail', fourth.url));
    expect(await mail.json()).toMatchObject({ messages: [{ to: account.email }] });
    // By a name, because passkeys work for no address.
    const origin = `http://localhost:${fourth.port}`;
    const installer = await fetch(`${origin}/install.sh`);
    expect(await installer.text()).toContain(`origin='${origin}'\n`);
    for (const line of [`dashboard: ${origin}\n`, `curl -fsS ${origin}/install.sh | sh\n`, `login --url ${origin}\n`]) {
      await eventually(() => expect(fourth.errors()).toContain(line));
    }
    fourth.child.kill('SIGINT');
    expect(await endOf(fourth.child)).toBe(0);
  });

  it('stops when the npm that started it receives the signal to stop', async () => {
    const child = spawn('npm', ['start'], {
      cwd: root,
      env: { PATH: process.env.PATH, HOME: scratch, LOG_LEVEL: 'SILENT', PORT: '0', DATA_DIR: 'memory' },
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let output = '';
    child.stdout.setEncoding('utf8').on('data', text => {
      output += text;
    });
    await eventually(() => expect(output).toMatch(/^ready /m));
    const url = /^ready (\S+)$/m.exec(output)?.[1] ?? '';
    expect((await fetch(`${url}/auth/me`)).status).toBe(401);
    child.kill('SIGTERM');
    const answer = () =>
      fetch(`${url}/auth/me`)
        .then(() => 'there')
        .catch(() => 'gone');
    await eventually(async () => expect(await answer()).toBe('gone'));
  });

  const failing: [string, Record<string, string> | (() => Promise<Record<string, string>>), RegExp][] = [
    ['without Java', { PATH: '', DATA_DIR: 'memory' }, /^Java 17 or newer was not found on the PATH; .*\.$/],
    ['on a port that is none', { PORT: '3e3' }, /^PORT must be a number from 0 to 65535, not "3e3"\.$/],
    ['on a port that is taken', takenPort, /^Port \d+ is already in use; set PORT to another one\.$/],
    [
      'on a file',
      { DATA_DIR: fileAt('file') },
      /^The data directory .*file cannot be used \(there is a file in its place\); .*\.$/,
    ],
    ['below a file', { DATA_DIR: join(fileAt('above'), 'x') }, /^The data directory .*x cannot be used .*\.$/],
    ['on a damaged key file', { DATA_DIR: damaged('keys', 'kms.json') }, /^The key file .*kms\.json is damaged .*\.$/],
    ['on a damaged queue file', { DATA_DIR: damaged('queues', 'sqs.db') }, /^The data file .*sqs\.db is damaged .*\.$/],
    ['on a directory it cannot make', { DATA_DIR: '/proc/holdfast' }, /^The data directory .* cannot be used .*\.$/],
    ['on wrong settings', { LOGIN_FAILURE_LIMIT: 'abc' }, /^The settings are not valid: LOGIN_FAILURE_LIMIT: .*\.$/],
    ['on a service that does not answer', { AWS_ENDPOINT_URL_KMS: 'http://127.0.0.1:1' }, /^KMS cannot be used: .*\.$/],
  ];

  it.each(failing)('reports in one sentence why it can’t start %s', async (_, given, sentence) => {
    const env = typeof given === 'function' ? await given() : given;
    const { code, stdout, stderr } = await finish(run({ PORT: '0', DATA_DIR: 'memory', ...env }));
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr.trimEnd().split('\n').at(-1)).toMatch(sentence);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  async function takenPort(): Promise<Record<string, string>> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    return { PORT: String((server.address() as { port: number }).port) };
  }

  function fileAt(name: string): string {
    const path = join(scratch, name);
    writeFileSync(path, '');
    return path;
  }

  function damaged(directory: string, file: string): string {
    const path = mkdtempSync(join(scratch, directory));
    writeFileSync(join(path, file), 'this is not what was written here');
    return path;
  }
});
