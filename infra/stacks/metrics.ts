import { Duration } from 'aws-cdk-lib';
import { MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Config } from '../plan/config.ts';
import { pullRoute } from '../plan/functions.ts';
import { objectives } from '../plan/objectives.ts';
import type { FoundationStack } from './foundation-stack.ts';
import type { WorkersStack } from './workers-stack.ts';

interface MetricSources {
  config: Config;
  apiId: string;
  foundation: FoundationStack;
  workers: WorkersStack;
}

export type Metrics = ReturnType<typeof metricsOf>;

const period = Duration.minutes(5);

/** The metrics that alarms watch and the dashboard shows. */
export function metricsOf({ config, apiId, foundation, workers }: MetricSources) {
  return {
    ...requestMetrics(apiId, config),
    ...pullMetrics(apiId),
    ...lambdaMetrics(),
    ...tableMetrics(foundation.table.tableName),
    replicationLatency: replicationLatency(foundation.table.tableName, config),
    keyUse: keyUse(),
    ...backgroundMetrics(foundation, workers),
    bounces: mailReputation('Reputation.BounceRate'),
    complaints: mailReputation('Reputation.ComplaintRate'),
  };
}

/** The metric that counts the changes refused under maintenance, with a zero for every request. */
export function maintenanceRefusals({ name }: Pick<Config, 'name'>) {
  return { metricNamespace: name, metricName: 'RefusedUnderMaintenance' };
}

function requestMetrics(apiId: string, config: Config) {
  const api = (metricName: string, statistic: string, label: string, over = period) =>
    new Metric({
      namespace: 'AWS/ApiGateway',
      metricName,
      dimensionsMap: { ApiId: apiId },
      statistic,
      period: over,
      label,
    });
  const { metricNamespace: namespace, metricName } = maintenanceRefusals(config);
  const announced = (over: Duration) =>
    new Metric({ namespace, metricName, statistic: 'Sum', period: over, label: 'announced refusals' });
  return {
    requests: api('Count', 'Sum', 'requests'),
    serverErrors: api('5xx', 'Sum', 'server errors'),
    clientErrors: api('4xx', 'Sum', 'client errors'),
    median: api('Latency', 'p50', 'median'),
    failedShare: (over: Duration, atLeast: number) =>
      new MathExpression({
        label: 'requests that failed, %',
        // A change that is refused under maintenance is no failure.
        expression: `IF(errors - FILL(announced, 0) >= ${atLeast}, 100 * (errors - FILL(announced, 0)) / requests, 0)`,
        usingMetrics: {
          errors: api('5xx', 'Sum', 'errors of the service', over),
          announced: announced(over),
          requests: api('Count', 'Sum', 'requests', over),
        },
        period: over,
      }),
    slowestHundredth: api('Latency', 'p99', '99th percentile'),
  };
}

function pullMetrics(apiId: string) {
  const [method = '', route = ''] = pullRoute.routeKey.split(' ');
  const pull = (metricName: string, statistic: string, label: string, over: Duration) =>
    new Metric({
      namespace: 'AWS/ApiGateway',
      metricName,
      dimensionsMap: { ApiId: apiId, Stage: '$default', Method: method, Resource: route },
      statistic,
      period: over,
      label,
    });
  return {
    slowPullShare: (over: Duration, atLeast: number) =>
      new MathExpression({
        label: `pulls over ${objectives.fastPullMs} ms, %`,
        expression: `IF(pulls >= ${atLeast}, 100 - fast, 0)`,
        usingMetrics: {
          pulls: pull('Count', 'SampleCount', 'pulls', over),
          fast: pull('Latency', `PR(:${objectives.fastPullMs})`, 'fast pulls, %', over),
        },
        period: over,
      }),
    slowestPulls: pull('Latency', 'p99', 'pulls, 99th percentile', period),
  };
}

