import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  costOf,
  idleCosts,
  monthOf,
  type OperationCounts,
  pullEntryBytes,
  renderCosts,
  sentShare,
} from '#infra/commands/cost-table.ts';
import { compressed } from '#lib/api/compress.ts';

const file = join(import.meta.dirname, '../../bench/counts.json');
const counts: OperationCounts[] = JSON.parse(readFileSync(file, 'utf8'));
const calls = { roundTrips: 0, kmsCalls: 0, sqsMessages: 0, mails: 0 };
const nothing = { ...calls, readUnits: 0, writeUnits: 0, responseBytes: 0, lambdaMs: 0 };
const million = (operation: string) => costOf(counts.find(one => one.operation === operation) as OperationCounts).total;
const costWith = (units: Partial<OperationCounts>, operation = 'pull-secrets') =>
  costOf({ ...nothing, operation, ...units });

describe('the cost of operations', () => {
  test('adds up from the counted units and the published prices', () => {
    const without = costWith({});
    const used = costWith({ readUnits: 11, writeUnits: 1, kmsCalls: 1, lambdaMs: 26 });

    // 11 × $0.125 + 1 × $0.625; 26 ms of 1 GB; a KMS request of $0.03 per 10,000.
    expect(used.table - without.table).toBeCloseTo(2.0);
    expect(used.functions - without.functions).toBeCloseTo(0.3467);
    expect(used.others - without.others).toBeCloseTo(3);
    expect(used.total).toBeCloseTo(used.table + used.functions + used.edge + used.gatewayAndLogs + used.others);
  });

  test('includes what CloudFront takes for a request and for sending the answer', () => {
    const [empty, large] = [costWith({}), costWith({ responseBytes: 20_000 })];
    // $0.01 per 10,000 requests, $0.10 for a million runs of the function, 1 KB of headers; 15.2 GB of $0.085.
    expect(empty.edge).toBeCloseTo(1.185);
    expect(large.edge - empty.edge).toBeCloseTo(1.292);
  });

  test('counts the delivery that a webhook message triggers', () => {
    const [delivered, job] = ['set-secret', 'rotate-key'].map(name => costWith({ sqsMessages: 1 }, name).others);
    expect((delivered ?? 0) - (job ?? 0)).toBeCloseTo(3.8);
  });

  test('is known for every measured operation', () => {
    expect(counts.length).toBeGreaterThan(50);
    for (const one of counts) expect(costOf(one).total, one.operation).toBeGreaterThan(1);
    const rows = renderCosts(counts).split('\n');
    expect(rows.filter(line => line.includes('**'))).toHaveLength(counts.length + 4);
  });

  test('is below ten dollars for a million pulls of 50 secrets, and below seven for an idle month, most of it for alarms', () => {
    const pull = counts.find(({ operation }) => operation === 'pull 50 secrets of 200 B');
    expect(pull && costOf(pull).total).toBeLessThan(10);
    expect(Object.values(idleCosts()).reduce((sum, amount) => sum + amount, 0)).toBeLessThan(7);
  });

  test('adds up to a month of pulls, with their audit entries and what an idle month costs', () => {
    const [pulls, entries, idle = 0, total, unchangedTotal, directTotal, copies] = Object.values(monthOf(1e7, counts));
    // Ten million entries a month for a year, of $0.25 per GB and $0.20 for recovery; 42 copies of $0.10.
    const storedGb = (12 * 1e7 * pullEntryBytes) / 1e9;
    const [pull, unchanged] = ['pull 50 secrets of 200 B', 'pull, If-None-Match matches'].map(million);
    expect(pulls).toBeCloseTo(10 * Number(pull));
    expect(entries).toBeCloseTo(0.45 * storedGb);
    expect(copies).toBeCloseTo(4.2 * storedGb);
    expect(total).toBeCloseTo(10 * Number(pull) + 0.45 * storedGb + idle);
    expect(unchangedTotal).toBeCloseTo(Number(pull) + 9 * Number(unchanged) + 0.045 * storedGb + idle);
    expect(directTotal).toBeLessThan(Number(total));
  });

  test('counts each 512 KB of a response at the gateway', () => {
    const [small, large] = [22_000, 4_194_304].map(responseBytes => costWith({ responseBytes }).gatewayAndLogs);
    expect((large ?? 0) - (small ?? 0)).toBeCloseTo(7);
  });
});

describe('what the cost table assumes', () => {
  test('is at least what is sent of 50 secrets with random values to a client that accepts gzip', () => {
    const secrets = Array.from({ length: 50 }, (_, index) => ({
      key: `SECRET_${index}`,
      value: createHash('shake256', { outputLength: 150 }).update(String(index)).digest('base64'),
      version: 1,
      updatedAt: '2026-11-26T10:00:00.000Z',
      updatedBy: { id: '9b2d6f0e-3c1a-4c5d-8e77-2f4b6a9d0c31', email: 'ada@example.com' },
    }));
    const text = JSON.stringify({ secrets });
    const sent = compressed(text, { headers: { 'accept-encoding': 'gzip' } } as never)?.length ?? text.length;
    expect(sent / text.length).toBeLessThanOrEqual(sentShare);
  });
});
