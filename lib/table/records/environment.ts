import * as z from 'zod';
import { EnvironmentType } from '../../contracts/fields/environment-type.ts';
import { entity } from '../entity.ts';
import { keys } from '../keys.ts';

/** An environment's description, none of which changes; what changes is in its state below. */
export const environmentRecord = entity({
  kind: 'environment',
  key: keys.environment,
  schema: z.object({
    id: z.string(),
    slug: z.string(),
    name: z.string(),
    type: EnvironmentType,
    projectId: z.string(),
    project: z.string(),
    createdAt: z.string(),
  }),
});

export type EnvironmentRecord = ReturnType<typeof environmentRecord.parse>;

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
    /** The revision it began with, without any secret: above every revision of earlier environments of this name. */
    firstRevision: z.int().default(0),
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
