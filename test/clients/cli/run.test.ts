import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it, type TestContext } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { shared, untilEnd } from '#test/support/fixtures.ts';
import { isRunning } from '#test/support/is-running.ts';
import { numbered } from '#test/support/numbered.ts';
import { inTurn, json, pullAnswer, type Respond, refusal, startServer } from '../sdk/scripted-server.ts';
import { buildCli, type Ending, failure, variablesOf } from './cli.ts';
import { dieOfEach, exitWithEach } from './endings.ts';
import { pathOf } from './scripts/image.ts';

let revision = 1;
let values: Record<string, string> = {};
const cli = shared(buildCli);
const server = shared(() =>
  startServer((request, response) => {
    const names = request.query.get('keys')?.split(',');
    const chosen = Object.fromEntries(Object.entries(values).filter(([key]) => names?.includes(key) ?? true));
    return pullAnswer(revision, chosen)(request, response);
  }),
);
beforeEach(() => {
  revision = 7;
  values = { GREETING: 'hello' };
  server.requests.length = 0;
});

const token = 'service_tok_run';
const environment = (more: Record<string, string> = {}) => ({ ...variablesOf(server.url, token), ...more });
const run = (words: string[], more: Record<string, string> = {}, input?: string): Promise<Ending> =>
  cli.run(['run', ...words], { env: environment(more), ...(input === undefined ? {} : { input }) });

/** By replacing this process, or as a child process. */
const ways: [string, Record<string, string>][] = [
  ['replaced', {}],
  ['spawned', { HOLDFAST_RUN: 'spawn' }],
];

function shell(program: string, script: string, more: Record<string, string> = {}) {
  const env = { PATH: process.env.PATH ?? '', HOME: cli.home, ...environment(more) };
  return promisify(execFile)(program, ['-c', script], { env });
}

