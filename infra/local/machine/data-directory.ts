import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { reasonOf, StartError } from './start-error.ts';

/** Where a running stack keeps its state: a directory, or in memory if `path` is undefined. */
export interface DataDirectory {
  path: string | undefined;
  release: () => void;
}

/**
 * Opens a data directory, for one stack at a time; with `memory`, nothing is kept.
 * @throws StartError if it is not writable or another stack uses it
 */
export function openDataDirectory(dataDir: string): DataDirectory {
  if (dataDir === 'memory') return { path: undefined, release: () => undefined };
  const path = resolve(dataDir);
  try {
    // Only the owner may read it: it contains the master keys of the KMS stand-in.
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

/**
 * Creates one level at a time: Node's recursive mkdir never returns under a parent that rejects children, such as
 * /proc.
 */
function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  makeDirectory(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

/** SQLite uses operating system locks, so the lock ends with its process, even if the process is killed. */
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
 * Opens an SQLite file in the data directory, or an in-memory database. With write-ahead logging, writes survive the
 * end of the process without a disk flush each.
 * @throws StartError if the file is damaged
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

/** @throws StartError if SQLite cannot open the file */
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

function isBusy(error: unknown): boolean {
  const sqliteBusy = 5;
  return error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy;
}
