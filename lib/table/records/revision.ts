import * as z from 'zod';
import { AuditAction } from '../../contracts/fields/audit-action.ts';
import { entity } from '../entity.ts';
import { type EnvironmentPath, keys } from '../keys.ts';

/** Keys with their new versions. A list, because a key may be named `__proto__`. */
const keyVersions = z.array(z.tuple([z.string(), z.int()]));

const changedKeys = {
  revision: z.int(),
  /** The fencing token of the change. Parts with a different one belong to a change that never committed. */
  fence: z.int(),
  created: keyVersions,
  updated: keyVersions,
  deleted: keyVersions,
};

/** One accepted change of an environment, written by the transaction that makes it visible. Never holds a value. */
export const revisionRecord = entity(
  'revision',
  (path: EnvironmentPath, revision: number) => keys.revision(path, revision, 0),
  {
    ...changedKeys,
    /** The number of `revisionPartRecord` items that hold the keys that don't fit here. */
    parts: z.int(),
    /** The digest of the live heads after the change: proves that a read of this revision is correct. */
    digest: z.string(),
    /** The id of its audit entry. */
    changeId: z.string(),
    action: AuditAction,
    message: z.string().optional(),
    createdAt: z.string(),
    /** Null for a repair. */
    createdBy: z.object({ id: z.string(), email: z.string() }).nullable(),
    from: z.object({ slug: z.string(), revision: z.int() }).optional(),
    restored: z.int().optional(),
  },
  { oldestFormat: 2 },
);

export type RevisionRecord = ReturnType<typeof revisionRecord.parse>;

/** More keys of a large change, written under its lease, before it commits. */
export const revisionPartRecord = entity('revisionPart', keys.revision, changedKeys);

export type RevisionPartRecord = ReturnType<typeof revisionPartRecord.parse>;