describe.each(ways)('a command that is %s', (_, way) => {
  // The limits, the exit codes of `run` and of shells, and 128 + n. A proof runs all 256 (endings.test.ts).
  it('returns its exit code', async () => {
    const codes = [0, 1, 2, 125, 126, 127, 128, 130, 143, 255];
    const endings = await exitWithEach(words => run(words, way), codes);
    expect(endings.map(({ code }) => code)).toEqual(codes);
    expect(endings.filter(({ stderr }) => stderr !== '')).toEqual([]);
  });

  // Signals that Node ignores, catches, passes on, or can't catch. A proof sends every signal (endings.test.ts).
  it('dies of a fatal signal', async () => {
    const names = ['HUP', 'INT', 'KILL', 'PIPE', 'PROF', 'SEGV', 'TERM', 'USR1'];
    const signals = names.map(name => `SIG${name}` as NodeJS.Signals);
    const endings = await dieOfEach(words => run(words, way), signals);
    expect(endings.map(({ signal }) => signal)).toEqual(signals);
  });

  it('ends silently when its reader goes away', async () => {
    const script = `${process.execPath} ${cli.bundle} run yes | head -n 2; echo "\${PIPESTATUS[@]}"`;
    expect(await shell('bash', script, way)).toEqual({ stdout: 'y\ny\n141 0\n', stderr: '' });
  });

  it('gets the values byte for byte and the revision, but neither token nor its file', async () => {
    const nasty = `'"\\ $HOME \`id\`\n\r\t\u{1f642}\u2028\ufeffe\u0301`;
    values = { A: nasty, EMPTY: '', LONG: 'x'.repeat(65_536), GREETING: 'hi' };
    const script = 'process.stdout.write(JSON.stringify(process.env))';
    const parent = { GREETING: 'of the parent', KEPT: 'yes' };
    const { stdout, code } = await run([process.execPath, '-e', script], { ...way, ...parent });
    const variables = JSON.parse(stdout);
    expect(variables).toMatchObject({ ...values, HOLDFAST_REVISION: '7', KEPT: 'yes' });
    expect(Object.keys(variables).filter(name => /TOKEN/.test(name))).toEqual([]);
    expect(stdout).not.toContain(token);
    expect(code).toBe(0);
  });

  it('reads this process’s standard input', async () => {
    expect((await run(['cat'], way, 'through\n')).stdout).toBe('through\n');
  });

  it('has the terminal if there is one, and none otherwise', async () => {
    const script = 'for i in 0 1 2; do test -t $i && printf "tty " || printf "none "; done; echo end';
    expect((await run(['sh', '-c', script], way)).stdout).toBe('none none none end\n');
    const onTerminal = await cli.converse(['run', 'sh', '-c', script], [], { env: environment(way) });
    expect(onTerminal.stdout.trim()).toBe('tty tty tty end');
  });

  it('gets Ctrl-C once', async () => {
    const script = cli.file(
      'count.mjs',
      `let count = 0;
       process.on('SIGINT', () => { count += 1; setTimeout(() => { console.log('count ' + count); process.exit(3); }, 700); });
       setTimeout(() => {}, 20_000);
       console.log('ready');`,
    );
    const words = ['run', process.execPath, script];
    const { code, stdout } = await cli.converse(words, [['ready', '\u0003']], { env: environment(way) });
    expect([code, stdout]).toEqual([3, expect.stringContaining('count 1')]);
  });

  it('handles TERM itself', async () => {
    const script = `trap 'echo ignored' TERM; echo ready; while :; do sleep 0.1; [ -e "$0" ] && exit 5; done`;
    const flag = `${cli.home}/flag-${Object.keys(way).length}`;
    const started = cli.start(['run', 'sh', '-c', script, flag], { env: environment(way) });
    await started.until('ready');
    started.child.kill('SIGTERM');
    await started.until('ignored');
    cli.file(flag.slice(cli.home.length + 1), '');
    expect(await started.ended).toMatchObject({ code: 5, signal: null });
  });

  it('can be a script without a shebang line', async () => {
    const script = cli.file('plain', 'echo plain $GREETING\nexit 4\n', 0o755);
    expect(await run([script], way)).toMatchObject({ code: 4, stdout: 'plain hello\n' });
  });

  it('resolves commands like a shell does', async () => {
    expect(await run(['no-such-command'], way)).toEqual(failure(127, 'no-such-command'));
    expect((await run(['./no-such-command'], way)).code).toBe(127);
    const broken = cli.file('broken', '#!/no/such/interpreter\n', 0o755);
    for (const path of [cli.file('not-executable', 'echo no\n'), cli.home, broken]) {
      expect([path, (await run([path], way)).code]).toEqual([path, 126]);
    }
    const foreign = cli.file('foreign', `\u007fELF${'\u0001'.repeat(200)}`, 0o755);
    expect([126, 127, 2]).toContain((await run([foreign], way)).code);
  });
});

describe('a command that replaces this process', () => {
  it('keeps the process id', async () => {
    const started = cli.start(['run', 'sh', '-c', 'echo $$'], { env: environment() });
    const { stdout } = await started.ended;
    expect(Number(stdout)).toBe(started.child.pid);
  });

  it('leaves no trace of the token in the process', async () => {
    const started = cli.start(['run', 'sh', '-c', 'echo ready; exec sleep 5'], { env: environment() });
    await started.until('ready');
    const of = (name: string) => readFileSync(`/proc/${started.child.pid}/${name}`, 'utf8');
    expect(of('environ')).not.toContain(token);
    expect(of('cmdline')).not.toContain('hello');
    started.child.kill('SIGKILL');
    await started.ended;
  });
});

