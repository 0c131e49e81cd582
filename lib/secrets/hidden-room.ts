import { createHmac } from 'node:crypto';
import type { EnvironmentState } from '../table/records/environment.ts';
import type { ProjectRecord } from '../table/records/project.ts';

/** Wide enough that it takes thousands of revisions, each of them audited, to measure to some hundred bytes. */
const maximumHiddenBytes = 512 * 1024;

/**
 * How many bytes before its bound an environment is full to a writer who may not read it. With an exact bound such a
 * writer could measure to the byte what the values take, in dry runs that leave no trace; with this one only roughly. It
 * is the same for all requests at a revision, so it can't be tried out either, and nobody outside can compute it: a
 * wrapped data key never leaves the service. Pure.
 */
export function hiddenRoomBytes(
  { keyVersion, wrappedKeys }: Pick<ProjectRecord, 'keyVersion' | 'wrappedKeys'>,
  { id, revision }: Pick<EnvironmentState, 'id' | 'revision'>,
): number {
  const secret = wrappedKeys[String(keyVersion)];
  if (secret === undefined) throw new Error(`The project of environment ${id} lacks its data key ${keyVersion}.`);
  return createHmac('sha256', secret).update(`room ${id} ${revision}`).digest().readUInt32BE() % maximumHiddenBytes;
}
