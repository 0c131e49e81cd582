import { Duration } from 'aws-cdk-lib';
import type { IMetric, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Config } from '../plan/config.ts';
import { fastBurn, objectives, slowBurn } from '../plan/objectives.ts';
import type { Severity } from './alarm-topic.ts';
import type { Metrics } from './metrics.ts';

export interface AlarmPlan {
  /** What users notice, then what to do first. */
  description: string;
  severity: Severity;
  metric: IMetric;
  /** The alarm fires above this value. */
  above: number;
  /** The number of consecutive periods of the metric. */
  periods?: number;
  /** How many of those periods must be above, if not all. */
  in?: number;
  /** The metric always has data unless something is broken, so the operators are notified if there is none. */
  notifiesWithoutData?: true;
  /** Under maintenance it would only report what was announced, so it notifies nobody. */
  isSilentUnderMaintenance?: true;
}

interface LogMetrics {
  failedLogIns: Metric;
  inconsistentReads: Metric;
  loggedErrors: Metric;
  refused: Metric;
  requeuedWork: Metric;
  /** Checks that found the certificate about to end; undefined without a check or an own domain. */
  endingCertificates: Metric | undefined;
}

/** Every alarm, by its name without the installation's prefix. */
export function alarmsOn(
  metrics: Metrics,
  { failedLogIns, inconsistentReads, loggedErrors, refused, requeuedWork, endingCertificates }: LogMetrics,
  {
    checkParameter,
    auditArchiveDays,
    auditArchiveBucket,
  }: Pick<Config, 'checkParameter' | 'auditArchiveDays' | 'auditArchiveBucket'>,
): Readonly<Record<string, AlarmPlan>> {
  return {
    ApiErrors: {
      severity: 'page',
      description:
        'Requests fail with server errors, so many in an hour that a month’s error budget would last two days: ' +
        'users’ pulls and deployments fail. First look at the log of the function that returns 5xx (dashboard, then ' +
        'CloudWatch Logs, field requestId); if it started with a deployment, deploy the previous version.',
      // A single failed request is not an outage, even if there are few requests.
      metric: metrics.failedShare(Duration.hours(1), 2),
      above: fastBurn * (100 - objectives.availability),
    },
    PullsSlow: {
      severity: 'page',
      description:
        'In the last hour, more than one pull in seven took longer than a second: users’ deployments are waiting. ' +
        'First check in the dashboard whether DynamoDB or KMS is slow or throttled, then whether functions have ' +
        'cold starts.',
      metric: metrics.slowPullShare(Duration.hours(1), 20),
      above: fastBurn * (100 - objectives.fastPulls),
    },
    ApiErrorsBudget: {
      severity: 'notify',
      description:
        'For six hours, so many requests have failed with server errors that a month’s error budget would last five ' +
        'days. Users see an error now and then. First check in the dashboard which operation fails, then read its ' +
        'log.',
      metric: metrics.failedShare(Duration.hours(6), 2),
      above: slowBurn * (100 - objectives.availability),
    },
    PullsSlowBudget: {
      severity: 'notify',
      description:
        'For six hours, so many pulls have taken longer than a second that a month’s budget of slow pulls would ' +
        'last five days. Users’ deployments are slower. First check in the dashboard whether the time goes to cold ' +
        'starts, DynamoDB or KMS.',
      metric: metrics.slowPullShare(Duration.hours(6), 20),
      above: slowBurn * (100 - objectives.fastPulls),
    },
    ...(checkParameter === undefined
      ? {}
      : {
          ServiceCheckFailed: {
            severity: 'page',
            description:
              'In state ALARM: twice in a row, the check could not log in, set a secret and pull it through the public ' +
              'address, so users probably can’t either. In state INSUFFICIENT_DATA: the check no longer runs, so nothing ' +
              'watches the service from outside. First read the last line of the log of check-service, which names the ' +
              'step, its status and its request id; if it is old, check whether its schedule is enabled.',
            metric: metrics.failedChecks,
            above: 0,
            periods: 2,
            notifiesWithoutData: true as const,
          },
        }),
    ...(endingCertificates === undefined
      ? {}
      : {
          CertificateEnds: {
            severity: 'notify',
            description:
              'The certificate of the installation’s domain ends in less than 30 days and was not renewed: after that, ' +
              'no client can connect. First check in Certificate Manager, in CloudFront’s region, whether the DNS record ' +
              'that proves the domain still exists.',
            metric: endingCertificates,
            above: 0,
          },
        }),
    ErrorsLogged: {
      severity: 'notify',
      description:
        'The functions keep logging errors, possibly without any request failing: for example, mails can’t be sent ' +
        'or KMS is unreachable. First search the functions’ logs for level = "ERROR"; the line names the operation.',
      metric: loggedErrors,
      above: 0,
      periods: 3,
      in: 2,
    },
    ApiSlow: {
      severity: 'notify',
      description:
        'One request in a hundred takes longer than 5 seconds: CLIs seem to hang. First check whether DynamoDB or ' +
        'KMS is slow or throttled (dashboard, AWS Health), then whether one organization is writing a lot at once.',
      metric: metrics.slowestHundredth,
      above: 5_000,
      periods: 3,
    },
    FunctionsThrottled: {
      severity: 'page',
      description:
        'Lambda throttles functions because the account, or a function for long queries, has reached its ' +
        'concurrency limit: requests fail with 503. First find which function it is (metrics Throttles and ' +
        'ConcurrentExecutions), then request a higher limit in Service Quotas or raise longConcurrency.',
      metric: metrics.throttledInvocations,
      above: 0,
      periods: 2,
    },
    FunctionsNearQuota: {
      severity: 'notify',
      description:
        'More than 80 % of the account’s concurrent executions are in use; at 100 %, Lambda throttles functions and ' +
        'requests fail with 503. First request a higher quota in Service Quotas (Lambda, concurrent executions), then ' +
        'find which functions use it up.',
      metric: metrics.concurrencyUse,
      above: 80,
      periods: 2,
    },
    KeyNearQuota: {
      severity: 'notify',
      description:
        'More than 80 % of the account’s KMS requests are in use; at 100 %, KMS throttles and pulls and changes fail ' +
        'with 503. First request a higher quota in Service Quotas (KMS, cryptographic operations with symmetric keys), ' +
        'then check what else in the account uses KMS.',
      metric: metrics.keyUse,
      above: 80,
      periods: 5,
      in: 3,
    },
    RequestsRefused: {
      severity: 'notify',
      description:
        'More than one request a second gets 429, for ten minutes. If the gateway refuses them, every organization ' +
        'on that route is affected. First look in the access log whether gatewayError is "Too Many Requests" (the ' +
        'gateway) or "-" (a limit of the service, for one caller or organization).',
      metric: refused,
      above: 300,
      periods: 3,
      in: 2,
    },
    TableThrottled: {
      severity: 'notify',
      description:
        'DynamoDB throttles reads or writes: requests that need them fail with 503. First find the busy partition ' +
        '(CloudWatch Contributor Insights of the table): it usually belongs to an organization with one very busy ' +
        'environment.',
      metric: metrics.throttledTable,
      above: 10,
      periods: 2,
    },
    ...(metrics.replicationLatency === undefined
      ? {}
      : {
          ReplicaLate: {
            severity: 'notify',
            description:
              'The replica of the table is more than a minute behind for a quarter of an hour: if the region were lost ' +
              'now, users would lose their last changes. Requests still work. First check AWS Health for DynamoDB in ' +
              'both regions.',
            metric: metrics.replicationLatency,
            above: 60_000,
            periods: 3,
          },
        }),
    WebhooksLost: {
      severity: 'notify',
      description:
        'Webhook deliveries could not even be logged: users miss notifications and the delivery log does not show ' +
        'it. First read the log of deliver-webhooks. Do not redrive the dead-letter queue, because deliveries are ' +
        'made at most once.',
      metric: metrics.deadWebhooks,
      above: 0,
    },
    WebhooksLate: {
      severity: 'notify',
      description:
        'Webhook deliveries wait longer than 5 minutes: users are notified late. First check whether ' +
        'deliver-webhooks runs at all (log, throttles), then whether one organization sends a lot to slow ' +
        'receivers.',
      metric: metrics.webhookAge,
      above: 300,
      isSilentUnderMaintenance: true,
    },
    JobsFailed: {
      severity: 'notify',
      description:
        'A step of background work kept failing for an hour: an organization or project is not fully erased, or a ' +
        'key rotation has stopped. Reads and writes still work. First read the log of run-jobs; fix the cause, then ' +
        'redrive the dead-letter queue.',
      metric: metrics.deadJobs,
      above: 0,
    },
    JobsLate: {
      severity: 'notify',
      description:
        'Background work waits longer than 30 minutes: erasures and key rotations have stopped, everything else ' +
        'works. First look in the log of run-jobs for a repeating error.',
      metric: metrics.jobAge,
      above: 1_800,
      isSilentUnderMaintenance: true,
    },
    WorkUnfinished: {
      severity: 'notify',
      description:
        'For hours, erasures or key rotations have been found unfinished without a job and were queued again, so ' +
        'something keeps them from ending. Reads and writes still work. First look in the log of ' +
        'queue-unfinished-work for lines with alarm = "requeued", which name the work, then in the log of run-jobs.',
      metric: requeuedWork,
      above: 0,
      periods: 6,
      in: 3,
    },
    ...((auditArchiveBucket ?? auditArchiveDays) === undefined
      ? {}
      : {
          AuditArchiveLate: {
            severity: 'notify',
            description:
              'In state ALARM: the archive of the audit log is more than two hours behind, so entries could be deleted ' +
              'from the table before they are archived. In state INSUFFICIENT_DATA: the archive is no longer written at ' +
              'all. Requests still work. First read the log of archive-audit, which names the organizations and the error.',
            metric: metrics.failedArchiveRuns,
            above: 0,
            periods: 3,
            notifiesWithoutData: true as const,
            isSilentUnderMaintenance: true as const,
          },
        }),
    DueMailsFailed: {
      severity: 'notify',
      description:
        'The daily mails about values that are due did not reach everybody: the run failed three times. Nothing else ' +
        'is affected, and the next run sends what was missed. First read the log of mail-due, which names the ' +
        'organizations and the error.',
      metric: metrics.failedDueMails,
      above: 0,
    },
    MetricsMissing: {
      severity: 'notify',
      description:
        'The request metrics that administrators see in the API have gaps; nothing else is affected. ' +
        'First read the log of roll-up-metrics.',
      metric: metrics.failedRollUps,
      above: 0,
      periods: 3,
    },
    MailsBounce: {
      severity: 'notify',
      description:
        'More than 5 % of mails bounce: AWS may suspend sending, and then users can’t verify addresses or reset ' +
        'passwords. First look up the bouncing addresses in SES; an attacker may be registering invented ones.',
      metric: metrics.bounces,
      above: 0.05,
    },
    MailComplaints: {
      severity: 'notify',
      description:
        'Recipients marked more than one mail in a thousand as spam: AWS reviews the account and may suspend sending, and ' +
        'then users can’t verify addresses or reset passwords. First check in SES and in the log of invite-member whether ' +
        'someone invites strangers.',
      metric: metrics.complaints,
      above: 0.001,
    },
    EnvironmentInconsistent: {
      severity: 'page',
      description:
        'The secrets of an environment do not match its digest, even after repeated reads: its pulls and changes ' +
        'return 503 until it is repaired. First search the logs for lines with alarm = "inconsistent", which name ' +
        'the environment, then run: npm run operate -- repair-environment <organization> <project> <environment>.',
      metric: inconsistentReads,
      above: 0,
    },
    LogInsGuessed: {
      severity: 'notify',
      description:
        'More than 200 log-ins failed in 5 minutes: an attacker is guessing passwords. Each address and each ' +
        'account is already rate limited. First look in the log of log-in for the addresses of the attempts ' +
        '(accountEvent login_failed).',
      metric: failedLogIns,
      above: 200,
    },
  };
}
