import type { KeyObject } from 'node:crypto';
import { dataKey } from '../../crypto/data-keys.ts';
import { cipherKey, open, type Place, seal } from '../../crypto/envelope.ts';
import type { ProjectKeys } from '../../table/records/project.ts';
import type { HeadRecord } from '../../table/records/secret.ts';
import { StaleRead } from './stale-read.ts';

type ValuePlace = Pick<Place, 'environmentId' | 'key' | 'version'>;

type Sealed = Pick<HeadRecord, 'key' | 'version' | 'sealed' | 'keyVersion'>;

export type KeyRing = ReturnType<typeof keyRing>;

/** Seals and opens values with the data keys that the project had when it was read, each unwrapped on first use. */
export function keyRing(
  organizationId: string,
  project: Pick<ProjectKeys, 'id' | 'slug' | 'keyVersion' | 'wrappedKeys'>,
) {
  const opened = new Map<number, Promise<KeyObject>>();
  const projectId = project.id;
  const keyOf = (keyVersion: number) => {
    const unwrapped = opened.get(keyVersion);
    if (unwrapped !== undefined) return unwrapped;
    const wrapped = project.wrappedKeys[String(keyVersion)];
    if (wrapped === undefined) throw new StaleRead(`Project ${projectId} has no data key of version ${keyVersion}.`);
    const key = dataKey({ organizationId, projectId, keyVersion }, wrapped).then(cipherKey);
    opened.set(keyVersion, key);
    return key;
  };
  return {
    keyVersion: project.keyVersion,
    /** Unwraps the data key of most values, so that this can run in parallel with other work. */
    prepare: async () => void (await keyOf(project.keyVersion)),
    canOpen: ({ keyVersion }: Sealed) =>
      keyVersion !== undefined && project.wrappedKeys[String(keyVersion)] !== undefined,
    seal: async (value: string, place: ValuePlace): Promise<Uint8Array> => {
      const { keyVersion } = project;
      return seal(value, await keyOf(keyVersion), { organizationId, projectId, ...place, keyVersion });
    },
    /**
     * The value of a head or version.
     * @throws StaleRead if the project lacks its data key because a rotation was completed; AlteredCiphertext naming
     * the place if the ciphertext does not belong there
     */
    open: async (environmentId: string, { key, version, sealed, keyVersion }: Sealed): Promise<string> => {
      if (sealed === undefined || keyVersion === undefined) {
        throw new Error(`${key} version ${version} in environment ${environmentId} has no ciphertext.`);
      }
      const place = { organizationId, projectId, environmentId, key, version, keyVersion };
      return open(sealed, await keyOf(keyVersion), place);
    },
  };
}

/**
 * Call this before anything that must happen only once, such as writing an audit entry.
 * @throws StaleRead if the project didn't have the data key of a value when it was read
 */
export function requireKeys(ring: KeyRing, records: readonly Sealed[]): void {
  const closed = records.find(record => !ring.canOpen(record));
  if (closed !== undefined) throw new StaleRead(`The project lacks the data key of ${closed.key} ${closed.version}.`);
}
