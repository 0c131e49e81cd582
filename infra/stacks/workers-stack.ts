import { NestedStack, type NestedStackProps } from 'aws-cdk-lib';
import { CfnRule } from 'aws-cdk-lib/aws-events';
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import {
  CfnEventInvokeConfig,
  CfnEventSourceMapping,
  CfnPermission,
  type Function as LambdaFunction,
} from 'aws-cdk-lib/aws-lambda';
import { CfnSubscriptionFilter, type LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { type FunctionPlan, workers } from '../plan/functions.ts';
import { addFunction, type Service } from './service-function.ts';

interface WorkersStackProps extends NestedStackProps {
  service: Service;
  accessLog: LogGroup;
  webhookQueueArn: string;
  jobQueueArn: string;
}

/** The functions triggered by queues and the access log. */
export class WorkersStack extends NestedStack {
  readonly deliverWebhooks: LambdaFunction;
  readonly runJobs: LambdaFunction;
  readonly rollUpMetrics: LambdaFunction;
  readonly checkService: LambdaFunction;
  readonly all: readonly LambdaFunction[];

  constructor(
    scope: Construct,
    id: string,
    { service, accessLog, webhookQueueArn, jobQueueArn, ...props }: WorkersStackProps,
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
    this.rollUpMetrics = addFunction(this, 'RollUpMetrics', { plan: workers.rollUpMetrics, service });
    const permission = new CfnPermission(this, 'RollUpMetricsPermission', {
      action: 'lambda:InvokeFunction',
      functionName: this.rollUpMetrics.functionArn,
      principal: 'logs.amazonaws.com',
      sourceArn: accessLog.logGroupArn,
      sourceAccount: this.account,
    });
    const subscription = new CfnSubscriptionFilter(this, 'RollUpMetricsSubscription', {
      logGroupName: accessLog.logGroupName,
      destinationArn: this.rollUpMetrics.functionArn,
      // Matches every line.
      filterPattern: '',
    });
    subscription.addResourceDependency(permission);
    this.checkService = this.addServiceCheck(service);
    this.all = [this.deliverWebhooks, this.runJobs, this.rollUpMetrics, this.checkService];
  }

  /** Without a check account, the function exists but is never triggered. */
  private addServiceCheck(service: Service): LambdaFunction {
    const { checkParameter } = service.config;
    const parameterArn =
      checkParameter === undefined
        ? []
        : [this.formatArn({ service: 'ssm', resource: 'parameter', resourceName: checkParameter.slice(1) })];
    const check = addFunction(this, 'CheckService', {
      plan: workers.checkService,
      service,
      moreRights: parameterArn.map(
        arn =>
          new PolicyStatement({
            sid: 'ReadCheckAccount',
            effect: Effect.ALLOW,
            actions: ['ssm:GetParameter'],
            resources: [arn],
          }),
      ),
    });
    // A failed check is a result, not a reason to retry.
    new CfnEventInvokeConfig(this, 'CheckServiceOnce', {
      functionName: check.functionName,
      qualifier: '$LATEST',
      maximumRetryAttempts: 0,
    });
    const rule = new CfnRule(this, 'CheckServiceSchedule', {
      description: 'Checks the service like a client.',
      scheduleExpression: 'rate(5 minutes)',
      state: checkParameter === undefined ? 'DISABLED' : 'ENABLED',
      targets: [{ id: 'check', arn: check.functionArn, input: JSON.stringify({ parameter: checkParameter ?? '' }) }],
    });
    new CfnPermission(this, 'CheckServicePermission', {
      action: 'lambda:InvokeFunction',
      functionName: check.functionArn,
      principal: 'events.amazonaws.com',
      sourceArn: rule.attrArn,
    });
    return check;
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
    const worker = addFunction(this, id, { plan, service, moreRights: [takeMessages] });
    new CfnEventSourceMapping(this, `${id}Source`, {
      functionName: worker.functionName,
      eventSourceArn: queueArn,
      batchSize: 1,
      // Under maintenance, messages wait in the queue.
      enabled: !service.config.maintenance,
      scalingConfig: { maximumConcurrency },
      functionResponseTypes: ['ReportBatchItemFailures'],
    });
    return worker;
  }
}
