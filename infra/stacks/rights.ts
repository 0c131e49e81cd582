import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { TableAction } from '../../lib/contracts/contract.ts';
import type { Config } from '../plan/config.ts';
import type { FunctionPlan } from '../plan/functions.ts';

/** The resources that functions can be given rights to. */
export interface Resources {
  tableArn: string;
  keyArn: string;
  webhookQueueArn: string;
  jobQueueArn: string;
  mailIdentityArns: readonly string[];
  /** ARNs of the SSM parameters that hold the payment provider's secrets; none if payments are not configured. */
  paymentParameterArns: readonly string[];
}

const readActions: ReadonlySet<TableAction> = new Set(['GetItem', 'BatchGetItem', 'Query']);

/**
 * A function's rights: exactly those its plan names, on exactly this installation's resources. A transaction needs the
 * rights of its single writes and no right of its own.
 */
export function rightsOf(
  { uses, writes, touches }: Pick<FunctionPlan, 'uses' | 'writes' | 'touches'>,
  resources: Resources,
  { mailFrom }: Pick<Config, 'mailFrom'>,
): PolicyStatement[] {
  const reads = uses.table.filter(action => readActions.has(action));
  const changes = uses.table.filter(action => !readActions.has(action));
  const queues = { webhooks: resources.webhookQueueArn, jobs: resources.jobQueueArn };
  return [
    allow('ReadTable', named('dynamodb', reads), [resources.tableArn], partitions(touches)),
    allow('ChangeTable', named('dynamodb', changes), [resources.tableArn], partitions(writes ?? touches)),
    allow('UseKey', named('kms', uses.key ?? []), [resources.keyArn]),
    allow(
      'Queue',
      uses.queues === undefined ? [] : ['sqs:SendMessage'],
      (uses.queues ?? []).map(name => queues[name]),
    ),
    allow('SendMail', uses.mail ? ['ses:SendEmail'] : [], resources.mailIdentityArns, {
      StringEquals: { 'ses:FromAddress': mailFrom.address },
    }),
    allow('ReadPaymentSecrets', uses.payments ? ['ssm:GetParameter'] : [], resources.paymentParameterArns),
  ].filter(statement => statement !== undefined);
}

function named(service: string, actions: readonly string[]): string[] {
  return actions.map(action => `${service}:${action}`);
}

/** Limits calls to partitions: every item that a call touches must be in one of them. */
function partitions(patterns: readonly string[] | undefined): Record<string, unknown> | undefined {
  return patterns && { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [...patterns] } };
}

function allow(
  sid: string,
  actions: readonly string[],
  resources: readonly string[],
  conditions?: Record<string, unknown>,
): PolicyStatement | undefined {
  if (actions.length === 0 || resources.length === 0) return undefined;
  return new PolicyStatement({
    sid,
    effect: Effect.ALLOW,
    actions: [...actions],
    resources: [...resources],
    ...(conditions === undefined ? {} : { conditions }),
  });
}