function lambdaMetrics() {
  // Without a dimension: all functions of the account, because they share one limit.
  const lambda = (metricName: string, statistic: string) =>
    new Metric({ namespace: 'AWS/Lambda', metricName, statistic, period });
  const concurrency = lambda('ConcurrentExecutions', 'Maximum');
  return {
    throttledInvocations: lambda('Throttles', 'Sum'),
    concurrency,
    concurrencyUse: shareOfQuota(concurrency, 'concurrent executions, % of the quota'),
  };
}

/**
 * Service Quotas knows this metric as the use of a quota, so CloudWatch compares the two (CloudWatch, "SERVICE_QUOTA").
 * For a quota per second, it multiplies by the metric's period.
 */
function shareOfQuota(used: Metric, label: string): MathExpression {
  return new MathExpression({
    label,
    expression: '100 * used / SERVICE_QUOTA(used)',
    usingMetrics: { used },
    period: used.period,
  });
}

/** All symmetric operations of the account in this region share one quota (KMS, "Request quotas"). */
function keyUse(): MathExpression {
  const calls = new Metric({
    namespace: 'AWS/Usage',
    metricName: 'CallCount',
    dimensionsMap: { Service: 'KMS', Type: 'API', Resource: 'CryptographicOperationsSymmetric', Class: 'None' },
    statistic: 'Sum',
    period: Duration.minutes(1),
  });
  return shareOfQuota(calls, 'KMS requests, % of the quota');
}

function mailReputation(metricName: string): Metric {
  return new Metric({ namespace: 'AWS/SES', metricName, statistic: 'Average', period: Duration.hours(1) });
}

/** A restored table has no replica. */
function replicationLatency(tableName: string, { replicaRegion, restoredTable }: Config): Metric | undefined {
  if (replicaRegion === undefined || restoredTable !== undefined) return undefined;
  return new Metric({
    namespace: 'AWS/DynamoDB',
    metricName: 'ReplicationLatency',
    dimensionsMap: { TableName: tableName, ReceivingRegion: replicaRegion },
    statistic: 'Average',
    period,
    label: 'replication latency, ms',
  });
}

function tableMetrics(tableName: string) {
  const table = (metricName: string, label: string) =>
    new Metric({
      namespace: 'AWS/DynamoDB',
      metricName,
      dimensionsMap: { TableName: tableName },
      statistic: 'Sum',
      period,
      label,
    });
  return {
    throttledTable: new MathExpression({
      label: 'throttled by DynamoDB',
      expression: 'FILL(reads, 0) + FILL(writes, 0)',
      usingMetrics: {
        reads: table('ReadThrottleEvents', 'refused reads'),
        writes: table('WriteThrottleEvents', 'refused writes'),
      },
      period,
    }),
    readUnits: table('ConsumedReadCapacityUnits', 'read units'),
    writeUnits: table('ConsumedWriteCapacityUnits', 'write units'),
  };
}

function backgroundMetrics(foundation: FoundationStack, workers: WorkersStack) {
  const { webhookDeadLetters, jobDeadLetters, webhookQueue, jobQueue } = foundation;
  return {
    deadWebhooks: webhookDeadLetters.metricApproximateNumberOfMessagesVisible({ period, label: 'webhooks' }),
    deadJobs: jobDeadLetters.metricApproximateNumberOfMessagesVisible({ period, label: 'jobs' }),
    webhookAge: webhookQueue.metricApproximateAgeOfOldestMessage({ period, label: 'webhooks, seconds' }),
    jobAge: jobQueue.metricApproximateAgeOfOldestMessage({ period, label: 'jobs, seconds' }),
    failedArchiveRuns: workers.archiveAudit.metricErrors({ period }),
    // Of the attempts of a run, only the last one matters.
    failedDueMails: workers.mailDue.metric('AsyncEventsDropped', { period, statistic: 'Sum' }),
    failedRollUps: workers.rollUpMetrics.metricErrors({ period }),
    failedChecks: workers.checkService.metricErrors({ period, label: 'failed checks' }),
  };
}
