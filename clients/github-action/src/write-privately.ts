import { chmodSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';

/**
 * Writes a file atomically, readable only by its owner. A link at this path is replaced, and a link in the checkout must
 * not lead the file out of it.
 */
export function writePrivately(path: string, text: string, workspace: string): void {
  const target = resolve(workspace, path);
  try {
    const directory = realpathSync(dirname(target));
    if (isWithin(target, resolve(workspace)) && !isWithin(directory, realpathSync(workspace))) {
      throw new Error('a link leads out of the workspace');
    }
    replaceFile(join(directory, basename(target)), text);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Error(`${path} can’t be written (${code ?? message}).`);
  }
}

function isWithin(path: string, directory: string): boolean {
  const way = relative(directory, path);
  return !isAbsolute(way) && !/^\.\.(?:[/\\]|$)/.test(way);
}

function replaceFile(path: string, text: string): void {
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
