import { constants } from 'node:os';
import type { Ending } from './cli.ts';

export type Run = (words: string[]) => Promise<Ending>;

export const everyExitCode: readonly number[] = Array.from({ length: 256 }, (_, code) => code);

const harmless = ['SIGCHLD', 'SIGCONT', 'SIGSTOP', 'SIGTSTP', 'SIGTTIN', 'SIGTTOU', 'SIGURG', 'SIGWINCH'];
/** Aliases of signals that have another name. */
const aliases = ['SIGIOT', 'SIGPOLL', 'SIGUNUSED'];
export const everyDeadlySignal = Object.keys(constants.signals).filter(
  name => ![...harmless, ...aliases].includes(name),
) as NodeJS.Signals[];

export function exitWithEach(run: Run, codes: readonly number[]): Promise<Ending[]> {
  return runFourAtOnce(codes, code => run(['sh', '-c', `exit ${code}`]));
}

export function dieOfEach(run: Run, signals: readonly NodeJS.Signals[]): Promise<Ending[]> {
  return runFourAtOnce(signals, signal =>
    run(['sh', '-c', `ulimit -c 0; kill -${constants.signals[signal]} $$; sleep 5`]),
  );
}

async function runFourAtOnce<T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const queue = [...all.entries()];
  const worker = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) results[next[0]] = await work(next[1]);
  };
  await Promise.all(Array.from({ length: 4 }, worker));
  return results;
}
