import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const scratch = mkdtempSync(join(tmpdir(), 'holdfast-kill-'));
let stack: ChildProcess | undefined;

afterAll(() => {
  stack?.kill('SIGKILL');
  rmSync(scratch, { recursive: true, force: true });
});

/** Starts the local stack on the data directory of this test. Its JVM ends with it, however it ends. */
async function start(): Promise<string> {
  const child = spawn(process.execPath, [join(root, 'infra/local/start.ts')], {
    cwd: scratch,
    env: { PATH: process.env.PATH, HOME: scratch, LOG_LEVEL: 'SILENT', PORT: '0', DATA_DIR: join(scratch, 'data') },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  stack = child;
  const [line] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit').then(() => [''])]);
  const url = /^ready (\S+)/.exec(String(line))?.[1];
  if (url === undefined) throw new Error('The local stack does not start.');
  return url;
}

async function kill(): Promise<void> {
  if (stack === undefined || stack.exitCode !== null) return;
  const gone = once(stack, 'exit');
  stack.kill('SIGKILL');
  await gone;
}

const keys = Array.from({ length: 400 }, (_, i) => `K${i}`);
const filled = (value: string) => Object.fromEntries(keys.map(key => [key, value]));

describe('the whole system, killed in the middle of importing 400 secrets', () => {
  it('ten times, has all of the import or nothing of it, and the next write works at once', async () => {
    let url = await start();
    let token: string | undefined;
    const call = async (method: string, path: string, body?: unknown, cookie?: string) => {
      const response = await fetch(url + path, {
        method,
        headers: {
          'content-type': 'application/json',
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(cookie === undefined ? {} : { cookie, 'x-requested-with': 'service' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      // biome-ignore lint/suspicious/noExplicitAny: whatever the API answers
      return { status: response.status, headers: response.headers, body: (await response.json()) as any };
    };
    const account = { email: 'ada@example.com', password: 'correct horse battery' };
    const registered = await call('POST', '/auth/register', account);
    const cookie = registered.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    token = (await call('POST', '/auth/token', { name: 'test' }, cookie)).body.token;
    const { organization } = registered.body;
    const { project } = (await call('POST', `/projects/${organization.id}`, { name: 'Shop' })).body;
    const path = `/secrets/${organization.slug}/${project.slug}/dev`;

    // How long one takes here, so that the kills fall into it and not behind it.
    const startedAt = performance.now();
    expect((await call('POST', `${path}/bulk`, { secrets: filled('first') })).body.revision).toBe(1);
    const importMs = performance.now() - startedAt;

    let current = 'first';
    let revision = 1;
    let setValue: string | undefined;
    const outcomes = { all: 0, nothing: 0 };
    for (let round = 0; round < 10; round += 1) {
      const next = `round ${round}`;
      const importing = call('POST', `${path}/bulk`, { secrets: filled(next) }).then(
        ({ status }) => status,
        () => undefined,
      );
      await sleep(importMs * (0.05 + 0.09 * round) + Math.random() * importMs * 0.09);
      await kill();
      const answered = await importing;
      url = await start();

      const pulled = (await call('GET', path)).body;
      const values = Object.fromEntries(pulled.secrets.map((s: Record<string, string>) => [s.key, s.value]));
      const isDone = values.K0 === next;
      if (answered === 200) expect(isDone).toBe(true);
      if (isDone) {
        current = next;
        revision += 1;
      }
      outcomes[isDone ? 'all' : 'nothing'] += 1;
      expect(values).toEqual({ ...filled(current), ...(setValue === undefined ? {} : { SET: setValue }) });
      expect(pulled.revision).toBe(revision);

      setValue = `set in round ${round}`;
      const set = await call('PUT', path, { key: 'SET', value: setValue });
      revision += 1;
      expect([set.status < 300, set.body.revision]).toEqual([true, revision]);
    }
    expect(outcomes.nothing).toBeGreaterThan(0);
    const { versions } = (await call('GET', `${path}/versions/K7?values=true`)).body;
    expect(versions).toHaveLength(1 + outcomes.all);
    expect(versions[0].value).toBe(current);
    await kill();
  }, 300_000);
});
