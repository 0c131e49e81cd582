import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, test } from 'vitest';
import { functions } from '../../../infra/plan/functions.ts';
import { accessLogFormat } from '../../../infra/plan/http-api.ts';
import { routes } from '../../../lib/contracts/routes.ts';
import { maximumReceives } from '../../../lib/deliveries/message.ts';
import { tableDefinition } from '../../../lib/table/definition.ts';
import { fullSettings, type Resource, type Statement, statementsOf, synthesize } from '../../support/installation.ts';

const installation = synthesize(fullSettings);
const { ofType, resources, templates } = installation;

const single = (type: string): Resource => {
  const [found, ...others] = ofType(type);
  if (found === undefined || others.length > 0) throw new Error(`There is not exactly one ${type}.`);
  return found.resource;
};

describe('stacks', () => {
  test('stay below 450 resources each; CloudFormation allows 500', () => {
    for (const [name, template] of templates) {
      expect(Object.keys(template.toJSON().Resources).length, name).toBeLessThan(450);
    }
  });

  test('raise no cdk-nag findings except those accepted with a reason', () => {
    const report = new AwsSolutionsChecks(installation.app).validateScope(installation.app);
    expect(report.violations).toEqual([]);
    const accepted = installation.app.node
      .findAll()
      .flatMap(({ node }) => node.metadata)
      .filter(({ type }) => type === 'aws:cdk:acknowledged-rules')
      .flatMap(({ data }) => Object.entries(data as Record<string, string>));
    expect(new Set(accepted.map(([rule]) => rule))).toEqual(
      new Set(['AwsSolutions-APIG4', 'AwsSolutions-SQS3', 'AwsSolutions-SNS2'].map(rule => `Annotation::${rule}`)),
    );
    for (const [rule, reason] of accepted) expect(reason.length, rule).toBeGreaterThan(30);
  });

  test('look nothing up and name no account and no region', () => {
    const text = JSON.stringify([...templates.values()].map(template => template.toJSON()));
    expect(text).not.toMatch(/resolve:|us-east-1|arn:aws:(?!acm:eu-central-1:123456789012)/);
  });

  test('contain the names of the payment provider’s secrets, never the secrets', () => {
    const receiver = ofType('AWS::Lambda::Function').find(
      ({ resource }) => resource.Properties.FunctionName === 'holdfast-receive-provider-event',
    );
    expect(receiver?.resource.Properties.Environment.Variables).toMatchObject({
      STRIPE_SECRET_KEY_PARAMETER: '/holdfast/stripe-secret-key',
      STRIPE_WEBHOOK_SECRET_PARAMETER: '/holdfast/stripe-webhook-secret',
    });
    const names = ofType('AWS::Lambda::Function').flatMap(({ resource }) =>
      Object.keys(resource.Properties.Environment?.Variables ?? {}),
    );
    expect(names).not.toContain('STRIPE_SECRET_KEY');
    expect(names).not.toContain('STRIPE_WEBHOOK_SECRET');
  });
});

