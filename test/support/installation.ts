import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, NestedStack, type Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { readConfig } from '../../infra/plan/config.ts';
import { addInstallation } from '../../infra/stacks/installation.ts';

export const exampleSettings = {
  dashboardOrigin: 'https://dashboard.example.com',
  mailFrom: 'Holdfast <no-reply@example.com>',
};

/** Every setting of a deployment. */
export const fullSettings = {
  ...exampleSettings,
  domainName: 'api.example.com',
  certificateArn: 'arn:aws:acm:eu-central-1:123456789012:certificate/0d4e8b6f-7c21-4a95-9e38-5f1b2c7d6a03',
  alarmEmail: 'operators@example.com',
  stripeSecretKeyParameter: '/holdfast/stripe-secret-key',
  stripeWebhookSecretParameter: '/holdfast/stripe-webhook-secret',
  stripePricePro: 'price_pro',
  stripePriceEnterprise: 'price_enterprise',
};

export interface Resource {
  Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: templates have CloudFormation's types
  Properties: any;
  [attribute: string]: unknown;
}

/** A statement of a role's policy, as in the template. */
export interface Statement {
  Effect: 'Allow' | 'Deny';
  Sid: string;
  Action: string | string[];
  Resource: unknown;
  Condition?: Record<string, Record<string, unknown>>;
}

export function statementsOf({ Properties }: Resource): Statement[] {
  return Properties.Policies.flatMap(
    ({ PolicyDocument }: { PolicyDocument: { Statement: Statement[] } }) => PolicyDocument.Statement,
  );
}

/** The stacks of an installation, including nested ones, with their templates. Every function has the same tiny code. */
export function synthesize(settings: Record<string, unknown> = exampleSettings) {
  const code = mkdtempSync(join(tmpdir(), 'function-'));
  writeFileSync(join(code, 'index.mjs'), 'export const handler = async () => undefined;\n');
  const app = new App({ outdir: mkdtempSync(join(tmpdir(), 'cdk-')) });
  const config = readConfig(name => (name === 'holdfast' ? settings : undefined));
  const { foundation, api } = addInstallation(app, config, () => Code.fromAsset(code));
  const nested = api.node.findAll().filter((node): node is NestedStack => NestedStack.isNestedStack(node));
  const stacks: Stack[] = [foundation, api, ...nested];
  const templates = new Map(stacks.map(stack => [stack.node.id, Template.fromStack(stack)]));
  const resources = [...templates.values()].flatMap(template =>
    Object.entries(template.toJSON().Resources as Record<string, Resource>).map(([id, resource]) => ({ id, resource })),
  );
  const ofType = (type: string) => resources.filter(({ resource }) => resource.Type === type);
  return {
    app,
    stacks,
    templates,
    resources,
    /** All stacks' resources of a type. */
    ofType,
    /** What each function's role allows, by the function's name without the installation's. */
    rights: () =>
      new Map(
        ofType('AWS::Lambda::Function').map(({ resource: { Properties } }) => {
          const role = ofType('AWS::IAM::Role').find(({ id }) => id === Properties.Role['Fn::GetAtt'][0]);
          const name = String(Properties.FunctionName).replace(`${config.name}-`, '');
          return [name, role === undefined ? [] : statementsOf(role.resource)];
        }),
      ),
  };
}
