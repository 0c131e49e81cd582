import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { busyMonth, costOf, idleCosts, type OperationCounts, renderCosts } from '#infra/commands/cost-table.ts';

const file = join(import.meta.dirname, '../../bench/counts.json');
const counts: OperationCounts[] = JSON.parse(readFileSync(file, 'utf8'));
const calls = { roundTrips: 0, kmsCalls: 0, sqsMessages: 0, mails: 0 };
const nothing = { ...calls, readUnits: 0, writeUnits: 0, responseBytes: 0, lambdaMs: 0 };
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
    // $0.01 per 10,000 requests, $0.10 for a million runs of the function, 1 KB of headers; 20 GB of $0.085.
    expect(empty.edge).toBeCloseTo(1.185);
    expect(large.edge - empty.edge).toBeCloseTo(1.7);
  });

  test('counts the delivery that a webhook message triggers', () => {
    const [delivered, job] = ['set-secret', 'rotate-key'].map(name => costWith({ sqsMessages: 1 }, name).others);
    expect((delivered ?? 0) - (job ?? 0)).toBeCloseTo(3.8);
  });

  test('is known for every measured operation', () => {
    expect(counts.length).toBeGreaterThan(50);
    for (const one of counts) expect(costOf(one).total, one.operation).toBeGreaterThan(1);
    const rows = renderCosts(counts).split('\n');
    expect(rows.filter(line => line.includes('**'))).toHaveLength(counts.length + 3);
  });

  test('is below ten dollars for a million pulls of 50 secrets, and below seven for an idle month, most of it for alarms', () => {
    const pull = counts.find(({ operation }) => operation === 'pull 50 secrets of 200 B');
    expect(pull && costOf(pull).total).toBeLessThan(10);
    expect(Object.values(idleCosts()).reduce((sum, amount) => sum + amount, 0)).toBeLessThan(7);
  });

  test('adds up to a month of ten million pulls, with their audit entries and what an idle month costs', () => {
    const million = (operation: string) =>
      costOf(counts.find(one => one.operation === operation) as OperationCounts).total;
    const [pull, unchanged] = [million('pull 50 secrets of 200 B'), million('pull, If-None-Match matches')];
    const [pulls, entries, idle = 0, total, unchangedTotal] = Object.values(busyMonth(counts));
    // Ten million entries of 1 KB are 10 GB, of $0.25 and $0.20 for recovery.
    expect([pulls, entries, total]).toEqual([10 * pull, 4.5, 10 * pull + 4.5 + idle]);
    expect(unchangedTotal).toBeCloseTo(pull + 9 * unchanged + 0.45 + idle);
  });
});
