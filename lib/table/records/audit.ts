import { deflateRawSync, inflateRawSync } from 'node:zlib';
import * as z from 'zod';
import { AuditAction, AuditDetails, actorTypes, targetTypes } from '../../contracts/fields/audit-action.ts';
import { ExpiresAt, entity } from '../entity.ts';
import { keys } from '../keys.ts';

const entry = {
  id: z.string(),
  action: AuditAction,
  // The system has no id and no e-mail address.
  actor: z.object({
    id: z.string().nullable(),
    email: z.string().nullable(),
    name: z.string().optional(),
    type: z.enum(actorTypes),
    tokenId: z.string().optional(),
    sessionId: z.string().optional(),
  }),
  target: z.object({ type: z.enum(targetTypes), id: z.string(), name: z.string() }),
  project: z.object({ id: z.string(), slug: z.string() }).optional(),
  environment: z.object({ id: z.string(), slug: z.string() }).optional(),
  keys: z.array(z.string()).optional(),
  keysOmitted: z.int().optional(),
  unchanged: z.array(z.string()).optional(),
  revision: z.int().optional(),
  message: z.string().optional(),
  details: AuditDetails.optional(),
  /** The ids of the grants without which the request would have been refused. */
  grants: z.array(z.string()).optional(),
  from: z.object({ id: z.string(), slug: z.string(), revision: z.int() }).optional(),
  ip: z.string(),
  userAgent: z.string(),
  requestId: z.string(),
  createdAt: z.string(),
  expiresAt: ExpiresAt.optional(),
};

/** Since format 2, entries are stored packed. */
const auditEntity = entity('audit', keys.auditEntry, entry, { upgrades: [attributes => attributes] });

/**
 * One audit entry. Never contains a secret's value, only the names of keys. Every pull stores one, often for years, so
 * it is packed: what the sort key or the environment says too is left out, ids take 16 bytes instead of 36, and lists of
 * keys are compressed.
 */
export const auditRecord: typeof auditEntity = {
  ...auditEntity,
  toItem: (key, record) => packed(auditEntity.toItem(key, record)),
  parse: item => auditEntity.parse(unpacked(item)),
};
export type AuditRecord = ReturnType<typeof auditRecord.parse>;

type Item = Record<string, unknown>;
type Named = { id: unknown; slug?: unknown; name?: unknown };

const placesOf = ({ environment, project }: Item) =>
  [
    ['environment', environment],
    ['project', project],
  ] as [string, Named | undefined][];

function packed({ id: _id, action: _action, createdAt: _createdAt, target, ...item }: Item): Item {
  const { type, id, name } = target as Named & { type: string };
  const place = placesOf(item).find(([kind, at]) => kind === type && at?.id === id && at?.slug === name);
  const lists = Object.fromEntries(listNames.flatMap(list => packedList(list, item[list])));
  return { ...mapIds(place === undefined ? { ...item, target } : { ...item, targetType: type }, packedId), ...lists };
}

const listNames = ['keys', 'unchanged'] as const;
/** A shorter list is not worth compressing. */
const shortListBytes = 100;

/** Keys contain no line breaks. */
function packedList(name: string, list: unknown): [string, Uint8Array][] {
  const text = Array.isArray(list) ? list.join('\n') : '';
  return text.length < shortListBytes ? [] : [[name, deflateRawSync(text)]];
}

function unpackedList(list: unknown): unknown {
  return list instanceof Uint8Array ? inflateRawSync(list).toString().split('\n') : list;
}

/** What an entry's sort key says, also about one that is packed. */
export function entryKey({ sk }: Item): { action: string; createdAt: string; id: string } {
  const [action = '', createdAt = '', id = ''] = String(sk).split('#');
  return { action, createdAt, id };
}

/** An entry as stored, with all attributes of its record. */
export function unpacked(stored: Item): Item {
  if (stored.v !== auditEntity.formatVersion || stored.id !== undefined) return stored;
  const { targetType, ...item } = mapIds(stored, unpackedId);
  const place = placesOf(item).find(([kind]) => kind === targetType)?.[1];
  const target = place === undefined ? item.target : { type: targetType, id: place.id, name: place.slug };
  const lists = Object.fromEntries(
    listNames.filter(list => item[list] !== undefined).map(list => [list, unpackedList(item[list])]),
  );
  return { ...item, ...lists, ...entryKey(stored), target };
}

function mapIds(item: Item, convert: (id: unknown) => unknown): Item {
  const converted: Item = { ...item };
  for (const name of ['actor', 'target', 'project', 'environment', 'from']) {
    const member = item[name] as Item | undefined;
    if (member === undefined) continue;
    const ids = ['id', 'tokenId', 'sessionId'].filter(id => member[id] !== undefined);
    converted[name] = { ...member, ...Object.fromEntries(ids.map(id => [id, convert(member[id])])) };
  }
  return converted;
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

function packedId(id: unknown): unknown {
  return typeof id === 'string' && uuid.test(id) ? Buffer.from(id.replaceAll('-', ''), 'hex') : id;
}

function unpackedId(id: unknown): unknown {
  if (!(id instanceof Uint8Array)) return id;
  return Buffer.from(id)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** The partitions for the entries of an organization with too many reads for one. Others have no such item. */
export const auditPartitionsRecord = entity('auditPartitions', keys.auditPartitions, { partitions: z.int() });

/**
 * The number of entries of an action up to `countedTo`, by the day they expire: expired entries no longer count, even
 * if DynamoDB has not removed them yet.
 */
export const auditCountRecord = entity('auditCount', keys.auditCount, {
  countedTo: z.string(),
  /** The number of entries per expiry day: days since the epoch, or `never`. */
  byExpiryDay: z.record(z.string(), z.int()),
});
export type AuditCountRecord = ReturnType<typeof auditCountRecord.parse>;

/** How far an organization's entries are in the archive. Written by the archive's function only. */
export const archiveCursorRecord = entity('archiveCursor', keys.archiveCursor, {
  organizationId: z.string(),
  /** A position (`lib/audit/scan.ts`): every entry up to it is in the archive. */
  from: z.string(),
  /** Of the newest object: its number, from 1 on, and its digest; 0 and empty without one. */
  number: z.int(),
  digest: z.string(),
});
export type ArchiveCursorRecord = ReturnType<typeof archiveCursorRecord.parse>;
