import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { handler } from '#functions/workers/archive-audit.ts';
import { verifyArchive } from '#infra/repair/verify-archive.ts';
import { archiveObject } from '#lib/audit/archive-object.ts';
import { resetProcessMemory } from '#lib/core/process-memory.ts';
import { at, find } from '#lib/table/read.ts';
import { type AuditRecord, archiveCursorRecord } from '#lib/table/records/audit.ts';
import { transact, update } from '#lib/table/write.ts';
import { startApi } from '#test/support/api.ts';
import { describedStack } from '#test/support/cloud-formation.ts';
import { shared } from '#test/support/fixtures.ts';
import { type Person, seedOwner } from '#test/support/people.ts';
import { startReceiver } from '#test/support/receiver.ts';
import { runCommand } from '#test/support/run-command.ts';
import { startS3 } from '#test/support/s3.ts';
import { auditEntry, seedAudit } from '#test/support/seed-audit.ts';
import { emptyTable } from '#test/support/table-dump.ts';

const installation = `archive-test-${process.pid}`.slice(0, 20);
const file = join(import.meta.dirname, '../../../installations', `${installation}.json`);
const api = shared(startApi);
const s3 = shared(startS3);
let outputs: Record<string, string>;
const cloudFormation = shared(() =>
  startReceiver((response, { body }) => {
    const name = new URLSearchParams(body.toString()).get('StackName') ?? '';
    const [status, described] = describedStack(name, outputs);
    return response.writeHead(status, { 'content-type': 'text/xml' }).end(described);
  }),
);

beforeAll(() => writeFileSync(file, JSON.stringify({ mailFrom: 'no-reply@holdfast.test' })));
afterAll(() => rmSync(file, { force: true }));

let owner: Person;
let seeded: AuditRecord[];
const minuteMs = 60_000;
const entriesAt = (...minutesAgo: number[]) =>
  minutesAgo.map(minutes => auditEntry('secret.changed', Date.now() - minutes * minuteMs));

beforeEach(async () => {
  await emptyTable();
  s3.objects.clear();
  vi.stubEnv('AWS_ENDPOINT_URL_S3', s3.url);
  vi.stubEnv('AUDIT_ARCHIVE_BUCKET', 'archive');
  resetProcessMemory('s3-client', 'settings');
  outputs = { AuditArchiveBucket: 'archive', TableName: `${process.env.TABLE_NAME}` };
  owner = await seedOwner();
  seeded = entriesAt(200, 120, 60);
  await seedAudit(owner.organization.id, seeded);
  await handler({});
});

const run = (...args: string[]) =>
  runCommand('verify-audit-archive', [installation, ...args], {
    ...process.env,
    AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormation.url,
  });

/** What the command would say of the organization. */
const problems = async (organizationId = owner.organization.id) => {
  const client = new S3Client({});
  const verified = await verifyArchive({ client, bucket: 'archive' }, organizationId).finally(() => client.destroy());
  return verified.problems;
};

describe('verify-audit-archive', () => {
  it('says of each organization whether its archive is complete', async () => {
    expect(s3.objects.size).toBe(3);
    const whole = await run();
    expect([whole.code, whole.stderr]).toEqual([0, '']);
    expect(whole.stdout).toMatch(
      new RegExp(`^${owner.organization.slug}: 3 entries in 3 objects, up to 20\\S+Z, complete\\.$`, 'm'),
    );
    s3.objects.delete([...s3.objects.keys()].sort()[1] ?? '');
    const { code, stdout } = await run(owner.organization.slug);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /, NOT COMPLETE\.\n {2}Object number 2 is missing\. Its name ends with [0-9a-f]{64}\.ndjson/,
    );
  });

  it('finds each removed or changed object', async () => {
    const names = [...s3.objects.keys()].sort();
    for (const [index, name] of names.entries()) {
      const original = s3.objects.get(name) as Buffer;
      s3.objects.delete(name);
      expect(await problems()).toContainEqual(expect.stringMatching(`^Object number ${index + 1} is missing`));
      const changed = gunzipSync(original).toString().replace('203.0.113.7', '203.0.113.8');
      s3.objects.set(name, gzipSync(changed));
      expect(await problems()).toContain(`The object ${name} has been changed.`);
      s3.objects.set(name, original);
    }
    expect(await problems()).toEqual([]);
  });

  it('finds an entry that was never archived, and one that the table has differently', async () => {
    const late = entriesAt(90);
    await seedAudit(owner.organization.id, [...late, { ...(seeded[0] as AuditRecord), ip: '198.51.100.1' }]);
    expect((await problems()).toSorted()).toEqual(
      [
        `The entry ${late[0]?.id} of ${late[0]?.createdAt} is not in the archive.`,
        `The entry ${seeded[0]?.id} of ${seeded[0]?.createdAt} differs from the archive.`,
      ].toSorted(),
    );
  });

  it('notices that the table forgot objects', async () => {
    const item = at(archiveCursorRecord, owner.organization.id);
    const forgotten = { number: 0, digest: '', from: '1970-01-01T00:00:00.000Z' };
    await transact([update(item, { set: forgotten })]);
    expect(await problems()).toEqual(['The table says that there are 0 objects, but the newest is number 3.']);
  });

  it('ignores an object that a run left which found an entry that has expired since', async () => {
    const name = [...s3.objects.keys()].sort().at(-1) ?? '';
    const [first = '', ...lines] = gunzipSync(s3.objects.get(name) as Buffer)
      .toString()
      .trim()
      .split('\n');
    const entries = [...lines.map(line => JSON.parse(line)), auditEntry('secret.changed', Date.now())];
    const left = archiveObject({ ...JSON.parse(first), entries: entries.length }, entries);
    s3.objects.set(left.name, left.content);
    expect(await problems()).toEqual([]);
  });

  it('verifies the objects of an erased organization, of which the table has nothing', async () => {
    const { id } = owner.organization;
    expect((await api.delete(`/orgs/${id}`, owner.session)).status).toBe(200);
    await expect.poll(() => find(at(archiveCursorRecord, id)), { timeout: 100_000 }).toBeUndefined();
    expect(await problems()).toEqual([]);
    s3.objects.delete([...s3.objects.keys()].sort()[0] ?? '');
    expect(await problems()).toContainEqual(expect.stringMatching('^Object number 1 is missing'));
  });

  it('explains how it is used, and that there is no archive', async () => {
    const { TableName = '' } = outputs;
    outputs = { TableName };
    const [without, misused] = await Promise.all([run(), run('a', 'b')]);
    expect(without).toMatchObject({ code: 1, stderr: expect.stringContaining('has no audit archive') });
    expect(misused.stderr).toContain('Usage: npm run operate -- verify-audit-archive');
  });
});
