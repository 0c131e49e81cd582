import { dataKey } from '../../crypto/data-keys.ts';
import { open, seal } from '../../crypto/envelope.ts';
import type { ProjectRecord } from '../../table/records/project.ts';
import { StaleRead } from './stale-read.ts';

/** Where a value belongs inside its project. */
export interface ValuePlace {
  environmentId: string;
  key: string;
  version: number;
}

/** A head or version with its value. */
interface Sealed {
  key: string;
  version: number;
  sealed?: Uint8Array | undefined;
  keyVersion?: number | undefined;
}

/** Seals and opens the values of one project as it was read. Each data key is unwrapped once, on first use. */
export interface KeyRing {
  /** The key version that `seal` uses. */
  readonly keyVersion: number;
  /** Whether the project, as it was read, has the record's data key. */
  canOpen(record: Sealed): boolean;
  seal(value: string, place: ValuePlace): Promise<Uint8Array>;
  /**
   * The value of a head or version.
   * @throws StaleRead if the project no longer has its key, because a rotation was completed in between
   * @throws Error naming the place if the ciphertext does not belong there
   */
  open(environmentId: string, record: Sealed): Promise<string>;
}

export function keyRing(
  organizationId: string,
  project: Pick<ProjectRecord, 'id' | 'slug' | 'keyVersion' | 'wrappedKeys'>,
): KeyRing {
  const opened = new Map<number, Promise<Uint8Array>>();
  const keyOf = (keyVersion: number) => {
    const known = opened.get(keyVersion);
    if (known !== undefined) return known;
    const wrapped = project.wrappedKeys[String(keyVersion)];
    if (wrapped === undefined) {
      throw new StaleRead(`The project ${project.id} has no data key of version ${keyVersion}.`);
    }
    const key = dataKey({ organizationId, projectId: project.id, keyVersion }, wrapped);
    opened.set(keyVersion, key);
    return key;
  };
  const placeOf = (place: ValuePlace, keyVersion: number) => ({
    organizationId,
    projectId: project.id,
    environmentId: place.environmentId,
    key: place.key,
    version: place.version,
    keyVersion,
  });
  return {
    keyVersion: project.keyVersion,
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
