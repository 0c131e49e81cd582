import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { readConfig } from '#infra/plan/config.ts';
import type { Assets } from '#infra/stacks/installation.ts';
import { statementsOf } from '#infra/stacks/policy.ts';
import { synthesize as synthesizeWith } from '#infra/stacks/synthesize.ts';

export const exampleSettings = {
  mailFrom: 'Holdfast <no-reply@example.com>',
};

export const fullSettings = {
  ...exampleSettings,
  domainName: 'secrets.example.com',
  certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/0d4e8b6f-7c21-4a95-9e38-5f1b2c7d6a03',
  checkParameter: '/holdfast/check',
  alarmEmail: 'operators@example.com',
  stripeSecretKeyParameter: '/holdfast/stripe-secret-key',
  stripeWebhookSecretParameter: '/holdfast/stripe-webhook-secret',
  stripePricePro: 'price_pro',
  stripePriceEnterprise: 'price_enterprise',
};

/** A vault in another account and region. */
export const exampleVault = 'arn:aws:backup:eu-west-1:210987654321:backup-vault:holdfast';

const synthesized = new WeakMap<object, ReturnType<typeof synthesizeAnew>>();

/**
 * The stacks of an installation, including nested ones, with their templates. Every function has the same tiny code. The
 * same settings object is synthesized once, because that takes seconds, so no caller may change what it returns.
 */
export function synthesize(
  settings: Record<string, unknown> = exampleSettings,
  more: Pick<Assets, 'rollout' | 'routed'> = {},
) {
  if (Object.keys(more).length > 0) return synthesizeAnew(settings, more);
  const known = synthesized.get(settings) ?? synthesizeAnew(settings, more);
  synthesized.set(settings, known);
  return known;
}

function synthesizeAnew(settings: Record<string, unknown>, more: Pick<Assets, 'rollout' | 'routed'>) {
  // The CDK's own validation only prints warnings and takes longer than everything else. `npm run synth` runs it.
  process.env.CDK_VALIDATION = 'false';
  const code = mkdtempSync(join(tmpdir(), 'function-'));
  writeFileSync(join(code, 'index.mjs'), 'export const handler = async () => undefined;\n');
  const config = readConfig(settings);
  const assets = { codeOf: () => Code.fromAsset(code), ...more };
  const installation = synthesizeWith(config, assets, mkdtempSync(join(tmpdir(), 'cdk-')));
  const resources = [...installation.templates.values()].flatMap(template =>
    Object.entries(template.Resources).map(([id, resource]) => ({ id, resource })),
  );
  const ofType = (type: string) => resources.filter(({ resource }) => resource.Type === type);
  const propertiesOf = (type: string) => ofType(type).map(({ resource }) => resource.Properties);
  const variables = (): Record<string, unknown>[] =>
    propertiesOf('AWS::Lambda::Function').map(({ Environment }) => Environment?.Variables ?? {});
  return {
    ...installation,
    resources,
    ofType,
    propertiesOf,
    single: (type: string) => {
      const [first, ...others] = ofType(type);
      if (first === undefined || others.length > 0) throw new Error(`There is not exactly one ${type}.`);
      return first.resource;
    },
    settings: variables,
    /** Those of one function, by its name without the installation's. */
    settingsOf: (name: string) =>
      variables()[
        propertiesOf('AWS::Lambda::Function').findIndex(one => one.FunctionName === `${config.name}-${name}`)
      ],
    statements: () => ofType('AWS::IAM::Role').flatMap(({ resource }) => statementsOf(resource)),
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
