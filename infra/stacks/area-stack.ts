import { NestedStack, type NestedStackProps, Validations } from 'aws-cdk-lib';
import { CfnIntegration, CfnRoute } from 'aws-cdk-lib/aws-apigatewayv2';
import { type Alias, CfnPermission, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { gradualFunctions, pascalCase, type RoutedFunctionPlan } from '../plan/functions.ts';
import { GradualDeployments } from './gradual-deployments.ts';
import { addFunction, type Service } from './service-function.ts';

interface AreaStackProps extends NestedStackProps {
  area: string;
  plans: readonly RoutedFunctionPlan[];
  apiId: string;
  service: Service;
}

/** The functions of one area, each behind its own route. */
export class AreaStack extends NestedStack {
  /** By name. */
  readonly functions: ReadonlyMap<string, LambdaFunction>;

  constructor(scope: Construct, id: string, { area, plans, apiId, service, ...props }: AreaStackProps) {
    super(scope, id, { ...props, description: `${service.config.name}: the routes of ${area}` });
    const gradual = plans.filter(({ name }) => gradualFunctions.has(name));
    this.functions = new Map(
      plans.map(plan => [plan.name, addFunction(this, pascalCase(plan.name), { plan, service })]),
    );
    const aliases = this.addAliases(gradual, { area, ...service });
    for (const plan of plans) {
      const target = aliases.get(plan.name) ?? this.functions.get(plan.name);
      if (target !== undefined) this.addRoute(plan, apiId, target);
    }
  }

  private addAliases(
    gradual: readonly RoutedFunctionPlan[],
    { area, config, rollout, topic }: Pick<Service, 'config' | 'rollout' | 'topic'> & { area: string },
  ): ReadonlyMap<string, Alias> {
    if (gradual.length === 0) return new Map();
    const deployments = new GradualDeployments(this, 'Gradual', { config, rollout, area, functions: gradual, topic });
    const names = new Set(gradual.map(({ name }) => name));
    return deployments.addAliases(this, new Map([...this.functions].filter(([name]) => names.has(name))));
  }

  private addRoute({ name, routeKey }: RoutedFunctionPlan, apiId: string, target: LambdaFunction | Alias): void {
    const id = pascalCase(name);
    const integration = new CfnIntegration(this, `${id}Integration`, {
      apiId,
      integrationType: 'AWS_PROXY',
      integrationUri: target.functionArn,
      payloadFormatVersion: '2.0',
    });
    const route = new CfnRoute(this, `${id}Route`, { apiId, routeKey, target: `integrations/${integration.ref}` });
    Validations.of(route).acknowledge({
      id: 'AwsSolutions-APIG4',
      reason:
        'The function authenticates: permissions depend on the organization, which an authorizer would have to read a second time.',
    });
    new CfnPermission(this, `${id}Permission`, {
      action: 'lambda:InvokeFunction',
      functionName: target.functionArn,
      principal: 'apigateway.amazonaws.com',
      sourceArn: this.formatArn({ service: 'execute-api', resource: apiId, resourceName: invocationsOf(routeKey) }),
    });
  }
}

/** Permits API calls from one route: any stage, its method, its path with wildcards for the parameters. */
function invocationsOf(routeKey: string): string {
  if (routeKey === '$default') return '*';
  const [method, path = ''] = routeKey.split(' ');
  return `*/${method}${path.replaceAll(/\{[^}]+\}/g, '*')}`;
}
