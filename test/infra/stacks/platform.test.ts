import { describe, expect, test } from 'vitest';
import { harmsOf } from '#infra/stacks/template-changes.ts';
import { exampleVault, fullSettings, synthesize } from '#test/support/installation.ts';

const { alarmEmail: _, ...withoutEmail } = fullSettings;
const region = 'eu-central-1';
const topicArn = `arn:aws:sns:${region}:123456789012:alarms`;
const pageTopicArn = `arn:aws:sns:${region}:123456789012:pages`;
const keyArn = `arn:aws:kms:${region}:123456789012:key/mrk-0d4e8b6f7c214a959e385f1b2c7d6a03`;
const logKeyArn = `arn:aws:kms:${region}:123456789012:key/0d4e8b6f-7c21-4a95-9e38-5f1b2c7d6a03`;
const tags = { 'cost-center': '4711', Owner: 'platform@example.com' };

/** Everything that a company's platform team may ask for, with every stack that an option adds. */
const settings = {
  ...withoutEmail,
  region,
  waf: true,
  replicaRegion: 'eu-west-1',
  backupVaultArn: exampleVault,
  deliveredBy: 'acme/holdfast:production-diff:production',
  monthlyBudget: 100,
  alarmTopicArn: topicArn,
  pageTopicArn,
  tags,
  permissionsBoundary: 'boundaries/acme',
  bootstrapQualifier: 'acme',
  logKeyArn,
  allowedNetworks: ['198.51.100.0/24', '203.0.113.7/32', '2001:db8:1::/48'],
  priceClass: '100',
};
const company = synthesize(settings);
const withKey = synthesize({ ...settings, keyArn });
const plain = synthesize({ ...withoutEmail, region });

