import { existsSync, lstatSync, mkdirSync, readlinkSync, realpathSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, posix, resolve, win32 } from 'node:path';
import { exitCodes, Failure } from './failure.ts';
import { readLimited } from './read-limited.ts';
import { isWithin, replaceFile } from './replace-file.ts';

/** XDG Base Directory, and on Windows the folders of a program's data. Relative paths must be ignored. */
export function ownDirectory(
  kind: 'config' | 'cache',
  variables: Readonly<Record<string, string | undefined>> = process.env,
  { platform, homeDirectory } = { platform: process.platform as string, homeDirectory: home() },
): string {
  const isWindows = platform === 'win32';
  const { isAbsolute: isWhole, join: joined } = isWindows ? win32 : posix;
  const [xdg, local, ...fallback] = (isWindows ? onWindows : elsewhere)[kind];
  const given = [variables[xdg], variables[local]].find(path => path !== undefined && isWhole(path));
  return joined(given ?? joined(homeDirectory, ...fallback), 'holdfast');
}

/** Two variables, and where it is in the home directory without them. The cache doesn't follow its user elsewhere. */
const onWindows = {
  config: ['XDG_CONFIG_HOME', 'APPDATA', 'AppData', 'Roaming'],
  cache: ['XDG_CACHE_HOME', 'LOCALAPPDATA', 'AppData', 'Local'],
} as const;
const elsewhere = {
  config: ['XDG_CONFIG_HOME', 'XDG_CONFIG_HOME', '.config'],
  cache: ['XDG_CACHE_HOME', 'XDG_CACHE_HOME', '.cache'],
} as const;

/**
 * In a container, a user may have neither HOME nor an account; Docker sets HOME to the root then. An empty or relative HOME
 * would make files of the current directory, which may be a repository, the user's own.
 */
function home(): string {
  try {
    const path = homedir();
    return isAbsolute(path) ? path : '/';
  } catch {
    return '/';
  }
}

export const configDirectory = (): string => ownDirectory('config');
export const cacheDirectory = (): string => ownDirectory('cache');

/** @returns undefined if the file does not exist */
export function readIfThere(path: string): Buffer | undefined {
  try {
    return readLimited(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

/**
 * Writes a file atomically, readable only by its owner. Pipes and devices are written to directly. Links are only
 * followed within the directory: a link in a repository must not choose which of the user's files are overwritten.
 */
export function writePrivately(path: string, text: string): void {
  writeTo(path, text, requireInside);
}

function writeTo(path: string, text: string, check: (path: string, target: string) => void): void {
  try {
    // A descriptor of this process is written to directly, whatever it refers to.
    const isDescriptor = /^\/(?:dev|proc)\//.test(path);
    const target = isDescriptor ? path : followed(resolve(path));
    if (!isDescriptor) check(path, target);
    const isSpecial = isDescriptor || lstatSync(target, { throwIfNoEntry: false })?.isFile() === false;
    // Append, because /dev/stdout may be a file with content.
    if (isSpecial) writeFileSync(target, text, { flag: 'a' });
    else replaceFile(target, text);
  } catch (error) {
    throw error instanceof Failure ? error : notWritten(path, error);
  }
}

/** The path with links resolved, even if the file does not exist yet. */
function followed(path: string): string {
  const real = join(realpathSync(dirname(path)), basename(path));
  const isLink = lstatSync(real, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  if (!isLink) return real;
  const target = resolve(dirname(real), readlinkSync(real));
  // The system resolves further links, and detects circular ones.
  return lstatSync(target, { throwIfNoEntry: false })?.isSymbolicLink() ? realpathSync(target) : followed(target);
}

/**
 * @throws Failure if a link leads out of the current directory. For a path elsewhere: out of the file's own directory, or
 * out of the nearest directory that also contains the current one, which may be the root of a repository
 */
function requireInside(path: string, target: string): void {
  const absolute = resolve(path);
  const isHere = isWithin(absolute, process.cwd());
  const directories = isHere ? [process.cwd()] : [dirname(absolute), commonDirectory(absolute, process.cwd())];
  if (directories.every(directory => isWithin(target, realpathSync(directory)))) return;
  throw new Failure(
    exitCodes.other,
    'not_written',
    `${path} points to ${target}, outside of this directory; nothing was written.`,
    { hint: 'Name the file itself, if that is the one to write.' },
  );
}

/** The nearest directory that contains both paths. */
function commonDirectory(path: string, other: string): string {
  const directory = dirname(path);
  return isWithin(other, directory) ? directory : commonDirectory(directory, other);
}

function notWritten(path: string, error: unknown): Failure {
  const { code } = error as NodeJS.ErrnoException;
  return new Failure(exitCodes.other, 'not_written', `${path} can’t be written (${code}).`);
}

/** Its directory is created for the owner only. */
export function writeOwnFile(path: string, text: string): void {
  try {
    makeDirectory(dirname(path));
  } catch (error) {
    throw notWritten(path, error);
  }
  // Users may link these files to another location.
  writeTo(path, text, () => undefined);
}

/** Node's own recursion never ends where the system allows no directory at all, such as below /proc. */
function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  makeDirectory(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another command may have made it meanwhile.
    if (!existsSync(path)) throw error;
  }
}