describe('run', () => {
  it('accepts 2 MB of environment as far as the system does, and reports it otherwise', async () => {
    values = numbered(32, 'x'.repeat(65_536));
    expect(await run(['true'])).toEqual(failure(126, /allow an environment of \d+ bytes.*\n.*ulimit -s/));
    const script = `ulimit -s 65536 && exec ${process.execPath} ${cli.bundle} run sh -c 'echo \${#K0} \${#K31}'`;
    const { stdout } = await shell('sh', script);
    expect(stdout).toBe('65536 65536\n');
  });

  it('rejects the one name that it sets itself', async () => {
    values = { HOLDFAST_REVISION: 'of a secret', A: '1' };
    expect(await run(['true'])).toEqual(failure(125, 'HOLDFAST_REVISION is set by run itself'));
    expect((await run(['--only', 'A', 'sh', '-c', 'echo $A $HOLDFAST_REVISION'])).stdout).toBe('1 7\n');
  });

  it('rejects a NUL, naming the key but not the value', async () => {
    values = { A: 'before\0after' };
    expect(await run(['true'])).toEqual(failure(125, /^(?!.*before).*^ {2}A contains a NUL/ms));
  });

  it('warns once about names that are not valid in a shell, and passes them', async () => {
    values = { 'a.b': '1', 'c-d': '2', E: '3' };
    const { stdout, stderr } = await run([process.execPath, '-p', "process.env['a.b'] + process.env['c-d']"]);
    expect(stdout).toBe('12\n');
    expect(stderr.trim().split('\n')).toEqual([expect.stringContaining('a.b, c-d')]);
  });

  it('passes its command on unchanged', async () => {
    const script = 'process.stdout.write(JSON.stringify(process.argv.slice(1)))';
    const words = ['-e', 'x', '--json', '--env=y', '--', '-p', '--help', "it's", '', 'a b'];
    const { stdout } = await run(['-e', 'dev', process.execPath, '-e', script, '--', ...words]);
    expect(JSON.parse(stdout)).toEqual(words);
    expect((await run(['--', 'echo', '--', '-x'])).stdout).toBe('-- -x\n');
  });

  it('contacts only the service, and once', async () => {
    await run(['true']);
    const requests = server.requests.map(({ method, path }) => `${method} ${path}`);
    expect(requests).toEqual(['GET /v1/secrets/acme/web-shop/dev']);
    if (pathOf('strace') === undefined) {
      process.stderr.write('SKIPPED: strace is not installed, so that connections to elsewhere were not counted\n');
      return;
    }
    const log = `${cli.home}/strace`;
    await shell('sh', `strace -f -e trace=connect -o ${log} ${process.execPath} ${cli.bundle} run true`);
    const connections = readFileSync(log, 'utf8')
      .split('\n')
      .filter(line => line.includes('connect(') && line.includes('sin'));
    expect(connections).toEqual([expect.stringContaining(`htons(${new URL(server.url).port})`)]);
  });

  it('exits with 125 to 127 for its own failures', async () => {
    for (const words of [['--no-such-option', 'true'], [], ['--only', 'NOT_THERE', 'true']]) {
      expect([words, (await run(words)).code]).toEqual([words, 125]);
    }
    expect((await run(['true'], { HOLDFAST_TOKEN: '' })).code).toBe(125);
    expect((await run(['true'], { HOLDFAST_URL: 'http://127.0.0.1:1' })).code).toBe(125);
    expect((await cli.run(['-p', 'web-shop', 'run', '--bad', 'true'], { env: environment() })).code).toBe(125);
  });

  it('passes only what is requested', async () => {
    values = { A: '1', B: '2' };
    expect((await run(['--only', 'A', 'sh', '-c', 'echo $A$B'])).stdout).toBe('1\n');
    expect(server.requests[0]?.query.get('keys')).toBe('A');
  });

  it('keeps the working directory and the umask', async () => {
    const { stdout } = await cli.run(['run', 'sh', '-c', 'pwd; umask'], { env: environment(), cwd: '/' });
    expect(stdout).toBe(`/\n${execFileSync('sh', ['-c', 'umask'], { encoding: 'utf8' })}`);
  });
});

const limited = (seconds: string) => refusal(429, 'rate_limited', undefined, { 'retry-after': seconds });

