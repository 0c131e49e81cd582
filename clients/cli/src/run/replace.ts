import { isSureToExecute } from './find-program.ts';

/** Linux takes a quarter of the stack for arguments and environment, mostly 2 MiB, the pointers to them included. */
const mostBytes = 1_572_864;
/** MAX_ARG_STRLEN: of a single variable or argument. */
const longestBytes = 131_071;

export interface Program {
  path: string;
  /** The command as it was typed, then its arguments. */
  argv: readonly string[];
  variables: Readonly<Record<string, string>>;
}

/**
 * Replaces this process with the program, which keeps the pid, signals and terminal and sets the exit status. Returns
 * only if that isn't possible.
 */
export function replaceProcess({ path, argv, variables }: Program): void {
  if (typeof process.execve !== 'function' || process.env.HOLDFAST_RUN === 'spawn') return;
  if (!fits(argv, variables) || !isSureToExecute(path)) return;
  // Node ignores both, and an ignored signal stays ignored in the next program; a caught one is reset.
  process.on('SIGPIPE', () => undefined);
  process.on('SIGXFSZ', () => undefined);
  process.execve(path, [...argv], { ...variables });
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
