import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, test } from 'vitest';
import type { Config } from '#infra/plan/config.ts';
import { routedFunctions } from '#infra/plan/functions.ts';
import type { Resource, Templates } from '#infra/stacks/synthesize.ts';
import { harmsOf, tablesInUse } from '#infra/stacks/template-changes.ts';
import { exampleSettings, exampleVault, fullSettings, synthesize } from '#test/support/installation.ts';

const { domainName, certificateArn, checkParameter, alarmEmail } = fullSettings;
const deliveredBy = 'acme/holdfast:production';

/** Each setting with a non-default value. Settings that require each other are one change. `keyArn` can't be changed. */
const changed: Record<keyof Omit<Config, 'name' | 'keyArn'>, Record<string, unknown>> = {
  dashboardOrigin: { dashboardOrigin: 'https://other.example.com', sessionCookie: 'cross-site' },
  sessionCookie: { sessionCookie: 'cross-site' },
  edgeSecretVersion: { edgeSecretVersion: 2 },
  region: { region: 'eu-central-1' },
  maintenance: { maintenance: true },
  directOrigin: { directOrigin: true },
  waf: { waf: true, region: 'eu-central-1' },
  mailFrom: { mailFrom: 'other@example.com' },
  mailIdentity: { mailIdentity: 'existing' },
  domainName: { domainName, certificateArn },
  certificateArn: { domainName, certificateArn },
  restoredKey: { restoredKey: 'arn:aws:kms:eu-west-1:123456789012:key/mrk-0d4e8b6f' },
  restoredTable: { restoredTable: 'holdfast-restored' },
  sharedTable: { sharedTable: 'holdfast-shared' },
  provisionedConcurrency: { provisionedConcurrency: 2 },
  longConcurrency: { longConcurrency: 7 },
  warmThroughputReads: { warmThroughputReads: 40_000 },
  warmThroughputWrites: { warmThroughputWrites: 10_000 },
  checkParameter: { checkParameter },
  replicaRegion: { replicaRegion: 'eu-west-1', region: 'eu-central-1' },
  peerRegion: { peerRegion: 'eu-west-1', region: 'eu-central-1' },
  standby: { standby: true, domainName, certificateArn },
  backupVaultArn: { backupVaultArn: exampleVault },
  deliveredBy: { deliveredBy, checkParameter },
  githubProvider: { githubProvider: 'existing', deliveredBy, checkParameter },
  tracing: { tracing: true },
  monthlyBudget: { monthlyBudget: 100 },
  alarmEmail: { alarmEmail },
  logRetentionDays: { logRetentionDays: 365 },
  logLevel: { logLevel: 'DEBUG' },
  throttleRate: { throttleRate: 7 },
  throttleBurst: { throttleBurst: 7 },
  passwordThrottleRate: { passwordThrottleRate: 7 },
  passwordThrottleBurst: { passwordThrottleBurst: 7 },
  stripeSecretKeyParameter: { stripeSecretKeyParameter: '/a/key', stripeWebhookSecretParameter: '/a/secret' },
  stripeWebhookSecretParameter: { stripeSecretKeyParameter: '/b/key', stripeWebhookSecretParameter: '/b/secret' },
  stripePricePro: { stripePricePro: 'price' },
  stripePriceEnterprise: { stripePriceEnterprise: 'price' },
  registerLimitPerHour: { registerLimitPerHour: 7 },
  loginFailureLimit: { loginFailureLimit: 7 },
  passwordResetLimitPerHour: { passwordResetLimitPerHour: 7 },
  organizationsPerUser: { organizationsPerUser: 7 },
  invitationLimitPerDay: { invitationLimitPerDay: 7 },
  requestsPerMinute: { requestsPerMinute: 7 },
  snapshotCacheBytes: { snapshotCacheBytes: 7 },
  stepUpFreshSeconds: { stepUpFreshSeconds: 7 },
  verifiedEmailRequired: { verifiedEmailRequired: false },
  alarmTopicArn: { alarmTopicArn: 'arn:aws:sns:eu-central-1:123456789012:alarms' },
  pageTopicArn: { pageTopicArn: 'arn:aws:sns:eu-central-1:123456789012:pages' },
  tags: { tags: { 'cost-center': '4711' } },
  permissionsBoundary: { permissionsBoundary: 'acme' },
  bootstrapQualifier: { bootstrapQualifier: 'acme' },
  logKeyArn: { logKeyArn: 'arn:aws:kms:eu-central-1:123456789012:key/0d4e8b6f-7c21-4a95-9e38-5f1b2c7d6a03' },
  allowedNetworks: { allowedNetworks: ['198.51.100.0/24'], waf: true, region: 'eu-central-1' },
  priceClass: { priceClass: '100' },
  auditArchiveDays: { auditArchiveDays: 400 },
  auditArchiveMode: { auditArchiveMode: 'compliance', auditArchiveDays: 400 },
  auditArchiveBucket: { auditArchiveBucket: 'acme-evidence' },
};

