import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { auditPartitions } from '#lib/audit/partitions.ts';
import { positionOf, scanEntries } from '#lib/audit/scan.ts';
import { at } from '#lib/table/read.ts';
import { auditPartitionsRecord } from '#lib/table/records/audit.ts';
import { put, putAlone } from '#lib/table/write.ts';
import { shared } from '#test/support/fixtures.ts';
import { startApi } from '../support/api.ts';
import { auditEntry, seedAudit } from '../support/seed-audit.ts';

shared(startApi);

const startMs = Date.parse('2026-01-01T00:00:00.000Z');
const period = { from: '2026-01-01T00:00:00.000Z', to: '2026-01-02T00:00:00.000Z' };
const actions = ['secret.pulled', 'secret.history_read', 'secret.compared'] as const;
/** Long, but entries are stored packed: the first page of a scan has a hundred of them. */
const names = Array.from({ length: 100 }, (_, index) => `${index}`.padStart(250, 'K'));

describe('a scan of audit entries', () => {
  it('that runs out of its budget returns all entries up to a time, and the next one goes on there', async () => {
    const organizationId = randomUUID();
    const entries = Array.from({ length: 600 }, (_, index) =>
      auditEntry(index % 10 === 0 ? 'secret.compared' : 'secret.pulled', startMs + index * 1000, { keys: names }),
    );
    await seedAudit(organizationId, entries);
    const found: string[] = [];
    const scans: number[] = [];
    for (let from: string | undefined = period.from; from !== undefined; ) {
      const wanted = { actions, period: { ...period, from }, keep: () => true };
      const budget = { pages: 1, endsAt: Date.now() + 60_000 };
      const scan: Awaited<ReturnType<typeof scanEntries>> = await scanEntries(organizationId, wanted, budget);
      const before = scan.readTo ?? period.to;
      expect(scan.entries.every(entry => positionOf(entry) <= before)).toBe(true);
      found.push(...scan.entries.map(({ id }) => String(id)));
      scans.push(scan.entries.length);
      from = scan.readTo;
    }
    expect(scans.length).toBeGreaterThan(4);
    expect(found.toSorted()).toEqual(entries.map(({ id }) => id).toSorted());
  });

  it('has the entries of every partition, none that expired, and none outside of the period', async () => {
    const organizationId = randomUUID();
    await putAlone(put(at(auditPartitionsRecord, organizationId), { partitions: auditPartitions }));
    const spread = Array.from({ length: auditPartitions }, (_, index) => auditEntry('secret.pulled', startMs + index));
    for (const [partition, entry] of spread.entries()) await seedAudit(organizationId, [entry], partition);
    const expired = auditEntry('secret.pulled', startMs, { expiresAt: Math.floor(Date.now() / 1000) - 10 });
    const first = auditEntry('secret.compared', startMs);
    const late = auditEntry('secret.compared', Date.parse(period.to));
    const early = auditEntry('secret.compared', startMs - 1);
    await seedAudit(organizationId, [expired, first, late, early]);
    const wanted = { actions, period, keep: () => true };
    const scan = await scanEntries(organizationId, wanted, { pages: 80, endsAt: Date.now() + 60_000 });
    expect(scan.readTo).toBeUndefined();
    expect(scan.entries.map(({ id }) => id).toSorted()).toEqual([...spread, first].map(({ id }) => id).toSorted());
  });

  it('of nothing reads nothing', async () => {
    const wanted = { actions, period: { from: period.to, to: period.from }, keep: () => true };
    const scan = await scanEntries(randomUUID(), wanted, { pages: 80, endsAt: Date.now() + 60_000 });
    expect(scan).toEqual({ entries: [], readTo: undefined });
  });
});
