import { Duration, NestedStack, type NestedStackProps } from 'aws-cdk-lib';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import { Alarm, ComparisonOperator, Dashboard, type Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { type EventPattern, Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { Effect, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { FilterPattern, type ILogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { isRefusedInMaintenance } from '#lib/contracts/contract.ts';
import { routes } from '#lib/contracts/routes.ts';
import { maintenanceMessage } from '#lib/core/errors.ts';
import type { Config } from '../plan/config.ts';
import { type AlarmTopics, type Severity, topicsFor, withSeverity } from './alarm-topic.ts';
import { type AlarmPlan, alarmsOn } from './alarms.ts';
import { widgetsOf } from './dashboard.ts';
import type { FoundationStack } from './foundation-stack.ts';
import { maintenanceRefusals, metricsOf } from './metrics.ts';
import type { WorkersStack } from './workers-stack.ts';

interface OperationsStackProps extends NestedStackProps {
  config: Config;
  topics: AlarmTopics;
  foundation: FoundationStack;
  apiId: string;
  accessLog: ILogGroup;
  /** The functions behind the API, by name. */
  functions: ReadonlyMap<string, LambdaFunction>;
  workers: WorkersStack;
}

/** A rule on events that notifies like an alarm. */
interface WarningPlan {
  id: string;
  severity: Severity;
  sid: string;
  description: string;
  eventPattern: EventPattern;
  text: string;
}

/**
 * The alarms that notify operators, and their dashboard. CloudWatch charges $0.10 a month for each metric with an
 * alarm, and $0.30 for each custom metric with data. The dashboard is one of the three free ones.
 */
export class OperationsStack extends NestedStack {
  constructor(
    scope: Construct,
    id: string,
    { config, topics, foundation, apiId, accessLog, functions, workers, ...props }: OperationsStackProps,
  ) {
    super(scope, id, { ...props, description: `${config.name}: alarms and dashboard` });
    this.addKeyWarning(config, foundation, topics);
    if (config.backupVaultArn !== undefined) this.addBackupWarning(config, foundation, topics);
    const metrics = metricsOf({ config, apiId, foundation, workers });
    this.addMaintenanceRefusals(config, accessLog, functions);
    const failedLogIns = this.addFailedLogIns(config, functions.get('log-in'));
    const inconsistentReads = this.addInconsistentReads(config, functions);
    const loggedErrors = this.addLoggedErrors(config, [...functions.values(), ...workers.all]);
    const requeuedWork = this.addRequeuedWork(config, workers.queueUnfinishedWork);
    const refused = this.addRefused(config, accessLog);
    const endingCertificates = this.addEndingCertificates(config, workers.checkService);
    const plans = alarmsOn(
      metrics,
      { failedLogIns, inconsistentReads, loggedErrors, refused, requeuedWork, endingCertificates },
      config,
    );
    const alarms = Object.entries(plans).map(([id, plan]) => this.addAlarm(config, id, plan, topics));
    this.addBudget(config, topics);
    new Dashboard(this, 'Dashboard', {
      dashboardName: config.name,
      widgets: widgetsOf({
        metrics,
        alarms,
        loggedErrors,
        failedLogIns,
        refused,
        requeuedWork,
        accessLog,
        functions,
        workers,
      }),
    });
  }

  /** Reports the one mistake that can't be undone: deleting the key destroys every secret. */
  private addKeyWarning({ name }: Config, { key }: FoundationStack, topics: AlarmTopics): void {
    this.addWarning(topics, {
      id: 'KeyInDanger',
      severity: 'page',
      sid: 'PublishKeyWarning',
      description: 'The key of the secrets was disabled or shared, or its deletion was scheduled.',
      eventPattern: {
        source: ['aws.kms'],
        detailType: ['AWS API Call via CloudTrail'],
        detail: {
          eventSource: ['kms.amazonaws.com'],
          eventName: ['ScheduleKeyDeletion', 'DisableKey', 'PutKeyPolicy', 'CreateGrant'],
          requestParameters: { keyId: [key.keyId, key.keyArn] },
        },
      },
      text:
        `The key of ${name} was disabled, is scheduled for deletion, or has another policy or a new grant. While it is disabled, ` +
        'no secret can be read or written; once it is deleted, every secret is lost forever. First: aws kms ' +
        'cancel-key-deletion, then aws kms enable-key; revert any unintended policy or grant.',
    });
  }

  /** Reports a failure that users can't notice: the other account got no copy of the table today. */
  private addBackupWarning({ name }: Config, { table }: FoundationStack, topics: AlarmTopics): void {
    this.addWarning(topics, {
      id: 'BackupFailed',
      severity: 'notify',
      sid: 'PublishBackupWarning',
      description: 'A backup of the table, or its copy to the other account, failed.',
      eventPattern: {
        source: ['aws.backup'],
        detailType: ['Backup Job State Change', 'Copy Job State Change'],
        detail: { state: ['FAILED', 'ABORTED', 'EXPIRED'], resourceArn: [table.tableArn] },
      },
      text:
        `The daily backup of the table of ${name}, or its copy to the other account, failed. Users are not affected, and ` +
        'point-in-time recovery still works. First read the job’s message in AWS Backup; it names the missing permission.',
    });
  }

  private addWarning(topics: AlarmTopics, { id, severity, sid, description, eventPattern, text }: WarningPlan): void {
    const rule = new Rule(this, id, { description, eventPattern });
    const input = RuleTargetInput.fromText(withSeverity(severity, text));
    for (const topic of topicsFor(severity, topics)) {
      // The CDK's own target would allow every rule of every account to publish here.
      rule.addTarget({ bind: () => ({ arn: topic.topicArn, input }) });
      // Changes nothing for a topic that is not the installation's own.
      topic.addToResourcePolicy(
        new PolicyStatement({
          sid,
          effect: Effect.ALLOW,
          principals: [new ServicePrincipal('events.amazonaws.com')],
          actions: ['sns:Publish'],
          resources: [topic.topicArn],
          conditions: { ArnEquals: { 'aws:SourceArn': rule.ruleArn } },
        }),
      );
    }
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

  /**
   * Counts the changes that were refused under maintenance, from the functions' logs. The access log adds a zero for each
   * request, so that the metric has data whenever there are requests that may have failed.
   */
  private addMaintenanceRefusals(
    config: Config,
    accessLog: ILogGroup,
    functions: ReadonlyMap<string, LambdaFunction>,
  ): void {
    const metric = maintenanceRefusals(config);
    new MetricFilter(this, 'NoMaintenanceRefusal', {
      ...metric,
      logGroup: accessLog,
      metricValue: '0',
      filterPattern: FilterPattern.allEvents(),
    });
    for (const contract of routes) {
      const deployed = functions.get(contract.operationId);
      if (deployed === undefined || !isRefusedInMaintenance(contract)) continue;
      new MetricFilter(this, `MaintenanceRefusals-${contract.operationId}`, {
        ...metric,
        logGroup: deployed.logGroup,
        metricValue: '1',
        filterPattern: FilterPattern.stringValue('$.reason', '=', maintenanceMessage),
      });
    }
  }

  /**
   * Counts the checks that found the certificate about to end. ACM's own metric is only in us-east-1, where the edge's
   * certificate is, and no alarm can watch a metric of another region.
   */
  private addEndingCertificates(
    { name, domainName, checkParameter }: Config,
    { logGroup }: LambdaFunction,
  ): Metric | undefined {
    if (domainName === undefined || checkParameter === undefined) return undefined;
    const filter = new MetricFilter(this, 'EndingCertificates', {
      logGroup,
      metricNamespace: name,
      metricName: 'EndingCertificates',
      metricValue: '1',
      filterPattern: FilterPattern.stringValue('$.alarm', '=', 'certificate'),
    });
    return filter.metric({ statistic: 'Sum', period: Duration.hours(1), label: 'certificate about to end' });
  }

  /** Counts 429s in the access log, which also has those of the gateway, which no function sees. */
  private addRefused({ name }: Config, accessLog: ILogGroup): Metric {
    const filter = new MetricFilter(this, 'Refused', {
      logGroup: accessLog,
      metricNamespace: name,
      metricName: 'Refused',
      metricValue: '1',
      filterPattern: FilterPattern.stringValue('$.status', '=', '429'),
    });
    return filter.metric({ statistic: 'Sum', period: Duration.minutes(5), label: 'requests refused with 429' });
  }

  /** Counts the errors in the logs of all functions, including those that no response shows. */
  private addLoggedErrors({ name }: Config, functions: readonly LambdaFunction[]): Metric {
    const [filter] = functions.map(
      ({ logGroup, node }) =>
        new MetricFilter(this, `LoggedErrors-${node.id}`, {
          logGroup,
          metricNamespace: name,
          metricName: 'LoggedErrors',
          metricValue: '1',
          filterPattern: FilterPattern.stringValue('$.level', '=', 'ERROR'),
        }),
    );
    if (filter === undefined) throw new Error('There is no function.');
    return filter.metric({ statistic: 'Sum', period: Duration.minutes(5), label: 'logged errors' });
  }

  /** Counts the reads of an environment that stayed inconsistent, in the logs of all functions that read secrets. */
  private addInconsistentReads({ name }: Config, functions: ReadonlyMap<string, LambdaFunction>): Metric {
    const readers = routes.filter(
      ({ area, operationId }) => area === 'secrets' || operationId === 'validate-environment',
    );
    const filters = readers.map(({ operationId }) => {
      const reader = functions.get(operationId);
      if (reader === undefined) throw new Error(`There is no function ${operationId}.`);
      return new MetricFilter(this, `InconsistentReads-${operationId}`, {
        logGroup: reader.logGroup,
        metricNamespace: name,
        metricName: 'InconsistentReads',
        metricValue: '1',
        filterPattern: FilterPattern.stringValue('$.alarm', '=', 'inconsistent'),
      });
    });
    const [filter] = filters;
    if (filter === undefined) throw new Error('There is no function that reads secrets.');
    return filter.metric({ statistic: 'Sum', period: Duration.minutes(5), label: 'inconsistent reads' });
  }

  /** Counts the jobs that were queued again because their work was not finished, from the worker's log. */
  private addRequeuedWork({ name }: Config, { logGroup }: LambdaFunction): Metric {
    const filter = new MetricFilter(this, 'RequeuedWork', {
      logGroup,
      metricNamespace: name,
      metricName: 'RequeuedWork',
      metricValue: '1',
      filterPattern: FilterPattern.stringValue('$.alarm', '=', 'requeued'),
    });
    return filter.metric({ statistic: 'Sum', period: Duration.hours(1), label: 'jobs queued again' });
  }

  private addAlarm(
    { name, maintenance }: Config,
    id: string,
    {
      description,
      severity,
      metric,
      above,
      periods = 1,
      in: datapoints = periods,
      notifiesWithoutData,
      isSilentUnderMaintenance,
    }: AlarmPlan,
    topics: AlarmTopics,
  ): Alarm {
    const alarm = new Alarm(this, id, {
      alarmName: `${name}-${id}`,
      alarmDescription: withSeverity(severity, description),
      metric,
      threshold: above,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: periods,
      datapointsToAlarm: datapoints,
      actionsEnabled: !(maintenance && isSilentUnderMaintenance === true),
      treatMissingData: notifiesWithoutData ? TreatMissingData.MISSING : TreatMissingData.NOT_BREACHING,
    });
    const actions = topicsFor(severity, topics).map(topic => new SnsAction(topic));
    alarm.addAlarmAction(...actions);
    alarm.addOkAction(...actions);
    // A new alarm begins without data, and notifies only when its state changes: a first deployment is quiet until the
    // first run. If missing data were breaching, it would ring before that.
    if (notifiesWithoutData) alarm.addInsufficientDataAction(...actions);
    return alarm;
  }

  /**
   * The costs of the whole account: filtering by tag only works after an administrator activates the tag for cost
   * allocation.
   */
  private addBudget({ name, monthlyBudget }: Config, { all: topic }: AlarmTopics): void {
    if (monthlyBudget === undefined) return;
    const notify = (notificationType: 'ACTUAL' | 'FORECASTED', threshold: number) => ({
      notification: { notificationType, comparisonOperator: 'GREATER_THAN', threshold, thresholdType: 'PERCENTAGE' },
      subscribers: [{ subscriptionType: 'SNS', address: topic.topicArn }],
    });
    new CfnBudget(this, 'Budget', {
      budget: {
        budgetName: `${name}-monthly`,
        budgetType: 'COST',
        timeUnit: 'MONTHLY',
        budgetLimit: { amount: monthlyBudget, unit: 'USD' },
      },
      notificationsWithSubscribers: [notify('ACTUAL', 80), notify('FORECASTED', 100)],
    });
    topic.addToResourcePolicy(
      new PolicyStatement({
        sid: 'PublishBudget',
        effect: Effect.ALLOW,
        principals: [new ServicePrincipal('budgets.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': this.account } },
      }),
    );
  }
}
