import { CfnOutput, Fn, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { CfnApi, CfnStage } from 'aws-cdk-lib/aws-apigatewayv2';
import type { Code, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Config } from '../plan/config.ts';
import { deployedSettings } from '../plan/deployed.ts';
import { pascalCase, passwordFunctions, pullRoute, type RoutedFunctionPlan } from '../plan/functions.ts';
import { accessLogFormat, corsPolicy } from '../plan/http-api.ts';
import { addAlarmTopics } from './alarm-topic.ts';
import { AreaStack } from './area-stack.ts';
import type { FoundationStack } from './foundation-stack.ts';
import type { Rollout } from './gradual-deployments.ts';
import { OperationsStack } from './operations-stack.ts';
import { logKey, type Service } from './service-function.ts';
import { WorkersStack } from './workers-stack.ts';

interface ApiStackProps extends StackProps {
  config: Config;
  rollout: Rollout;
  routed: readonly RoutedFunctionPlan[];
  foundation: FoundationStack;
  codeOf: (name: string) => Code;
}

/** The HTTP API and its functions. Each area is a nested stack, because a stack can have at most 500 resources. */
export class ApiStack extends Stack {
  /** The host of the HTTP API. Browsers and other clients go through CloudFront. */
  readonly host: string;

  constructor(scope: Construct, id: string, props: ApiStackProps) {
    super(scope, id, props);
    const { config, rollout, routed, foundation, codeOf } = props;
    const topics = addAlarmTopics(this, config);
    const service: Service = {
      config,
      rollout,
      topic: topics.all,
      codeOf,
      resources: foundation.resources(config),
      addresses: {
        tableName: foundation.table.tableName,
        keyArn: config.restoredKey ?? foundation.key.keyArn,
        webhookQueueUrl: foundation.webhookQueue.queueUrl,
        jobQueueUrl: foundation.jobQueue.queueUrl,
        archiveBucket: foundation.archiveBucket,
      },
    };

    const api = this.addApi(config);
    this.host = `${api.ref}.execute-api.${this.region}.${this.urlSuffix}`;
    const accessLog = this.addAccessLog(config);
    const workers = new WorkersStack(this, 'Workers', {
      service,
      accessLog,
      apiHost: this.host,
      webhookQueueArn: foundation.webhookQueue.queueArn,
      jobQueueArn: foundation.jobQueue.queueArn,
    });
    const areas = Map.groupBy(routed, ({ area }) => area);
    const functions = new Map<string, LambdaFunction>();
    const areaStacks = [...areas].map(([area, plans]) => {
      const stack = new AreaStack(this, pascalCase(area), { area, plans, apiId: api.ref, service });
      for (const [name, deployed] of stack.functions) functions.set(name, deployed);
      return stack;
    });

    // Routes invoke functions there by name, and what they queue must find a worker that knows it.
    for (const areaStack of areaStacks) areaStack.addStackDependency(workers);
    // API Gateway allows ten changes per second in an account. Deploying the areas in parallel would need many times as
    // many.
    for (const [index, stack] of areaStacks.entries()) {
      const before = areaStacks[index - 1];
      if (before !== undefined) stack.addStackDependency(before);
    }

    const stage = this.addStage(api.ref, accessLog, props);
    // The stage can only limit existing routes.
    for (const areaStack of areaStacks) stage.node.addDependency(areaStack);

    new OperationsStack(this, 'Operations', {
      config,
      topics,
      foundation,
      apiId: api.ref,
      accessLog,
      functions,
      workers,
    });
    if (config.directOrigin) new CfnOutput(this, 'DirectUrl', { value: `${api.attrApiEndpoint}/v1` });
    new CfnOutput(this, 'Deployed', { value: JSON.stringify(deployedSettings(config)) });
  }

  private addApi(config: Config): CfnApi {
    // CloudFront serves dashboard and API from one origin, so only a dashboard elsewhere needs CORS.
    const { dashboardOrigin } = config;
    return new CfnApi(this, 'Api', {
      name: config.name,
      description: `The API of ${config.name}.`,
      protocolType: 'HTTP',
      ...(dashboardOrigin === undefined
        ? {}
        : {
            corsConfiguration: {
              allowOrigins: [dashboardOrigin],
              allowCredentials: true,
              allowMethods: [...corsPolicy.allowMethods],
              allowHeaders: [...corsPolicy.allowHeaders],
              exposeHeaders: [...corsPolicy.exposeHeaders],
              maxAge: corsPolicy.maxAgeSeconds,
            },
          }),
    });
  }

  private addAccessLog(config: Config): LogGroup {
    return new LogGroup(this, 'AccessLog', {
      // API Gateway can write to groups with this prefix without a resource policy. An account can have only ten of
      // those.
      logGroupName: `/aws/vendedlogs/${config.name}-access`,
      retention: config.logRetentionDays,
      ...logKey(this, config),
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    });
  }

  private addStage(apiId: string, accessLog: LogGroup, { config, routed }: ApiStackProps): CfnStage {
    const passwordRoutes = routed.filter(({ name }) => passwordFunctions.has(name));
    const passwordThrottle = {
      ThrottlingRateLimit: config.passwordThrottleRate,
      ThrottlingBurstLimit: config.passwordThrottleBurst,
    };
    return new CfnStage(this, 'Stage', {
      apiId,
      stageName: '$default',
      autoDeploy: true,
      accessLogSettings: {
        destinationArn: withoutStreams(accessLog.logGroupArn),
        format: JSON.stringify(accessLogFormat),
      },
      defaultRouteSettings: {
        throttlingRateLimit: config.throttleRate,
        throttlingBurstLimit: config.throttleBurst,
        // Metrics per route would cost more than the rest of an idle installation, so the access log is counted
        // instead.
        detailedMetricsEnabled: false,
      },
      routeSettings: {
        ...Object.fromEntries(passwordRoutes.map(({ routeKey }) => [routeKey, passwordThrottle])),
        // The objective for pulls is measured at the gateway, so it includes cold starts.
        [pullRoute.routeKey]: {
          ThrottlingRateLimit: config.throttleRate,
          ThrottlingBurstLimit: config.throttleBurst,
          DetailedMetricsEnabled: true,
        },
      },
    });
  }
}

/** A log group's ARN ends in `:*`; API Gateway expects it without. */
function withoutStreams(logGroupArn: string): string {
  return Fn.select(0, Fn.split(':*', logGroupArn));
}
