import { CfnOutput, Fn, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { CfnApi, CfnApiMapping, CfnDomainName, CfnStage } from 'aws-cdk-lib/aws-apigatewayv2';
import type { Code, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Config } from '../plan/config.ts';
import { pascalCase, passwordFunctions, routedFunctions } from '../plan/functions.ts';
import { accessLogFormat, corsPolicy } from '../plan/http-api.ts';
import { AreaStack } from './area-stack.ts';
import type { FoundationStack } from './foundation-stack.ts';
import { OperationsStack } from './operations-stack.ts';
import type { Service } from './service-function.ts';
import { WorkersStack } from './workers-stack.ts';

interface ApiStackProps extends StackProps {
  config: Config;
  foundation: FoundationStack;
  codeOf: (name: string) => Code;
}

/** The HTTP API and its functions. Each area is a nested stack, because a stack holds at most 500 resources. */
export class ApiStack extends Stack {
  constructor(scope: Construct, id: string, props: ApiStackProps) {
    super(scope, id, props);
    const { config, foundation, codeOf } = props;
    const service: Service = {
      config,
      codeOf,
      resources: foundation.resources(config),
      addresses: {
        tableName: foundation.table.tableName,
        keyArn: foundation.key.keyArn,
        webhookQueueUrl: foundation.webhookQueue.queueUrl,
        jobQueueUrl: foundation.jobQueue.queueUrl,
      },
    };

    const api = this.addApi(config);
    const areas = Map.groupBy(routedFunctions, ({ area }) => area);
    const functions = new Map<string, LambdaFunction>();
    const areaStacks = [...areas].map(([area, plans]) => {
      const stack = new AreaStack(this, pascalCase(area), { area, plans, apiId: api.ref, service });
      for (const [name, deployed] of stack.functions) functions.set(name, deployed);
      return stack;
    });

    const accessLog = this.addAccessLog(config);
    const stage = this.addStage(config, api.ref, accessLog);
    // The stage can only limit routes that exist.
    for (const areaStack of areaStacks) stage.node.addDependency(areaStack);

    const workers = new WorkersStack(this, 'Workers', {
      service,
      accessLog,
      webhookQueueArn: foundation.webhookQueue.queueArn,
      jobQueueArn: foundation.jobQueue.queueArn,
    });
    new OperationsStack(this, 'Operations', { config, foundation, apiId: api.ref, functions, workers });

    new CfnOutput(this, 'Url', { value: `${this.addDomain(config, api.ref, stage) ?? api.attrApiEndpoint}/v1` });
  }

  private addApi(config: Config): CfnApi {
    return new CfnApi(this, 'Api', {
      name: config.name,
      description: `The API of ${config.name}.`,
      protocolType: 'HTTP',
      corsConfiguration: {
        allowOrigins: [config.dashboardOrigin],
        allowCredentials: true,
        allowMethods: [...corsPolicy.allowMethods],
        allowHeaders: [...corsPolicy.allowHeaders],
        exposeHeaders: [...corsPolicy.exposeHeaders],
        maxAge: corsPolicy.maxAgeSeconds,
      },
      // An installation with its own domain has that one address, so that its cookies have one host.
      disableExecuteApiEndpoint: config.domainName !== undefined,
    });
  }

  private addAccessLog(config: Config): LogGroup {
    return new LogGroup(this, 'AccessLog', {
      // API Gateway may write to groups under this prefix without a resource policy. An account has only ten of those.
      logGroupName: `/aws/vendedlogs/${config.name}-access`,
      retention: config.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
  }

  private addStage(config: Config, apiId: string, accessLog: LogGroup): CfnStage {
    const passwordRoutes = routedFunctions.filter(({ name }) => passwordFunctions.has(name));
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
        // Metrics for each route would cost more than the rest of an idle installation. The access log is counted instead.
        detailedMetricsEnabled: false,
      },
      routeSettings: Object.fromEntries(passwordRoutes.map(({ routeKey }) => [routeKey, passwordThrottle])),
    });
  }

  /** Adds the installation's own domain, if it has one, and returns the API's address there. */
  private addDomain({ domainName, certificateArn }: Config, apiId: string, stage: CfnStage): string | undefined {
    if (domainName === undefined || certificateArn === undefined) return undefined;
    const domain = new CfnDomainName(this, 'Domain', {
      domainName,
      domainNameConfigurations: [{ certificateArn, endpointType: 'REGIONAL', securityPolicy: 'TLS_1_2' }],
    });
    new CfnApiMapping(this, 'DomainMapping', { apiId, domainName: domain.ref, stage: stage.ref });
    new CfnOutput(this, 'DomainTarget', {
      description: `Point ${domainName} here with a CNAME or alias record.`,
      value: domain.attrRegionalDomainName,
    });
    return `https://${domainName}`;
  }
}

/** A log group's ARN ends in `:*`; API Gateway wants it without. */
function withoutStreams(logGroupArn: string): string {
  return Fn.select(0, Fn.split(':*', logGroupArn));
}