describe('the foundation', () => {
  test('has a table that is billed per request, can be restored to any second of the last 35 days and is protected from deletion', () => {
    const table = single('AWS::DynamoDB::Table');
    expect(table).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
    expect(table.Properties).toMatchObject({
      BillingMode: 'PAY_PER_REQUEST',
      DeletionProtectionEnabled: true,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: 35 },
      TimeToLiveSpecification: { AttributeName: tableDefinition.timeToLiveAttribute, Enabled: true },
      KeySchema: [
        { AttributeName: tableDefinition.partitionKey, KeyType: 'HASH' },
        { AttributeName: tableDefinition.sortKey, KeyType: 'RANGE' },
      ],
    });
  });

  test('can use a restored table and still keeps its own', () => {
    const { ofType: typed } = synthesize({ ...fullSettings, restoredTable: 'holdfast-restored' });
    const names = typed('AWS::Lambda::Function').map(
      ({ resource }) => resource.Properties.Environment.Variables.TABLE_NAME,
    );
    expect(new Set(names)).toEqual(new Set(['holdfast-restored', undefined]));
    const tables = typed('AWS::IAM::Role')
      .flatMap(({ resource }) => statementsOf(resource))
      .filter(({ Sid }) => Sid === 'ReadTable')
      .map(({ Resource }) => JSON.stringify(Resource));
    for (const table of tables) expect(table).toContain(':table/holdfast-restored"');
    expect(typed('AWS::DynamoDB::Table')).toHaveLength(1);
  });

  test('has a key that rotates, survives the stack, and takes 30 days to delete', () => {
    const key = single('AWS::KMS::Key');
    expect(key).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
    expect(key.Properties).toMatchObject({ EnableKeyRotation: true, PendingWindowInDays: 30 });
  });

  test('gives each queue a dead-letter queue and a visibility timeout longer than its function runs', () => {
    const queues = ofType('AWS::SQS::Queue').map(({ id, resource }) => ({ id, ...resource.Properties }));
    const webhooks = queues.find(({ id }) => id.startsWith('WebhookQueue'));
    const jobs = queues.find(({ id }) => id.startsWith('JobQueue'));
    expect(queues).toHaveLength(4);
    expect(queues.every(({ SqsManagedSseEnabled }) => SqsManagedSseEnabled === true)).toBe(true);
    expect(webhooks).toMatchObject({ RedrivePolicy: { maxReceiveCount: maximumReceives }, VisibilityTimeout: 150 });
    expect(jobs).toMatchObject({ RedrivePolicy: { maxReceiveCount: 10 }, VisibilityTimeout: 360 });
  });

  test.each([
    ['domain', ['example.com'], 'example.com'],
    ['address', ['no-reply@example.com'], 'no-reply@example.com'],
    ['existing', ['example.com', 'no-reply@example.com'], undefined],
  ])('with mailIdentity %s lets functions send as the sender only', (mailIdentity, names, created) => {
    const { ofType: typed } = synthesize({ ...fullSettings, mailIdentity });
    const statements = typed('AWS::IAM::Role').flatMap(({ resource }) => statementsOf(resource));
    const sending = statements.filter(({ Sid }) => Sid === 'SendMail');
    const [statement] = sending;
    expect(typed('AWS::SES::EmailIdentity').map(({ resource }) => resource.Properties.EmailIdentity)).toEqual(
      created === undefined ? [] : [created],
    );
    expect(JSON.stringify(statement?.Resource)).toContain('identity/');
    for (const name of names) expect(JSON.stringify(statement?.Resource)).toContain(`identity/${name}"`);
    expect(statement?.Condition).toEqual({ StringEquals: { 'ses:FromAddress': 'no-reply@example.com' } });
  });
});

