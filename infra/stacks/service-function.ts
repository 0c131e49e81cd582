import { createHash } from 'node:crypto';
import { Duration, RemovalPolicy, SecretValue, Stack, Validations } from 'aws-cdk-lib';
import { Effect, PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import {
  Alias,
  Architecture,
  type CfnFunction,
  type Code,
  type IVersion,
  Function as LambdaFunction,
  Runtime,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import {
  type Config,
  dashboardOriginParameter,
  edgeSecretNames,
  knownDashboardOrigin,
  regionsOf,
} from '../plan/config.ts';
import {
  aliasName,
  deployedName,
  type FunctionPlan,
  needsDashboardOrigin,
  pascalCase,
  usesTable,
  warmFunctions,
  workers,
} from '../plan/functions.ts';
import type { Rollout } from './gradual-deployments.ts';
import { type Resources, rightsOf } from './rights.ts';

const tracingRight = new PolicyStatement({
  sid: 'WriteTraces',
  effect: Effect.ALLOW,
  actions: ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'],
  resources: ['*'],
});

/** The properties that all functions of an installation share. */
export interface Service {
  config: Config;
  rollout: Rollout;
  /** Where alarms are sent. */
  topic: ITopic;
  resources: Resources;
  /** Addresses that functions get in their environment. */
  addresses: {
    tableName: string;
    keyArn: string;
    webhookQueueUrl: string;
    jobQueueUrl: string;
    archiveBucket: string | undefined;
  };
  /** A function's code: the folder to upload. */
  codeOf: (name: string) => Code;
}

export interface FunctionProps {
  plan: FunctionPlan;
  service: Service;
  /** In addition to those of its plan. */
  moreRights?: readonly PolicyStatement[];
}

/**
 * A function with its own role and log group. The log group is created here and not by Lambda, so that it has a
 * retention period and the role needs no permission to create one. It outlives the function, so CloudFormation chooses
 * its name: a fixed one would be taken when a rollback brings the function back.
 */
export function addFunction(
  scope: Construct,
  id: string,
  { plan, service, moreRights = [] }: FunctionProps,
): LambdaFunction {
  const { config, resources, addresses, codeOf } = service;
  const functionName = deployedName(config, plan);
  const logGroup = new LogGroup(scope, `${id}Log`, {
    retention: config.logRetentionDays,
    ...logKey(scope, config),
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  });
  const rights = new PolicyDocument({
    statements: [
      // The group's ARN ends in `:*` and so covers its streams, which Lambda names when a function starts.
      new PolicyStatement({
        sid: 'WriteLog',
        effect: Effect.ALLOW,
        actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        resources: [logGroup.logGroupArn],
      }),
      ...rightsOf(plan, resources, config),
      ...moreRights,
      ...(config.tracing ? [tracingRight] : []),
    ],
  });
  const role = new Role(scope, `${id}Role${fingerprintOf(scope, rights, config)}`, {
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    // IAM only accepts Latin-1.
    description: `${plan.summary.replaceAll('’', "'")} (${functionName})`,
    inlinePolicies: { rights },
  });
  const deployed = new LambdaFunction(scope, id, {
    functionName,
    description: plan.summary,
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    handler: 'index.handler',
    code: codeOf(plan.name),
    memorySize: plan.memoryMb,
    timeout: Duration.seconds(plan.timeoutSeconds),
    ...(plan.isLong && config.longConcurrency > 0 ? { reservedConcurrentExecutions: config.longConcurrency } : {}),
    environment: environmentOf(plan, config, addresses),
    role,
    logGroup,
    // An operator may move the alias back to an earlier version. A version whose deployment failed is deleted, because
    // Lambda would not publish the same code and settings again.
    currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE },
  });
  if (config.tracing) {
    // The CDK's own setting would add a second policy to the role.
    (deployed.node.defaultChild as CfnFunction).tracingConfig = { mode: 'Active' };
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'X-Ray’s write actions do not support resources; they are only granted with the setting tracing.',
    });
  }
  // The CDK also makes the function depend on the role, in case the policy is a separate resource. Ours is inline.
  (deployed.node.defaultChild as CfnFunction).addDeletionOverride('DependsOn');
  return deployed;
}

/** The alias through which a function is invoked. It points to the version that is being deployed. */
export function addAlias(
  scope: Construct,
  deployed: LambdaFunction,
  { plan, service }: Pick<FunctionProps, 'plan' | 'service'>,
): Alias {
  const { provisionedConcurrency } = service.config;
  return new Alias(scope, `${pascalCase(plan.name)}Live`, {
    aliasName,
    version: deployed.currentVersion as IVersion,
    ...(provisionedConcurrency === undefined || !warmFunctions.includes(plan.name)
      ? {}
      : { provisionedConcurrentExecutions: provisionedConcurrency }),
  });
}

