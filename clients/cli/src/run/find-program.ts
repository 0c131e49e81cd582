import { accessSync, closeSync, constants, lstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { throughShell } from '../elsewhere.ts';
import { exitCodes, Failure } from '../failure.ts';
import { windowsCandidates } from '../launch/windows.ts';

/** The file that a shell would run. @throws Failure 127 if not found, 126 if not executable */
export function findProgram(command: string, variables: Readonly<Record<string, string>>): string {
  if (process.platform === 'win32') return findOnWindows(command, variables);
  const isPath = command.includes('/');
  const directories = (variables.PATH ?? '/usr/local/bin:/usr/bin:/bin').split(delimiter);
  const candidates = isPath
    ? [command]
    : directories.map(directory => join(directory === '' ? '.' : directory, command));
  let refused: string | undefined;
  for (const path of candidates) {
    const stats = findStats(path);
    if (stats === undefined) continue;
    if (typeof stats === 'string') {
      refused ??= `${path} can’t be reached (${stats})`;
      continue;
    }
    if (stats.isFile() && isExecutable(path)) return isAbsolute(path) || isPath ? path : `./${path}`;
    if (isPath || stats.isFile()) refused ??= `${path} is ${stats.isFile() ? 'not executable' : 'no file'}`;
  }
  if (refused !== undefined) throw new Failure(exitCodes.notExecutable, 'not_executable', `${refused}.`);
  throw new Failure(exitCodes.noSuchCommand, 'no_such_command', `Command not found: ${command}.`, {
    hint: command.includes(' ') ? throughShell : undefined,
  });
}

/** @param isFile whether a path leads to a file */
export function findOnWindows(
  command: string,
  variables: Readonly<Record<string, string>>,
  isFile = isWindowsFile,
): string {
  const found = windowsCandidates(command, variables).find(isFile);
  if (found !== undefined) return found;
  if (/[\\/]/.test(command) && isFile(command)) {
    throw new Failure(exitCodes.notExecutable, 'not_executable', `${command} is no program and no batch file.`, {
      hint: 'Name the program that runs it first, such as: powershell -File',
    });
  }
  throw new Failure(exitCodes.noSuchCommand, 'no_such_command', `Command not found: ${command}.`, {
    hint: command.includes(' ') ? 'To run it with a shell: holdfast run -- cmd /c "…"' : undefined,
  });
}

/** Windows lets nobody read what the aliases of its store lead to, such as `python.exe`, but it starts them. */
function isWindowsFile(path: string): boolean {
  const stats = findStats(path);
  if (typeof stats !== 'string') return stats?.isFile() === true;
  try {
    return !lstatSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** @returns undefined if there is none, or why it can't be told: a container's user may not enter all of PATH */
function findStats(path: string): Stats | string | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const headBytes = 4096;

function headOf(path: string): Buffer | undefined {
  try {
    const file = openSync(path, 'r');
    try {
      const head = Buffer.alloc(headBytes);
      return head.subarray(0, readSync(file, head));
    } finally {
      closeSync(file);
    }
  } catch {
    // Executable but not readable, so its format is unknown.
    return undefined;
  }
}

/**
 * Whether the kernel can certainly execute this file. A failed `execve` ends this process without an error message, so
 * doubtful files are spawned instead.
 */
export function isSureToExecute(path: string): boolean {
  const head = headOf(path);
  if (head === undefined) return false;
  if (isOwnKind(head)) return true;
  const interpreter = /^#![ \t]*([^\s]+)/.exec(head.subarray(0, 256).toString('latin1'))?.[1];
  if (interpreter === undefined || !isAbsolute(interpreter) || !isExecutable(interpreter)) return false;
  const next = headOf(interpreter);
  return next !== undefined && isOwnKind(next);
}

/** Whether the program has the same format as the running one and, on Linux, an existing loader. */
function isOwnKind(head: Buffer): boolean {
  const own = headOf(process.execPath);
  if (own === undefined || head.length < 64) return false;
  if (process.platform !== 'linux') return head.subarray(0, 8).equals(own.subarray(0, 8));
  // ELF: magic, class and byte order, then the machine at 18.
  if (!head.subarray(0, 6).equals(own.subarray(0, 6)) || head[4] !== 2 || head[5] !== 1) return false;
  if (head.readUInt16LE(18) !== own.readUInt16LE(18)) return false;
  const loader = loaderOf(head);
  return loader !== undefined && (loader === '' || isExecutable(loader));
}

/** The loader of a 64-bit program (PT_INTERP); empty for none, undefined if it is too far into the file. */
function loaderOf(head: Buffer): string | undefined {
  const start = Number(head.readBigUInt64LE(32));
  const size = head.readUInt16LE(54);
  const count = head.readUInt16LE(56);
  for (let index = 0; index < count; index += 1) {
    const at = start + index * size;
    if (at + 56 > head.length) return undefined;
    if (head.readUInt32LE(at) !== 3) continue;
    const from = Number(head.readBigUInt64LE(at + 8));
    const end = from + Number(head.readBigUInt64LE(at + 32)) - 1;
    return end > head.length ? undefined : head.subarray(from, end).toString();
  }
  return '';
}
