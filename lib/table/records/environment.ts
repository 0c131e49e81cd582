import * as z from 'zod';
import { EnvironmentType } from '../../contracts/fields/environment-type.ts';
import { ExpiresAt, entity } from '../entity.ts';
import { type Condition, equals } from '../expressions.ts';
import { keys } from '../keys.ts';

/*
 * An environment is two items, made in one transaction and erased together:
 * - its description, in the partition of its organization, so that one Query lists the environments of a project with
 *   the project itself. Its name and type change on request only; the state carries the type as well.
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
    /** `deleting`: nobody can reach the environment any more, and its data is being erased. */
    status: z.enum(['active', 'deleting']),
  }),
});

export type EnvironmentRecord = ReturnType<typeof environmentRecord.parse>;

/** The description is that of this environment, which is not being erased. */
export function isActiveEnvironment(id: string): Condition<EnvironmentRecord> {
  return { id: equals(id), status: equals('active') };
}

/** A large change under way. Its heads and versions are stamped `revision`, and invisible until it commits. */
const pendingChange = z.object({
  revision: z.int(),
  /** How many items of `fenceRecord` hold a copy of the fencing token. */
  fences: z.int(),
  /** Rises while its writer is alive. */
  heartbeat: z.int(),
  /** Its writer can't go on, so the next one takes over at once. */
  abandoned: z.literal(true).optional(),
});

/**
 * The state: the one item that every change of the environment's secrets passes through. All of a change becomes visible
 * in the write that raises `revision` here. It sorts before the heads of the secrets, so it comes first in the Query that
 * reads them all (`ranges.environmentHeads`). `lib/secrets/engine/README.md` tells how its parts work together.
 */
export const environmentStateRecord = entity({
  kind: 'environmentState',
  key: keys.environmentState,
  oldestFormat: 3,
  schema: z.object({
    id: z.string(),
    slug: z.string(),
    type: EnvironmentType,
    projectId: z.string(),
    organizationId: z.string(),
    revision: z.int(),
    /** The revision it began with, without any secret: above every revision of earlier environments of this name. */
    firstRevision: z.int(),
    secretCount: z.int(),
    /** JSON-encoded keys and values plus 256 bytes a key: what the 4 MiB bound is counted on. */
    sizeBytes: z.int(),
    /** Values in the history (versions that are no deletions). */
    valueCount: z.int(),
    /** The data key of the newest writes. Nothing is sealed under an older one any more. */
    keyVersion: z.int(),
    /** Order-independent digest of the live heads (see `digest.ts`): proves that what was read is one revision. */
    digest: z.string(),
    /** Changes up to this revision may have left heads of deleted keys, which are to be moved to the tombstones. */
    deadHeadsUpTo: z.int().optional(),
    /** The fencing token. It only rises: with every change, takeover, undo and key rotation. */
    fence: z.int(),
    pending: pendingChange.optional(),
    status: z.enum(['active', 'deleting']),
  }),
});

export type EnvironmentState = ReturnType<typeof environmentStateRecord.parse>;

/**
 * One of several copies of the fencing token, there only while a large change is under way. Its steps run side by side,
 * each conditioned on another copy, because transactions that meet at one item cancel each other.
 */
export const fenceRecord = entity({
  kind: 'fence',
  key: keys.fence,
  schema: z.object({
    environmentId: z.string(),
    fence: z.int(),
    /** Steps executed under this copy: as good as heartbeats. */
    steps: z.int(),
  }),
});

export type FenceRecord = ReturnType<typeof fenceRecord.parse>;

/** The order of the writers of an environment that wait for each other. It is advice; the fencing token decides. */
export const ticketsRecord = entity({
  kind: 'tickets',
  key: keys.tickets,
  schema: z.object({
    /** The number of the newest ticket. */
    issued: z.int(),
    /** The number of the last ticket that was served. */
    served: z.int().default(0),
    expiresAt: ExpiresAt,
  }),
});

export type TicketsRecord = ReturnType<typeof ticketsRecord.parse>;
