import { Duration } from 'aws-cdk-lib';
import { MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { pullRoute } from '../plan/functions.ts';
import { objectives } from '../plan/objectives.ts';
import type { FoundationStack } from './foundation-stack.ts';
import type { WorkersStack } from './workers-stack.ts';

interface MetricSources {
  apiId: string;
  foundation: FoundationStack;
  workers: WorkersStack;
}

export type Metrics = ReturnType<typeof metricsOf>;

const period = Duration.minutes(5);

/** The metrics that alarms watch and the dashboard shows. */
export function metricsOf({ apiId, foundation, workers }: MetricSources) {
  return {
    ...requestMetrics(apiId),
    ...pullMetrics(apiId),
    ...lambdaMetrics(),
    ...tableMetrics(foundation.table.tableName),
    ...backgroundMetrics(foundation, workers),
    bounces: new Metric({
      namespace: 'AWS/SES',
      metricName: 'Reputation.BounceRate',
      statistic: 'Average',
      period: Duration.hours(1),
    }),
  };
}

function requestMetrics(apiId: string) {
  const api = (metricName: string, statistic: string, label: string, over = period) =>
    new Metric({
      namespace: 'AWS/ApiGateway',
      metricName,
      dimensionsMap: { ApiId: apiId },
      statistic,
      period: over,
      label,
    });
  return {
    requests: api('Count', 'Sum', 'requests'),
    serverErrors: api('5xx', 'Sum', 'server errors'),
    clientErrors: api('4xx', 'Sum', 'client errors'),
    median: api('Latency', 'p50', 'median'),
    failedShare: (over: Duration, atLeast: number) =>
      new MathExpression({
        label: 'requests that failed, %',
        expression: `IF(errors >= ${atLeast}, 100 * errors / requests, 0)`,
        usingMetrics: {
          errors: api('5xx', 'Sum', 'errors of the service', over),
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
  return {
    throttledInvocations: lambda('Throttles', 'Sum'),
    concurrency: lambda('ConcurrentExecutions', 'Maximum'),
  };
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
    failedRollUps: workers.rollUpMetrics.metricErrors({ period }),
    failedChecks: workers.checkService.metricErrors({ period, label: 'failed checks' }),
  };
}
