import { ArnFormat, Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnApplication, CfnDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { Effect, PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Alias, type CfnAlias, type IVersion, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Config } from '../plan/config.ts';
import { deployedName, type FunctionPlan, pascalCase } from '../plan/functions.ts';

/** The alias that the gateway invokes. */
const aliasName = 'live';

/** A tenth of the requests for five minutes, then all. */
const deploymentConfig = 'CodeDeployDefault.LambdaCanary10Percent5Minutes';

/**
 * New versions are rolled back if their functions fail more often than this per minute, by a crash, a timeout or a
 * logged error. The previous version's last minutes do not count; an alarm that is already firing also stops the
 * deployment.
 */
const errorsAMinute = 2;

/**
 * Deploys functions gradually: CodeDeploy moves an alias to the new version, and back if the function's alarm fires.
 */
export class GradualDeployments extends Construct {
  private readonly config: Config;
  private readonly application: CfnApplication;
  private readonly role: Role;

  constructor(scope: Construct, id: string, config: Config, plans: readonly FunctionPlan[]) {
    super(scope, id);
    this.config = config;
    this.application = new CfnApplication(this, 'Application', { computePlatform: 'Lambda' });
    const stack = Stack.of(this);
    const functions = plans.map(plan =>
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
              resources: functions.flatMap(arn => [arn, `${arn}:${aliasName}`]),
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

  /** The alias through which requests reach a function. */
  add(scope: Construct, { name }: FunctionPlan, deployed: LambdaFunction): Alias {
    const { provisionedConcurrency } = this.config;
    const id = pascalCase(name);
    const version = deployed.currentVersion;
    // Older versions are kept, so that an operator can point the alias back at one by hand.
    version.applyRemovalPolicy(RemovalPolicy.RETAIN);
    const alias = new Alias(scope, `${id}Live`, {
      aliasName,
      version: version as IVersion,
      ...(provisionedConcurrency === undefined ? {} : { provisionedConcurrentExecutions: provisionedConcurrency }),
    });
    this.countErrors(scope, id, deployed);
    const group = new CfnDeploymentGroup(scope, `${id}Deployments`, {
      applicationName: this.application.ref,
      serviceRoleArn: this.role.roleArn,
      deploymentStyle: { deploymentType: 'BLUE_GREEN', deploymentOption: 'WITH_TRAFFIC_CONTROL' },
      deploymentConfigName: deploymentConfig,
      alarmConfiguration: { enabled: true, alarms: [{ name: deploymentAlarmName(this.config.name) }] },
      autoRollbackConfiguration: { enabled: true, events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_ALARM'] },
    });
    (alias.node.defaultChild as CfnAlias).cfnOptions.updatePolicy = {
      codeDeployLambdaAliasUpdate: { applicationName: this.application.ref, deploymentGroupName: group.ref },
    };
    return alias;
  }

  /** Counts crashes, timeouts and logged errors of a function. All gradually deployed functions share the metric. */
  private countErrors(scope: Construct, id: string, { logGroup }: LambdaFunction): void {
    const patterns = {
      Errors: FilterPattern.stringValue('$.level', '=', 'ERROR'),
      // Lambda's own messages about a function that ended abruptly.
      Crashes: FilterPattern.anyTerm(
        'Task timed out',
        'Runtime exited',
        'Runtime.ExitError',
        'Runtime.ImportModuleError',
      ),
    };
    for (const [kind, filterPattern] of Object.entries(patterns)) {
      new MetricFilter(scope, `${id}${kind}`, {
        logGroup,
        metricNamespace: this.config.name,
        metricName: errorsMetric,
        metricValue: '1',
        filterPattern,
      });
    }
  }
}

const errorsMetric = 'GradualErrors';

/** The alarm that stops a gradual deployment. */
export function addDeploymentAlarm(scope: Construct, { name }: Config): Alarm {
  return new Alarm(scope, 'DeploymentFails', {
    alarmName: deploymentAlarmName(name),
    alarmDescription:
      'A gradually deployed function is failing. A deployment in progress rolls back automatically. ' +
      'First read the logs of pull-secrets, set-secret, list-keys and log-in from the minute the deployment started.',
    metric: new Metric({ namespace: name, metricName: errorsMetric, statistic: 'Sum', period: Duration.minutes(1) }),
    threshold: errorsAMinute,
    comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
    evaluationPeriods: 1,
    treatMissingData: TreatMissingData.NOT_BREACHING,
  });
}

function deploymentAlarmName(name: string): string {
  return `${name}-Deployment`;
}
