import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isWithin, replaceFile } from '../../cli/src/replace-file.ts';

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
