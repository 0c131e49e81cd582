import { Duration } from 'aws-cdk-lib';
import type { IMetric, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { fastBurn, objectives, slowBurn } from '../plan/objectives.ts';
import type { Metrics } from './metrics.ts';

export interface AlarmPlan {
  /** What users notice, then what to do first. */
  description: string;
  metric: IMetric;
  /** The alarm goes off above this value. */
  above: number;
  /** How many of the metric's periods in a row. */
  periods?: number;
  /** In how many of them, if that is not all. */
  in?: number;
}

/** Every alarm, by its name without the installation's. */
export function alarmsOn(
  metrics: Metrics,
  {
    failedLogIns,
    inconsistentReads,
    loggedErrors,
  }: { failedLogIns: Metric; inconsistentReads: Metric; loggedErrors: Metric },
): Readonly<Record<string, AlarmPlan>> {
  return {
    ApiErrors: {
      description:
        'Requests fail with an error of the service, so many in an hour that the errors allowed for a month last two ' +
        'days: pulls and deployments of users fail. First look at the log of the function that answers 5xx (dashboard, ' +
        'then CloudWatch Logs, field requestId); if it began with a deployment, deploy the previous version.',
      // One failed request is no outage, however few there are.
      metric: metrics.failedShare(Duration.hours(1), 2),
      above: fastBurn * (100 - objectives.availability),
    },
    PullsSlow: {
      description:
        'More than one pull in seven of the last hour took longer than a second: deployments of users wait. First see in ' +
        'the dashboard whether DynamoDB or KMS is slow or throttled, then whether functions start cold.',
      metric: metrics.slowPullShare(Duration.hours(1), 20),
      above: fastBurn * (100 - objectives.fastPulls),
    },
    ApiErrorsBudget: {
      description:
        'For six hours so many requests have failed with an error of the service that the errors allowed for a month last ' +
        'five days. Users meet one now and then. First see in the dashboard which operation fails, then read its log.',
      metric: metrics.failedShare(Duration.hours(6), 2),
      above: slowBurn * (100 - objectives.availability),
    },
    PullsSlowBudget: {
      description:
        'For six hours so many pulls have taken longer than a second that the slow ones allowed for a month last five ' +
        'days. Deployments of users are slower. First see in the dashboard whether cold starts, DynamoDB or KMS take the time.',
      metric: metrics.slowPullShare(Duration.hours(6), 20),
      above: slowBurn * (100 - objectives.fastPulls),
    },
    ServiceCheckFailed: {
      description:
        'Twice in a row the check could not log in, set a secret and pull it through the public address: users cannot ' +
        'either. First read the last line of the log of check-service, which names the step, its status and its request id.',
      metric: metrics.failedChecks,
      above: 0,
      periods: 2,
    },
    ErrorsLogged: {
      description:
        'The functions log errors again and again, perhaps without any request failing: mails that could not be sent, ' +
        'or KMS out of reach. First search the logs of the functions for level = "ERROR"; the line names the operation.',
      metric: loggedErrors,
      above: 0,
      periods: 3,
      in: 2,
    },
    ApiSlow: {
      description:
        'One request in a hundred takes longer than 5 seconds: CLIs seem to hang. First check whether DynamoDB or KMS ' +
        'is slow or throttled (dashboard, AWS Health), then whether one organization writes a lot at once.',
      metric: metrics.slowestHundredth,
      above: 5_000,
      periods: 3,
    },
    FunctionsThrottled: {
      description:
        'Lambda refuses to run functions because the account is at its limit of concurrent executions: requests fail ' +
        'with 503. First find what uses them up (metric ConcurrentExecutions), then ask for a higher limit in Service Quotas.',
      metric: metrics.throttledInvocations,
      above: 0,
      periods: 2,
    },
    TableThrottled: {
      description:
        'DynamoDB refuses reads or writes: requests become slow or fail with 503. First find the busy partition ' +
        '(CloudWatch Contributor Insights of the table): it is usually an organization with one very busy environment.',
      metric: metrics.throttledTable,
      above: 10,
      periods: 2,
    },
    WebhooksLost: {
      description:
        'Webhook deliveries could not even be logged: users miss notifications and cannot see that in the delivery log. ' +
        'First read the log of deliver-webhooks. Do not resend messages from the dead-letter queue (at most once).',
      metric: metrics.deadWebhooks,
      above: 0,
    },
    WebhooksLate: {
      description:
        'Webhook deliveries wait longer than 5 minutes: users learn of changes late. First check whether ' +
        'deliver-webhooks runs at all (log, throttles), then whether one organization sends a lot to slow receivers.',
      metric: metrics.webhookAge,
      above: 300,
    },
    JobsFailed: {
      description:
        'A step of background work failed for an hour: an organization or project is not fully erased, or a key rotation ' +
        'has stopped. Reads and writes still work. First read the log of run-jobs; fix the cause, then redrive the dead-letter queue.',
      metric: metrics.deadJobs,
      above: 0,
    },
    JobsLate: {
      description:
        'Background work waits longer than 30 minutes: erasing and key rotations have stopped, everything else works. ' +
        'First read the log of run-jobs for the error that repeats.',
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
        'More than 5 % of mails bounce: AWS may stop sending, and then no user can verify an address or reset a password. ' +
        'First look in SES for the addresses; an attacker may be registering invented ones.',
      metric: metrics.bounces,
      above: 0.05,
    },
    EnvironmentInconsistent: {
      description:
        'The secrets of an environment do not add up to its digest, however often they are read: its pulls and changes ' +
        'end with 503 until it is repaired. First look in the logs for the lines with alarm = "inconsistent", which name ' +
        'the environment, then run: npm run repair-environment -- <organization> <project> <environment>.',
      metric: inconsistentReads,
      above: 0,
    },
    LogInsGuessed: {
      description:
        'More than 200 log-ins failed in 5 minutes: an attacker is guessing passwords. Each address and each account is ' +
        'limited already. First look in the log of log-in for the addresses they come from (accountEvent login_failed).',
      metric: failedLogIns,
      above: 200,
    },
  };
}
