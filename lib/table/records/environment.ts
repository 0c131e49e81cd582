import * as z from 'zod';
import { EnvironmentType } from '../../contracts/fields/environment-type.ts';
import { entity } from '../entity.ts';
import { keys } from '../keys.ts';

/*
 * An environment is two items, made in one transaction and erased together:
 * - its description, in the partition of its organization, so that one Query lists the environments of a project with
 *   the project itself. Nothing in it ever changes.
 * - its state, in the partition of its secrets, so that one Query reads the state and the secrets of one revision. Every
 *   change of the secrets writes it.
 * Both carry the environment's id. What addresses an environment by its slugs compares the id of what it read.
 */

/** The description. */
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
  /** Epoch milliseconds of its last step. A change without one for some time is presumed dead (see `undo-change.ts`). */
  beatAtMs: z.int(),
});

/**
 * The state: the one item that every change of the environment's secrets passes through. All of a change becomes visible
 * in the write that raises `revision` here. It sorts before the heads of the secrets, so it comes first in the Query that
 * reads them all (`ranges.environmentHeads`).
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
