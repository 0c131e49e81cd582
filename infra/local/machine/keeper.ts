import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** A process that cannot outlive this one, even if this one is killed with SIGKILL. */
export interface KeptProcess {
  pid: number;
  /** The end of its output on stderr and stdout. */
  output: () => string;
  /** Its exit code, once it has exited. */
  ended: Promise<number>;
  /** Asks it to exit, kills it after `graceMs`, and resolves when it has exited. */
  stop: (graceMs: number) => Promise<void>;
}

/*
 * The keeper is a shell: it needs one megabyte, starts immediately, and `pkill node` does not hit it. Its stdin is a
 * pipe from this process. However this process ends, the pipe closes, `read` returns, and the keeper kills the child.
 * The child's pid is written to a file first, so that the next start can check that the child has exited.
 */
const script = `
exec 3<&0
pidfile=$1; shift
"$@" 3<&- </dev/null >&2 &
child=$!
[ -z "$pidfile" ] || echo "$child" >"$pidfile"
echo "$child"
( while read -r _ <&3; do :; done; kill -9 "$child" ) >/dev/null 2>&1 &
watcher=$!
wait "$child"
code=$?
kill -9 "$watcher"
exit "$code"
`;

/** Starts a command under a keeper. Exit code 127 means that the command does not exist. */
export async function startKept(command: string, args: string[], pidFile: string | undefined): Promise<KeptProcess> {
  // Detached: Ctrl-C in the terminal only signals this process, which then stops the child in order.
  const keeper = spawn('/bin/sh', ['-c', script, 'keeper', pidFile ?? '', command, ...args], {
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let output = '';
  keeper.stderr.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-10_000);
  });
  keeper.stdin.on('error', () => undefined);
  const ended = new Promise<number>((resolve, reject) => {
    keeper.once('error', reject);
    keeper.once('close', code => {
      if (pidFile !== undefined) rmSync(pidFile, { force: true });
      resolve(code ?? 1);
    });
  });
  const pid = await firstLine(keeper, ended);
  return {
    pid,
    output: () => output,
    ended,
    async stop(graceMs) {
      if (isRunning(pid, [command])) process.kill(pid, 'SIGTERM');
      const timer = setTimeout(() => keeper.stdin.end(), graceMs);
      await ended;
      clearTimeout(timer);
      keeper.stdin.end();
    },
  };
}

async function firstLine(keeper: ChildProcess, ended: Promise<number>): Promise<number> {
  const line = new Promise<string>(resolve => keeper.stdout?.setEncoding('utf8').once('data', resolve));
  const text = await Promise.race([line, ended.then(() => '')]);
  return Number.parseInt(text, 10);
}

/**
 * Waits until the process named by a pid file has exited. Its keeper kills it within milliseconds after its owner ends.
 * If the keeper was killed too, this function kills the process. The pid may have been reused, so only a process whose
 * command line contains all `marks` counts.
 */
export async function waitUntilGone(pidFile: string, marks: string[]): Promise<void> {
  if (!existsSync(pidFile)) return;
  const pid = Number.parseInt(readFileSync(pidFile, 'utf8'), 10);
  const keepersTimeMs = 1000;
  const startedAt = Date.now();
  while (isRunning(pid, marks)) {
    if (Date.now() - startedAt > keepersTimeMs) process.kill(pid, 'SIGKILL');
    await sleep(20);
  }
  rmSync(pidFile, { force: true });
}

function isRunning(pid: number, marks: string[]): boolean {
  const line = commandLine(pid);
  return marks.every(mark => line.includes(mark));
}

/** A process's command line; empty if the process does not exist or is a zombie. */
function commandLine(pid: number): string {
  if (!(pid > 0)) return '';
  try {
    // Linux always has /proc but not always ps; macOS has ps but no /proc.
    if (existsSync('/proc/self/cmdline')) return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    return execFileSync('/bin/ps', ['-ww', '-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return '';
  }
}
