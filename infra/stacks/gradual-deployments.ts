import { ArnFormat, Duration, Stack, Validations } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, MathExpression, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { CfnApplication, CfnDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { Effect, PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Alias, CfnAlias, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { type Config, ConfigError } from '../plan/config.ts';
import { aliasName, deployedName, type FunctionPlan, pascalCase } from '../plan/functions.ts';
import { withSeverity } from './alarm-topic.ts';

/** A tenth of the requests for five minutes, then all. */
const gradualConfig = 'CodeDeployDefault.LambdaCanary10Percent5Minutes';

const atOnceConfig = 'CodeDeployDefault.LambdaAllAtOnce';

/** New versions are rolled back if they fail more often than this per minute, by a crash, a timeout or a logged error. */
const errorsAMinute = 2;

interface GradualDeploymentsProps {
  config: Config;
  rollout: Rollout;
  area: string;
  /** The functions of the area that are deployed gradually. */
  functions: readonly FunctionPlan[];
  /** Where the alarm is sent. */
  topic: ITopic;
}

/**
 * How a deployment moves the aliases. `gradual`: step by step, watched by an alarm. `at-once`: everything immediately and
 * unwatched, while a table is being replaced, because old and new versions must not work on two tables. `emergency`: the
 * same, because an operator asked for it.
 */
export type Rollout = (typeof rollouts)[number];

/**
 * While a table is being replaced, versions on two tables must not run beside each other for minutes; and when maintenance
 * ends after it, no alarm from before may stop the deployment. Pure.
 */
export function rolloutOf(
  { maintenance }: Pick<Config, 'maintenance'>,
  deployed: Pick<Config, 'maintenance'> | undefined,
): Rollout {
  return maintenance || deployed?.maintenance === true ? 'at-once' : 'gradual';
}

const rollouts = ['gradual', 'at-once', 'emergency'] as const;

/** The rollout that `npm run deploy` chose. @throws ConfigError if there is no such rollout */
export function readRollout(text: unknown): Rollout | undefined {
  const found = rollouts.find(one => one === text);
  if (found === undefined && text !== undefined)
    throw new ConfigError(`rollout must be one of ${rollouts.join(', ')}.`);
  return found;
}

/**
 * Deploys functions gradually: CodeDeploy moves an alias to the new version, and back if the alarm fires. The alarm
 * counts only the failures of the new versions, so that failures of the old ones don't stop the deployment that fixes
 * them.
 */
export class GradualDeployments extends Construct {
  private readonly props: GradualDeploymentsProps;
  private readonly application: CfnApplication;
  private readonly role: Role;

  constructor(scope: Construct, id: string, props: GradualDeploymentsProps) {
    super(scope, id);
    this.props = props;
    const { config, functions } = props;
    this.application = new CfnApplication(this, 'Application', { computePlatform: 'Lambda' });
    const stack = Stack.of(this);
    const functionArns = functions.map(plan =>
      stack.formatArn({
        service: 'lambda',
        resource: 'function',
        resourceName: deployedName(config, plan),
        arnFormat: ArnFormat.COLON_RESOURCE_NAME,
      }),
    );
    this.role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
      description: `Moves the aliases of gradually deployed functions of ${config.name}`,
      inlinePolicies: {
        rights: new PolicyDocument({
          statements: [
            new PolicyStatement({
              sid: 'MoveAliases',
              effect: Effect.ALLOW,
              actions: ['lambda:GetAlias', 'lambda:UpdateAlias', 'lambda:GetProvisionedConcurrencyConfig'],
              resources: functionArns.flatMap(arn => [arn, `${arn}:${aliasName}`]),
            }),
            new PolicyStatement({
              sid: 'WatchAlarms',
              effect: Effect.ALLOW,
              actions: ['cloudwatch:DescribeAlarms'],
              resources: ['*'],
            }),
          ],
        }),
      },
    });
    Validations.of(this.role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'CodeDeploy reads the state of all alarms, as in its managed policy.',
    });
  }

  /** Moves the aliases of these functions step by step, by the functions' names. */
  watch(scope: Construct, aliases: ReadonlyMap<string, { deployed: LambdaFunction; alias: Alias }>): void {
    const alarm = this.addAlarm(scope, new Map([...aliases].map(([name, { deployed }]) => [name, deployed])));
    for (const [name, { alias }] of aliases) this.watchAlias(scope, name, alias, alarm);
  }

  private watchAlias(scope: Construct, name: string, alias: Alias, alarm: Alarm): void {
    const isWatched = this.props.rollout === 'gradual';
    const group = new CfnDeploymentGroup(scope, `${pascalCase(name)}Deployments`, {
      applicationName: this.application.ref,
      serviceRoleArn: this.role.roleArn,
      deploymentStyle: { deploymentType: 'BLUE_GREEN', deploymentOption: 'WITH_TRAFFIC_CONTROL' },
      deploymentConfigName: isWatched ? gradualConfig : atOnceConfig,
      alarmConfiguration: { enabled: isWatched, alarms: [{ name: alarm.alarmName }] },
      autoRollbackConfiguration: {
        enabled: true,
        events: ['DEPLOYMENT_FAILURE', ...(isWatched ? ['DEPLOYMENT_STOP_ON_ALARM'] : [])],
      },
    });
    const moved = alias.node.defaultChild as CfnAlias;
    moved.cfnOptions.updatePolicy = {
      codeDeployLambdaAliasUpdate: { applicationName: this.application.ref, deploymentGroupName: group.ref },
    };
    // The alarm must watch the new versions before they get requests.
    alias.node.addDependency(alarm);
  }

  /** Counts the logged errors, crashes and timeouts of the versions that are being deployed. */
  private addAlarm(scope: Construct, deployed: ReadonlyMap<string, LambdaFunction>): Alarm {
    const { config, area, topic } = this.props;
    const metricName = `GradualErrors-${area}`;
    const filters = [...deployed].map(([name, { logGroup, currentVersion }]) => {
      // An environment that is inconsistent has an alarm of its own; no version is to blame for it.
      const pattern = `{ $.level = "ERROR" && $.alarm NOT EXISTS && $.version = "${currentVersion.version}" }`;
      return new MetricFilter(scope, `${pascalCase(name)}Errors`, {
        logGroup,
        metricNamespace: config.name,
        metricName,
        metricValue: '1',
        filterPattern: FilterPattern.literal(pattern),
      });
    });
    const crashes = [...deployed].map(
      ([name, { functionName, currentVersion }]) =>
        new Metric({
          namespace: 'AWS/Lambda',
          metricName: 'Errors',
          dimensionsMap: {
            FunctionName: functionName,
            Resource: `${config.name}-${name}:${aliasName}`,
            ExecutedVersion: currentVersion.version,
          },
          statistic: 'Sum',
          period: Duration.minutes(1),
        }),
    );
    const logged = new Metric({
      namespace: config.name,
      metricName,
      statistic: 'Sum',
      period: Duration.minutes(1),
    });
    const usingMetrics = Object.fromEntries([logged, ...crashes].map((metric, index) => [`m${index}`, metric]));
    const alarm = new Alarm(scope, 'DeploymentFails', {
      alarmName: `${config.name}-Deployment-${area}`,
      alarmDescription: withSeverity(
        'notify',
        `The newest version of ${[...deployed.keys()].join(', ')} is failing. A deployment in progress rolls back ` +
          'automatically. First read the logs of these functions from the minute the deployment started.',
      ),
      metric: new MathExpression({
        label: 'failures of the newest versions',
        expression: Object.keys(usingMetrics)
          .map(id => `FILL(${id}, 0)`)
          .join(' + '),
        usingMetrics,
        period: Duration.minutes(1),
      }),
      threshold: errorsAMinute,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    alarm.node.addDependency(...filters);
    alarm.addAlarmAction(new SnsAction(topic));
    alarm.addOkAction(new SnsAction(topic));
    return alarm;
  }
}