describe('the API', () => {
  const functionNameOf = new Map(
    ofType('AWS::Lambda::Function').map(({ id, resource }) => [id, String(resource.Properties.FunctionName)]),
  );
  const integrations = new Map(
    ofType('AWS::ApiGatewayV2::Integration').map(({ id, resource }) => [
      id,
      functionNameOf.get(resource.Properties.IntegrationUri['Fn::GetAtt'][0]),
    ]),
  );
  const deployed = ofType('AWS::ApiGatewayV2::Route').map(({ resource: { Properties } }) => ({
    routeKey: String(Properties.RouteKey),
    functionName: integrations.get(Properties.Target['Fn::Join'][1][1].Ref),
  }));

  test('has a route for every endpoint, for the documentation and for unknown paths, and no other', () => {
    expect(deployed.map(({ routeKey }) => routeKey).sort()).toEqual(
      [
        ...routes.map(({ method, path }) => `${method} ${path}`),
        'GET /v1/openapi.json',
        'GET /v1/docs',
        'GET /v1/docs/redoc.js',
        '$default',
      ].sort(),
    );
  });

  test('gives each route its own function, named after its operation', () => {
    for (const { operationId, method, path } of routes) {
      expect(deployed).toContainEqual({ routeKey: `${method} ${path}`, functionName: `holdfast-${operationId}` });
    }
    expect(new Set(deployed.map(({ functionName }) => functionName)).size).toBe(deployed.length);
    expect(functionNameOf.size).toBe(deployed.length + 3);
    expect(functionNameOf.size).toBe(functions.length);
  });

  test('may call each function only from its own route', () => {
    const sources = new Map(
      ofType('AWS::Lambda::Permission').map(({ resource }) => [
        functionNameOf.get(resource.Properties.FunctionName['Fn::GetAtt'][0]),
        JSON.stringify(resource.Properties.SourceArn),
      ]),
    );
    expect(sources.get('holdfast-pull-secrets')).toContain('/*/GET/v1/secrets/*/*/*');
    expect(sources.get('holdfast-unknown-route')).toMatch(/execute-api:.*\/\*"/);
  });

  test('runs functions on Node 24 and ARM, with a timeout below the gateway’s 30 seconds', () => {
    for (const { resource } of ofType('AWS::Lambda::Function')) {
      const { FunctionName, Runtime, Architectures, Timeout, Handler } = resource.Properties;
      expect({ Runtime, Architectures, Handler }, FunctionName).toEqual({
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        Handler: 'index.handler',
      });
      if (!/-(?:run-jobs|roll-up-metrics)$/.test(FunctionName)) expect(Timeout, FunctionName).toBeLessThan(30);
    }
  });

  test('allows the dashboard’s origin with credentials, and no other origin', () => {
    expect(single('AWS::ApiGatewayV2::Api').Properties.CorsConfiguration).toMatchObject({
      AllowOrigins: ['https://dashboard.example.com'],
      AllowCredentials: true,
    });
  });

  test('writes the access log that the metrics are counted from', () => {
    const { AccessLogSettings } = single('AWS::ApiGatewayV2::Stage').Properties;
    expect(JSON.parse(AccessLogSettings.Format)).toEqual(accessLogFormat);
    expect(single('AWS::Logs::SubscriptionFilter').Properties.FilterPattern).toBe('');
  });

  test('throttles all routes, and more strictly those that hash passwords', () => {
    const { DefaultRouteSettings, RouteSettings } = single('AWS::ApiGatewayV2::Stage').Properties;
    expect(DefaultRouteSettings).toMatchObject({ ThrottlingRateLimit: 200, ThrottlingBurstLimit: 400 });
    expect(Object.keys(RouteSettings).sort()).toEqual([
      'POST /v1/auth/change-password',
      'POST /v1/auth/login',
      'POST /v1/auth/register',
      'POST /v1/auth/reset-password',
      'POST /v1/auth/step-up',
    ]);
  });

  test('has one address: its own domain if it has one', () => {
    expect(single('AWS::ApiGatewayV2::Api').Properties.DisableExecuteApiEndpoint).toBe(true);
    expect(single('AWS::ApiGatewayV2::DomainName').Properties.DomainName).toBe('api.example.com');
    const plain = synthesize();
    expect(plain.ofType('AWS::ApiGatewayV2::DomainName')).toEqual([]);
    expect(plain.ofType('AWS::ApiGatewayV2::Api')[0]?.resource.Properties.DisableExecuteApiEndpoint).toBe(false);
  });
});

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);

