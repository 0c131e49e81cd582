import * as z from 'zod';
import { Bytes, entity } from '../entity.ts';
import { keys } from '../keys.ts';

const actor = z.object({ id: z.string(), email: z.string() });

/** The fencing token of the change that wrote it, unlike that of any other change of the environment. */
const fence = z.int();
/** Its value was taken out of the table. Never the newest version, so a head has it only where it is that of the past. */
const destroyed = z.literal(true).optional();

/**
 * The newest version of a key. A large change that deletes a key leaves its head, without a value, until it is moved to
 * the tombstones.
 */
export const headRecord = entity({
  kind: 'head',
  key: keys.head,
  oldestFormat: 2,
  schema: z.object({
    key: z.string(),
    version: z.int(),
    revision: z.int(),
    fence,
    deleted: z.literal(true).optional(),
    destroyed,
    sealed: Bytes.optional(),
    keyVersion: z.int().optional(),
    sizeBytes: z.int().optional(),
    createdAt: z.string(),
    updatedAt: z.string(),
    updatedBy: actor,
  }),
});

export type HeadRecord = ReturnType<typeof headRecord.parse>;

/**
 * The newest deletion of a key, so that version numbers go on. It stays when the key is set again, and means nothing while
 * the key has a head.
 */
export const tombstoneRecord = entity({
  kind: 'tombstone',
  key: keys.tombstone,
  schema: z.object({
    key: z.string(),
    version: z.int(),
    revision: z.int(),
    fence,
    deleted: z.literal(true),
    createdAt: z.string(),
    updatedAt: z.string(),
    updatedBy: actor,
  }),
});

export type TombstoneRecord = ReturnType<typeof tombstoneRecord.parse>;

/** One version of a key; the history is the undo log of changes that did not commit. */
export const versionRecord = entity({
  kind: 'version',
  key: keys.version,
  oldestFormat: 2,
  schema: z.object({
    key: z.string(),
    version: z.int(),
    revision: z.int(),
    fence,
    deleted: z.literal(true).optional(),
    destroyed,
    sealed: Bytes.optional(),
    keyVersion: z.int().optional(),
    sizeBytes: z.int().optional(),
    /** When the key was first set, copied here so that a head can be restored. */
    keyCreatedAt: z.string(),
    createdAt: z.string(),
    createdBy: actor,
  }),
});

export type VersionRecord = ReturnType<typeof versionRecord.parse>;
