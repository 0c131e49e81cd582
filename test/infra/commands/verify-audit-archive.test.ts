import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { handler } from '#functions/workers/archive-audit.ts';
import { archiveObject } from '#lib/audit/archive-object.ts';
import { resetProcessMemory } from '#lib/core/process-memory.ts';
import { at, find } from '#lib/table/read.ts';
import { archiveCursorRecord } from '#lib/table/records/audit.ts';
import { put, transact } from '#lib/table/write.ts';
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
  await seedAudit(owner.organization.id, entriesAt(200, 120, 60));
  await handler({});
});

const verify = (...args: string[]) =>
  runCommand('verify-audit-archive', [installation, ...args], {
    ...process.env,
    AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormation.url,
  });

describe('verify-audit-archive', () => {
  it('says of each organization that its archive is complete', async () => {
    expect(s3.objects.size).toBe(3);
    const { code, stdout, stderr } = await verify();
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(
      new RegExp(`^${owner.organization.slug}: 3 entries in 3 objects, up to 20\\S+Z, complete\\.$`, 'm'),
    );
    expect((await verify(owner.organization.slug)).stdout.split('\n')).toHaveLength(2);
  });

  it('finds a removed object, a changed one, and an entry that was never archived', async () => {
    const [first = '', second = '', third = ''] = [...s3.objects.keys()].sort();
    const originals = new Map(s3.objects);
    for (const name of [first, second, third]) {
      s3.objects.delete(name);
      const { code, stdout } = await verify(owner.organization.slug);
      expect(code).toBe(1);
      expect(stdout).toContain(
        `NOT COMPLETE.\n  Object number ${[first, second, third].indexOf(name) + 1} is missing.`,
      );
      s3.objects.set(name, originals.get(name) as Buffer);
    }
    const changed = gunzipSync(originals.get(second) as Buffer)
      .toString()
      .replace('203.0.113.7', '203.0.113.8');
    s3.objects.set(second, gzipSync(changed));
    expect((await verify()).stdout).toContain(`  The object ${second} has been changed.\n`);
    s3.objects.set(second, originals.get(second) as Buffer);
    expect((await verify()).code).toBe(0);

    const [late] = entriesAt(90);
    if (late === undefined) return;
    await seedAudit(owner.organization.id, [late]);
    const { code, stdout } = await verify();
    expect(code).toBe(1);
    expect(stdout).toContain(`  The entry ${late.id} of ${late.createdAt} is not in the archive.\n`);
  });

  it('notices that the table forgot objects', async () => {
    const item = at(archiveCursorRecord, owner.organization.id);
    const stored = await find(item);
    if (stored === undefined) throw new Error('There is no cursor.');
    await transact([put(item, { ...stored, number: 0, digest: '', from: '1970-01-01T00:00:00.000Z' })]);
    const { code, stdout } = await verify();
    expect(code).toBe(1);
    expect(stdout).toContain('  The table says that there are 0 objects, but the newest is number 3.\n');
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
    const { code, stdout } = await verify();
    expect([code, stdout]).toEqual([0, expect.stringContaining('3 entries in 3 objects')]);
  });

  it('verifies the objects of an erased organization, of which the table has nothing', async () => {
    const { id: organizationId, slug } = owner.organization;
    expect((await api.delete(`/orgs/${slug}`, owner.session)).status).toBe(202);
    await expect.poll(() => find(at(archiveCursorRecord, organizationId)), { timeout: 60_000 }).toBeUndefined();
    const { code, stdout } = await verify(organizationId);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/: 3 entries in 3 objects, up to \S+, complete\.\n$/)]);
  });

  it('explains how it is used, and that there is no archive', async () => {
    const { TableName = '' } = outputs;
    outputs = { TableName };
    expect(await verify()).toMatchObject({ code: 1, stderr: expect.stringContaining('has no audit archive') });
    expect((await verify('a', 'b')).stderr).toContain('Usage: npm run operate -- verify-audit-archive');
  });
});