describe('rights', () => {
  const rights = installation.rights();
  const actionsOf = (name: string) => (rights.get(name) ?? []).flatMap(({ Action }) => list(Action));

  test('of each function are these', async () => {
    const text = [...rights].map(([name, statements]) => `${name}\n${statements.map(described).join('')}`).join('\n');
    await expect(`${text}\n`).toMatchFileSnapshot('rights.snap');
  });

  test('have no wildcard in any action or resource', () => {
    for (const [name, statements] of rights) {
      for (const { Action, Resource } of statements) {
        expect(list(Action).join(), name).not.toContain('*');
        for (const resource of list(Resource)) {
          const text = JSON.stringify(resource);
          expect(text, name).not.toMatch(/\*/);
        }
      }
    }
  });

  test('are a role and a log group with a retention for each function', () => {
    const roles = ofType('AWS::Lambda::Function').map(({ resource }) => resource.Properties.Role['Fn::GetAtt'][0]);
    expect(new Set(roles).size).toBe(functions.length);
    const groups = ofType('AWS::Logs::LogGroup').map(({ resource }) => resource.Properties);
    expect(groups).toHaveLength(functions.length + 1);
    for (const { RetentionInDays, LogGroupName } of groups) expect(RetentionInDays, LogGroupName).toBe(90);
    for (const { resource } of ofType('AWS::IAM::Role')) {
      expect(resource.Properties.ManagedPolicyArns).toBeUndefined();
      // IAM refuses other characters, and then the deployment fails.
      expect(resource.Properties.Description).toMatch(/^[\u0020-\u007e\u00a1-\u00ff]{1,1000}$/);
    }
    // The list of rights would not show a policy anywhere else.
    expect(ofType('AWS::IAM::Policy')).toEqual([]);
  });

  test('of a pull: it reads, decrypts, audits and records the use of its credential, and deletes nothing', () => {
    expect([...new Set(actionsOf('pull-secrets'))].sort()).toEqual(
      [
        'dynamodb:BatchGetItem',
        'dynamodb:GetItem',
        'dynamodb:PutItem',
        'dynamodb:Query',
        'dynamodb:UpdateItem',
        'kms:Decrypt',
        'logs:CreateLogStream',
        'logs:PutLogEvents',
      ].sort(),
    );
    const change = rights.get('pull-secrets')?.find(({ Sid }) => Sid === 'ChangeTable');
    expect(change?.Condition?.['ForAllValues:StringLike']).toEqual({
      'dynamodb:LeadingKeys': ['AUDIT#*', 'RATE#*', 'USER#*'],
    });
  });

  test('of the webhook sender: it uses only its own partitions, and no queue, mail or new key', () => {
    const statements = rights.get('deliver-webhooks') ?? [];
    expect(actionsOf('deliver-webhooks')).not.toContain('dynamodb:DeleteItem');
    expect(actionsOf('deliver-webhooks').filter(action => /^(kms|ses|ssm):/.test(String(action)))).toEqual([
      'kms:Decrypt',
    ]);
    for (const { Action, Condition } of statements) {
      if (list(Action).some(action => String(action).startsWith('dynamodb:'))) expect(Condition).toBeDefined();
    }
  });

  test('to the key of projects and webhooks belong only to functions that handle values or signing secrets', () => {
    const holders = [...rights].flatMap(([name, statements]) =>
      statements.some(({ Sid }) => /^UseKeyOf(?!Credentials|Totp)/.test(Sid)) ? [name] : [],
    );
    expect(holders.sort()).toEqual(
      [
        'create-project',
        'create-webhook',
        'deliver-webhooks',
        'apply-changes',
        'compare-environments',
        'import-secrets',
        'diff-revisions',
        'list-versions',
        'promote-secrets',
        'pull-secrets',
        'restore-secrets',
        'rotate-key',
        'run-jobs',
        'set-secret',
        'validate-environment',
        'bulk-delete-secrets',
        'delete-secret',
      ].sort(),
    );
  });

  test('to the key of authenticator apps belong only to functions that make or check their codes', () => {
    const holders = [...rights].flatMap(([name, statements]) =>
      statements.some(({ Sid }) => Sid === 'UseKeyOfTotp') ? [name] : [],
    );
    expect(holders.sort()).toEqual(['complete-login', 'confirm-totp', 'start-totp', 'step-up']);
  });
});

