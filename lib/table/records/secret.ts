import * as z from 'zod';
import { Bytes, entity } from '../entity.ts';
import { keys } from '../keys.ts';

const actor = z.object({ id: z.string(), email: z.string() });

const stamped = {
  key: z.string(),
  version: z.int(),
  revision: z.int(),
  /** The fencing token of the change that wrote it; every change to the environment has a different one. */
  fence: z.int(),
};

/** The value, unless the version is a deletion or was destroyed. */
const valued = {
  deleted: z.literal(true).optional(),
  /** Its value was removed from the table. Never set on the newest version, so only heads of past revisions have it. */
  destroyed: z.literal(true).optional(),
  sealed: Bytes.optional(),
  keyVersion: z.int().optional(),
  sizeBytes: z.int().optional(),
};

const updated = { createdAt: z.string(), updatedAt: z.string(), updatedBy: actor };

/**
 * The newest version of a key. A large change that deletes a key leaves a dead head without a value, which is later moved
 * to the tombstones.
 */
export const headRecord = entity('head', keys.head, { ...stamped, ...valued, ...updated }, { oldestFormat: 2 });

export type HeadRecord = ReturnType<typeof headRecord.parse>;

/**
 * The latest deletion of a key, kept so that version numbers continue. It stays when the key is set again, and is ignored
 * while the key has a head.
 */
export const tombstoneRecord = entity('tombstone', keys.tombstone, {
  ...stamped,
  deleted: z.literal(true),
  ...updated,
});

export type TombstoneRecord = ReturnType<typeof tombstoneRecord.parse>;

/** One version of a key; the history is the undo log of changes that did not commit. */
export const versionRecord = entity(
  'version',
  keys.version,
  {
    ...stamped,
    ...valued,
    /** When the key was first set; needed to restore its head. */
    keyCreatedAt: z.string(),
    createdAt: z.string(),
    createdBy: actor,
  },
  { oldestFormat: 2 },
);

export type VersionRecord = ReturnType<typeof versionRecord.parse>;
