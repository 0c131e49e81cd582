import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { functions, passwordFunctions, warmFunctions } from '../plan/functions.ts';

/*
 * `npm run operate -- cost-table`: prints the cost of a million calls of each operation, of an idle month and of four
 * busy ones as Markdown tables, from the counts in `test/bench/counts.json` (written by its test) and the published
 * prices below.
 */

/** US dollars in us-east-1, excluding any free tier, from the pricing pages on aws.amazon.com, November 2026. */
export const prices = {
  /** DynamoDB on demand: a read unit is a strongly consistent read of 4 KB, a write unit is 1 KB. */
  readUnit: 0.125e-6,
  writeUnit: 0.625e-6,
  /** Table storage per month, and its point-in-time recovery. */
  tableGb: 0.25,
  recoveryGb: 0.2,
  /** A copy in AWS Backup, per month. */
  copiedGb: 0.1,
  /** HTTP API, up to 300 million requests a month. A larger request or response counts as one for each 512 KB. */
  gatewayRequest: 1e-6,
  invocation: 0.2e-6,
  /** Lambda on ARM. */
  gbSecond: 0.0000133334,
  /** Lambda on ARM, for keeping an instance warm; its requests cost extra. */
  warmGbSecond: 0.0000033334,
  kmsRequest: 0.03 / 10_000,
  kmsKeyMonth: 1,
  secretMonth: 0.4,
  /** For comparison only, not read again in November 2026: an API call (aws.amazon.com/secrets-manager/pricing). */
  secretsManagerRequest: 0.05 / 10_000,
  /** Likewise: standard parameters at standard throughput (aws.amazon.com/systems-manager/pricing, Parameter Store). */
  parameterRequest: 0,
  parameterMonth: 0,
  sqsRequest: 0.4e-6,
  mail: 0.1 / 1000,
  /** CloudFront, for viewers in North America and Europe: an HTTPS request, a run of its function, and data sent. */
  edgeRequest: 0.01 / 10_000,
  edgeFunction: 0.1e-6,
  edgeGb: 0.085,
  /** Data that API Gateway sends to the internet itself. */
  gatewayGb: 0.09,
  /** CloudWatch Logs: ingestion, and storage per month. */
  logGb: 0.5,
  keptLogGb: 0.03,
  alarmMetricMonth: 0.1,
  /** The firewall: itself, each of its rules, and a request. */
  firewallMonth: 5,
  firewallRuleMonth: 1,
  firewallRequest: 0.6e-6,
} as const;

/**
 * The AWS calls of one warm operation. Without a measured `lambdaMs`, its duration is estimated from the round trips.
 */
export interface OperationCounts {
  operation: string;
  roundTrips: number;
  readUnits: number;
  writeUnits: number;
  kmsCalls: number;
  sqsMessages: number;
  mails: number;
  responseBytes: number;
  lambdaMs?: number;
}

/** Dollars per million operations. */
export interface Cost {
  table: number;
  functions: number;
  edge: number;
  gatewayAndLogs: number;
  others: number;
  total: number;
}

/** Estimated durations of a round trip within a region, of the function's own work, and of hashing a password. */
const roundTripMs = 8;
const ownMs = 10;
const passwordMs = 500;
/** Estimated: the headers of an answer, which CloudFront sends too. */
const headerBytes = 1000;
/**
 * The share of a longer response that is sent to clients that accept gzip, as the SDK and the command line do; a test
 * measures it with random values.
 */
export const sentShare = 0.76;
const gatewayUnitBytes = 512 * 1024;
/** One line of the access log, plus Lambda's own START, END and REPORT. */
const logBytes = 350 + 400;
/** CloudWatch Logs delivers lines in batches. Each batch costs one invocation and a few counters. */
const linesPerBatch = 10;
const rollUp = { writeUnits: 6, ms: 60, memoryMb: 256 };
/**
 * One delivery: receive and delete the message, record the start, log the result, decrypt the signing secret, and wait
 * for the receiver.
 */
const delivery = { sqsRequests: 2, readUnits: 1, writeUnits: 2, kmsCalls: 1, ms: 300, memoryMb: 512 };

/** A check that finds nothing: two eventually consistent queries of an empty range. */
const unfinishedWork = { readUnits: 1, ms: 30, memoryMb: 256 };

/**
 * The cost of a million operations, including the background work they trigger.
 * @param isDirect whether clients use the gateway's own address (`directOrigin`) instead of CloudFront's
 */