/** Every setting with its other value, except for settings that exclude others. */
function without(...names: (keyof typeof changed)[]): Record<string, unknown> {
  const settings = Object.assign({}, ...Object.values(changed));
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !names.includes(name as keyof typeof changed)));
}

/** Dependencies that a resource states although it names the other resource anyway (cfn-lint, W3005). */
function repeatedDependencies(templates: Templates): string[] {
  return [...templates].flatMap(([stack, { Resources: resources }]) =>
    Object.entries(resources).flatMap(([id, { DependsOn: dependsOn = [], Properties }]) => {
      const named = JSON.stringify(Properties);
      return [dependsOn as string | string[]]
        .flat()
        .filter(other => named.includes(`"Ref":"${other}"`) || named.includes(`"Fn::GetAtt":["${other}"`))
        .map(other => `${id} of ${stack} depends on ${other} twice.`);
    }),
  );
}

const plain = synthesize().templates;

const deployments: Record<string, Record<string, unknown>> = {
  ...changed,
  'all at once': without('sharedTable', 'standby', 'restoredKey', 'alarmEmail', 'auditArchiveBucket', 'directOrigin'),
  'all of a second region at once': without(
    'replicaRegion',
    'restoredTable',
    'backupVaultArn',
    'alarmEmail',
    'auditArchiveBucket',
    'directOrigin',
  ),
};
test.each(Object.entries(deployments))(
  'a change of settings has no finding, and harms no export or data: %s',
  (_, settings) => {
    const { app, templates } = synthesize({ ...exampleSettings, ...settings });

    expect(new AwsSolutionsChecks(app).validateScope(app).violations).toEqual([]);
    // CloudFormation allows 500.
    for (const [stack, template] of templates) expect(Object.keys(template.Resources).length, stack).toBeLessThan(450);
    expect(repeatedDependencies(templates)).toEqual([]);
    expect(templates).not.toEqual(plain);
    expect(harmsOf(plain, templates)).toEqual([]);
    // The deployment refuses to lower `edgeSecretVersion`, because the functions would refuse every request.
    const lowered =
      'edgeSecretVersion' in settings ? ['The secret holdfast/edge-2 is deleted, and a rollback resolves it.'] : [];
    expect(harmsOf(templates, plain)).toEqual(lowered);
  },
);

test('no change of the edge’s secret deletes one that a rollback resolves', () => {
  const versions = [2, 3, 4].map(edgeSecretVersion => synthesize({ ...exampleSettings, edgeSecretVersion }).templates);
  const secretsIn = (templates: Templates) =>
    Object.values(templates.get('holdfast-foundation')?.Resources ?? {})
      .filter(({ Type }) => Type === 'AWS::SecretsManager::Secret')
      .map(({ Properties }) => Properties.Name.replace('holdfast/edge-', ''));
  for (const [index, after] of versions.entries()) expect(harmsOf(versions[index - 1] ?? plain, after)).toEqual([]);
  // The one that functions accept besides the edge's, and the one from before it.
  expect(versions.map(secretsIn)).toEqual([
    ['2', '1'],
    ['3', '2', '1'],
    ['4', '3', '2'],
  ]);
});