/** The key of the log groups, if they have one. */
export function logKey(scope: Construct, { logKeyArn }: Pick<Config, 'logKeyArn'>): { encryptionKey?: IKey } {
  if (logKeyArn === undefined) return {};
  const stack = Stack.of(scope);
  const existing = stack.node.tryFindChild('LogKey') as IKey | undefined;
  return { encryptionKey: existing ?? Key.fromKeyArn(stack, 'LogKey', logKeyArn) };
}

/**
 * Different rights make a different role. A version of a function keeps the role that it was published with, and
 * CloudFormation deletes an old role only after all requests have moved to the new version. So while two versions run, in
 * a deployment or a rollback, each has exactly the rights it needs.
 */
function fingerprintOf(
  scope: Construct,
  rights: PolicyDocument,
  { permissionsBoundary = '' }: Pick<Config, 'permissionsBoundary'>,
): string {
  const resolved = JSON.stringify(Stack.of(scope).resolve(rights)) + permissionsBoundary;
  return createHash('sha256').update(resolved).digest('hex').slice(0, 8);
}

/**
 * References that CloudFormation resolves during deployment. Templates don't contain the values, and functions need no
 * call and no permission to read them. Anyone who may read the configuration of a function or the distribution can see
 * them.
 */
export function edgeSecrets(config: Config): string[] {
  return edgeSecretNames(config).map(name => SecretValue.secretsManager(name).unsafeUnwrap());
}

/**
 * The settings (`lib/core/settings.ts`) that a function reads. It gets no address of a resource that it can't access.
 */
export function environmentOf(
  { area, uses, readsCheckAccount }: Pick<FunctionPlan, 'area' | 'uses' | 'readsCheckAccount'>,
  config: Config,
  addresses: Service['addresses'],
): Record<string, string> {
  const origin = knownDashboardOrigin(config);
  const regions = usesTable(uses) ? regionsOf(config) : undefined;
  const namesDashboard = needsDashboardOrigin(uses);
  const checksGateway = readsCheckAccount === true && config.allowedNetworks !== undefined;
  const settings: Record<string, string | number | boolean | undefined> = {
    LOG_LEVEL: config.logLevel,
    MAINTENANCE: area !== 'workers' && config.maintenance,
    RESTORED_TABLE: area !== 'workers' && config.restoredTable,
    EDGE_SECRETS: (area !== 'workers' || checksGateway) && edgeSecrets(config).join(','),
    DIRECT_ORIGIN: area !== 'workers' && config.directOrigin,
    TABLE_NAME: usesTable(uses) && addresses.tableName,
    PEER_REGION: regions?.peer,
    FIRST_REGION: regions?.first,
    KMS_KEY_ID: uses.key !== undefined && addresses.keyArn,
    WEBHOOK_QUEUE_URL: uses.queues?.includes('webhooks') && addresses.webhookQueueUrl,
    JOB_QUEUE_URL: uses.queues?.includes('jobs') && addresses.jobQueueUrl,
    AUDIT_ARCHIVE_BUCKET: uses.archive && addresses.archiveBucket,
    OUTBOUND_FUNCTION:
      uses.functions?.includes('make-outbound-requests') &&
      `${deployedName(config, workers.makeOutboundRequests)}:${aliasName}`,
    MAIL_FROM: uses.mail && config.mailFrom.text,
    DASHBOARD_ORIGIN: namesDashboard && origin,
    DASHBOARD_ORIGIN_PARAMETER: namesDashboard && origin === undefined && dashboardOriginParameter(config),
    // Any request with a session may renew its cookie.
    SESSION_COOKIE: config.sessionCookie === 'cross-site' && config.sessionCookie,
    ...(area === 'auth'
      ? {
          REGISTER_LIMIT_PER_HOUR: config.registerLimitPerHour,
          LOGIN_FAILURE_LIMIT: config.loginFailureLimit,
          PASSWORD_RESET_LIMIT_PER_HOUR: config.passwordResetLimitPerHour,
        }
      : {}),
    REQUESTS_PER_MINUTE: config.requestsPerMinute,
    STEP_UP_FRESH_SECONDS: config.stepUpFreshSeconds,
    SNAPSHOT_CACHE_BYTES: area === 'secrets' && config.snapshotCacheBytes,
    ORGANIZATIONS_PER_USER: area === 'organizations' && config.organizationsPerUser,
    ...(area === 'members'
      ? {
          INVITATION_LIMIT_PER_DAY: config.invitationLimitPerDay,
          VERIFIED_EMAIL_REQUIRED: config.verifiedEmailRequired?.toString(),
        }
      : {}),
    ...(uses.payments
      ? {
          STRIPE_SECRET_KEY_PARAMETER: config.stripeSecretKeyParameter,
          STRIPE_WEBHOOK_SECRET_PARAMETER: config.stripeWebhookSecretParameter,
        }
      : {}),
    STRIPE_PRICE_PRO: area === 'billing' && config.stripePricePro,
    STRIPE_PRICE_ENTERPRISE: area === 'billing' && config.stripePriceEnterprise,
  };
  return Object.fromEntries(
    Object.entries(settings).flatMap(([name, value]) =>
      value === undefined || value === false ? [] : [[name, String(value)]],
    ),
  );
}
