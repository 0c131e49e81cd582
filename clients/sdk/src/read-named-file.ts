import { noIdToken, reasonOf } from './id-token-failure.ts';
import { nodeModule } from './node-modules.ts';

/** Reads the file that an environment variable names. @throws HoldfastError that names both */
export function readNamedFile(path: string, variable: string): string {
  const { readFileSync } = nodeModule('node:fs');
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw noIdToken(
      `${variable} names ${path}, which could not be read (${reasonOf(error)}): set it to a readable file.`,
      { cause: error },
    );
  }
}
