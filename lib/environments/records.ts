import * as z from 'zod';
import { Bytes, entity } from '../table/entity.ts';
import { keys } from '../table/keys.ts';
import { EnvironmentType } from './environment-type.ts';

const actor = z.object({ id: z.string(), email: z.string() });

/** A large change that has begun: its heads and versions are stamped `revision`, and invisible until it commits. */
const pendingChange = z.object({
  changeId: z.string(),
  revision: z.int(),
  /** Epoch milliseconds of its last step. A change that stays silent for long is presumed dead and undone. */
  beatAtMs: z.int(),
});

/**
 * The state of an environment, the one item that every change of its secrets passes through. All of a change becomes
 * visible in the write that raises `revision` here.
 */
export const environmentStateRecord = entity({
  kind: 'environmentState',
  key: keys.environmentState,
  schema: z.object({
    id: z.string(),
    slug: z.string(),
    type: EnvironmentType,
    projectId: z.string(),
    revision: z.int(),
    secretCount: z.int(),
    /** JSON-encoded keys and values plus 256 bytes a key: what the 4 MiB bound is counted on. */
    sizeBytes: z.int(),
    /** Values in the history (versions that are no deletions). */
    valueCount: z.int(),
    /** Writes under an older data key than this can no longer commit. */
    keyVersion: z.int(),
    /** Order-independent digest of all live heads (see `digest.ts`): proves that what was read is one revision. */
    digest: z.string(),
    /** The change that made the current revision. */
    changeId: z.string().nullable(),
    pending: pendingChange.optional(),
    status: z.enum(['active', 'deleting']),
  }),
});
export type EnvironmentState = ReturnType<typeof environmentStateRecord.parse>;

/** The newest version of a key. A deletion leaves its head, without a value, so that version numbers go on. */
export const headRecord = entity({
  kind: 'head',
  key: keys.head,
  schema: z.object({
    key: z.string(),
    version: z.int(),
    revision: z.int(),
    deleted: z.literal(true).optional(),
    sealed: Bytes.optional(),
    keyVersion: z.int().optional(),
    sizeBytes: z.int().optional(),
    createdAt: z.string(),
    updatedAt: z.string(),
    updatedBy: actor,
  }),
});
export type HeadRecord = ReturnType<typeof headRecord.parse>;

/** One version of a key; the history is the undo log of changes that did not commit. */
export const versionRecord = entity({
  kind: 'version',
  key: keys.version,
  schema: z.object({
    key: z.string(),
    version: z.int(),
    revision: z.int(),
    deleted: z.literal(true).optional(),
    sealed: Bytes.optional(),
    keyVersion: z.int().optional(),
    sizeBytes: z.int().optional(),
    /** When the key first came to be, carried along so that a head can be restored from here. */
    keyCreatedAt: z.string(),
    createdAt: z.string(),
    createdBy: actor,
  }),
});
export type VersionRecord = ReturnType<typeof versionRecord.parse>;
