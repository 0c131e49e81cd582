import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

let text: string | undefined;

/** All code that runs in the functions, as one string. A name that does not occur in it is unused. */
export function ownSources(): string {
  const root = join(import.meta.dirname, '../..');
  text ??= globSync('{lib,functions}/**/*.ts', { cwd: root })
    .map(file => readFileSync(join(root, file), 'utf8'))
    .join('\n');
  return text;
}
