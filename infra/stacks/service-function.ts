import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Effect, PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, type CfnFunction, type Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Config } from '../plan/config.ts';
import type { FunctionPlan } from '../plan/functions.ts';
import { type Resources, rightsOf } from './rights.ts';

/** What all functions of an installation are made with. */
export interface Service {
  config: Config;
  resources: Resources;
  /** Addresses that functions get in their environment. */
  addresses: { tableName: string; keyArn: string; webhookQueueUrl: string; jobQueueUrl: string };
  /** A function's code: the folder that is uploaded. */
  codeOf: (name: string) => Code;
}

/**
 * A function with its own role and log group. The log group is made here and not by Lambda, so that it has a retention
 * and the role needs no right to create one.
 */
export function addFunction(
  scope: Construct,
  id: string,
  plan: FunctionPlan,
  { config, resources, addresses, codeOf }: Service,
  moreRights: readonly PolicyStatement[] = [],
): LambdaFunction {
  const functionName = `${config.name}-${plan.name}`;
  const logGroup = new LogGroup(scope, `${id}Log`, {
    logGroupName: `/aws/lambda/${functionName}`,
    retention: config.logRetentionDays,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  const role = new Role(scope, `${id}Role`, {
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    // IAM accepts only Latin-1.
    description: `${plan.summary.replaceAll('’', "'")} (${functionName})`,
    inlinePolicies: {
      rights: new PolicyDocument({
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
        ],
      }),
    },
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
    environment: environmentOf(plan, config, addresses),
    role,
    logGroup,
  });
  // The CDK also makes the function depend on the role, in case the policy is a separate resource. Ours is inline.
  (deployed.node.defaultChild as CfnFunction).addDeletionOverride('DependsOn');
  return deployed;
}

/** The settings (`lib/core/settings.ts`) that a function reads. It gets no address of a resource it has no rights to. */
export function environmentOf(
  { area, uses }: Pick<FunctionPlan, 'area' | 'uses'>,
  config: Config,
  addresses: Service['addresses'],
): Record<string, string> {
  const settings: Record<string, string | number | boolean | undefined> = {
    LOG_LEVEL: config.logLevel,
    TABLE_NAME: uses.table.length > 0 && addresses.tableName,
    KMS_KEY_ID: uses.key !== undefined && addresses.keyArn,
    WEBHOOK_QUEUE_URL: uses.queues?.includes('webhooks') && addresses.webhookQueueUrl,
    JOB_QUEUE_URL: uses.queues?.includes('jobs') && addresses.jobQueueUrl,
    MAIL_FROM: uses.mail && config.mailFrom.text,
    // Links in mails, return addresses, and the site that passkeys belong to.
    DASHBOARD_ORIGIN: (area === 'auth' || uses.mail || uses.payments) && config.dashboardOrigin,
    ...(area === 'auth'
      ? {
          REGISTER_LIMIT_PER_HOUR: config.registerLimitPerHour,
          LOGIN_FAILURE_LIMIT: config.loginFailureLimit,
          PASSWORD_RESET_LIMIT_PER_HOUR: config.passwordResetLimitPerHour,
        }
      : {}),
    REQUESTS_PER_MINUTE: config.requestsPerMinute,
    STEP_UP_FRESH_SECONDS: config.stepUpFreshSeconds,
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
          STRIPE_PRICE_PRO: config.stripePricePro,
          STRIPE_PRICE_ENTERPRISE: config.stripePriceEnterprise,
        }
      : {}),
  };
  return Object.fromEntries(
    Object.entries(settings).flatMap(([name, value]) =>
      value === undefined || value === false ? [] : [[name, String(value)]],
    ),
  );
}