describe('a service that limits requests', () => {
  const start = async (retryAfter: string) => {
    const own = await untilEnd(startServer(inTurn(limited(retryAfter), pullAnswer(7, { A: 'one' }))));
    return { own, env: environment({ HOLDFAST_URL: own.url }) };
  };

  it.each([[['run', 'sh', '-c', 'echo A=$A']], [['pull']]])('is waited for, which is announced: %j', async words => {
    const { env } = await start('1');
    const announced = expect.stringContaining('Trying again in 1 s');
    expect(await cli.run(words, { env })).toMatchObject({ code: 0, stdout: 'A=one\n', stderr: announced });
  });

  it('is waited for as long as --wait or HOLDFAST_WAIT says', async () => {
    for (const [flags, more] of [
      [['--wait', '0'], {}],
      [['--wait', '118'], { HOLDFAST_WAIT: '1h' }],
      [[], { HOLDFAST_WAIT: '1m' }],
    ] as const) {
      const { own, env } = await start('119');
      expect(await cli.run(['run', ...flags, 'true'], { env: { ...env, ...more } })).toEqual(failure(125, 'in 119 s'));
      expect(own.requests).toHaveLength(1);
    }
    const { own, env } = await start('119');
    expect((await cli.run(['pull', '--wait', 'long'], { env })).stderr).toContain('90s, 2m or 1h');
    const started = cli.start(['run', 'true'], { env });
    await started.until(/Trying again in 1[1-5]\d s|Trying again in 120 s/);
    started.child.kill('SIGKILL');
    await started.ended;
    expect(own.requests).toHaveLength(1);
  });
});

it('limits all waits of a command together, also those for requests that find the place', async () => {
  const organization = { id: '2f0e0d3c-6a4b-4e58-9d87-0c1b2a394857', slug: 'acme' };
  const currentUser = { organizations: [organization], authentication: { token: null } };
  const own = await untilEnd(startServer(inTurn(limited('1'), json(200, currentUser), limited('1'))));
  const env = { ...environment({ HOLDFAST_URL: own.url }), HOLDFAST_ORG: '' };
  expect(await cli.run(['run', '--wait', '2', 'true'], { env })).toEqual(failure(125, '--wait 5m'));
  expect(own.requests.map(({ path }) => path)).toEqual(['/v1/auth/me', '/v1/auth/me', '/v1/secrets/acme/web-shop/dev']);
});

