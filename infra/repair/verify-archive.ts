import { gunzipSync } from 'node:zlib';
import { GetObjectCommand, paginateListObjectsV2, type S3Client } from '@aws-sdk/client-s3';
import * as z from 'zod';
import { type ArchiveHeader, archiveLine, archiveName, digestOf } from '#lib/audit/archive-object.ts';
import { entryView } from '#lib/audit/entry-view.ts';
import { allTime, readPartitions, type StoredEntry, scanEntries, timeOf } from '#lib/audit/scan.ts';
import { auditActions } from '#lib/contracts/fields/audit-action.ts';
import { chunksOf } from '#lib/core/chunks-of.ts';
import { at, find } from '#lib/table/read.ts';
import { archiveCursorRecord } from '#lib/table/records/audit.ts';

export interface Archive {
  client: S3Client;
  bucket: string;
}

interface Verified {
  objects: number;
  entries: number;
  /** The time up to which entries are archived; undefined if none are. */
  upTo: string | undefined;
  /** Sentences. None if nothing is missing or changed. */
  problems: string[];
}

interface ReadObject {
  header: ArchiveHeader;
  digest: string;
  /** The entries' ids with the digests of their lines. */
  entries: Map<string, string>;
}

const Header = z.object({
  format: z.literal(1),
  organization: z.string(),
  number: z.int().positive(),
  from: z.string(),
  to: z.string(),
  previous: z.string(),
  entries: z.int(),
});

const objectsAtOnce = 8;
/** More are only counted. */
const namedEntries = 5;

/** The ids of all organizations with objects, including erased ones. */
export async function archivedOrganizations({ client, bucket }: Archive): Promise<string[]> {
  const ids: string[] = [];
  for await (const page of paginateListObjectsV2({ client }, { Bucket: bucket, Delimiter: '/' })) {
    ids.push(...(page.CommonPrefixes ?? []).map(({ Prefix = '' }) => Prefix.slice(0, -1)));
  }
  return ids;
}

/**
 * Checks an organization's objects: each matches the digest in its name, each names the one before, from the newest
 * back to number 1, and together they have every entry that the table still has.
 */
export async function verifyArchive(archive: Archive, organizationId: string): Promise<Verified> {
  const item = at(archiveCursorRecord, organizationId);
  const cursor = await find(item);
  const { objects, problems } = await readObjects(archive, organizationId);
  const numbers = [...objects.values()].map(({ header }) => header.number);
  const last = numbers.reduce((a, b) => Math.max(a, b), 0);
  const recorded = (await find(item))?.number;
  // A run may be about to record one more. After an erasure there is no cursor.
  if (recorded !== undefined && last > recorded + 1) {
    problems.push(`The table says that there are ${recorded} objects, but the newest is number ${last}.`);
  }
  const newest = [...objects.values()].find(({ header }) => header.number === last);
  const chain = chainFrom(objects, cursor ?? { number: last, digest: newest?.digest ?? '' });
  if (chain.missing !== undefined) problems.push(chain.missing);
  const archived = new Map(chain.objects.flatMap(({ entries }) => [...entries]));
  const end = cursor?.from ?? allTime.from;
  problems.push(...(await missingEntries(organizationId, end, archived)));
  const upTo = timeOf(cursor?.from ?? newest?.header.to ?? allTime.from);
  return {
    objects: chain.objects.length,
    entries: archived.size,
    upTo: upTo === allTime.from ? undefined : upTo,
    problems,
  };
}

async function readObjects({ client, bucket }: Archive, organizationId: string) {
  const names: string[] = [];
  for await (const page of paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: `${organizationId}/` })) {
    names.push(...(page.Contents ?? []).map(({ Key = '' }) => Key));
  }
  const objects = new Map<string, ReadObject>();
  const problems: string[] = [];
  for (const some of chunksOf(objectsAtOnce, names)) {
    const read = await Promise.all(
      some.map(async name => {
        const { Body: body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: name }));
        return parseObject(name, (await body?.transformToByteArray()) ?? new Uint8Array());
      }),
    );
    for (const [index, object] of read.entries()) {
      if (object === undefined) problems.push(`The object ${some[index]} has been changed.`);
      else objects.set(object.digest, object);
    }
  }
  return { objects, problems };
}

/** @returns undefined if the content does not match the name */
function parseObject(name: string, content: Uint8Array): ReadObject | undefined {
  try {
    const text = gunzipSync(content).toString();
    const [first = '', ...lines] = text.trimEnd().split('\n');
    const header = Header.parse(JSON.parse(first));
    const digest = digestOf(text);
    if (archiveName(header, digest) !== name || lines.length !== header.entries) return undefined;
    const entries = new Map(lines.map(line => [(JSON.parse(line) as { id: string }).id, digestOf(line)]));
    return { header, digest, entries };
  } catch {
    return undefined;
  }
}

/** The objects from the newest back to the first. Others were left by runs that found fewer or more entries. Pure. */
function chainFrom(objects: ReadonlyMap<string, ReadObject>, { number, digest }: { number: number; digest: string }) {
  const chain: ReadObject[] = [];
  for (let next = { number, digest }; next.number > 0; ) {
    const object = objects.get(next.digest);
    if (object?.header.number !== next.number) {
      const missing = `Object number ${next.number} is missing. Its name ends with ${next.digest}.ndjson.gz.`;
      return { objects: chain, missing };
    }
    chain.push(object);
    next = { number: next.number - 1, digest: object.header.previous };
  }
  return { objects: chain, missing: undefined };
}

/** What the table has up to a position and the archive lacks or has differently, one sentence each. */
async function missingEntries(organizationId: string, end: string, archived: ReadonlyMap<string, string>) {
  const wrong: string[] = [];
  const period = { from: allTime.from, to: end };
  const compare = (stored: StoredEntry): boolean => {
    const digest = archived.get(stored.id);
    const isMissing = digest === undefined;
    if (isMissing || digest !== digestOf(archiveLine(entryView(stored)))) {
      const difference = isMissing ? 'is not in the archive' : 'differs from the archive';
      wrong.push(`The entry ${stored.id} of ${stored.createdAt} ${difference}.`);
    }
    // Then the scan doesn't keep it.
    return false;
  };
  const partitions = await readPartitions(organizationId, auditActions);
  const budget = { pages: Number.POSITIVE_INFINITY, endsAt: Number.POSITIVE_INFINITY };
  await scanEntries(
    organizationId,
    { actions: auditActions, partitions, period, keep: compare, isFrugal: true },
    budget,
  );
  const more = wrong.length - namedEntries;
  return more > 0 ? [...wrong.slice(0, namedEntries), `${more} more entries are missing or differ.`] : wrong;
}