describe('an installation in a company’s account', () => {
  test('has the company’s tags on every resource that has the installation’s own', () => {
    const tagged = company.resources.filter(({ resource }) => JSON.stringify(resource).includes('"application"'));
    expect(tagged.length).toBeGreaterThan(400);
    for (const { id, resource } of tagged) {
      const text = JSON.stringify(resource.Properties);
      for (const [key, value] of Object.entries(tags)) {
        expect(text.includes(`{"Key":"${key}","Value":"${value}"}`) || text.includes(`"${key}":"${value}"`), id).toBe(
          true,
        );
      }
    }
    // Those of the CDK's own functions are not set by the CDK.
    for (const type of [
      'AWS::Lambda::Function',
      'AWS::IAM::Role',
      'AWS::Logs::LogGroup',
      'AWS::SQS::Queue',
      'AWS::CloudWatch::Alarm',
    ]) {
      expect(
        company.propertiesOf(type).every(({ Tags }) => JSON.stringify(Tags).includes('cost-center')),
        type,
      ).toBe(true);
    }
    const [table] = company.propertiesOf('AWS::DynamoDB::GlobalTable');
    for (const { Tags } of table.Replicas) expect(JSON.stringify(Tags)).toContain('cost-center');
  });

  const boundaries = (of: typeof company) =>
    of.propertiesOf('AWS::IAM::Role').map(one => JSON.stringify(one.PermissionsBoundary));

  test('limits every role by the company’s boundary, and without one none', () => {
    const expected = expect.stringMatching(/:iam::.*:policy\/boundaries\/acme"/);
    expect(boundaries(company)).toEqual(boundaries(company).map(() => expected));
    expect(boundaries(company).length).toBeGreaterThan(100);
    expect(new Set(boundaries(plain))).toEqual(new Set([undefined]));
  });

  test('gets another role for each function with another boundary, so that the old version keeps its rights', () => {
    const permissionsBoundary = 'arn:aws:iam::123456789012:policy/other';
    const other = synthesize({ ...settings, permissionsBoundary });
    expect(new Set(boundaries(other))).toEqual(new Set([JSON.stringify(permissionsBoundary)]));
    expect(harmsOf(company.templates, other.templates)).toEqual([]);
    expect(harmsOf(other.templates, company.templates)).toEqual([]);
  });

  test('uses the bootstrap with the company’s qualifier, also in the pipeline', () => {
    const text = JSON.stringify([...company.templates.values()]);
    expect(text).not.toContain('hnb659fds');
    for (const role of ['deploy', 'file-publishing', 'lookup']) expect(text).toContain(`cdk-acme-${role}-role-`);
    const artifacts = company.app.synth().stacks;
    expect(artifacts.length).toBeGreaterThan(5);
    for (const { assumeRoleArn, bootstrapStackVersionSsmParameter } of artifacts) {
      expect(assumeRoleArn).toContain(':role/cdk-acme-deploy-role-');
      expect(bootstrapStackVersionSsmParameter).toBe('/cdk-bootstrap/acme/version');
    }
  });

  test('encrypts every log group of its own under the company’s key', () => {
    const keys = (of: typeof company) =>
      new Set(of.propertiesOf('AWS::Logs::LogGroup').map(({ KmsKeyId }) => KmsKeyId));
    expect(keys(company)).toEqual(new Set([logKeyArn]));
    expect(keys(plain)).toEqual(new Set([undefined]));
  });

  test('is served from the locations of the price class', () => {
    const classOf = (of: typeof company) =>
      of.single('AWS::CloudFront::Distribution').Properties.DistributionConfig.PriceClass;
    expect([company, plain].map(classOf)).toEqual(['PriceClass_100', 'PriceClass_All']);
  });
});

describe('alarms', () => {
  const actionsOf = (of: typeof company) =>
    new Map(
      of.propertiesOf('AWS::CloudWatch::Alarm').map(({ AlarmName, AlarmDescription, AlarmActions, OKActions }) => {
        const [, severity] = /^\[(page|notify)\] [A-Z]/.exec(AlarmDescription) ?? [];
        return [String(AlarmName).replace('holdfast-', ''), { severity, AlarmActions, OKActions }];
      }),
    );

  test('go to the company’s topic, and those that should wake somebody also to its second one', () => {
    expect(company.ofType('AWS::SNS::Topic')).toEqual([]);
    expect(company.ofType('AWS::SNS::TopicPolicy')).toEqual([]);
    expect(company.ofType('AWS::SNS::Subscription')).toEqual([]);
    const severities = new Set<string | undefined>();
    for (const [name, { severity, AlarmActions, OKActions }] of actionsOf(company)) {
      severities.add(severity);
      const expected = severity === 'page' ? [topicArn, pageTopicArn] : [topicArn];
      expect([AlarmActions, OKActions], name).toEqual([expected, expected]);
    }
    expect(severities).toEqual(new Set(['page', 'notify']));
  });

  test('of a warning name its severity too', () => {
    const targets = (id: string) =>
      company.ofType('AWS::Events::Rule').find(one => one.id.startsWith(id))?.resource.Properties.Targets;
    expect(targets('KeyInDanger').map(({ Arn }: { Arn: string }) => Arn)).toEqual([topicArn, pageTopicArn]);
    expect(targets('KeyInDanger')[0].Input).toMatch(/^"\[page\] /);
    expect(targets('BackupFailed').map(({ Arn }: { Arn: string }) => Arn)).toEqual([topicArn]);
    expect(targets('BackupFailed')[0].Input).toMatch(/^"\[notify\] /);
  });

  test('can page without a topic of the company for all of them', () => {
    const own = synthesize({ ...fullSettings, pageTopicArn });
    const { AlarmActions } = actionsOf(own).get('ApiErrors') ?? {};
    expect(AlarmActions).toHaveLength(2);
    expect(AlarmActions[1]).toBe(pageTopicArn);
    expect(JSON.stringify(AlarmActions[0])).toMatch(/:?Alarms[0-9A-F]{8}/);
  });

  test('about the budget go to the company’s topic', () => {
    const { NotificationsWithSubscribers } = company.single('AWS::Budgets::Budget').Properties;
    for (const { Subscribers } of NotificationsWithSubscribers)
      expect(Subscribers).toEqual([{ Address: topicArn, SubscriptionType: 'SNS' }]);
  });
});

describe('an existing key', () => {
  test('is used instead of one of the installation’s own, under the same conditions', () => {
    const own = (of: typeof company) => of.ofType('AWS::KMS::Key').map(({ id }) => id);
    // The backups' vault keeps its own.
    expect(own(withKey)).toHaveLength(own(company).length - 1);
    expect(withKey.ofType('AWS::KMS::Alias')).toEqual([]);
    expect(new Set(withKey.settings().map(({ KMS_KEY_ID }) => KMS_KEY_ID))).toEqual(new Set([keyArn, undefined]));
    const uses = (of: typeof company) => of.statements().filter(({ Sid }) => Sid?.startsWith('UseKeyOf'));
    expect(uses(withKey)).toEqual(uses(company).map(statement => ({ ...statement, Resource: keyArn })));
    expect(uses(withKey).length).toBeGreaterThan(10);
    for (const { Condition } of uses(withKey)) {
      expect(Condition).toHaveProperty('ForAllValues:StringEquals.kms:EncryptionContextKeys');
      expect(Condition).toHaveProperty('Null');
    }
  });

  test('is watched, and its replica is left to its owner', () => {
    const rule = withKey.ofType('AWS::Events::Rule').find(({ id }) => id.startsWith('KeyInDanger'));
    expect(rule?.resource.Properties.EventPattern.detail.requestParameters.keyId).toContain(keyArn);
    expect(withKey.ofType('AWS::KMS::ReplicaKey')).toEqual([]);
    expect(company.ofType('AWS::KMS::ReplicaKey')).toHaveLength(1);
  });
});

describe('with allowed networks, the firewall', () => {
  test('rejects everything else first, except for the payment provider’s events', () => {
    const [first, second] = company.single('AWS::WAFv2::WebACL').Properties.Rules;
    expect(first).toMatchObject({ Name: 'OtherNetworks', Priority: 0, Action: { Block: {} } });
    const refused = first.Statement.AndStatement.Statements.map(
      (one: { NotStatement: { Statement: object } }) => one.NotStatement.Statement,
    );
    expect(refused.map((one: object) => Object.keys(one)[0])).toEqual([
      'IPSetReferenceStatement',
      'IPSetReferenceStatement',
      'ByteMatchStatement',
    ]);
    expect(refused[2].ByteMatchStatement).toMatchObject({
      SearchString: '/v1/billing/webhook',
      PositionalConstraint: 'EXACTLY',
    });
    expect(second).toMatchObject({ Name: 'RequestsPerAddress', Priority: 1 });
    const sets = company
      .propertiesOf('AWS::WAFv2::IPSet')
      .map(({ IPAddressVersion, Addresses, Scope }) => [IPAddressVersion, Addresses, Scope]);
    expect(sets).toEqual([
      ['IPV4', ['198.51.100.0/24', '203.0.113.7/32'], 'CLOUDFRONT'],
      ['IPV6', ['2001:db8:1::/48'], 'CLOUDFRONT'],
    ]);
  });

  test('is not in the way of the check, which calls the gateway as the edge does', () => {
    const inputOf = (of: typeof company) => {
      const rule = of.ofType('AWS::Events::Rule').find(({ id }) => id.startsWith('CheckService'));
      return JSON.stringify(rule?.resource.Properties.Targets[0].Input);
    };
    expect(inputOf(company)).toMatch(/gatewayOrigin.*execute-api/);
    expect(inputOf(plain)).not.toContain('gatewayOrigin');
    expect(company.settingsOf('check-service')).toHaveProperty('EDGE_SECRETS');
    expect(plain.settingsOf('check-service')).not.toHaveProperty('EDGE_SECRETS');
  });
});
