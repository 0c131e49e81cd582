import { NestedStack, type NestedStackProps, Validations } from 'aws-cdk-lib';
import { CfnIntegration, CfnRoute } from 'aws-cdk-lib/aws-apigatewayv2';
import { type Alias, CfnPermission, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { pascalCase, type RoutedFunctionPlan } from '../plan/functions.ts';
import { GradualDeployments } from './gradual-deployments.ts';
import { addAlias, addFunction, type Service } from './service-function.ts';

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
    const routed = plans.map(plan => {
      const deployed = addFunction(this, pascalCase(plan.name), { plan, service });
      const alias = addAlias(this, deployed, { plan, service });
      this.addRoute(plan, apiId, alias);
      return { plan, deployed, alias };
    });
    this.functions = new Map(routed.map(({ plan, deployed }) => [plan.name, deployed]));
    const gradual = routed.filter(({ plan }) => plan.isGradual === true);
    if (gradual.length === 0) return;
    const { config, rollout, topic } = service;
    const functions = gradual.map(({ plan }) => plan);
    new GradualDeployments(this, 'Gradual', { config, rollout, area, functions, topic }).watch(
      this,
      new Map(gradual.map(one => [one.plan.name, one])),
    );
  }

  private addRoute({ name, routeKey }: RoutedFunctionPlan, apiId: string, target: Alias): void {
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
    const permission = new CfnPermission(this, `${id}Permission`, {
      action: 'lambda:InvokeFunction',
      functionName: target.functionArn,
      principal: 'apigateway.amazonaws.com',
      sourceArn: this.formatArn({ service: 'execute-api', resource: apiId, resourceName: invocationsOf(routeKey) }),
    });
    // A permission for a new target exists before the route invokes that target.
    integration.addResourceDependency(permission);
  }
}

/** Permits API calls from one route: any stage, its method, its path with wildcards for the parameters. */
function invocationsOf(routeKey: string): string {
  if (routeKey === '$default') return '*';
  const [method, path = ''] = routeKey.split(' ');
  return `*/${method}${path.replaceAll(/\{[^}]+\}/g, '*')}`;
}
