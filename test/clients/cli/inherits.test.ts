import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { shared, untilEnd } from '#test/support/fixtures.ts';
import { pullAnswer, startServer } from '../sdk/scripted-server.ts';
import { buildCli, type Ending, failure, success, variablesOf } from './cli.ts';
import { pathOf, shells } from './scripts/image.ts';

let revision: number;
let values: Record<string, string>;
const cli = shared(buildCli);
const server = shared(() => startServer((request, response) => pullAnswer(revision, values)(request, response)));
beforeEach(() => {
  revision = 7;
  values = { GREETING: `it's "one"\n two` };
});

const environment = (more: Record<string, string> = {}) => ({ ...variablesOf(server.url, 'service_tok_run'), ...more });

/** Runs the bundle as a program, from a script of bash, which passes all variables on: `"$@"` is its command line. */
const runFrom = (script: string, words: readonly string[], more: Record<string, string> = {}): Promise<Ending> =>
  cli.run(words, { env: environment(more), under: ['bash', '-c', script, 'sh'] });

/** Node 20 can't replace itself. */
const nodes = [dirname(process.execPath), '/usr/bin'].flatMap(folder => {
  const { stdout } = spawnSync(`${folder}/node`, ['-p', 'process.versions.node.split(".")[0]'], { encoding: 'utf8' });
  return stdout ? [{ name: `Node ${stdout.trim()}`, PATH: `${folder}:${process.env.PATH}` }] : [];
});

const ways = [
  { way: 'replaces it', flags: [], more: {} },
  { way: 'is spawned', flags: [], more: { HOLDFAST_RUN: 'spawn' } },
  { way: 'is watched', flags: ['--watch'], more: {} },
];

describe.each(nodes)('run as a program, with $name, and a command that', ({ PATH }) => {
  it.each(ways)('$way keeps ignoring signals', async ({ flags, more }) => {
    const show =
      'while read -r name value; do case $name in SigIgn:) echo "$value $GREETING";; esac; done </proc/$$/status';
    const script = `trap '' HUP INT PIPE; exec "$@"`;
    const ended = await runFrom(script, ['run', ...flags, 'sh', '-c', show], { PATH, ...more });
    expect(ended).toEqual(success(`0000000000001003 ${values.GREETING}\n`));
  });

  it.each(ways)('$way keeps open descriptors, and is the process that systemd names', async ({ flags, more }) => {
    const show = `cat <&3; echo "$LISTEN_PID = $$"; ls /proc/$$/fd; exit 9`;
    // The test's own process may have inherited others.
    const others = (await runFrom('ls /proc/$$/fd; :', [])).stdout.trim().split('\n');
    const script = `LISTEN_PID=$$ LISTEN_FDS=2 exec "$@" 3<${cli.file('third', 'third\n')} 5</dev/null`;
    const { stdout, stderr, code } = await runFrom(script, ['run', ...flags, 'sh', '-c', show], { PATH, ...more });
    const [third, pids = '', ...descriptors] = stdout.trim().split('\n');
    expect([third, stderr, code]).toEqual(['third', '', 9]);
    expect(descriptors.toSorted()).toEqual([...others.filter(one => one !== '255'), '3', '5'].toSorted());
    expect(pids).toMatch(/^(\d+) = \1$/);
  });

  it.each(ways)('$way gets variables that a shell can’t name', async ({ flags, more }) => {
    values = { 'a.b': 'of a secret', C: '3' };
    const show = `process.stdout.write(['a.b', 'spring.url', 'C'].map(name => process.env[name]).join())`;
    const words = ['run', ...flags, process.execPath, '-e', show];
    const { stdout, code } = await runFrom('exec "$@"', words, { PATH, ...more, 'spring.url': 'inherited\n\u00e9' });
    expect([stdout, code]).toEqual(['of a secret,inherited\n\u00e9,3', 0]);
    const withDescriptor = await runFrom('exec "$@" 3</dev/null', words, { PATH, ...more, 'spring.url': 'x' });
    expect([withDescriptor.stdout, withDescriptor.code]).toEqual(['of a secret,x,3', 0]);
    values = { C: '3' };
    const ignoring = await runFrom(`trap '' HUP; exec "$@"`, words, { PATH, ...more, 'spring.url': 'x' });
    expect(ignoring.code).toBe(0);
    expect(ignoring.stderr).toMatch(/some shells don’t pass them on: spring\.url\n$/);
  });

  it.each(ways)('$way doesn’t start if its variables have bytes that are not UTF-8', async ({ flags, more }) => {
    const script = `env "spring.url=$(printf 'caf\\351')" "PLAIN=$(printf 'caf\\351')" "$@"`;
    const { stdout, stderr, code } = await runFrom(script, ['run', ...flags, 'echo', 'started'], { PATH, ...more });
    expect([stdout, code]).toEqual(['', 125]);
    expect(stderr.match(/the variable \S+/g)?.toSorted()).toEqual(['the variable PLAIN', 'the variable spring.url']);
  });
});

