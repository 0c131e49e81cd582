import { Duration, NestedStack, type NestedStackProps } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  MathExpression,
  Metric,
  SingleValueWidget,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { SnsTopic } from 'aws-cdk-lib/aws-events-targets';
import { Effect, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import { acknowledge } from '../acknowledge.ts';
import type { Config } from '../config.ts';
import type { FoundationStack } from './foundation-stack.ts';
import type { WorkersStack } from './workers-stack.ts';

interface OperationsStackProps extends NestedStackProps {
  config: Config;
  foundation: FoundationStack;
  apiId: string;
  /** The functions behind the API, by name. */
  functions: ReadonlyMap<string, LambdaFunction>;
  workers: WorkersStack;
}

interface AlarmPlan {
  /** What users notice, then what to do first. */
  description: string;
  metric: IMetric;
  /** The alarm goes off above it. */
  above: number;
  /** In a row, of the metric's period. */
  periods?: number;
}

/**
 * What tells the operators, and what they look at. CloudWatch takes $0.10 a month for each metric that an alarm
 * watches: these are 13, and one metric of our own ($0.30). The dashboard is one of the three that are free.
 */
export class OperationsStack extends NestedStack {
  private readonly topic: Topic;

  constructor(
    scope: Construct,
    id: string,
    { config, foundation, apiId, functions, workers, ...props }: OperationsStackProps,
  ) {
    super(scope, id, { ...props, description: `${config.name}: alarms and dashboard` });
    this.topic = this.addTopic(config, foundation);
    const metrics = metricsOf({ apiId, foundation, workers });
    const failedLogIns = this.addFailedLogIns(config, functions.get('log-in'));

    this.addAlarms(config, {
      ApiErrors: {
        description:
          'More than 1 % of requests end with an error of the service: pulls and deployments of users fail. ' +
          'First look at the log of the function that answers 5xx (dashboard, then CloudWatch Logs, field requestId); ' +
          'if it began with a deployment, deploy the version before.',
        metric: new MathExpression({
          label: 'errors of the service, %',
          expression: 'IF(errors > 5, 100 * errors / requests, 0)',
          usingMetrics: { errors: metrics.serverErrors, requests: metrics.requests },
          period: Duration.minutes(5),
        }),
        above: 1,
      },
      ApiSlow: {
        description:
          'One request in a hundred takes longer than 5 seconds: CLIs seem to hang. First look whether DynamoDB or KMS ' +
          'is slow or throttled (dashboard, AWS Health), then whether one organization writes very much at once.',
        metric: metrics.slowestHundredth,
        above: 5_000,
        periods: 3,
      },
      FunctionsThrottled: {
        description:
          'Lambda refuses to run functions because the account is at its limit of concurrent executions: requests end ' +
          'with 503. First see who uses them up (metric ConcurrentExecutions), then ask for a higher limit in Service Quotas.',
        metric: metrics.throttledInvocations,
        above: 0,
        periods: 2,
      },
      TableThrottled: {
        description:
          'DynamoDB refuses reads or writes: requests become slow or end with 503. First find the busy partition ' +
          '(CloudWatch Contributor Insights of the table): an organization with one very busy environment is the usual one.',
        metric: metrics.throttledTable,
        above: 10,
        periods: 2,
      },
      WebhooksLost: {
        description:
          'Webhook deliveries could not even be logged: users miss notifications and do not see that in the delivery log. ' +
          'First read the log of deliver-webhooks. Messages in the dead-letter queue are not to be sent again (at most once).',
        metric: metrics.deadWebhooks,
        above: 0,
      },
      WebhooksLate: {
        description:
          'Webhook deliveries wait longer than 5 minutes: users are told late of changes. First see whether ' +
          'deliver-webhooks runs at all (log, throttles), then whether one organization sends very many to slow receivers.',
        metric: metrics.webhookAge,
        above: 300,
      },
      JobsFailed: {
        description:
          'A step of background work failed for an hour: an organization or project is not fully erased, or a key rotation ' +
          'stands still. Reads and writes go on. First read the log of run-jobs; mend the cause, then redrive the dead-letter queue.',
        metric: metrics.deadJobs,
        above: 0,
      },
      JobsLate: {
        description:
          'Background work waits longer than 30 minutes: erasing and key rotations stand still, nothing else does. ' +
          'First read the log of run-jobs for the error that it tries again and again.',
        metric: metrics.jobAge,
        above: 1_800,
      },
      MetricsMissing: {
        description:
          'The request metrics that administrators see in the API have gaps; nothing else is affected. ' +
          'First read the log of roll-up-metrics.',
        metric: metrics.failedRollUps,
        above: 0,
        periods: 3,
      },
      MailsBounce: {
        description:
          'More than 5 % of mails bounce: AWS may stop mails, and then nobody can verify an address or reset a password. ' +
          'First look in SES for the addresses; somebody may be registering invented ones.',
        metric: metrics.bounces,
        above: 0.05,
      },
      LogInsGuessed: {
        description:
          'More than 200 log-ins failed in 5 minutes: somebody is guessing passwords. Each address and each account is ' +
          'limited already. First look in the log of log-in which addresses it comes from (accountEvent login_failed).',
        metric: failedLogIns,
        above: 200,
      },
    });

    new Dashboard(this, 'Dashboard', {
      dashboardName: config.name,
      widgets: widgetsOf({ metrics, failedLogIns, functions, workers, foundation }),
    });
  }

  private addTopic({ name, alarmEmail }: Config, { key }: FoundationStack): Topic {
    const topic = new Topic(this, 'Alarms', { displayName: `${name} alarms`, enforceSSL: true });
    acknowledge(
      topic,
      'AwsSolutions-SNS2',
      'Alarms hold no secret, CloudWatch cannot publish to a topic under the AWS-managed key, and a key of its own costs more than all alarms.',
    );
    // A policy of its own (for TLS) replaces the one that lets the account's alarms in.
    topic.addToResourcePolicy(
      new PolicyStatement({
        sid: 'PublishAlarms',
        effect: Effect.ALLOW,
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': this.account } },
      }),
    );
    if (alarmEmail !== undefined) topic.addSubscription(new EmailSubscription(alarmEmail));

    // The one mistake that cannot be undone: a deleted key takes every secret with it.
    const rule = new Rule(this, 'KeyInDanger', {
      description: 'Somebody disabled the key of the secrets or scheduled its deletion.',
      eventPattern: {
        source: ['aws.kms'],
        detailType: ['AWS API Call via CloudTrail'],
        detail: {
          eventSource: ['kms.amazonaws.com'],
          eventName: ['ScheduleKeyDeletion', 'DisableKey'],
          requestParameters: { keyId: [key.keyId, key.keyArn] },
        },
      },
    });
    rule.addTarget(
      new SnsTopic(topic, {
        message: RuleTargetInput.fromText(
          `The key of ${name} was disabled or is to be deleted. While it is disabled no secret can be read or written; ` +
            'once it is deleted every secret is lost for ever. First: aws kms cancel-key-deletion, then aws kms enable-key.',
        ),
      }),
    );
    return topic;
  }

  /** Counts failed log-ins from the account events in the log. */
  private addFailedLogIns({ name }: Config, logIn: LambdaFunction | undefined): Metric {
    if (logIn === undefined) throw new Error('There is no function log-in.');
    const filter = new MetricFilter(this, 'FailedLogIns', {
      logGroup: logIn.logGroup,
      metricNamespace: name,
      metricName: 'FailedLogIns',
      metricValue: '1',
      filterPattern: FilterPattern.stringValue('$.accountEvent', '=', 'login_failed'),
    });
    return filter.metric({ statistic: 'Sum', period: Duration.minutes(5), label: 'failed log-ins' });
  }

  private addAlarms({ name }: Config, plans: Readonly<Record<string, AlarmPlan>>): void {
    for (const [id, { description, metric, above, periods = 1 }] of Object.entries(plans)) {
      const alarm = new Alarm(this, id, {
        alarmName: `${name}-${id}`,
        alarmDescription: description,
        metric,
        threshold: above,
        comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
        evaluationPeriods: periods,
        treatMissingData: TreatMissingData.NOT_BREACHING,
      });
      alarm.addAlarmAction(new SnsAction(this.topic));
      alarm.addOkAction(new SnsAction(this.topic));
    }
  }
}

interface MetricSources {
  apiId: string;
  foundation: FoundationStack;
  workers: WorkersStack;
}

function metricsOf({ apiId, foundation, workers }: MetricSources) {
  const period = Duration.minutes(5);
  const api = (metricName: string, statistic: string, label: string) =>
    new Metric({ namespace: 'AWS/ApiGateway', metricName, dimensionsMap: { ApiId: apiId }, statistic, period, label });
  const table = (metricName: string, label: string) =>
    new Metric({
      namespace: 'AWS/DynamoDB',
      metricName,
      dimensionsMap: { TableName: foundation.table.tableName },
      statistic: 'Sum',
      period,
      label,
    });
  return {
    requests: api('Count', 'Sum', 'requests'),
    serverErrors: api('5xx', 'Sum', 'errors of the service'),
    clientErrors: api('4xx', 'Sum', 'errors of clients'),
    median: api('Latency', 'p50', 'half of the requests'),
    slowestHundredth: api('Latency', 'p99', 'one request in a hundred'),
    // Without a dimension: all functions of the account, for they share one limit.
    throttledInvocations: new Metric({ namespace: 'AWS/Lambda', metricName: 'Throttles', statistic: 'Sum', period }),
    concurrency: new Metric({
      namespace: 'AWS/Lambda',
      metricName: 'ConcurrentExecutions',
      statistic: 'Maximum',
      period,
    }),
    throttledTable: new MathExpression({
      label: 'refused by DynamoDB',
      expression: 'FILL(reads, 0) + FILL(writes, 0)',
      usingMetrics: {
        reads: table('ReadThrottleEvents', 'refused reads'),
        writes: table('WriteThrottleEvents', 'refused writes'),
      },
      period,
    }),
    readUnits: table('ConsumedReadCapacityUnits', 'read units'),
    writeUnits: table('ConsumedWriteCapacityUnits', 'write units'),
    deadWebhooks: foundation.webhookDeadLetters.metricApproximateNumberOfMessagesVisible({ period, label: 'webhooks' }),
    deadJobs: foundation.jobDeadLetters.metricApproximateNumberOfMessagesVisible({ period, label: 'jobs' }),
    webhookAge: foundation.webhookQueue.metricApproximateAgeOfOldestMessage({ period, label: 'webhooks, seconds' }),
    jobAge: foundation.jobQueue.metricApproximateAgeOfOldestMessage({ period, label: 'jobs, seconds' }),
    failedRollUps: workers.rollUpMetrics.metricErrors({ period }),
    bounces: new Metric({
      namespace: 'AWS/SES',
      metricName: 'Reputation.BounceRate',
      statistic: 'Average',
      period: Duration.hours(1),
    }),
  };
}

interface WidgetSources {
  metrics: ReturnType<typeof metricsOf>;
  failedLogIns: Metric;
  functions: ReadonlyMap<string, LambdaFunction>;
  workers: WorkersStack;
  foundation: FoundationStack;
}

/** From what users notice down to what it may come from. */
function widgetsOf({ metrics, failedLogIns, functions, workers }: WidgetSources): IWidget[][] {
  const graph = (title: string, left: IMetric[], right: IMetric[] = []) =>
    new GraphWidget({ title, left, right, width: 8, height: 6 });
  const durations = ['pull-secrets', 'list-keys', 'set-secret', 'import-secrets'].flatMap(name => {
    const deployed = functions.get(name);
    return deployed === undefined ? [] : [deployed.metricDuration({ statistic: 'p99', label: name })];
  });
  const background = [workers.deliverWebhooks, workers.runJobs, workers.rollUpMetrics];
  return [
    [
      new SingleValueWidget({
        title: 'Now',
        metrics: [
          metrics.requests,
          metrics.serverErrors,
          metrics.slowestHundredth,
          metrics.deadWebhooks,
          metrics.deadJobs,
        ],
        width: 24,
        height: 3,
      }),
    ],
    [
      graph('Requests', [metrics.requests], [metrics.clientErrors, metrics.serverErrors]),
      graph('How long they take, ms', [metrics.median, metrics.slowestHundredth]),
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