// These wait more than they compute, so they run in parallel, each with its own service.
describe.concurrent('run --watch', () => {
  const serve = async ({ onTestFinished }: TestContext, respond: Respond) => {
    const own = await startServer(respond);
    onTestFinished(() => own.stop());
    return { requests: own.requests, env: environment({ HOLDFAST_URL: own.url }) };
  };
  const startService = async (context: TestContext, first: Record<string, string>) => {
    const state = { revision: 7, values: first };
    return { state, ...(await serve(context, (...call) => pullAnswer(state.revision, state.values)(...call))) };
  };
  const watch = (env: Record<string, string>, script: string, terminal = false, flags: string[] = []) =>
    cli.start(['run', '--watch', '--interval', '1', ...flags, 'sh', '-c', script], { env, terminal });

  const linesOf = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []);
  const waitFor = (condition: () => boolean, what: string) =>
    eventually(() => {
      if (!condition()) throw new Error(`Waited in vain: ${what}`);
    });

  it('restarts the command once for each new revision, and returns its exit code', async context => {
    const log = `${cli.home}/watched`;
    const script = `echo "$HOLDFAST_REVISION $GREETING" >> ${log}; [ "$GREETING" = stop ] && exit 9; exec sleep 30`;
    const { state, requests, env } = await startService(context, { GREETING: 'one' });
    const started = watch(env, script);
    for (const [starts, next] of [
      [1, { revision: 8, values: { GREETING: 'two' } }],
      [2, { revision: 10, values: { GREETING: 'stop' } }],
    ] as const) {
      await waitFor(() => linesOf(log).length === starts, `start ${starts}`);
      const polls = requests.length;
      await waitFor(() => requests.length > polls + 1, 'polls without a new revision');
      Object.assign(state, next);
    }
    const { code, stderr } = await started.ended;
    expect(linesOf(log)).toEqual(['7 one', '8 two', '10 stop']);
    expect(code).toBe(9);
    expect(stderr.match(/restarting the command/g)?.length).toBe(2);
    // Each poll of the unchanged environment costs a 304.
    expect(requests.length).toBeGreaterThan(4);
  }, 60_000);

  const isGone = (pid: string) => !isRunning(pid);

  it('ends everything that the last start began, even what has left its process group', async context => {
    const log = `${cli.home}/tree`;
    // Like npm, which ends without its server: a child, an orphan, and an orphan in a session of its own.
    const script = `echo "start $$" >> ${log}; [ "$GREETING" = stop ] && exit 4
      sleep 1000 & echo "child $!" >> ${log}
      (sleep 1000 & echo "orphan $!" >> ${log})
      setsid sh -c 'echo "session $$" >> ${log}; exec sleep 1000' &
      sh -c 'trap "" TERM; echo "stubborn $$" >> ${log}; while :; do sleep 1; done' &
      wait`;
    const { state, env } = await startService(context, { GREETING: 'hello' });
    const started = watch(env, script);
    await waitFor(() => linesOf(log).length === 5, 'the first start');
    const first = linesOf(log).map(line => line.split(' ')[1] ?? '');
    Object.assign(state, { revision: 8, values: { GREETING: 'stop' } });
    expect((await started.ended).code).toBe(4);
    expect(linesOf(log).length).toBe(6);
    expect(first.map(isGone)).toEqual(first.map(() => true));
  }, 60_000);

  it('ends what the command leaves behind when it is told to end', async context => {
    const script = 'sh -c "echo server \\$\\$; exec sleep 1000" & echo command $$; wait';
    const { env } = await startService(context, { GREETING: 'hello' });
    const started = cli.start(['run', '--watch', 'sh', '-c', script], { env });
    await started.until(/server \d+/);
    await started.until(/command \d+/);
    const server = /server (\d+)/.exec(started.seen())?.[1] ?? '';
    started.child.kill('SIGTERM');
    expect(await started.ended).toMatchObject({ signal: 'SIGTERM' });
    expect(isGone(server)).toBe(true);
  });

  it('leaves a command alone that gets nothing new', async context => {
    const log = `${cli.home}/only`;
    const script = `echo "$HOLDFAST_REVISION $A" >> ${log}; [ "$A" = stop ] && exit 6; exec sleep 1000`;
    const { state, requests, env } = await startService(context, { A: 'one', B: 'one' });
    const started = watch(env, script, false, ['--only', 'A']);
    await waitFor(() => linesOf(log).length === 1, 'the first start');
    Object.assign(state, { revision: 8, values: { A: 'one', B: 'two' } });
    const polls = requests.length;
    await waitFor(() => requests.length > polls + 1, 'a poll after the new revision');
    Object.assign(state, { revision: 9, values: { A: 'stop', B: 'two' } });
    expect((await started.ended).code).toBe(6);
    expect(linesOf(log)).toEqual(['7 one', '9 stop']);
  }, 60_000);

  it('lets each start read the terminal, and passes Ctrl-C on once', async context => {
    const script = `trap 'echo interrupted; exit 5' INT; echo "up $GREETING"; read -r line </dev/tty; echo "read $line $GREETING"
      read -r line; echo "never $line"`;
    const { state, env } = await startService(context, { GREETING: 'one' });
    const started = watch(env, script, true);
    await started.until('up one');
    started.child.stdin?.write('first\r');
    await started.until('read first one');
    Object.assign(state, { revision: 8, values: { GREETING: 'two' } });
    await started.until('up two');
    started.child.stdin?.write('second\r');
    await started.until('read second two');
    started.child.stdin?.write('\u0003');
    const { code, stdout } = await started.ended;
    expect(code).toBe(5);
    expect(stdout.match(/interrupted/g)?.length).toBe(1);
    expect(stdout).not.toContain('ended the watch');
  }, 60_000);

  it('says that Ctrl-C ended the watch if the command survives it, as a REPL does', async context => {
    const script = `trap : INT; echo begun; while ! read -r line; do :; done; echo "read $line"; exit 5`;
    const { state, requests, env } = await startService(context, { GREETING: 'one' });
    const started = watch(env, script, true);
    await started.until('begun');
    started.child.stdin?.write('\u0003');
    await started.until(/Ctrl-C ended the watch.*no longer be restarted/);
    Object.assign(state, { revision: 8, values: { GREETING: 'two' } });
    const polls = requests.length;
    started.child.stdin?.write('more\r');
    const { code, stdout } = await started.ended;
    expect([code, stdout.match(/begun/g)?.length, requests.length]).toEqual([5, 1, polls]);
    expect(stdout).toContain('read more');
  }, 60_000);

  it('keeps watching after HUP, by which a service without a terminal reads its files again', async context => {
    const script = `trap 'echo reloaded' HUP; echo "up $GREETING"; [ "$GREETING" = stop ] && exit 3
      while :; do sleep 0.1; done`;
    const { state, env } = await startService(context, { GREETING: 'one' });
    const started = watch(env, script);
    await started.until('up one');
    started.child.kill('SIGHUP');
    await started.until('reloaded');
    Object.assign(state, { revision: 8, values: { GREETING: 'stop' } });
    expect((await started.ended).code).toBe(3);
  }, 60_000);

  it('continues during an outage, and ends if the service rejects it', async context => {
    let respond = pullAnswer(1, { A: '1' });
    const { env } = await serve(context, (...call) => respond(...call));
    const started = watch(env, 'echo up; exec sleep 30');
    await started.until('up');
    respond = json(503, { error: { code: 'temporarily_unavailable', message: 'No.' } });
    await started.until('The command keeps running');
    respond = json(401, { error: { code: 'unauthenticated', message: 'No.' } });
    expect(await started.ended).toMatchObject({ code: 125, stderr: expect.stringContaining('No.') });
    expect(started.seen().match(/up/g)?.length).toBe(1);
  }, 60_000);

  it('signs in again after its token was ended, while the command keeps running', async context => {
    const state = { issued: 0, isReplayed: false, live: '', pulls: 0 };
    const { env: variables } = await serve(context, (request, response) => {
      if (request.path === '/v1/auth/exchange') {
        if (state.isReplayed) return refusal(409, 'assertion_replayed')(request, response);
        state.issued += 1;
        state.live = `service_tok_${state.issued}`;
        const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
        return json(201, { token: state.live, expiresAt, organizationId: 'o' })(request, response);
      }
      if (request.headers.authorization !== `Bearer ${state.live}`) {
        return refusal(401, 'unauthenticated')(request, response);
      }
      state.pulls += 1;
      return pullAnswer(7, { GREETING: 'hello' })(request, response);
    });
    const identity = { HOLDFAST_TOKEN: '', HOLDFAST_IDENTITY: 'an-identity' };
    const env = { ...variables, ...identity, HOLDFAST_ID_TOKEN_FILE: cli.file('id-token', 'a.b.c') };
    const started = watch(env, 'echo up; exec sleep 1000');
    await started.until('up');

    Object.assign(state, { live: '', pulls: 0 });
    await waitFor(() => state.issued === 2 && state.pulls > 1, 'polls with a second token');
    Object.assign(state, { live: '', isReplayed: true });
    await started.until('The command keeps running');
    Object.assign(state, { isReplayed: false, pulls: 0 });
    await waitFor(() => state.issued === 3 && state.pulls > 1, 'polls with a third token');
    started.child.kill('SIGTERM');
    expect((await started.ended).signal).toBe('SIGTERM');
    expect(started.seen().match(/up/g)?.length).toBe(1);
  }, 60_000);

  it('ends with the command when interrupted', async () => {
    const started = cli.start(['run', '--watch', 'sh', '-c', 'echo up; exec sleep 30'], { env: environment() });
    await started.until('up');
    started.child.kill('SIGTERM');
    expect(await started.ended).toMatchObject({ signal: 'SIGTERM' });
  });

  it('ends at once if interrupted before the command starts', async context => {
    const { requests, env } = await serve(context, () => {});
    const started = cli.start(['run', '--watch', 'true'], { env });
    await waitFor(() => requests.length > 0, 'the first request');
    started.child.kill('SIGTERM');
    expect(await started.ended).toMatchObject({ signal: 'SIGTERM', stdout: '' });
  });

  it('can’t be combined with a fixed revision', async () => {
    expect((await run(['--watch', '--revision', '3', 'true'])).code).toBe(125);
    expect((await run(['--watch', '--offline', 'true'])).code).toBe(125);
  });
});
