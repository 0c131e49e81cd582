import { GraphWidget, type IMetric, type IWidget, type Metric, SingleValueWidget } from 'aws-cdk-lib/aws-cloudwatch';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Metrics } from './metrics.ts';
import type { WorkersStack } from './workers-stack.ts';

interface WidgetSources {
  metrics: Metrics;
  failedLogIns: Metric;
  functions: ReadonlyMap<string, LambdaFunction>;
  workers: WorkersStack;
}

const watched = ['pull-secrets', 'list-keys', 'set-secret', 'import-secrets'];

/** The rows of the dashboard: what users notice at the top, possible causes below. */
export function widgetsOf({ metrics, failedLogIns, functions, workers }: WidgetSources): IWidget[][] {
  const durations = watched.flatMap(name => {
    const deployed = functions.get(name);
    return deployed === undefined ? [] : [deployed.metricDuration({ statistic: 'p99', label: name })];
  });
  const background = [workers.deliverWebhooks, workers.runJobs, workers.rollUpMetrics];
  const { requests, serverErrors, slowestHundredth, deadWebhooks, deadJobs } = metrics;
  return [
    [
      new SingleValueWidget({
        title: 'Now',
        metrics: [requests, serverErrors, slowestHundredth, deadWebhooks, deadJobs],
        width: 24,
        height: 3,
      }),
    ],
    [
      graph('Requests', [requests], [metrics.clientErrors, serverErrors]),
      graph('How long they take, ms', [metrics.median, slowestHundredth]),
      graph('Secrets: slowest hundredth, ms', durations),
    ],
    [
      graph('Table', [metrics.readUnits, metrics.writeUnits], [metrics.throttledTable]),
      graph('Functions at once, in the account', [metrics.concurrency], [metrics.throttledInvocations]),
      graph('Failed log-ins', [failedLogIns]),
    ],
    [
      graph('Oldest message, seconds', [metrics.webhookAge, metrics.jobAge]),
      graph(
        'Background: runs',
        background.map(worker => worker.metricInvocations()),
      ),
      graph(
        'Background: errors',
        background.map(worker => worker.metricErrors()),
      ),
    ],
  ];
}

function graph(title: string, left: IMetric[], right: IMetric[] = []): IWidget {
  return new GraphWidget({ title, left, right, width: 8, height: 6 });
}
