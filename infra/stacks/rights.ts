import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { InvokedFunction, KeyPurpose, TableRights } from '#lib/contracts/contract.ts';
import { type Partition, partitions } from '#lib/contracts/partitions.ts';
import type { Config } from '../plan/config.ts';
import { type FunctionPlan, needsDashboardOrigin, pascalCase, usesTable } from '../plan/functions.ts';
import { type AskedRight, contextKeys as keysOfContext } from './policy.ts';

/** The resources that functions can be given permissions on. */
export interface Resources {
  tableArn: string;
  /** The table and its replica in the other region, if it has one. */
  replicaArns: readonly string[];
  keyArn: string;
  webhookQueueArn: string;
  jobQueueArn: string;
  functionArns: Readonly<Record<InvokedFunction, string>>;
  mailIdentityArns: readonly string[];
  /** The SSM parameter with the dashboard's origin; undefined if the origin is a setting. */
  dashboardOriginParameterArn: string | undefined;
  /** The ARN of all objects of the audit archive; none without an archive. */
  archiveObjectArns: readonly string[];
  /** ARNs of the SSM parameters with the payment provider's secrets; none if payments are not configured. */
  paymentParameterArns: readonly string[];
}

/**
 * A function's permissions: exactly those its plan names, on exactly this installation's resources. A transaction needs
 * the permissions of its individual writes and none of its own.
 */
export function rightsOf(
  { uses }: Pick<FunctionPlan, 'uses'>,
  resources: Resources,
  { mailFrom }: Pick<Config, 'mailFrom'>,
): PolicyStatement[] {
  const queues = { webhooks: resources.webhookQueueArn, jobs: resources.jobQueueArn };
  return [
    ...tableStatements(uses.table, resources.tableArn),
    allow(
      'ReadServingRegion',
      usesTable(uses) ? ['dynamodb:GetItem'] : [],
      resources.replicaArns,
      inPartitions(['SERVINGREGION']),
    ),
    nobodyBecomesAdmin(uses.table, resources.tableArn),
    ...keyPurposes.map(purpose =>
      allow(
        `UseKeyOf${pascalCase(purpose)}`,
        named('kms', uses.key?.[purpose] ?? []),
        [resources.keyArn],
        encryptionContext(purpose),
      ),
    ),
    allow(
      'Queue',
      uses.queues === undefined ? [] : ['sqs:SendMessage'],
      (uses.queues ?? []).map(name => queues[name]),
    ),
    allow(
      'InvokeFunction',
      uses.functions === undefined ? [] : ['lambda:InvokeFunction'],
      (uses.functions ?? []).map(name => resources.functionArns[name]),
    ),
    allow('SendMail', uses.mail ? ['ses:SendEmail'] : [], resources.mailIdentityArns, {
      StringEquals: { 'ses:FromAddress': mailFrom.address },
    }),
    allow(
      'ReadDashboardOrigin',
      needsDashboardOrigin(uses) ? ['ssm:GetParameter'] : [],
      resources.dashboardOriginParameterArn === undefined ? [] : [resources.dashboardOriginParameterArn],
    ),
    allow('PutIntoArchive', uses.archive ? ['s3:PutObject'] : [], resources.archiveObjectArns),
    allow('ReadPaymentSecrets', uses.payments ? ['ssm:GetParameter'] : [], resources.paymentParameterArns),
  ].filter(statement => statement !== undefined);
}

/** One statement for each set of partitions, with all actions that are used in exactly these. */
function tableStatements(table: TableRights, tableArn: string): (PolicyStatement | undefined)[] {
  const rights = Object.entries(table).map(([action, used]) => ({ action, used: used.toSorted() }));
  return [...Map.groupBy(rights, ({ used }) => used.join()).values()].map(group => {
    const actions = group.map(({ action }) => action);
    return allow(
      `Table${actions.join('')}`,
      named('dynamodb', actions),
      [tableArn],
      inPartitions(group[0]?.used ?? []),
    );
  });
}

/** The calls that a function's plan names, one for each action and partition or purpose. */
export function callsOf({ uses }: Pick<FunctionPlan, 'uses'>): AskedRight[] {
  return [
    ...Object.entries(uses.table).flatMap(([action, used]) =>
      used.map(partition => ({
        action: `dynamodb:${action}`,
        keys: { 'dynamodb:LeadingKeys': [partitionPattern(partition, '1')] },
      })),
    ),
    ...keyPurposes.flatMap(purpose =>
      (uses.key?.[purpose] ?? []).map(action => ({
        action: `kms:${action}`,
        keys: keysOfContext(Object.fromEntries(contextKeys[purpose].map(name => [name, '1']))),
      })),
    ),
    ...(uses.queues === undefined ? [] : [{ action: 'sqs:SendMessage', keys: {} }]),
    ...(uses.functions === undefined ? [] : [{ action: 'lambda:InvokeFunction', keys: {} }]),
  ];
}

function named(service: string, actions: readonly string[]): string[] {
  return actions.map(action => `${service}:${action}`);
}

/** Limits calls to partitions: every item that a call touches must be in one of them. */
function inPartitions(used: readonly Partition[]): Record<string, unknown> {
  const patterns = used.map(partition => partitionPattern(partition, '*'));
  return { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': patterns } };
}

function partitionPattern(partition: Partition, identifier: string): string {
  return partitions[partition] === 'one' ? partition : `${partition}#${identifier}`;
}

/**
 * The members of the encryption context for each purpose. A ciphertext for one purpose can't be decrypted for another.
 */
const contextKeys: Readonly<Record<KeyPurpose, readonly string[]>> = {
  project: ['organization', 'project', 'keyVersion'],
  webhook: ['organization', 'webhook'],
  credentials: ['purpose'],
  totp: ['user'],
  provider: ['organization', 'issuer', 'client'],
};
const keyPurposes = Object.keys(contextKeys) as KeyPurpose[];

/** Limits a call to encryption contexts that have exactly the members of the purpose. */
function encryptionContext(purpose: KeyPurpose): Record<string, unknown> {
  const names = contextKeys[purpose];
  return {
    'ForAllValues:StringEquals': { 'kms:EncryptionContextKeys': [...names] },
    Null: Object.fromEntries(names.map(name => [`kms:EncryptionContext:${name}`, 'false'])),
  };
}

/** Many functions write accounts. Only an operator's command may write this attribute. */
function nobodyBecomesAdmin(table: TableRights, tableArn: string): PolicyStatement | undefined {
  const writes = (['PutItem', 'UpdateItem', 'BatchWriteItem'] as const).filter(action =>
    table[action]?.includes('USER'),
  );
  if (writes.length === 0) return undefined;
  return new PolicyStatement({
    sid: 'NobodyBecomesAdmin',
    effect: Effect.DENY,
    actions: named('dynamodb', writes),
    resources: [tableArn],
    conditions: { 'ForAnyValue:StringEquals': { 'dynamodb:Attributes': ['isAdmin'] } },
  });
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
