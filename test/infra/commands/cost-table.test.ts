import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { costOf, idleCosts, type OperationCounts, renderCosts } from '#infra/commands/cost-table.ts';

const counts = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../bench/counts.json'), 'utf8'),
) as OperationCounts[];

const nothing = {
  roundTrips: 0,
  readUnits: 0,
  writeUnits: 0,
  kmsCalls: 0,
  sqsMessages: 0,
  mails: 0,
  responseBytes: 0,
  lambdaMs: 0,
};

describe('the cost of operations', () => {
  test('adds up from the counted units and the published prices', () => {
    const without = costOf({ ...nothing, operation: 'pull-secrets' });
    const with1 = costOf({
      ...nothing,
      operation: 'pull-secrets',
      readUnits: 11,
      writeUnits: 1,
      kmsCalls: 1,
      lambdaMs: 26,
    });

    // 11 × $0.125 + 1 × $0.625; 26 ms of 1 GB; a KMS request of $0.03 per 10,000.
    expect(with1.table - without.table).toBeCloseTo(2.0);
    expect(with1.functions - without.functions).toBeCloseTo(0.3467);
    expect(with1.others - without.others).toBeCloseTo(3);
    expect(with1.total).toBeCloseTo(with1.table + with1.functions + with1.edge + with1.gatewayAndLogs + with1.others);
  });

  test('includes what CloudFront takes for a request and for sending the answer', () => {
    const [empty, large] = [0, 20_000].map(responseBytes =>
      costOf({ ...nothing, operation: 'pull-secrets', responseBytes }),
    );
    // $0.01 per 10,000 requests, $0.10 for a million runs of the function, 1 KB of headers; 20 GB of $0.085.
    expect(empty?.edge).toBeCloseTo(1.185);
    expect((large?.edge ?? 0) - (empty?.edge ?? 0)).toBeCloseTo(1.7);
  });

  test('counts the delivery that a webhook message triggers', () => {
    const message = { ...nothing, sqsMessages: 1 };
    const [delivered, job] = [
      costOf({ ...message, operation: 'set-secret' }),
      costOf({ ...message, operation: 'rotate-key' }),
    ];
    expect(delivered.others - job.others).toBeCloseTo(3.8);
  });

  test('is known for every measured operation', () => {
    expect(counts.length).toBeGreaterThan(50);
    for (const one of counts) expect(costOf(one).total, one.operation).toBeGreaterThan(1);
    expect(
      renderCosts(counts)
        .split('\n')
        .filter(line => line.includes('**')),
    ).toHaveLength(counts.length + 1);
  });

  test('is below ten dollars for a million pulls of 50 secrets, and below six for an idle month, most of it for alarms', () => {
    const pull = counts.find(({ operation }) => operation === 'pull 50 secrets of 200 B');
    expect(pull && costOf(pull).total).toBeLessThan(10);
    expect(Object.values(idleCosts()).reduce((sum, amount) => sum + amount, 0)).toBeLessThan(6);
  });
});
