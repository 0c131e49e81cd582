import { isSureToExecute } from './find-program.ts';

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
export function replaceProcess({ path, argv, variables }: Program): void {
  if (typeof process.execve !== 'function' || process.env.HOLDFAST_RUN === 'spawn') return;
  if (!fits(argv, variables) || !isSureToExecute(path)) return;
  // Node ignores both. Ignored signals stay ignored in the new program, but caught ones are reset.
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
