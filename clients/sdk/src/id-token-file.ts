import { noIdToken, reasonOf } from './id-token-failure.ts';
import type { IdTokenRequest } from './identity.ts';
import { nodeModule } from './node-modules.ts';

export function readIdToken({ variables: { HOLDFAST_ID_TOKEN_FILE: file = '' } }: IdTokenRequest): string {
  const { readFileSync } = nodeModule('node:fs');
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const tried = `${file} could not be read (${reasonOf(error)})`;
    throw noIdToken(`${tried}: set HOLDFAST_ID_TOKEN_FILE to the path of a file that contains the token.`, {
      cause: error,
    });
  }
}