describe.each(shells)('the shell before Node, as $name', ({ command }) => {
  const program = command.map(word => pathOf(word) ?? word);
  const under = ['sh', '-c', 'exec "$@" 3</dev/null', 'sh', ...program];

  it('executes the command itself, with its arguments as they are, and without what it noted', async () => {
    const show =
      'echo "$$ $GREETING $#:$1:$2"; for name in $(env | grep -o "^HOLDFAST_[A-Z]*"); do echo $name; done; exit 7';
    const script = `echo $$; exec "$@" sh -c '${show}' name "$(printf 'a\\377')" '' 3</dev/null`;
    const ended = await cli.run(['run', '-e', 'dev'], {
      env: environment({ HOLDFAST_TOKEN_OLD: 'x' }),
      under: ['sh', '-c', script, 'sh', ...program],
    });
    const [pid, ...lines] = ended.stdout.trim().split('\n');
    expect(ended.stderr).toBe('');
    expect(lines.slice(0, 2)).toEqual([`${pid} it's "one"`, ' two 2:a\ufffd:']);
    const names = ['ENV', 'KEYRING', 'ORG', 'PROJECT', 'REVISION', 'URL'];
    expect(lines.slice(2).toSorted()).toEqual(names.map(name => `HOLDFAST_${name}`));
    expect(ended.code).toBe(7);
  });

  it('reports an environment that is too large for the command', async () => {
    values = { BIG: 'x'.repeat(200_000) };
    const ended = await cli.run(['run', 'true'], { env: environment(), under });
    expect(ended).toEqual(failure(126, /^holdfast: This system doesn’t allow/));
  });

  it('passes failures on, and other commands that have `run` among their words', async () => {
    const run = (words: string[], more: Record<string, string> = {}) =>
      cli.run(words, { env: environment(more), under });
    expect((await run(['run', 'no-such-command'])).code).toBe(127);
    expect((await run(['run', '--only', 'NOT_THERE', 'true'])).code).toBe(125);
    expect((await run(['run', '--help'])).stdout).toContain('Usage: holdfast run');
    expect(await run(['get', 'GREETING', '--project', 'run'])).toMatchObject({ code: 0, stdout: values.GREETING });
    values = { PATH: '/nowhere' };
    expect((await run(['run', 'true'])).stderr).toContain('--allow-name PATH');
    values = { UID: '5', A: '1' };
    expect((await run(['run', 'sh', '-c', 'echo $A'])).stdout).toBe('1\n');
  });
});

it('doesn’t go on if its shell is killed', async () => {
  const own = await untilEnd(startServer(() => {}));
  const env = environment({ HOLDFAST_URL: own.url });
  const under = ['sh', '-c', 'exec "$@" 3</dev/null', 'sh'];
  const started = cli.start(['run', 'true'], { env, under });
  await eventually(() => expect(own.requests).toHaveLength(1));
  started.child.kill('SIGTERM');
  expect(await started.ended).toMatchObject({ signal: 'SIGTERM' });
  await eventually(() => expect(own.requests[0]?.aborted).toBe(true));
});

const unshare = ['unshare', '-pf', '--mount-proc'];
const canUnshare = spawnSync(unshare[0] ?? '', [...unshare.slice(1), 'true']).status === 0;
if (!canUnshare)
  process.stderr.write('SKIPPED: run as process 1, because unshare can’t make a process namespace here\n');

describe.runIf(canUnshare)('as process 1', () => {
  it('hands its place to the command', async () => {
    const { stdout } = await cli.run(['run', 'sh', '-c', 'echo $$'], { env: environment(), under: unshare });
    expect(stdout).toBe('1\n');
  });

  it.each([
    ['as a program', unshare],
    ['as an argument of Node', [...unshare, process.execPath]],
  ])(
    'leaves no zombie when it watches, %s',
    async (_, under) => {
      const log = `${cli.home}/zombies`;
      rmSync(log, { force: true });
      // Each start leaves an orphan, and lists the zombies once there are none.
      const script = `(sleep 0.05 &); (sleep 1000 &)
      while [ "$GREETING" = two ] && grep -q '^State:.Z' /proc/[0-9]*/status; do sleep 0.05; done
      echo "$GREETING $(grep -l '^State:.Z' /proc/[0-9]*/status)" >> ${log}
      [ "$GREETING" = two ] && exit 3; sleep 1000 & wait`;
      values = { GREETING: 'one' };
      const words = ['run', '--watch', '--interval', '1', 'sh', '-c', script];
      const started = cli.start(words, { env: environment(), under });
      const lines = () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []);
      await eventually(() => expect(lines()).not.toEqual([]));
      [revision, values] = [8, { GREETING: 'two' }];
      expect(await started.ended).toMatchObject({ code: 3 });
      expect(lines()[1]).toBe('two');
    },
    30_000,
  );

  it('passes TERM on, and exits as the command did', async () => {
    const script = `trap 'echo ended; exit 5' TERM; echo ready; while :; do sleep 0.1; done`;
    const started = cli.start(['run', '--watch', 'sh', '-c', script], { env: environment(), under: unshare });
    await started.until('ready');
    const { pid } = started.child;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    process.kill(Number.parseInt(children, 10), 'SIGTERM');
    const { code, stdout } = await started.ended;
    expect([code, stdout.includes('ended')]).toEqual([5, true]);
  }, 30_000);
});
