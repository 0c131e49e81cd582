import { costOf, idleCosts, prices } from '#infra/commands/cost-table.ts';
import type { OperationCounts } from '../count-operations.ts';

/** What pulling all secrets takes. Counts are of calls in sequence, of calls to AWS, and of the client's requests. */
export interface Pull {
  name: string;
  roundTrips: number;
  calls: number;
  kmsCalls: number;
  requests: number;
  /** US dollars of a million pulls, and of a month in which nobody pulls. */
  million: number;
  month: number;
}

export const secretCount = 100;

export function credstash(counted: { roundTrips: number; calls: number; kmsCalls: number; readUnits: number }): Pull {
  const { roundTrips, calls, kmsCalls, readUnits } = counted;
  const million = (readUnits * prices.readUnit + kmsCalls * prices.kmsRequest) * 1e6;
  return { name: 'credstash', roundTrips, calls, kmsCalls, requests: calls, million, month: prices.kmsKeyMonth };
}

/** From the counts of the handler. The client's one request is a round trip too. */
export function holdfast(counts: Omit<OperationCounts, 'operation'>): Pull {
  const month = Object.values(idleCosts()).reduce((sum, dollars) => sum + dollars, 0);
  const million = costOf({ ...counts, operation: 'pull-secrets' }).total;
  return {
    name: 'Holdfast',
    roundTrips: counts.roundTrips + 1,
    calls: counts.calls,
    kmsCalls: counts.kmsCalls,
    requests: 1,
    million,
    month,
  };
}

/** Pages of 10 (API reference, `GetParametersByPath`), each naming the next. The account pays a KMS call per value. */
export function parameterStore(): Pull {
  const pages = secretCount / 10;
  return {
    name: 'Parameter Store, computed',
    roundTrips: pages,
    calls: pages + secretCount,
    kmsCalls: secretCount,
    requests: pages,
    million: (pages * prices.parameterRequest + secretCount * prices.kmsRequest) * 1e6,
    month: secretCount * prices.parameterMonth,
  };
}

/** Pages of 20 (API reference, `BatchGetSecretValue`), each naming the next. KMS with `aws/secretsmanager` is free. */
export function secretsManager(): Pull {
  const pages = secretCount / 20;
  return {
    name: 'Secrets Manager, computed',
    roundTrips: pages,
    calls: pages,
    kmsCalls: 0,
    requests: pages,
    million: pages * prices.secretsManagerRequest * 1e6,
    month: secretCount * prices.secretMonth,
  };
}

/** The Markdown of docs/performance.md. */
export function renderPulls(pulls: readonly Pull[]): string {
  const rows = pulls.map(({ name, million, month, ...counts }) => {
    const { roundTrips, calls, kmsCalls, requests } = counts;
    const cells = [roundTrips, calls, kmsCalls, requests, `$${million.toFixed(2)}`, `$${month.toFixed(2)}`];
    return `| ${name} | ${cells.join(' | ')} |`;
  });
  return [
    `| Pulling ${secretCount} secrets | round trips | calls | of which KMS | client's requests | a million | idle month |`,
    '|---|--:|--:|--:|--:|--:|--:|',
    ...rows,
  ].join('\n');
}