test('a change of the sender deletes no identity, so that mail can still be sent as before', () => {
  for (const { single } of [synthesize(), synthesize({ ...exampleSettings, mailIdentity: 'address' })]) {
    const policies = { DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' };
    expect(single('AWS::SES::EmailIdentity')).toMatchObject(policies);
  }
});

test('every function works on the same table', () => {
  expect(tablesInUse(plain)).toHaveLength(1);
});

describe('a problem is reported:', () => {
  test('a dependency that a resource states although it names the other one', () => {
    const Role = { 'Fn::GetAtt': ['Role', 'Arn'] };
    const Resources = { One: { Type: 'AWS::Lambda::Function', Properties: { Role }, DependsOn: ['Role', 'Other'] } };
    expect(repeatedDependencies(new Map([['stack', { Resources }]]))).toEqual(['One of stack depends on Role twice.']);
  });

  const foundation = 'holdfast-foundation';
  const stackOf = (templates: Templates) => {
    const stack = templates.get(foundation);
    if (stack === undefined) throw new Error('There is no foundation.');
    return stack;
  };
  const isTable = ([, { Type }]: [string, Resource]) => Type.startsWith('AWS::DynamoDB');
  const tableId = Object.entries(stackOf(plain).Resources).find(isTable)?.[0];
  /** The templates after a change of one of the foundation's resources. */
  const templatesWith = (change: (resources: Record<string, Resource>) => void): Templates => {
    const stack = structuredClone(stackOf(plain)) as { Resources: Record<string, Resource> };
    change(stack.Resources);
    return new Map([...plain, [foundation, stack]]);
  };

  test('an export that was removed', () => {
    const { Outputs: outputs = {}, ...rest } = stackOf(plain);
    const [lost = '', ...others] = Object.entries(outputs).flatMap(([id, { Export }]) => (Export ? [id] : []));
    const kept = Object.fromEntries(others.map(id => [id, outputs[id] as (typeof outputs)[string]]));
    const templates = new Map([...plain, [foundation, { ...rest, Outputs: kept }]]);
    expect(harmsOf(plain, templates)).toEqual([`The stack ${foundation} no longer exports ${lost}.`]);
  });

  test('a table that was removed', () => {
    const templates = templatesWith(resources => void delete resources[tableId ?? '']);
    expect(harmsOf(plain, templates).join()).toMatch(/is removed\.$/);
  });

  test('a stack that was removed, unless an option added it: the CDK leaves that one deployed', () => {
    const without = (gone: string) => new Map([...plain].filter(([name]) => name !== gone));
    expect(harmsOf(plain, without(foundation)).length).toBeGreaterThan(5);
    const backup = new Map([...plain, ['holdfast-backup', stackOf(plain)]]);
    expect(harmsOf(backup, plain)).toEqual([]);
  });

  test('a table with different keys', () => {
    const templates = templatesWith(resources =>
      Object.assign(resources[tableId ?? '']?.Properties ?? {}, { KeySchema: [] }),
    );
    expect(harmsOf(plain, templates).join()).toMatch(/is replaced because its KeySchema changes\.$/);
  });
});

describe('a rollback across a version that adds an endpoint and a permission is safe:', () => {
  const newer = plain;
  const older = synthesize(exampleSettings, {
    routed: routedFunctions
      .filter(({ name }) => name !== 'list-webhooks')
      .map(plan =>
        plan.name === 'pull-secrets' ? { ...plan, uses: { ...plan.uses, table: { GetItem: ['ENV'] as const } } } : plan,
      ),
  }).templates;
  const rolesOf = (templates: Templates) =>
    [...templates.values()].flatMap(({ Resources: resources }) =>
      Object.keys(resources).filter(id => id.startsWith('PullSecretsRole')),
    );

  test('forward, back and forward again', () => {
    expect(harmsOf(older, newer)).toEqual([]);
    expect(harmsOf(newer, older)).toEqual([]);
  });

  test('each version has its own role, so neither loses a permission while both run', () => {
    expect(rolesOf(older)).toHaveLength(1);
    expect(rolesOf(newer)).toHaveLength(1);
    expect(rolesOf(older)).not.toEqual(rolesOf(newer));
  });

  test('a log group with a fixed name, or a role that both versions share, would be reported', () => {
    const changed = structuredClone(newer) as Map<string, { Resources: Record<string, Resource> }>;
    const secrets = changed.get('Secrets')?.Resources ?? {};
    const webhooks = changed.get('Webhooks')?.Resources ?? {};
    const logId = Object.keys(webhooks).find(id => id.startsWith('ListWebhooksLog')) ?? '';
    const roleId = rolesOf(newer)[0] ?? '';
    (webhooks[logId] as Resource).Properties.LogGroupName = '/aws/lambda/list-webhooks';
    const shared = structuredClone(changed);
    const roleBefore = shared.get('Secrets')?.Resources[roleId] as Resource;
    roleBefore.Properties.Policies = [];
    delete shared.get('Webhooks')?.Resources[logId];

    expect(Object.keys(secrets)).toContain(roleId);
    expect(harmsOf(changed, shared)).toEqual([
      expect.stringMatching(/PullSecretsRole\w+ of the stack Secrets changes while the old version/),
      expect.stringMatching(/ListWebhooksLog\w+ of the stack Webhooks stays .* its LogGroupName is taken/),
    ]);
  });
});
