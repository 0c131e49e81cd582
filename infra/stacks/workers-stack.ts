import { NestedStack, type NestedStackProps, Token, Validations } from 'aws-cdk-lib';
import { CfnRule } from 'aws-cdk-lib/aws-events';
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import {
  type Alias,
  type CfnAlias,
  CfnEventInvokeConfig,
  CfnEventSourceMapping,
  CfnPermission,
  type Function as LambdaFunction,
} from 'aws-cdk-lib/aws-lambda';
import { CfnSubscriptionFilter, type LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { aliasName, type FunctionPlan, workers } from '../plan/functions.ts';
import { archiveBucketName } from './audit-archive.ts';
import { addAlias, addFunction, type Service } from './service-function.ts';

interface WorkersStackProps extends NestedStackProps {
  service: Service;
  accessLog: LogGroup;
  /** The host of the HTTP API. */
  apiHost: string;
  webhookQueueArn: string;
  jobQueueArn: string;
}

interface ScheduledRuns {
  description: string;
  isEnabled: boolean;
  input: object;
  schedule?: string;
  retries?: number;
}

/** The functions that no route reaches: triggered by queues, schedules, the access log or another function. */
export class WorkersStack extends NestedStack {
  readonly deliverWebhooks: LambdaFunction;
  readonly runJobs: LambdaFunction;
  readonly queueUnfinishedWork: LambdaFunction;
  readonly archiveAudit: LambdaFunction;
  readonly mailDue: LambdaFunction;
  readonly rollUpMetrics: LambdaFunction;
  readonly checkService: LambdaFunction;
  readonly all: readonly LambdaFunction[];

  constructor(
    scope: Construct,
    id: string,
    { service, accessLog, apiHost, webhookQueueArn, jobQueueArn, ...props }: WorkersStackProps,
  ) {
    super(scope, id, { ...props, description: `${service.config.name}: background work` });
    // One message per invocation and many in parallel, so that a slow receiver delays no other. Messages are grouped by
    // webhook: when all invocations are busy, SQS serves the other webhooks first. The limits keep a burst of
    // background work from taking the concurrency that requests need.
    this.deliverWebhooks = this.addQueueWorker('DeliverWebhooks', service, {
      plan: workers.deliverWebhooks,
      queueArn: webhookQueueArn,
      maximumConcurrency: 250,
    });
    this.runJobs = this.addQueueWorker('RunJobs', service, {
      plan: workers.runJobs,
      queueArn: jobQueueArn,
      maximumConcurrency: 10,
    });
    const requeue = this.addWorker('QueueUnfinishedWork', service, workers.queueUnfinishedWork);
    this.queueUnfinishedWork = requeue.deployed;
    this.addSchedule('QueueUnfinishedWork', requeue.alias, {
      description: 'Queues background work again that has no job.',
      // Under maintenance, its job waits in the queue.
      isEnabled: !service.config.maintenance,
      input: {},
    });
    this.archiveAudit = this.addArchive(service);
    const due = this.addWorker('MailDue', service, workers.mailDue);
    this.mailDue = due.deployed;
    this.addSchedule('MailDue', due.alias, {
      description: 'Mails people which values are due.',
      isEnabled: !service.config.maintenance,
      input: {},
      // In the morning of most of the day's users. It can be repeated: no letter is sent twice.
      schedule: 'cron(0 6 * * ? *)',
      retries: 2,
    });
    const rollUp = this.addWorker('RollUpMetrics', service, workers.rollUpMetrics);
    this.rollUpMetrics = rollUp.deployed;
    const permission = new CfnPermission(this, 'RollUpMetricsPermission', {
      action: 'lambda:InvokeFunction',
      functionName: rollUp.alias.functionArn,
      principal: 'logs.amazonaws.com',
      sourceArn: accessLog.logGroupArn,
      sourceAccount: this.account,
    });
    const subscription = new CfnSubscriptionFilter(this, 'RollUpMetricsSubscription', {
      logGroupName: accessLog.logGroupName,
      destinationArn: rollUp.alias.functionArn,
      // Matches every line.
      filterPattern: '',
    });
    subscription.addResourceDependency(permission);
    this.checkService = this.addServiceCheck(service, apiHost);
    const makeOutboundRequests = this.addWorker('MakeOutboundRequests', service, workers.makeOutboundRequests);
    this.all = [
      this.deliverWebhooks,
      this.runJobs,
      this.queueUnfinishedWork,
      this.archiveAudit,
      this.mailDue,
      this.rollUpMetrics,
      this.checkService,
      makeOutboundRequests.deployed,
    ];
  }

  /** Without an archive, the function exists but is never triggered. */
  private addArchive(service: Service): LambdaFunction {
    const { deployed, alias } = this.addWorker('ArchiveAudit', service, workers.archiveAudit);
    const bucket = archiveBucketName(
      { account: '<AWS::AccountId>', region: Token.isUnresolved(this.region) ? '<AWS::Region>' : this.region },
      service.config,
    );
    if (deployed.role !== undefined && bucket !== undefined) {
      Validations.of(deployed.role).acknowledge({
        id: `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:s3:::${bucket}/*]`,
        reason: 'The archive has one object for each window of an organization, and the role may only put them.',
      });
    }
    this.addSchedule('ArchiveAudit', alias, {
      description: 'Copies audit entries to the archive.',
      isEnabled: bucket !== undefined && !service.config.maintenance,
      input: {},
    });
    return deployed;
  }

  /** Without a check account, the function exists but is never triggered. */
  private addServiceCheck(service: Service, apiHost: string): LambdaFunction {
    const { checkParameter, domainName, maintenance, allowedNetworks } = service.config;
    // Lambda's addresses change, so the firewall would stop the check.
    const gatewayOrigin = allowedNetworks === undefined ? undefined : `https://${apiHost}`;
    const parameterArn =
      checkParameter === undefined
        ? []
        : [this.formatArn({ service: 'ssm', resource: 'parameter', resourceName: checkParameter.slice(1) })];
    const readAccount = parameterArn.map(
      arn =>
        new PolicyStatement({
          sid: 'ReadCheckAccount',
          effect: Effect.ALLOW,
          actions: ['ssm:GetParameter'],
          resources: [arn],
        }),
    );
    const { deployed, alias } = this.addWorker('CheckService', service, workers.checkService, readAccount);
    this.addSchedule('CheckService', alias, {
      description: 'Checks the service like a client.',
      isEnabled: checkParameter !== undefined,
      input: { parameter: checkParameter ?? '', isReadOnly: maintenance, domainName, gatewayOrigin },
    });
    return deployed;
  }

  /** Invokes a function, by default every five minutes; then a failed run is not retried, as the next one is as good. */
  private addSchedule(
    id: string,
    scheduled: Alias,
    { description, isEnabled, input, schedule = 'rate(5 minutes)', retries = 0 }: ScheduledRuns,
  ): void {
    const once = new CfnEventInvokeConfig(this, `${id}Once`, {
      functionName: scheduled.lambda.functionName,
      qualifier: aliasName,
      maximumRetryAttempts: retries,
    });
    once.addResourceDependency(scheduled.node.defaultChild as CfnAlias);
    const rule = new CfnRule(this, `${id}Schedule`, {
      description,
      scheduleExpression: schedule,
      state: isEnabled ? 'ENABLED' : 'DISABLED',
      targets: [{ id: 'function', arn: scheduled.functionArn, input: JSON.stringify(input) }],
    });
    new CfnPermission(this, `${id}Permission`, {
      action: 'lambda:InvokeFunction',
      functionName: scheduled.functionArn,
      principal: 'events.amazonaws.com',
      sourceArn: rule.attrArn,
    });
  }

  private addQueueWorker(
    id: string,
    service: Service,
    { plan, queueArn, maximumConcurrency }: { plan: FunctionPlan; queueArn: string; maximumConcurrency: number },
  ): LambdaFunction {
    const takeMessages = new PolicyStatement({
      sid: 'TakeMessages',
      effect: Effect.ALLOW,
      actions: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
      resources: [queueArn],
    });
    const { deployed, alias } = this.addWorker(id, service, plan, [takeMessages]);
    new CfnEventSourceMapping(this, `${id}Source`, {
      functionName: alias.functionArn,
      eventSourceArn: queueArn,
      batchSize: 1,
      // Under maintenance, messages wait in the queue.
      enabled: !service.config.maintenance,
      scalingConfig: { maximumConcurrency },
      functionResponseTypes: ['ReportBatchItemFailures'],
    });
    return deployed;
  }

  private addWorker(
    id: string,
    service: Service,
    plan: FunctionPlan,
    moreRights: readonly PolicyStatement[] = [],
  ): { deployed: LambdaFunction; alias: Alias } {
    const deployed = addFunction(this, id, { plan, service, moreRights });
    return { deployed, alias: addAlias(this, deployed, { plan, service }) };
  }
}
