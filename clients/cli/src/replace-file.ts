import { chmodSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';

export function isWithin(path: string, directory: string): boolean {
  const way = relative(directory, path);
  return !isAbsolute(way) && !/^\.\.(?:[/\\]|$)/.test(way);
}

/** Writes a file atomically, readable only by its owner. */
export function replaceFile(path: string, text: string): void {
  const temporary = join(dirname(path), `.${basename(path)}.${crypto.randomUUID()}`);
  try {
    writeFileSync(temporary, text, { mode: 0o600, flag: 'wx', flush: true });
    // The umask removes bits, but the mode must be exactly this.
    chmodSync(temporary, 0o600);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
