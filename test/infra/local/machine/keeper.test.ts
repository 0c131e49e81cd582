import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startKept, waitUntilGone } from '#infra/local/machine/keeper.ts';
import { eventually } from '#test/support/eventually.ts';
import { scratchDirectory } from '#test/support/fixtures.ts';

/** A zombie that waits to be reaped does not count as alive. */
function isAlive(pid: number): boolean {
  if (/^\d+ \(.*\) Z/.test(readStat(pid))) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const pidFile = () => join(scratchDirectory(onTestFinished), 'child.pid');

/** Another process that starts a kept `sleep` of that many seconds and prints its pid. */
async function startOwner(seconds: string, file: string) {
  const keeper = new URL('../../../../infra/local/machine/keeper.ts', import.meta.url);
  const script = `
    import { startKept } from ${JSON.stringify(keeper.href)};
    const kept = await startKept('sleep', ['${seconds}'], '${file}');
    console.log(kept.pid);
    setInterval(() => undefined, 1000);`;
  const owner = spawn(process.execPath, ['--input-type=module', '-e', script]);
  onTestFinished(() => void owner.kill('SIGKILL'));
  const [line] = await once(owner.stdout.setEncoding('utf8'), 'data');
  return { owner, child: Number(line) };
}

it('A kept process dies with its owner, even if the owner is killed with SIGKILL', async () => {
  const file = pidFile();
  const { owner, child } = await startOwner('61.5', file);
  expect(isAlive(child)).toBe(true);
  expect(Number(readFileSync(file, 'utf8'))).toBe(child);
  owner.kill('SIGKILL');
  await waitUntilGone(file, ['sleep', '61.5']);
  expect(isAlive(child)).toBe(false);
  expect(existsSync(file)).toBe(false);
});

it('The next start ends a kept process if its keeper was killed as well', async () => {
  const file = pidFile();
  const { owner, child } = await startOwner('62.5', file);
  const keeper = Number(/^\d+ \(.*\) \w (\d+)/.exec(readStat(child))?.[1] ?? Number.NaN);
  if (Number.isNaN(keeper)) return; // Without /proc, the keeper's pid is unknown.
  process.kill(keeper, 'SIGKILL');
  owner.kill('SIGKILL');
  // The keeper's watcher may have survived it or not. Either way the child has ended afterwards.
  await waitUntilGone(file, ['sleep', '62.5']);
  await eventually(() => expect(isAlive(child)).toBe(false));
});

const readStat = (pid: number): string =>
  existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8') : '';

it('A pid that belongs to another process by now is left alone', async () => {
  const file = pidFile();
  writeFileSync(file, String(process.pid));
  await waitUntilGone(file, ['DynamoDBLocal.jar', '/some/where']);
  expect(existsSync(file)).toBe(false);
});

it('Stopping ends a kept process and kills one that ignores the signal', async () => {
  const polite = await startKept('sleep', ['60'], undefined);
  await polite.stop(5000);
  expect(isAlive(polite.pid)).toBe(false);
  const deaf = await startKept('sh', ['-c', 'trap "" TERM; echo deaf; while :; do sleep 0.05; done'], undefined);
  await eventually(() => expect(deaf.output()).toContain('deaf'));
  await deaf.stop(200);
  expect(isAlive(deaf.pid)).toBe(false);
});

it('The output and the exit code of a kept process are captured', async () => {
  const failing = await startKept('sh', ['-c', 'echo why >&2; exit 3'], undefined);
  expect(await failing.ended).toBe(3);
  expect(failing.output()).toBe('why\n');
  const missing = await startKept('no-such-command-anywhere', [], undefined);
  expect(await missing.ended).toBe(127);
});
