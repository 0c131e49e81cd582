import { Duration } from 'aws-cdk-lib';
import {
  AlarmStatusWidget,
  GraphWidget,
  type IAlarm,
  type IMetric,
  type IWidget,
  LogQueryVisualizationType,
  LogQueryWidget,
  type Metric,
  SingleValueWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { routedFunctions } from '../plan/functions.ts';
import { objectives } from '../plan/objectives.ts';
import type { Metrics } from './metrics.ts';
import type { WorkersStack } from './workers-stack.ts';

interface WidgetSources {
  metrics: Metrics;
  alarms: readonly IAlarm[];
  failedLogIns: Metric;
  loggedErrors: Metric;
  refused: Metric;
  requeuedWork: Metric;
  accessLog: ILogGroup;
  functions: ReadonlyMap<string, LambdaFunction>;
  workers: WorkersStack;
}

/**
 * A query reads at most 50 log groups, so cold starts are only shown for the areas that machines and log-ins wait for.
 */
const coldStartAreas = ['secrets', 'auth'];

/** The rows of the dashboard: overall health, user-visible symptoms, possible causes, and single operations. */
export function widgetsOf(sources: WidgetSources): IWidget[][] {
  const { metrics, alarms, failedLogIns, loggedErrors, refused, requeuedWork, accessLog, functions, workers } = sources;
  const background = [workers.deliverWebhooks, workers.runJobs, workers.queueUnfinishedWork, workers.rollUpMetrics];
  const { requests, serverErrors, slowestHundredth, deadWebhooks, deadJobs } = metrics;
  const hour = Duration.hours(1);
  const coldStartGroups = routedFunctions
    .filter(({ area }) => coldStartAreas.includes(area))
    .flatMap(({ name }) => functions.get(name)?.logGroup.logGroupName ?? []);
  return [
    [new AlarmStatusWidget({ title: 'Alarms', alarms: [...alarms], width: 24, height: 3 })],
    [
      new SingleValueWidget({
        title: 'Now',
        metrics: [requests, serverErrors, slowestHundredth, loggedErrors, deadWebhooks, deadJobs],
        width: 24,
        height: 3,
      }),
    ],
    [
      graph(`Failed requests, % of an hour (objective: ${shown(100 - objectives.availability)})`, [
        metrics.failedShare(hour, 1),
      ]),
      graph(`Pulls over ${objectives.fastPullMs} ms, % of an hour (objective: ${100 - objectives.fastPulls})`, [
        metrics.slowPullShare(hour, 1),
      ]),
      graph('Requests', [requests], [metrics.clientErrors, refused, serverErrors]),
    ],
    [
      graph('Latency, ms', [metrics.median, slowestHundredth, metrics.slowestPulls]),
      graph('Table', [metrics.readUnits, metrics.writeUnits], [metrics.throttledTable]),
      graph('Concurrent executions in the account', [metrics.concurrency], [metrics.throttledInvocations]),
    ],
    [
      graph('Oldest message, seconds; jobs queued again', [metrics.webhookAge, metrics.jobAge], [requeuedWork]),
      graph(
        'Background: runs, errors',
        background.map(worker => worker.metricInvocations()),
        background.map(worker => worker.metricErrors()),
      ),
      graph('Failed log-ins, failed checks from outside', [failedLogIns], [metrics.failedChecks]),
    ],
    [
      table(
        'Each operation, from the access log',
        [accessLog.logGroupName],
        [
          'stats count(*) as requests, sum(status >= 500) as failed, pct(responseLatency, 50) as p50, ' +
            'pct(responseLatency, 99) as p99, max(responseLatency) as slowest by routeKey',
          'sort requests desc',
        ],
      ),
      table('Cold starts', coldStartGroups, [
        'filter @type = "REPORT"',
        'stats count(*) as runs, count(@initDuration) as coldStarts, pct(@initDuration, 50) as initP50, ' +
          'max(@initDuration) as initSlowest, max(@maxMemoryUsed) / 1000000 as megabytes by @log',
        'sort coldStarts desc',
      ]),
    ],
  ];
}

function shown(percent: number): string {
  return String(Number(percent.toFixed(3)));
}

function graph(title: string, left: IMetric[], right: IMetric[] = []): IWidget {
  return new GraphWidget({ title, left, right, width: 8, height: 6 });
}

/** Logs Insights charges for the data that a query reads, only when an operator opens it. */
function table(title: string, logGroupNames: string[], queryLines: string[]): IWidget {
  return new LogQueryWidget({
    title,
    logGroupNames,
    queryLines,
    view: LogQueryVisualizationType.TABLE,
    width: 12,
    height: 8,
  });
}
