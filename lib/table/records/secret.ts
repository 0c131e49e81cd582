import * as z from 'zod';
import { AuditAction } from '../../contracts/fields/audit-action.ts';
import { proposalContents } from '../../contracts/fields/proposal.ts';
import { Bytes, entity } from '../entity.ts';
import { type EnvironmentPath, keys } from '../keys.ts';

const actor = z.object({ id: z.string(), email: z.string() });

const stamped = {
  key: z.string(),
  version: z.int(),
  revision: z.int(),
  /** The fencing token of the change that wrote it; every change to the environment has a different one. */
  fence: z.int(),
};

/** What a value names that was set with `expand`. Without this, the value is what it says. */
const expands = z.object({
  /** Other keys of the environment, each with how often. */
  names: z.array(z.tuple([z.string(), z.int()])),
  /** The size of the rest, in UTF-8, and in JSON without quotes. */
  bytes: z.int(),
  jsonBytes: z.int(),
});

const valued = {
  deleted: z.literal(true).optional(),
  /** Its value was removed from the table. Never set on the newest version, so only heads of past revisions have it. */
  destroyed: z.literal(true).optional(),
  sealed: Bytes.optional(),
  keyVersion: z.int().optional(),
  sizeBytes: z.int().optional(),
  expands: expands.optional(),
};

const updated = { createdAt: z.string(), updatedAt: z.string(), updatedBy: actor };

// Code that doesn't know `expands` would return the names instead of the values, and delete keys that others name.
const formats = { oldestFormat: 2, upgrades: [['expands']] } as const;

/** The newest version of a key. A large change that deletes it leaves a dead head, later moved to the tombstones. */
export const headRecord = entity('head', keys.head, { ...stamped, ...valued, ...updated }, formats);
export type HeadRecord = ReturnType<typeof headRecord.parse>;

/** A key's latest deletion, kept so that version numbers continue. Ignored while the key has a head. */
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
  { ...stamped, ...valued, keyCreatedAt: z.string(), createdAt: z.string(), createdBy: actor },
  formats,
);
export type VersionRecord = ReturnType<typeof versionRecord.parse>;

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
    parts: z.int(),
    /** The digest of the live heads after the change: proves that a read of this revision is correct. */
    digest: z.string(),
    changeId: z.string(),
    action: AuditAction,
    message: z.string().optional(),
    createdAt: z.string(),
    createdBy: z.object({ id: z.string(), email: z.string() }).nullable(),
    from: z.object({ slug: z.string(), revision: z.int() }).optional(),
    restored: z.int().optional(),
    proposal: z.object({ id: z.string(), holds: z.enum(proposalContents) }).optional(),
    approvedBy: z.array(actor).optional(),
  },
  { oldestFormat: 2 },
);
export type RevisionRecord = ReturnType<typeof revisionRecord.parse>;

/** More keys of a large change, written under its lease, before it commits. */
export const revisionPartRecord = entity('revisionPart', keys.revision, changedKeys);
export type RevisionPartRecord = ReturnType<typeof revisionPartRecord.parse>;
