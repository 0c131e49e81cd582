import { gunzipSync } from 'node:zlib';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { archiveAudit } from '#lib/audit/archive-entries.ts';
import { openLog } from '#lib/core/logger.ts';
import { resetProcessMemory } from '#lib/core/process-memory.ts';
import { keys } from '#lib/table/keys.ts';
import { at, find } from '#lib/table/read.ts';
import { archiveCursorRecord, auditPartitionsRecord } from '#lib/table/records/audit.ts';
import { put, remove, transact } from '#lib/table/write.ts';
import { startApi } from '#test/support/api.ts';
import { shared } from '#test/support/fixtures.ts';
import { type AwsCall, type Conductor, conduct } from '#test/support/observe-calls.ts';
import { seedOwner } from '#test/support/people.ts';
import { startS3 } from '#test/support/s3.ts';
import { auditEntry, oldestFirst, seedAudit, seedPulls } from '#test/support/seed-audit.ts';
import { emptyTable } from '#test/support/table-dump.ts';

shared(startApi);
const s3 = shared(startS3);
const log = openLog({});
const minuteMs = 60_000;
/** The start of a window. */
const start = Date.parse('2026-11-20T10:00:00.000Z');
let owner: Awaited<ReturnType<typeof seedOwner>>;

beforeEach(async () => {
  await emptyTable();
  s3.objects.clear();
  s3.faults.length = 0;
  process.env.AWS_ENDPOINT_URL_S3 = s3.url;
  process.env.AUDIT_ARCHIVE_BUCKET = 'archive';
  resetProcessMemory('s3-client', 'settings');
  owner = await seedOwner();
});
afterAll(() => {
  delete process.env.AWS_ENDPOINT_URL_S3;
  delete process.env.AUDIT_ARCHIVE_BUCKET;
});

const run = (minutes: number) => archiveAudit(log, { nowMs: start + minutes * minuteMs, maximumEntries: 50 });
const id = () => owner.organization.id;
const cursor = () => find(at(archiveCursorRecord, id()));
const seed = (...minutes: number[]) => {
  const entries = minutes.map(minute => auditEntry('secret.changed', start + minute * minuteMs));
  return seedAudit(id(), entries).then(() => entries);
};
/** The organization's objects by their numbers, with the lines of each. */
const archived = () =>
  [...s3.objects]
    .filter(([name]) => name.startsWith(`${id()}/`))
    .map(([name, content]) => {
      const [header, ...entries] = gunzipSync(content)
        .toString()
        .trim()
        .split('\n')
        .map(line => JSON.parse(line));
      return { name, header, entries };
    })
    .toSorted((a, b) => a.header.number - b.header.number);
const idsIn = (objects = archived()) =>
  objects.flatMap(({ entries }) => entries.map((entry: { id: string }) => entry.id));
const idsOf = (entries: readonly { id: string; createdAt: string }[]) =>
  entries.toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1)).map(entry => entry.id);

describe('the audit archive', () => {
  it('has every settled entry once, as the feed returns it, in objects that name the one before', async () => {
    const entries = await seed(1, 3, 16, 47);
    await run(46 + 15);
    const objects = archived();
    expect(idsIn(objects)).toEqual(idsOf(entries));
    expect(objects[0]?.entries[0]).toEqual(JSON.parse(JSON.stringify(entries[0])));
    expect(objects.map(({ header }) => [header.number, header.entries])).toEqual([
      [1, 2],
      [2, 1],
      [3, 1],
    ]);
    expect(objects.map(({ header }) => header.previous)).toEqual([
      '',
      ...objects.slice(0, -1).map(({ name }) => /-([0-9a-f]{64})\.ndjson\.gz$/.exec(name)?.[1]),
    ]);
    expect(await cursor()).toMatchObject({ number: 3, from: '2026-11-20T11:00:00.000Z' });
  });

  it('has no entry of a window that another entry may still be added to', async () => {
    await seed(1, 14);
    await run(15);
    expect(archived()).toEqual([]);
    const late = await seed(10);
    await run(16);
    expect(idsIn()).toContain(late[0]?.id);
    expect(idsIn()).toHaveLength(3);
  });

  it('has busy organizations’ entries of all partitions, in several objects for a full window', async () => {
    const pulls = await seedPulls(id(), 140, start);
    await transact([put(at(auditPartitionsRecord, id()), { partitions: 2 })]);
    const other = Array.from({ length: 10 }, () => auditEntry('secret.pulled', start + 20));
    await seedAudit(id(), other, 1);
    await run(16);
    expect(archived().map(({ header }) => header.entries)).toEqual([50, 50, 50]);
    expect(idsIn()).toEqual(oldestFirst([...pulls, ...other]).map(entry => entry.id));
  });

  it('is the same after runs that died before or after any write', async () => {
    await seed(1, 16);
    await run(31);
    const expected = new Map(s3.objects);
    const isCursor = ({ operation, input }: AwsCall) =>
      operation === 'TransactWriteItems' && JSON.stringify(input).includes('"ARCHIVE"');
    for (const when of ['before', 'after'] as const) {
      for (let call = 0; ; call += 1) {
        s3.objects.clear();
        await transact([remove(at(archiveCursorRecord, id()))]);
        let left = call;
        let hasDied = false;
        const dying: Conductor = {
          attempt: async (made, send) => {
            if (hasDied) throw new Error('dead');
            if (!isCursor(made) || left-- > 0) return send();
            hasDied = true;
            if (when === 'after') await send();
            throw new Error('dead');
          },
        };
        await conduct(dying, () => run(31)).catch(() => undefined);
        await run(31);
        expect(s3.objects, `${when} call ${call}`).toEqual(expected);
        if (!hasDied) break;
        expect(call).toBeLessThan(20);
      }
    }
  });

  it('continues after S3 has refused an object or its answer was lost', async () => {
    const entries = await seed(1, 16);
    s3.faults.push(() => 'refused');
    await expect(run(31)).rejects.toThrow('more than two hours behind');
    expect(archived()).toEqual([]);
    s3.faults.push(() => 'answer-lost');
    await run(31);
    expect(idsIn()).toEqual(idsOf(entries));
    expect(archived()).toHaveLength(2);
  });

  it('is the same if two runs work at once, or one continues long after another has finished', async () => {
    const entries = await seed(1, 16, 31);
    const reached = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    s3.faults.push(async () => {
      reached.resolve();
      await released.promise;
      return undefined;
    });
    const late = run(16);
    await reached.promise;
    await Promise.all([run(31), run(31)]);
    await run(46);
    const expected = new Map(s3.objects);
    const moved = await cursor();
    released.resolve();
    await late;
    expect(s3.objects).toEqual(expected);
    expect(await cursor()).toEqual(moved);
    expect(idsIn()).toEqual(idsOf(entries));
    expect(archived().map(({ header }) => header.number)).toEqual([1, 2, 3]);
  });

  it('has nothing in the table about an organization that is gone, and keeps its objects', async () => {
    await seed(1);
    await run(16);
    const { slug } = owner.organization;
    await transact([
      remove({ key: keys.directoryBySlug(slug) }),
      remove({ key: keys.organizationPointer(id()) }),
      remove({ key: keys.organization(slug) }),
    ]);
    await run(31);
    expect(await cursor()).toBeUndefined();
    expect(archived()).toHaveLength(1);
  });
});