export function costOf(counts: OperationCounts, isDirect = false): Cost {
  const { memoryMb, hashesPassword, isWebhook } = traitsOf(counts.operation);
  const ms = counts.lambdaMs ?? ownMs + counts.roundTrips * roundTripMs + (hashesPassword ? passwordMs : 0);
  const deliveries = isWebhook ? counts.sqsMessages : 0;
  const table =
    (counts.readUnits + deliveries * delivery.readUnits) * prices.readUnit +
    (counts.writeUnits + deliveries * delivery.writeUnits + rollUp.writeUnits / linesPerBatch) * prices.writeUnit;
  const lambda =
    invocation(ms, memoryMb) +
    invocation(rollUp.ms, rollUp.memoryMb) / linesPerBatch +
    deliveries * invocation(delivery.ms, delivery.memoryMb);
  const sentGb = (counts.responseBytes * (counts.responseBytes < 1024 ? 1 : sentShare) + headerBytes) / 1e9;
  const edge = isDirect ? 0 : prices.edgeRequest + prices.edgeFunction + sentGb * prices.edgeGb;
  const gatewayUnits = Math.max(1, Math.ceil(counts.responseBytes / gatewayUnitBytes));
  const sending = isDirect ? sentGb * prices.gatewayGb : 0;
  const gatewayAndLogs =
    gatewayUnits * prices.gatewayRequest + sending + (logBytes / 1e9) * (prices.logGb + 3 * prices.keptLogGb);
  const others =
    (counts.kmsCalls + deliveries * delivery.kmsCalls) * prices.kmsRequest +
    (counts.sqsMessages + deliveries * delivery.sqsRequests) * prices.sqsRequest +
    counts.mails * prices.mail;
  const million = (dollars: number) => dollars * 1e6;
  return {
    table: million(table),
    functions: million(lambda),
    edge: million(edge),
    gatewayAndLogs: million(gatewayAndLogs),
    others: million(others),
    total: million(table + lambda + edge + gatewayAndLogs + others),
  };
}

function invocation(ms: number, memoryMb: number): number {
  return prices.invocation + (ms / 1000) * (memoryMb / 1024) * prices.gbSecond;
}

function traitsOf(operation: string): { memoryMb: number; hashesPassword: boolean; isWebhook: boolean } {
  const [word = ''] = operation.split(/[ ,]/);
  const name = { pull: 'pull-secrets', set: 'set-secret', import: 'import-secrets' }[word] ?? word;
  const plan = functions.find(candidate => candidate.name === name);
  if (plan === undefined) throw new Error(`There is no function for the operation "${operation}".`);
  return {
    memoryMb: plan.memoryMb,
    hashesPassword: passwordFunctions.has(name),
    isWebhook: plan.uses.queues?.includes('webhooks') ?? false,
  };
}

/** Metrics with alarms; a test counts them in the templates. */
export const watchedMetrics = 46;

/**
 * The monthly cost of an idle installation, in dollars. Custom metrics are billed only for hours with data (CloudWatch
 * pricing, custom metrics).
 */
export function idleCosts(): Readonly<Record<string, number>> {
  // Lambda polls each queue continuously: five connections, each with a request every 20 seconds.
  const pollsPerMonth = 2 * 5 * 3 * 60 * 24 * 30;
  const looksPerMonth = 12 * 24 * 30;
  return {
    'KMS key (each of its first two yearly rotations adds as much)': prices.kmsKeyMonth,
    [`${watchedMetrics} metrics watched by alarms`]: watchedMetrics * prices.alarmMetricMonth,
    'edge secret': prices.secretMonth,
    'polling of two queues (the first million a month is free)': pollsPerMonth * prices.sqsRequest,
    'checking for unfinished background work every five minutes':
      looksPerMonth *
      (unfinishedWork.readUnits * prices.readUnit + invocation(unfinishedWork.ms, unfinishedWork.memoryMb)),
  };
}

/**
 * What DynamoDB stores for the audit entry of a pull of 50 secrets, at most; a test measures it. It counts the names and
 * values of attributes, and 100 bytes.
 */
export const pullEntryBytes = 700;

/** How long the worked examples keep the audit log. */
const keptMonths = 12;

/** AWS Backup keeps seven daily copies beside the table, and 35 in the other account. */
export const keptCopies = 7 + 35;

/** Two rules that limit an address, and three lists of AWS's; a test counts them in the template. */
export const firewallRules = 5;

const monthSeconds = 30 * 24 * 60 * 60;

/**
 * A month of pulls of 50 secrets of 200 bytes, in dollars, once the audit log has its full length. What follows the
 * totals is optional.
 */
