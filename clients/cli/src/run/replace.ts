import { type Entry, isName } from '@holdfast/contracts/fields/formats/format.ts';
import { sh } from '@holdfast/contracts/fields/formats/shells.ts';
import { isWithheld } from '../withheld.ts';
import { isSureToExecute } from './find-program.ts';
import { type Inherited, letShellStay, writePlan } from './inherited.ts';

/**
 * Linux allows a quarter of the stack limit, usually 2 MiB, for arguments and environment, including the pointers to
 * them.
 */
const mostBytes = 1_572_864;
/** MAX_ARG_STRLEN: the limit of a single variable or argument. */
const longestBytes = 131_071;

export interface Program {
  path: string;
  /** The command as typed, then its arguments. */
  argv: readonly string[];
  variables: Readonly<Record<string, string>>;
}

/**
 * Replaces this process with the program, which keeps the pid, signals and terminal and sets the exit status. Returns
 * only if that isn't possible.
 */
export function replaceProcess({ path, argv, variables }: Program, inherited: Inherited): void {
  const isSpawned = process.env.HOLDFAST_RUN === 'spawn';
  if (inherited.awaitsPlan) {
    const changed = Object.entries(variables).filter(([name, value]) => process.env[name] !== value);
    const isPlain = changed.every(([name, value]) => sh.refuses?.(name, value) === undefined);
    // A shell would report in its own words that the environment is too large.
    if (isSpawned || !isPlain || !fits(argv, variables)) letShellStay();
    writePlan(planOf(argv, changed));
  }
  if (typeof process.execve !== 'function' || isSpawned) return;
  if (inherited.ignored.length + inherited.descriptors.length > 0) return;
  if (!fits(argv, variables) || !isSureToExecute(path)) return;
  execute(path, argv, variables);
}

/** What the shell evaluates. Its last arguments are the command. */
function planOf(argv: readonly string[], changed: readonly Entry[]): string {
  const withheld = Object.keys(process.env).filter(name => isWithheld(name) && isName(name));
  const unset = withheld.map(name => `unset -v ${name}\n`).join('');
  return `{ shift $(($# - ${argv.length}))\n${unset}${sh.write(changed, { project: '', environment: '' })}exec "$@"; }`;
}

/**
 * Makes the first process of a container a shell, which starts this program again and reaps orphans. Returns where that
 * isn't possible.
 */
export function becomeShell({ isNoted }: Inherited): void {
  const [, script = '', ...words] = process.argv;
  if (process.pid !== 1 || isNoted || process.execArgv.length > 0 || typeof process.execve !== 'function') return;
  if (!isSureToExecute(script)) return;
  execute('/bin/sh', ['sh', script, ...words], { ...process.env, HOLDFAST_SHELL_NODE: process.execPath });
}

function execute(path: string, argv: readonly string[], variables: NodeJS.ProcessEnv): void {
  // Node ignores both. Ignored signals stay ignored in the new program, but caught ones are reset.
  process.on('SIGPIPE', () => undefined);
  process.on('SIGXFSZ', () => undefined);
  process.execve?.(path, [...argv], { ...variables });
}

function fits(argv: readonly string[], variables: Readonly<Record<string, string>>): boolean {
  let bytes = 0;
  for (const text of [...argv, ...Object.entries(variables).map(([name, value]) => `${name}=${value}`)]) {
    const length = Buffer.byteLength(text) + 1;
    if (length > longestBytes) return false;
    bytes += length + 8;
  }
  return bytes <= mostBytes;
}
