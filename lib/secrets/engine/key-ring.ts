import type { KeyObject } from 'node:crypto';
import { dataKey } from '../../crypto/data-keys.ts';
import { cipherKey, open, type Place, seal } from '../../crypto/envelope.ts';
import type { ProjectRecord } from '../../table/records/project.ts';
import type { HeadRecord } from '../../table/records/secret.ts';
import { StaleRead } from './stale-read.ts';

/** The place of a value in its project. */
type ValuePlace = Pick<Place, 'environmentId' | 'key' | 'version'>;

/** A head or version with its value. */
type Sealed = Pick<HeadRecord, 'key' | 'version' | 'sealed' | 'keyVersion'>;

/**
 * Seals and opens values with the data keys that the project had when it was read. Each data key is unwrapped once, on
 * first use.
 */
export interface KeyRing {
  /** The key version that `seal` uses. */
  readonly keyVersion: number;
  /** Unwraps the data key that most values are under, in case that is to happen beside other work. */
  prepare(): Promise<void>;
  /** Whether the project had the record's data key when it was read. */
  canOpen(record: Sealed): boolean;
  seal(value: string, place: ValuePlace): Promise<Uint8Array>;
  /**
   * The value of a head or version.
   * @throws StaleRead if the project lacks its data key, because a rotation was completed in between; AlteredCiphertext
   * naming the place if the ciphertext does not belong there
   */
  open(environmentId: string, record: Sealed): Promise<string>;
}

export function keyRing(
  organizationId: string,
  project: Pick<ProjectRecord, 'id' | 'slug' | 'keyVersion' | 'wrappedKeys'>,
): KeyRing {
  const opened = new Map<number, Promise<KeyObject>>();
  const keyOf = (keyVersion: number) => {
    const known = opened.get(keyVersion);
    if (known !== undefined) return known;
    const wrapped = project.wrappedKeys[String(keyVersion)];
    if (wrapped === undefined) {
      throw new StaleRead(`The project ${project.id} has no data key of version ${keyVersion}.`);
    }
    const key = dataKey({ organizationId, projectId: project.id, keyVersion }, wrapped).then(cipherKey);
    opened.set(keyVersion, key);
    return key;
  };
  const placeOf = (place: ValuePlace, keyVersion: number) => ({
    organizationId,
    projectId: project.id,
    ...place,
    keyVersion,
  });
  return {
    keyVersion: project.keyVersion,
    prepare: async () => void (await keyOf(project.keyVersion)),
    canOpen: ({ keyVersion }) => keyVersion !== undefined && project.wrappedKeys[String(keyVersion)] !== undefined,
    seal: async (value, place) => seal(value, await keyOf(project.keyVersion), placeOf(place, project.keyVersion)),
    open: async (environmentId, { key, version, sealed, keyVersion }) => {
      if (sealed === undefined || keyVersion === undefined) {
        throw new Error(`${key} version ${version} in environment ${environmentId} has no ciphertext.`);
      }
      return open(sealed, await keyOf(keyVersion), placeOf({ environmentId, key, version }, keyVersion));
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
