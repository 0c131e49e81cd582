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

/** A function for the token in the file `HOLDFAST_TOKEN_FILE`, which is read each time, because platforms renew it. */
export function tokenInFile(path: string): () => string {
  const read = () => readNamedFile(path, 'HOLDFAST_TOKEN_FILE');
  // Fails here, not at the first call.
  read();
  return read;
}
