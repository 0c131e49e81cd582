import { NestedStack, type NestedStackProps } from 'aws-cdk-lib';
import { CfnIntegration, CfnRoute } from 'aws-cdk-lib/aws-apigatewayv2';
import { CfnPermission, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { acknowledge } from '../acknowledge.ts';
import { addFunction, type Service } from '../constructs/service-function.ts';
import type { RoutedFunctionPlan } from '../functions.ts';

interface AreaStackProps extends NestedStackProps {
  area: string;
  plans: readonly RoutedFunctionPlan[];
  apiId: string;
  service: Service;
}

/** An area's functions, each behind its one route. */
export class AreaStack extends NestedStack {
  /** By name. */
  readonly functions: ReadonlyMap<string, LambdaFunction>;

  constructor(scope: Construct, id: string, { area, plans, apiId, service, ...props }: AreaStackProps) {
    super(scope, id, { ...props, description: `${service.config.name}: the routes of ${area}` });
    this.functions = new Map(
      plans.map(plan => {
        const deployed = addFunction(this, pascalCase(plan.name), plan, service);
        this.addRoute(plan, apiId, deployed);
        return [plan.name, deployed];
      }),
    );
  }

  private addRoute({ name, routeKey }: RoutedFunctionPlan, apiId: string, target: LambdaFunction): void {
    const id = pascalCase(name);
    const integration = new CfnIntegration(this, `${id}Integration`, {
      apiId,
      integrationType: 'AWS_PROXY',
      integrationUri: target.functionArn,
      payloadFormatVersion: '2.0',
    });
    const route = new CfnRoute(this, `${id}Route`, { apiId, routeKey, target: `integrations/${integration.ref}` });
    acknowledge(
      route,
      'AwsSolutions-APIG4',
      'The function authenticates: what a caller may do depends on the organization, which an authorizer would read a second time.',
    );
    new CfnPermission(this, `${id}Permission`, {
      action: 'lambda:InvokeFunction',
      functionName: target.functionArn,
      principal: 'apigateway.amazonaws.com',
      sourceArn: this.formatArn({ service: 'execute-api', resource: apiId, resourceName: invocationsOf(routeKey) }),
    });
  }
}

/** Which invocations of the API come from a route: any stage, its method, its path with parameters as wildcards. */
function invocationsOf(routeKey: string): string {
  if (routeKey === '$default') return '*';
  const [method, path = ''] = routeKey.split(' ');
  return `*/${method}${path.replaceAll(/\{[^}]+\}/g, '*')}`;
}

function pascalCase(name: string): string {
  return name.replaceAll(/(?:^|-)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