/** A statement in one line: its actions, its resource, and its limits to partitions or a sender. */
function described({ Effect, Action, Resource, Condition }: Statement): string {
  const services = Map.groupBy(list(Action).map(String), action => action.split(':')[0]);
  return [...services]
    .map(([service, actions]) => {
      const verbs = actions.map(action => action.split(':')[1]).join(', ');
      const held = Object.values(Condition ?? {})
        .flatMap(operator => Object.entries(operator))
        .map(([key, value]) => `, ${key.split(':')[1]} ${list(value).join(' or ')}`);
      return `  ${Effect === 'Deny' ? 'never ' : ''}${service}: ${verbs} on ${list(Resource).map(resourceName).join(' and ')}${held.join('')}\n`;
    })
    .join('');
}

function resourceName(resource: unknown): string {
  const text = JSON.stringify(resource);
  return (
    /(?:GetAtt|ExportsOutputFnGetAtt|referenceto\w*GetAtt)\W*(Table|Key|WebhookQueue|JobQueue)/.exec(text)?.[1] ??
    /(Log)[0-9A-F]{8}"/.exec(text)?.[1]?.replace('Log', 'its log') ??
    /(parameter\/[\w/-]+|identity\/[\w.@-]+)/.exec(text)?.[1] ??
    text
  );
}

describe('alarms', () => {
  const alarms = ofType('AWS::CloudWatch::Alarm').map(({ resource }) => resource.Properties);

  test('say what users notice and what to do first, and notify the operators', () => {
    expect(alarms).toHaveLength(12);
    for (const { AlarmName, AlarmDescription, AlarmActions } of alarms) {
      expect(AlarmDescription, AlarmName).toMatch(/\bfirst\b/i);
      expect(AlarmDescription.length, AlarmName).toBeGreaterThan(100);
      expect(AlarmActions, AlarmName).toHaveLength(1);
    }
    expect(single('AWS::SNS::Subscription').Properties).toMatchObject({
      Protocol: 'email',
      Endpoint: 'operators@example.com',
    });
  });

  test('watch 14 metrics at ten cents a month each', () => {
    const watched = alarms.flatMap(({ Metrics, MetricName }) =>
      MetricName === undefined ? Metrics.filter((metric: { MetricStat?: unknown }) => metric.MetricStat) : [MetricName],
    );
    expect(watched).toHaveLength(14);
  });

  test('come with a warning if the key is disabled or scheduled for deletion', () => {
    const [rule] = ofType('AWS::Events::Rule');
    expect(rule?.resource.Properties.EventPattern.detail.eventName).toEqual(['ScheduleKeyDeletion', 'DisableKey']);
  });
});

test('the installation has nothing that is billed by the hour', () => {
  const types = new Set(resources.map(({ resource }) => resource.Type));
  expect([...types].sort()).toMatchInlineSnapshot(`
    [
      "AWS::ApiGatewayV2::Api",
      "AWS::ApiGatewayV2::ApiMapping",
      "AWS::ApiGatewayV2::DomainName",
      "AWS::ApiGatewayV2::Integration",
      "AWS::ApiGatewayV2::Route",
      "AWS::ApiGatewayV2::Stage",
      "AWS::CloudFormation::Stack",
      "AWS::CloudWatch::Alarm",
      "AWS::CloudWatch::Dashboard",
      "AWS::DynamoDB::Table",
      "AWS::Events::Rule",
      "AWS::IAM::Role",
      "AWS::KMS::Alias",
      "AWS::KMS::Key",
      "AWS::Lambda::EventSourceMapping",
      "AWS::Lambda::Function",
      "AWS::Lambda::Permission",
      "AWS::Logs::LogGroup",
      "AWS::Logs::MetricFilter",
      "AWS::Logs::SubscriptionFilter",
      "AWS::SES::EmailIdentity",
      "AWS::SNS::Subscription",
      "AWS::SNS::Topic",
      "AWS::SNS::TopicPolicy",
      "AWS::SQS::Queue",
      "AWS::SQS::QueuePolicy",
    ]
  `);
});
