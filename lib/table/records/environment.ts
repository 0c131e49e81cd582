import * as z from 'zod';
import { EnvironmentType } from '../../contracts/fields/role.ts';
import { ExpiresAt, entity } from '../entity.ts';
import { keys } from '../keys.ts';
import { Kept } from './kept.ts';

/*
 * An environment is two items, created in one transaction and erased together: a description in its organization's
 * partition, so that one Query lists a project's environments; and a state with its secrets, so that one Query reads a
 * revision. Both store the environment's id, and writes that address them by slug require the id that was read.
 */

export const environmentRecord = entity(
  'environment',
  keys.environment,
  {
    id: z.string(),
    slug: z.string(),
    name: z.string(),
    type: EnvironmentType,
    projectId: z.string(),
    project: z.string(),
    createdAt: z.string(),
    status: z.enum(['active', 'deleting']),
    kept: Kept.optional(),
  },
  // Code that doesn't know it would leave the environment out of a key rotation, and then delete the key of its values.
  { upgrades: [['kept']] },
);
export type EnvironmentRecord = ReturnType<typeof environmentRecord.parse>;

/** A large change in progress. Its heads and versions are stamped with `revision`, invisible until it commits. */
const pendingChange = z.object({
  revision: z.int(),
  /** The number of copies of the fencing token, each stored as a `fenceRecord`. */
  fences: z.int(),
  heartbeat: z.int(),
  abandoned: z.literal(true).optional(),
});

/**
 * The state, which every change of the secrets writes. Raising `revision` makes a whole change visible. It sorts before
 * the heads, so one Query reads it first (`ranges.environmentHeads`). See `lib/secrets/engine/README.md`.
 */
export const environmentStateRecord = entity(
  'environmentState',
  keys.environmentState,
  {
    id: z.string(),
    slug: z.string(),
    type: EnvironmentType,
    projectId: z.string(),
    organizationId: z.string(),
    revision: z.int(),
    /** The revision it was created at: higher than any of earlier environments with these slugs. */
    firstRevision: z.int(),
    secretCount: z.int(),
    /** JSON-encoded keys and values plus 256 bytes per key. The limit is 4 MiB. */
    sizeBytes: z.int(),
    /** Values in the history: versions that are neither deletions nor destroyed. */
    valueCount: z.int(),
    keyVersion: z.int(),
    /** Order-independent digest of the live heads (`digest.ts`): proves that a read returned exactly one revision. */
    digest: z.string(),
    /** Where to cut an environment that is larger than a page of a Query (see `head-pages.ts`). */
    pages: z.array(z.object({ from: z.string(), bytes: z.int() })).optional(),
    /** Changes up to this revision may have left dead heads, which still have to be moved to the tombstones. */
    deadHeadsUpTo: z.int().optional(),
    fence: z.int(),
    pending: pendingChange.optional(),
    /** The number of the last ticket whose writer has finished (see `tickets.ts`). */
    served: z.int().optional(),
    /** How many people must approve each change of the secrets. Absent: changes need no approval. */
    approvals: z.int().optional(),
    /** How many values name other keys. Absent: none, so that a change needs only the heads of its keys. */
    expandingKeys: z.int().optional(),
    status: z.enum(['active', 'deleting']),
  },
  // Code that doesn't know approvals would make changes that nobody approved; without `expandingKeys`, it would delete
  // keys that others name.
  { oldestFormat: 3, upgrades: [['approvals'], ['expandingKeys']] },
);
export type EnvironmentState = ReturnType<typeof environmentStateRecord.parse>;

/**
 * One of several copies of the fencing token during a large change. Each of its parallel steps requires a different
 * one, because concurrent transactions on the same item cancel each other.
 */
export const fenceRecord = entity('fence', keys.fence, { environmentId: z.string(), fence: z.int(), steps: z.int() });

/** The queue of an environment's writers. Advisory only: the fencing token decides what is written. */
export const ticketsRecord = entity('tickets', keys.tickets, {
  /** The number of the newest ticket. The state has the number of the last one whose writer has finished. */
  issued: z.int(),
  expiresAt: ExpiresAt,
});
export type TicketsRecord = ReturnType<typeof ticketsRecord.parse>;
