import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { exitCodes, Failure } from './failure.ts';

/** XDG Base Directory: relative paths are to be ignored. */
function base(variable: string, fallback: string): string {
  const given = process.env[variable] ?? '';
  return isAbsolute(given) ? given : join(homedir(), fallback);
}

export const configDirectory = (): string => join(base('XDG_CONFIG_HOME', '.config'), 'holdfast');
export const cacheDirectory = (): string => join(base('XDG_CACHE_HOME', '.cache'), 'holdfast');

/** @returns undefined where it is not there */
export function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

/** Whole or not at all, and for its owner alone. A link stays one; a pipe or a device is written to. */
export function writePrivately(path: string, text: string): void {
  try {
    const target = targetOf(path);
    // Appending: /dev/stdout may be a file with something in it.
    if (target.isSpecial) writeFileSync(target.path, text, { flag: 'a' });
    else replaceFile(target.path, text);
  } catch (error) {
    throw notWritten(path, error);
  }
}

function replaceFile(path: string, text: string): void {
  const temporary = join(dirname(path), `.${basename(path)}.${crypto.randomUUID()}`);
  try {
    writeFileSync(temporary, text, { mode: 0o600, flag: 'wx', flush: true });
    // A umask only takes bits away, and this one must have exactly these.
    chmodSync(temporary, 0o600);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function notWritten(path: string, error: unknown): Failure {
  const { code } = error as NodeJS.ErrnoException;
  return new Failure(exitCodes.other, 'not_written', `${path} can’t be written (${code}).`);
}

function targetOf(path: string): { path: string; isSpecial: boolean } {
  // A descriptor of this process, whatever it leads to.
  if (/^\/(?:dev|proc)\//.test(path)) return { path, isSpecial: true };
  try {
    const real = realpathSync(path);
    return { path: real, isSpecial: !lstatSync(real).isFile() };
  } catch {
    return { path, isSpecial: false };
  }
}

/** Its directory is made for its owner alone. */
export function writeOwnFile(path: string, text: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw notWritten(path, error);
  }
  writePrivately(path, text);
}
