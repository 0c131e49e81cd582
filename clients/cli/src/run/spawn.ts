import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { constants } from 'node:os';
import { isatty } from 'node:tty';
import { exitCodes, Failure } from '../failure.ts';
import { launchOf } from '../launch/launch.ts';
import { type Inherited, isForThisProcess, needsShell } from './inherited.ts';
import type { Program } from './replace.ts';

export interface Ending {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface RunningChild {
  child: ChildProcess;
  ended: Promise<Ending>;
}

/** Signals to this process that are meant for the child. */
const forwarded: readonly NodeJS.Signals[] = [
  'SIGHUP',
  'SIGINT',
  'SIGBREAK',
  'SIGQUIT',
  'SIGTERM',
  'SIGUSR1',
  'SIGUSR2',
  'SIGCONT',
  'SIGWINCH',
];
/** The terminal sends these to the whole process group, so forwarding them would deliver them to the child twice. */
const sentByTerminal: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT', 'SIGWINCH'];

/**
 * Windows tells all processes of a console of Ctrl-C, Ctrl-Break and its closing, and has no other signals: what one
 * process sends to another just ends that one.
 */
export const isForwarded = (signal: NodeJS.Signals, isOnTerminal: boolean, platform = process.platform): boolean =>
  platform !== 'win32' && !(isOnTerminal && sentByTerminal.includes(signal));

/** @throws Failure 126 if the system can't execute it */
export function startChild(program: Program, inherited: Inherited): Promise<RunningChild> {
  const { path, argv, variables } = throughShell(program, inherited);
  const { descriptors } = inherited;
  // Without a hole, because Node moves what follows one. It leaves an ignored descriptor closed from 3 on.
  const stdio: StdioOptions = Array.from(
    { length: Math.max(3, ...descriptors.map(one => one + 1)) },
    (_, descriptor) => (descriptor < 3 ? 'inherit' : descriptors.includes(descriptor) ? descriptor : 'ignore'),
  );
  return new Promise((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException) => reject(notStarted(program.argv[0] ?? path, variables, error));
    let child: ChildProcess;
    try {
      const { file, args, options } = launchOf(path, argv);
      child = spawn(file, args, { ...options, env: { ...variables }, stdio });
    } catch (error) {
      if (error instanceof Failure) reject(error);
      else refuse(error as NodeJS.ErrnoException);
      return;
    }
    const ended = new Promise<Ending>(end => child.once('exit', (code, signal) => end({ code, signal })));
    child.once('error', refuse);
    child.once('spawn', () => resolve({ child, ended }));
  });
}

function throughShell(program: Program, inherited: Inherited): Program {
  const { argv, variables } = program;
  if (!needsShell(variables, inherited)) return program;
  const { ignored, isNoted } = inherited;
  const steps = [
    ...(ignored.length === 0 ? [] : [`trap '' ${ignored.join(' ')}`]),
    ...(isNoted && isForThisProcess(variables) ? ['LISTEN_PID=$$; export LISTEN_PID'] : []),
  ];
  return { path: '/bin/sh', argv: ['sh', '-c', [...steps, 'exec "$@"'].join('\n'), 'sh', ...argv], variables };
}

function notStarted(command: string, variables: Program['variables'], { code }: NodeJS.ErrnoException): Failure {
  if (code !== 'E2BIG')
    return new Failure(exitCodes.notExecutable, 'not_executable', `${command} can’t be run (${code}).`);
  const bytes = Object.entries(variables).reduce(
    (sum, [name, value]) => sum + name.length + Buffer.byteLength(value) + 2,
    0,
  );
  return new Failure(
    exitCodes.notExecutable,
    'environment_too_large',
    `This system doesn’t allow an environment of ${bytes} bytes.`,
    {
      hint: 'Pass fewer keys (--only), or raise the limit of the stack: ulimit -s unlimited',
    },
  );
}

export interface Forwarding {
  /** Sends all further signals to the child, and those received before it started. */
  to(child: ChildProcess): void;
  stop(): void;
}

/** Catches signals for a child. Call it before the child starts: a signal in between would end only this process. */
export function forwardSignals(
  { ignored }: Inherited,
  heard: (signal: NodeJS.Signals, isOnTerminal: boolean) => void = () => undefined,
): Forwarding {
  const isOnTerminal = hasTerminal();
  let target: ChildProcess | undefined;
  const early: NodeJS.Signals[] = [];
  const listened = forwarded.filter(signal => !ignored.includes(constants.signals[signal]));
  const listeners = listened.map(signal => {
    const listener = () => {
      heard(signal, isOnTerminal);
      if (target === undefined) early.push(signal);
      else if (isForwarded(signal, isOnTerminal)) target.kill(signal);
    };
    process.on(signal, listener);
    return () => process.off(signal, listener);
  });
  return {
    to: child => {
      target = child;
      // A child that wasn't there yet has heard nothing of its terminal either.
      for (const signal of early.splice(0)) hand(child, signal);
    },
    stop: () => {
      for (const remove of listeners) remove();
    },
  };
}

/** Windows has no signals that one process sends to another: they end it, or Node refuses to send them. */
export function hand(child: Pick<ChildProcess, 'kill'>, signal: NodeJS.Signals, platform = process.platform): void {
  if (platform !== 'win32') child.kill(signal);
  else if (signal !== 'SIGWINCH') child.kill();
}

function hasTerminal(): boolean {
  if (process.platform === 'win32') return [0, 1, 2].some(isatty);
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}

/** Ends this process as the child ended: by its code, or by the signal that killed it. */
export function endAs({ code, signal }: Ending): Promise<never> {
  if (signal === null) process.exit(code ?? exitCodes.other);
  // Removing a listener restores the default action, even for SIGPIPE, which Node ignores.
  const nothing = () => undefined;
  try {
    process.on(signal, nothing);
    process.off(signal, nothing);
  } catch {
    // SIGKILL and SIGSTOP can't be caught.
  }
  try {
    process.kill(process.pid, signal);
  } catch {
    // Windows does not have all of them.
    process.exit(128 + constants.signals[signal]);
  }
  // Delivery may take a moment if another thread gets the signal.
  return new Promise(() => setTimeout(() => process.exit(128 + constants.signals[signal]), 1000));
}
