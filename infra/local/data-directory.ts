import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartError } from './start-error.ts';

/** Where a running stack keeps its state: a directory, or memory where `path` is undefined. */
export interface DataDirectory {
  path: string | undefined;
  release: () => void;
}

/**
 * Opens a data directory (`memory` keeps nothing) for one stack at a time.
 * @throws StartError where it cannot be written or another stack holds it.
 */
export function openDataDirectory(dataDir: string): DataDirectory {
  if (dataDir === 'memory') return { path: undefined, release: () => undefined };
  const path = resolve(dataDir);
  try {
    // Only the owner may look inside: the stand-in's master keys are here.
    makeDirectory(path);
    if (!statSync(path).isDirectory()) throw new Error('there is a file in its place');
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new StartError(
      `The data directory ${path} cannot be used (${reasonOf(error)}); set DATA_DIR to another one.`,
    );
  }
  const lock = lockDirectory(path);
  return { path, release: () => lock.close() };
}

/** One level at a time: node's own recursion never ends where a parent is there and takes no children, as in /proc. */
function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  makeDirectory(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

/** A lock of SQLite is one of the operating system: it is gone with its process, however that ends. */
function lockDirectory(path: string): DatabaseSync {
  const file = join(path, 'lock.db');
  try {
    const lock = new DatabaseSync(file);
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    if (!isBusy(error)) throw damaged(file, error);
    throw new StartError(
      `Another local stack is running on the data directory ${path}; stop it or set DATA_DIR to another one.`,
    );
  }
}

/**
 * Opens an SQLite file of the data directory, or one in memory. Write-ahead logging: what was written survives the
 * end of the process, without a disk flush a write.
 * @throws StartError where the file is damaged.
 */
export function openDatabase(directory: string | undefined, name: string): DatabaseSync {
  if (directory === undefined) return new DatabaseSync(':memory:');
  const file = join(directory, name);
  try {
    const database = new DatabaseSync(file);
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    return database;
  } catch (error) {
    throw damaged(file, error);
  }
}

/** @throws StartError where SQLite does not take the file. */
export function refuseDamagedDatabase(file: string): void {
  try {
    const database = new DatabaseSync(file);
    database.exec('PRAGMA schema_version');
    database.close();
  } catch (error) {
    throw damaged(file, error);
  }
}

function damaged(file: string, error: unknown): StartError {
  return new StartError(`The data file ${file} is damaged or not readable (${reasonOf(error)}); restore or delete it.`);
}

/** The short reason of an error, for one sentence. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EEXIST' || code === 'ENOTDIR') return 'there is a file in its place';
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return 'it is not writable';
  return error.message.split('\n', 1)[0] ?? '';
}

function isBusy(error: unknown): boolean {
  const sqliteBusy = 5;
  return error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy;
}
