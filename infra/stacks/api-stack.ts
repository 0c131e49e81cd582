import { CfnOutput, Fn, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { CfnApi, CfnApiMapping, CfnDomainName, CfnStage } from 'aws-cdk-lib/aws-apigatewayv2';
import type { Code, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { accessLogFormat } from '../access-log-format.ts';
import type { Config } from '../config.ts';
import type { Service } from '../constructs/service-function.ts';
import { corsPolicy } from '../cors-policy.ts';
import { routedFunctions } from '../functions.ts';
import { AreaStack } from './area-stack.ts';
import type { FoundationStack } from './foundation-stack.ts';
import { OperationsStack } from './operations-stack.ts';
import { WorkersStack } from './workers-stack.ts';

/** Each hashes or checks a password: half a second of a CPU (`lib/crypto/passwords.ts`). */
const passwordFunctions = new Set(['register', 'log-in', 'change-password', 'reset-password']);

interface ApiStackProps extends StackProps {
  config: Config;
  foundation: FoundationStack;
  codeOf: (name: string) => Code;
}

/** The HTTP API with its functions, a nested stack for each area, since a stack holds 500 resources at the most. */
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

    const api = new CfnApi(this, 'Api', {
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
      // With a domain of its own the API has one address, and cookies one host.
      disableExecuteApiEndpoint: config.domainName !== undefined,
    });

    const areas = Map.groupBy(routedFunctions, ({ area }) => area);
    const functions = new Map<string, LambdaFunction>();
    const areaStacks = [...areas].map(([area, plans]) => {
      const stack = new AreaStack(this, pascalCase(area), { area, plans, apiId: api.ref, service });
      for (const [name, deployed] of stack.functions) functions.set(name, deployed);
      return stack;
    });

    const accessLog = new LogGroup(this, 'AccessLog', {
      // API Gateway may write to groups under this prefix without a resource policy, of which an account has ten.
      logGroupName: `/aws/vendedlogs/${config.name}-access`,
      retention: config.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const stage = new CfnStage(this, 'Stage', {
      apiId: api.ref,
      stageName: '$default',
      autoDeploy: true,
      accessLogSettings: {
        destinationArn: withoutStreams(accessLog.logGroupArn),
        format: JSON.stringify(accessLogFormat),
      },
      defaultRouteSettings: {
        throttlingRateLimit: config.throttleRate,
        throttlingBurstLimit: config.throttleBurst,
        // A metric for each route costs more than the rest of an idle installation; the access log is counted instead.
        detailedMetricsEnabled: false,
      },
      routeSettings: Object.fromEntries(
        routedFunctions
          .filter(({ name }) => passwordFunctions.has(name))
          .map(({ routeKey }) => [
            routeKey,
            { ThrottlingRateLimit: config.passwordThrottleRate, ThrottlingBurstLimit: config.passwordThrottleBurst },
          ]),
      ),
    });
    // A route must exist before the stage can limit it.
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

  /** The address under the installation's own domain, where it has one. */
  private addDomain({ domainName, certificateArn }: Config, apiId: string, stage: CfnStage): string | undefined {
    if (domainName === undefined || certificateArn === undefined) return undefined;
    const domain = new CfnDomainName(this, 'Domain', {
      domainName,
      domainNameConfigurations: [{ certificateArn, endpointType: 'REGIONAL', securityPolicy: 'TLS_1_2' }],
    });
    new CfnApiMapping(this, 'DomainMapping', { apiId, domainName: domain.ref, stage: stage.ref });
    new CfnOutput(this, 'DomainTarget', {
      description: `Point ${domainName} here, by CNAME or alias.`,
      value: domain.attrRegionalDomainName,
    });
    return `https://${domainName}`;
  }
}

/** A log group's ARN ends in `:*`; API Gateway wants the group's own. */
function withoutStreams(logGroupArn: string): string {
  return Fn.select(0, Fn.split(':*', logGroupArn));
}

function pascalCase(area: string): string {
  return area.charAt(0).toUpperCase() + area.slice(1);
}