export function monthOf(pulls: number, counts: readonly OperationCounts[]): Readonly<Record<string, number>> {
  const costOfMany = (operation: string, number: number, isDirect = false) => {
    const found = counts.find(one => one.operation === operation);
    if (found === undefined) throw new Error(`There are no counts of "${operation}".`);
    return (number / 1e6) * costOf(found, isDirect).total;
  };
  const operation = 'pull 50 secrets of 200 B';
  const changed = (number: number) => costOfMany(operation, number);
  const entryGb = (number: number) => (number * keptMonths * pullEntryBytes) / 1e9;
  const stored = (number: number) => entryGb(number) * (prices.tableGb + prices.recoveryGb);
  const idle = sumOf(idleCosts());
  const tenth = pulls / 10;
  const unchanged = costOfMany('pull, If-None-Match matches', pulls - tenth);
  const warm = functions.filter(({ name }) => warmFunctions.includes(name));
  const warmGb = warm.reduce((sum, { memoryMb }) => sum + memoryMb / 1024, 0);
  return {
    'pulls of 50 secrets of 200 B': changed(pulls),
    'their audit entries, kept for a year': stored(pulls),
    'the idle month': idle,
    total: changed(pulls) + stored(pulls) + idle,
    'total, if nine of ten pulls find nothing new (`If-None-Match`)': changed(tenth) + unchanged + stored(tenth) + idle,
    'total, if all pulls use the `DirectUrl`': costOfMany(operation, pulls, true) + stored(pulls) + idle,
    'with `backupVaultArn`: daily copies of the entries': entryGb(pulls) * keptCopies * prices.copiedGb,
    'with `replicaRegion`: the entries, written and stored there too':
      pulls * prices.writeUnit + entryGb(pulls) * prices.tableGb,
    'with `waf`: the firewall':
      prices.firewallMonth + firewallRules * prices.firewallRuleMonth + pulls * prices.firewallRequest,
    'with `provisionedConcurrency` 1: a warm instance of pull, set, list and log-in':
      warmGb * monthSeconds * prices.warmGbSecond,
  };
}

/** The numbers of pulls of the worked examples. */
export const exampleMonths = [
  ['10 thousand', 1e4],
  ['1 million', 1e6],
  ['10 million', 1e7],
  ['100 million', 1e8],
] as const;

const sumOf = (costs: Readonly<Record<string, number>>) => Object.values(costs).reduce((sum, one) => sum + one, 0);

/** The Markdown of docs/performance.md. */
export function renderCosts(counts: readonly OperationCounts[], all = counts): string {
  const dollars = (amount: number) => `$${amount.toFixed(2)}`;
  const bold = (what: string, price: string) => (what.startsWith('total') ? `**${price}**` : price);
  const rows = counts.map(one => {
    const { table, functions: lambda, edge, gatewayAndLogs, others, total } = costOf(one);
    const cells = [table, lambda, edge, gatewayAndLogs, others].map(dollars);
    return `| ${one.operation} | ${cells.join(' | ')} | **${dollars(total)}** |`;
  });
  const rowsOf = (costs: Readonly<Record<string, number>>) =>
    Object.entries(costs).map(([what, amount]) => `| ${what} | ${bold(what, dollars(amount))} |`);
  const months = exampleMonths.map(([, pulls]) => monthOf(pulls, all));
  const monthRows = Object.keys(months[0] ?? {}).map(
    what => `| ${what} | ${months.map(month => bold(what, dollars(month[what] ?? 0))).join(' | ')} |`,
  );
  return [
    '| Per million | table | functions | CloudFront | gateway, logs | KMS, SQS, SES | total |',
    '|---|--:|--:|--:|--:|--:|--:|',
    ...rows,
    '',
    '| An idle month | |',
    '|---|--:|',
    ...rowsOf({ ...idleCosts(), total: sumOf(idleCosts()) }),
    '',
    `| A month of | ${exampleMonths.map(([number]) => number).join(' | ')} pulls |`,
    `|---|${exampleMonths.map(() => '--:').join('|')}|`,
    ...monthRows,
    '',
    `Storage: ${dollars(prices.tableGb)} per GB-month, plus ${dollars(prices.recoveryGb)} for point-in-time recovery.`,
  ].join('\n');
}

if (import.meta.main) {
  const file = join(import.meta.dirname, '../../test/bench/counts.json');
  const counts = JSON.parse(readFileSync(file, 'utf8')) as OperationCounts[];
  const named = process.argv.slice(2);
  const chosen = counts.filter(({ operation }) => named.length === 0 || named.includes(operation));
  process.stdout.write(`${renderCosts(chosen, counts)}\n`);
}
