import { runInNewContext } from 'node:vm';
import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, test } from 'vitest';
import { firewallRules, keptCopies, watchedMetrics } from '#infra/commands/cost-table.ts';
import {
  functions,
  passwordFunctions,
  pullRoute,
  routedFunctions,
  warmFunctions,
  workers,
} from '#infra/plan/functions.ts';
import { accessLogFormat } from '#infra/plan/http-api.ts';
import { type Statement, statementsOf } from '#infra/stacks/policy.ts';
import { type Contract, isRefusedInMaintenance } from '#lib/contracts/contract.ts';
import { routes } from '#lib/contracts/routes.ts';
import { maintenanceMessage } from '#lib/core/errors.ts';
import { maximumReceives } from '#lib/deliveries/message.ts';
import { tableDefinition } from '#lib/table/definition.ts';
import { exampleSettings, exampleVault, fullSettings, synthesize } from '#test/support/installation.ts';
import { words } from '#test/support/words.ts';

const installation = synthesize(fullSettings);
const { ofType, propertiesOf, single, resources, templates } = installation;
const maintained = synthesize({ ...fullSettings, maintenance: true });
const replicated = { ...fullSettings, region: 'eu-central-1', replicaRegion: 'eu-west-1' };
const restoredKey = 'arn:aws:kms:eu-west-1:123456789012:key/mrk-0d4e8b6f';

const withOptions = synthesize({
  ...fullSettings,
  waf: true,
  region: 'eu-central-1',
  tracing: true,
  provisionedConcurrency: 2,
  monthlyBudget: 100,
  backupVaultArn: exampleVault,
  deliveredBy: 'acme/holdfast:production-diff:production',
});

describe('stacks', () => {
  test('stay below 450 resources each; CloudFormation allows 500', () => {
    for (const [name, template] of templates) expect(Object.keys(template.Resources).length, name).toBeLessThan(450);
  });

  test('are protected from deletion, and their logs outlive them', () => {
    const protectedStacks = installation.stacks.filter(({ nested }) => !nested);
    expect(protectedStacks.map(({ stackName, terminationProtection }) => [stackName, terminationProtection])).toEqual(
      ['foundation', 'api', 'edge'].map(name => [`holdfast-${name}`, true]),
    );
    for (const { resource } of ofType('AWS::Logs::LogGroup'))
      expect(resource.DeletionPolicy).toBe('RetainExceptOnCreate');
  });

  test('raise no cdk-nag findings except those accepted with a reason', () => {
    const report = new AwsSolutionsChecks(installation.app).validateScope(installation.app);
    expect(report.violations).toEqual([]);
    const accepted = installation.app.node
      .findAll()
      .flatMap(({ node }) => node.metadata)
      .filter(({ type }) => type === 'aws:cdk:acknowledged-rules')
      .flatMap(({ data }) => Object.entries(data as Record<string, string>));
    const rules = new Set(accepted.map(([rule]) => rule.replace('Annotation::AwsSolutions-', '').replace(/\[.*/, '')));
    expect(rules).toEqual(new Set(words('APIG4 CFR1 CFR2 CFR3 IAM5 S1 SMG4 SNS2 SQS3')));
    for (const [rule, reason] of accepted) expect(reason.length, rule).toBeGreaterThan(30);
  });

  test('raise none with every option enabled, and record traces if configured', () => {
    const { app } = withOptions;
    expect(new AwsSolutionsChecks(app).validateScope(app).violations).toEqual([]);
    const own = withOptions
      .propertiesOf('AWS::Lambda::Function')
      .filter(({ FunctionName }) => FunctionName !== undefined);
    expect(own).toHaveLength(functions.length);
    for (const { TracingConfig } of own) expect(TracingConfig).toEqual({ Mode: 'Active' });
    for (const { TracingConfig } of propertiesOf('AWS::Lambda::Function')) expect(TracingConfig).toBeUndefined();
  });

  test('look nothing up and name no account or region', () => {
    const text = JSON.stringify([...templates.values()]).replaceAll(fullSettings.certificateArn, '');
    // CloudFormation itself resolves the reference to the edge's secret.
    expect(text).not.toMatch(/resolve:(?!secretsmanager:holdfast\/edge-1:SecretString)|us-east-1|arn:aws:/);
  });

  test('contain the names of the payment provider’s secrets, never the secrets', () => {
    expect(installation.settingsOf('receive-provider-event')).toMatchObject({
      STRIPE_SECRET_KEY_PARAMETER: '/holdfast/stripe-secret-key',
      STRIPE_WEBHOOK_SECRET_PARAMETER: '/holdfast/stripe-webhook-secret',
    });
    const names = installation.settings().flatMap(Object.keys);
    expect(names).not.toContain('STRIPE_SECRET_KEY');
    expect(names).not.toContain('STRIPE_WEBHOOK_SECRET');
  });
});

describe('the foundation', () => {
  test('has a table that is billed per request, can be restored to any second of the last 35 days and is protected from deletion', () => {
    const table = single('AWS::DynamoDB::GlobalTable');
    expect(table).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
    expect(table.Properties).toMatchObject({
      BillingMode: 'PAY_PER_REQUEST',
      TimeToLiveSpecification: { AttributeName: tableDefinition.timeToLiveAttribute, Enabled: true },
      KeySchema: [
        { AttributeName: tableDefinition.partitionKey, KeyType: 'HASH' },
        { AttributeName: tableDefinition.sortKey, KeyType: 'RANGE' },
      ],
      Replicas: [
        {
          DeletionProtectionEnabled: true,
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: 35 },
        },
      ],
    });
  });

  test('has a table that is ready for the load in the settings, together with its replica', () => {
    const warm = { warmThroughputReads: 40_000, warmThroughputWrites: 10_000 };
    const throughputOf = (settings: Record<string, unknown>) =>
      synthesize({ ...replicated, ...settings }).single('AWS::DynamoDB::GlobalTable').Properties.WarmThroughput;
    // CloudFormation sets it for the whole global table.
    expect(throughputOf(warm)).toEqual({ ReadUnitsPerSecond: 40_000, WriteUnitsPerSecond: 10_000 });
    expect(throughputOf({ warmThroughputWrites: 10_000 })).toEqual({ WriteUnitsPerSecond: 10_000 });
    expect(throughputOf({})).toBeUndefined();
  });

  test('can use a restored table and still keeps its own', () => {
    const restored = synthesize({ ...fullSettings, restoredTable: 'holdfast-restored' });
    const tables = new Set(restored.settings().map(({ TABLE_NAME }) => TABLE_NAME));
    expect(tables).toEqual(new Set(['holdfast-restored', undefined]));
    const onTable = restored.statements().filter(({ Sid }) => Sid.startsWith('Table'));
    expect(onTable.length).toBeGreaterThan(functions.length);
    for (const { Resource } of onTable) expect(JSON.stringify(Resource)).toContain(':table/holdfast-restored"');
    expect(restored.ofType('AWS::DynamoDB::GlobalTable')).toHaveLength(1);
  });

  test('under maintenance rejects changes and lets background work wait', () => {
    const unrouted = Object.values(workers).map(({ name }) => `holdfast-${name}`);
    for (const { FunctionName, Environment } of maintained.propertiesOf('AWS::Lambda::Function')) {
      if (!unrouted.includes(FunctionName)) expect(Environment.Variables.MAINTENANCE).toBe('true');
    }
    const enabled = ({ propertiesOf: of }: typeof maintained) =>
      of('AWS::Lambda::EventSourceMapping').map(({ Enabled }) => Enabled);
    expect(enabled(maintained)).toEqual([false, false]);
    expect(enabled(installation)).toEqual([true, true]);
  });

  test('gives each function that hashes passwords one whole CPU', () => {
    const sizes = propertiesOf('AWS::Lambda::Function').map(properties => [
      properties.FunctionName,
      properties.MemorySize,
    ]);
    for (const name of passwordFunctions) expect(sizes).toContainEqual([`holdfast-${name}`, 1769]);
  });

  test('limits how often functions for long questions run at once, so that most of the account is left', () => {
    const reservedIn = (settings: object) =>
      synthesize({ ...fullSettings, ...settings })
        .propertiesOf('AWS::Lambda::Function')
        .map(({ FunctionName, ReservedConcurrentExecutions }) => [FunctionName, ReservedConcurrentExecutions] as const)
        .filter(([, reserved]) => reserved !== undefined)
        .toSorted();
    const long = words('export-organization feed-audit-entries get-exposure list-audit-entries').map(
      name => `holdfast-${name}`,
    );
    const byDefault = reservedIn({});
    expect(byDefault.map(([name]) => name)).toEqual(long);
    // Of the usual quota of 1,000, of which Lambda leaves at least 100 to all other functions.
    expect(byDefault.reduce((sum, [, reserved]) => sum + Number(reserved), 0)).toBeLessThanOrEqual(200);
    expect(reservedIn({ longConcurrency: 7 })).toEqual(long.map(name => [name, 7]));
    expect(reservedIn({ longConcurrency: 0 })).toEqual([]);
  });

  test('has a key that rotates, survives the stack, and takes 30 days to delete', () => {
    const key = single('AWS::KMS::Key');
    expect(key).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
    expect(key.Properties).toMatchObject({ EnableKeyRotation: true, PendingWindowInDays: 30, MultiRegion: true });
  });

  test('can use the replica of a key that another installation lost', () => {
    const restored = synthesize({ ...fullSettings, restoredKey });
    expect(new Set(restored.settings().map(({ KMS_KEY_ID }) => KMS_KEY_ID))).toEqual(new Set([restoredKey, undefined]));
    const rights = restored.statements().filter(({ Sid }) => Sid?.startsWith('UseKeyOf'));
    expect(rights.length).toBeGreaterThan(10);
    for (const { Resource } of rights) expect(Resource).toBe(restoredKey);
  });

  test('has a replica of table and key in a second region if configured', () => {
    const { propertiesOf: of, single: only } = synthesize(replicated);
    const replicas: Record<string, unknown>[] = of('AWS::DynamoDB::GlobalTable')[0].Replicas;
    expect(replicas.map(({ Region }) => Region)).toEqual(['eu-west-1', 'eu-central-1']);
    const isSafe = { DeletionProtectionEnabled: true };
    const recovery = { PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } };
    for (const replica of replicas) expect(replica).toMatchObject({ ...isSafe, ...recovery });
    const replicaOfKey = { DeletionPolicy: 'Retain', Properties: { PendingWindowInDays: 30 } };
    expect(only('AWS::KMS::ReplicaKey')).toMatchObject(replicaOfKey);
  });

  describe('with a replica of the table in a second region', () => {
    const second = {
      ...fullSettings,
      region: 'eu-west-1',
      peerRegion: 'eu-central-1',
      sharedTable: 'holdfast-table',
      restoredKey,
      standby: true,
    };

    test.each([
      ['first', replicated, 'eu-west-1'],
      ['second', second, 'eu-central-1'],
    ])('every function of the %s one with rights to the table looks in both which one serves', (_, settings, peer) => {
      const region = synthesize(settings);
      const withTable = region.settings().filter(({ TABLE_NAME }) => TABLE_NAME !== undefined);
      expect(withTable.length).toBeGreaterThan(10);
      for (const variables of withTable) {
        expect(variables).toMatchObject({ PEER_REGION: peer, FIRST_REGION: 'eu-central-1' });
        // Otherwise sessions would end with each move, and those from before the first one come back with the second.
        expect(variables.RESTORED_TABLE).toBeUndefined();
      }
      const reading = [...region.rights().values()].flat().filter(({ Sid }) => Sid === 'ReadServingRegion');
      expect(reading).toHaveLength(withTable.length);
      for (const { Action, Resource, Condition } of reading) {
        expect(Action).toBe('dynamodb:GetItem');
        expect(Condition).toEqual({ 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['SERVINGREGION'] } });
        const texts = (Resource as unknown[]).map(one => JSON.stringify(one));
        expect(texts).toEqual([expect.not.stringContaining(peer), expect.stringContaining(`:dynamodb:${peer}:`)]);
      }
    });

    test('the standby’s distribution has the certificate of the domain, which stays where it is', () => {
      const config = (settings: Record<string, unknown>) =>
        synthesize(settings).single('AWS::CloudFront::Distribution').Properties.DistributionConfig;
      expect(config(replicated)).toMatchObject({ Aliases: ['secrets.example.com'] });
      const standby = config(second);
      expect(standby.Aliases).toBeUndefined();
      expect(standby.ViewerCertificate).toMatchObject({ AcmCertificateArn: fullSettings.certificateArn });
    });
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
    const other = synthesize({ ...fullSettings, mailIdentity });
    const statement = other.statements().find(({ Sid }) => Sid === 'SendMail');
    expect(other.propertiesOf('AWS::SES::EmailIdentity').map(({ EmailIdentity }) => EmailIdentity)).toEqual(
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
  /** The function behind an ARN: its own, or that of its alias. */
  const functionBehind = (arn: { 'Fn::GetAtt'?: string[]; Ref?: string }) => {
    const alias = ofType('AWS::Lambda::Alias').find(({ id }) => id === arn.Ref);
    return functionNameOf.get(arn['Fn::GetAtt']?.[0] ?? alias?.resource.Properties.FunctionName.Ref);
  };
  const integrations = new Map(
    ofType('AWS::ApiGatewayV2::Integration').map(one => [
      one.id,
      functionBehind(one.resource.Properties.IntegrationUri),
    ]),
  );
  const deployed = propertiesOf('AWS::ApiGatewayV2::Route').map(({ RouteKey, Target }) => ({
    routeKey: String(RouteKey),
    functionName: integrations.get(Target['Fn::Join'][1][1].Ref),
  }));
  const nested = ofType('AWS::CloudFormation::Stack');
  const areas = nested.filter(({ id }) => !/^(Workers|Operations)/.test(id));

  test('has a route for every endpoint, for the documentation and for unknown paths, and no other', () => {
    const documentation = ['openapi.json', 'docs', 'docs/redoc.js'].map(name => `GET /v1/${name}`);
    const expected = [...routes.map(({ method, path }) => `${method} ${path}`), ...documentation, '$default'];
    expect(deployed.map(({ routeKey }) => routeKey).sort()).toEqual(expected.sort());
  });

  test('gives each route its own function, named after its operation', () => {
    for (const { operationId, method, path } of routes) {
      expect(deployed).toContainEqual({ routeKey: `${method} ${path}`, functionName: `holdfast-${operationId}` });
    }
    expect(new Set(deployed.map(({ functionName }) => functionName)).size).toBe(deployed.length);
    expect(functionNameOf.size).toBe(deployed.length + 8);
    expect(functionNameOf.size).toBe(functions.length);
  });

  test('is created area by area, because API Gateway accepts ten changes a second', () => {
    const [first, ...others] = areas;
    expect(others.length).toBeGreaterThan(8);
    expect(first).toBeDefined();
    for (const [index, { resource }] of others.entries()) expect(resource.DependsOn).toContain(areas[index]?.id);
  });

  test('is created after the functions that its own ones invoke or queue work for', () => {
    const workersStack = nested.find(({ id }) => id.startsWith('Workers'));
    for (const { id, resource } of areas) expect(resource.DependsOn, id).toContain(workersStack?.id);
  });

  test('may call each function only from its own route', () => {
    const sourceOf = (name: string) => {
      const of = propertiesOf('AWS::Lambda::Permission').findLast(one => functionBehind(one.FunctionName) === name);
      return JSON.stringify(of?.SourceArn);
    };
    expect(sourceOf('holdfast-pull-secrets')).toContain('/*/GET/v1/secrets/*/*/*');
    expect(sourceOf('holdfast-unknown-route')).toMatch(/execute-api:.*\/\*"/);
  });

  test('runs functions on Node 24 and ARM, with a timeout below the gateway’s 30 seconds', () => {
    const expected = { Runtime: 'nodejs24.x', Architectures: ['arm64'], Handler: 'index.handler' };
    for (const { FunctionName, Timeout, ...others } of propertiesOf('AWS::Lambda::Function')) {
      expect(others, FunctionName).toMatchObject(expected);
      if (
        !/-(?:run-jobs|queue-unfinished-work|archive-audit|mail-due|roll-up-metrics|check-service)$/.test(FunctionName)
      )
        expect(Timeout, FunctionName).toBeLessThan(30);
    }
  });

  test('allows no other origin, and a dashboard elsewhere with credentials', () => {
    expect(single('AWS::ApiGatewayV2::Api').Properties.CorsConfiguration).toBeUndefined();
    const dashboardOrigin = 'https://app.example.com';
    const elsewhere = synthesize({ ...fullSettings, dashboardOrigin });
    const allowed = { AllowOrigins: [dashboardOrigin], AllowCredentials: true };
    expect(elsewhere.single('AWS::ApiGatewayV2::Api').Properties.CorsConfiguration).toMatchObject(allowed);
  });

  test('sets a cookie for other sites only if configured', () => {
    const cookiesOf = ({ settings }: typeof installation) => new Set(settings().map(one => one.SESSION_COOKIE));
    expect(cookiesOf(installation)).toEqual(new Set([undefined]));
    const elsewhere = { dashboardOrigin: 'https://app.example.org', sessionCookie: 'cross-site' };
    expect(cookiesOf(synthesize({ ...exampleSettings, ...elsewhere }))).toEqual(new Set(['cross-site']));
  });

  test('writes the access log that the metrics are counted from', () => {
    const { AccessLogSettings } = single('AWS::ApiGatewayV2::Stage').Properties;
    expect(JSON.parse(AccessLogSettings.Format)).toEqual(accessLogFormat);
    expect(single('AWS::Logs::SubscriptionFilter').Properties.FilterPattern).toBe('');
  });

  test('throttles all routes, and more strictly those that hash passwords', () => {
    const { DefaultRouteSettings, RouteSettings } = single('AWS::ApiGatewayV2::Stage').Properties;
    expect(DefaultRouteSettings).toMatchObject({ ThrottlingRateLimit: 1000, ThrottlingBurstLimit: 2000 });
    const rates = Object.entries(RouteSettings as Record<string, { ThrottlingRateLimit: number }>);
    const strict = rates
      .map(([route, { ThrottlingRateLimit: rate }]) => [route, rate] as const)
      .filter(([, rate]) => rate < 1000);
    const names = words('change-password login register reset-password step-up');
    const posts = names.map(name => [`POST /v1/auth/${name}`, 200]);
    expect(strict.toSorted()).toEqual([['DELETE /v1/auth/me', 200], ...posts]);
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
      const named = statements.flatMap(({ Action, Resource }) => [...list(Action), ...list(Resource)]);
      for (const value of named) expect(JSON.stringify(value), name).not.toContain('*');
    }
  });

  test('fit into the 10,240 characters that IAM allows for all inline policies of a role, with half to spare', () => {
    const sizes = [...rights].map(([name, statements]) => ({ name, size: JSON.stringify(statements).length }));
    expect(sizes.filter(({ size }) => size > 5120)).toEqual([]);
  });

  test('consist of a role and a log group with a retention for each function', () => {
    const roles = propertiesOf('AWS::Lambda::Function').map(({ Role }) => Role['Fn::GetAtt'][0]);
    expect(new Set(roles).size).toBe(functions.length);
    const groups = propertiesOf('AWS::Logs::LogGroup');
    expect(groups).toHaveLength(functions.length + 1);
    for (const { RetentionInDays, LogGroupName } of groups) expect(RetentionInDays, LogGroupName).toBe(90);
    for (const { ManagedPolicyArns, Description } of propertiesOf('AWS::IAM::Role')) {
      expect(ManagedPolicyArns).toBeUndefined();
      // IAM rejects other characters, and then the deployment fails.
      expect(Description).toMatch(/^[\u0020-\u007e\u00a1-\u00ff]{1,1000}$/);
    }
    // The snapshot of rights would miss a policy elsewhere.
    expect(ofType('AWS::IAM::Policy')).toEqual([]);
  });

  test('of a pull: it reads, decrypts, audits and records the use of its credential, and deletes nothing', () => {
    const onTable = words('BatchGetItem GetItem PutItem Query UpdateItem').map(name => `dynamodb:${name}`);
    const others = words('kms:Decrypt logs:CreateLogStream logs:PutLogEvents');
    expect([...new Set(actionsOf('pull-secrets'))].sort()).toEqual([...onTable, ...others]);
    const changed = (action: string) =>
      rights.get('pull-secrets')?.find(one => one.Effect === 'Allow' && list(one.Action).includes(action))?.Condition?.[
        'ForAllValues:StringLike'
      ]?.['dynamodb:LeadingKeys'];
    expect(changed('dynamodb:PutItem')).toEqual(['AUDIT#*']);
    expect(changed('dynamodb:UpdateItem')).toEqual(['RATE#*', 'USER#*']);
  });

  test('of the webhook sender: it uses only its own partitions, and no queue, e-mail or new key', () => {
    const actions = actionsOf('deliver-webhooks');
    expect(actions).not.toContain('dynamodb:DeleteItem');
    expect(actions.filter(action => /^(kms|ses|ssm):/.test(String(action)))).toEqual(['kms:Decrypt']);
    for (const { Action, Condition } of rights.get('deliver-webhooks') ?? []) {
      if (list(Action).some(action => String(action).startsWith('dynamodb:'))) expect(Condition).toBeDefined();
    }
  });

  const holdersOf = (key: RegExp) =>
    [...rights].flatMap(([name, statements]) => (statements.some(({ Sid }) => key.test(Sid)) ? [name] : [])).sort();

  test('to the key for projects and webhooks are limited to functions that handle values or signing secrets', () => {
    const holders =
      words(`apply-changes apply-proposal approve-proposal bulk-delete-secrets compare-environments create-project create-proposal
      create-webhook delete-secret deliver-webhooks diff-revisions export-organization get-proposal import-secrets list-versions
      promote-secrets pull-secrets rebase-proposal restore-secrets rotate-key
      run-jobs set-secret validate-environment`);
    expect(holdersOf(/^UseKeyOf(?!Credentials|Totp|Provider)/)).toEqual(holders);
  });

  test('to the key for the secrets of sign-in providers are limited to setting one and to signing in', () => {
    expect(holdersOf(/^UseKeyOfProvider$/)).toEqual(['complete-provider-sign-in', 'set-sign-in']);
  });

  test('to the key for authenticator apps are limited to functions that create or check their codes', () => {
    const holders = words('close-account complete-login confirm-totp start-totp step-up');
    expect(holdersOf(/^UseKeyOfTotp$/)).toEqual(holders);
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
    /(parameter\/[\w/-]+|identity\/[\w.@-]+|function:[\w:-]+)/.exec(text)?.[1] ??
    text
  );
}

describe('a gradual deployment', () => {
  const aliases = ofType('AWS::Lambda::Alias');
  const gradual = routedFunctions.filter(({ isGradual }) => isGradual).map(({ name }) => `holdfast-${name}`);

  test('is that of what pipelines, pods and people logging in wait for', () => {
    const isCredential = ({ operationId, access, servedInMaintenance }: Contract) =>
      (access.kind === 'public' && servedInMaintenance === true) || operationId === 'complete-provider-sign-in';
    const isDeployed = ({ operationId, access, path }: Contract) =>
      access.kind === 'member' &&
      access.deployers === true &&
      // A proposal waits for people anyway.
      !path.includes('/proposals') &&
      (access.tokens === 'write' || ['pull-secrets', 'list-keys'].includes(operationId));
    const expected = (routes as readonly Contract[]).filter(route => isCredential(route) || isDeployed(route));
    expect(gradual.toSorted()).toEqual(expected.map(({ operationId }) => `holdfast-${operationId}`).toSorted());
  });

  test('sends a tenth of the requests to the new version, and rolls back by itself', () => {
    const groups = propertiesOf('AWS::CodeDeploy::DeploymentGroup');
    expect(groups).toHaveLength(gradual.length);
    for (const group of groups) {
      expect(group).toMatchObject({
        DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent5Minutes',
        AutoRollbackConfiguration: { Enabled: true, Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_ALARM'] },
        AlarmConfiguration: { Enabled: true },
      });
    }
    const stepwise = aliases.filter(({ resource }) => resource.UpdatePolicy !== undefined);
    expect(stepwise).toHaveLength(gradual.length);
    for (const { resource } of stepwise) {
      expect(resource.UpdatePolicy).toHaveProperty('CodeDeployLambdaAliasUpdate.DeploymentGroupName');
    }
  });

  test('can be undone for each function, because an alias invokes it and its versions stay', () => {
    const functionIds = ofType('AWS::Lambda::Function').map(({ id }) => id);
    expect(aliases.map(({ resource }) => resource.Properties.FunctionName.Ref).toSorted()).toEqual(
      functionIds.toSorted(),
    );
    const versions = ofType('AWS::Lambda::Version');
    expect(versions).toHaveLength(functionIds.length);
    // Deleted after a failed deployment: Lambda publishes no version that equals the last one.
    for (const { resource } of versions) expect(resource.DeletionPolicy).toBe('RetainExceptOnCreate');
    const invoked = [
      ...propertiesOf('AWS::ApiGatewayV2::Integration').map(({ IntegrationUri }) => IntegrationUri),
      ...propertiesOf('AWS::Lambda::EventSourceMapping').map(({ FunctionName }) => FunctionName),
      ...propertiesOf('AWS::Lambda::Permission').map(({ FunctionName }) => FunctionName),
      ...propertiesOf('AWS::Logs::SubscriptionFilter').map(({ DestinationArn }) => DestinationArn),
    ];
    const ids = new Set(aliases.map(({ id }) => id));
    for (const { Ref } of invoked) expect(ids, JSON.stringify(Ref)).toContain(Ref);
    const outbound = 'holdfast-make-outbound-requests:live';
    expect(new Set(installation.settings().map(({ OUTBOUND_FUNCTION: name }) => name))).toEqual(
      new Set([undefined, outbound]),
    );
  });

  test('gives a route permission to invoke its alias before it does so', () => {
    for (const { id, resource } of ofType('AWS::ApiGatewayV2::Integration')) {
      expect(resource.DependsOn).toEqual([id.replace('Integration', 'Permission')]);
    }
  });

  test('is watched by an alarm on the errors, crashes and timeouts of the new versions only', () => {
    const stepwise = aliases.filter(({ resource }) => resource.UpdatePolicy !== undefined);
    const versions = stepwise.map(({ resource }) => resource.Properties.FunctionVersion['Fn::GetAtt'][0]);
    expect(versions).toHaveLength(gradual.length);
    const watched = ofType('AWS::CloudWatch::Alarm').filter(({ id }) => id.startsWith('DeploymentFails'));
    const alarmNames = watched.map(({ resource }) => resource.Properties.AlarmName).sort();
    expect(alarmNames).toEqual(['auth', 'identities', 'secrets'].map(area => `holdfast-Deployment-${area}`));
    const text = JSON.stringify([
      ...watched.map(({ resource }) => resource.Properties.Metrics),
      ...propertiesOf('AWS::Logs::MetricFilter')
        .filter(({ MetricTransformations: [to] }) => to.MetricName.startsWith('GradualErrors'))
        .map(({ FilterPattern }) => FilterPattern),
    ]);
    // Once as a dimension of Lambda's own metric, once in the pattern of the log filter.
    for (const id of versions) expect(text.split(`["${id}","Version"]`), id).toHaveLength(3);
    expect(text).toContain('$.alarm NOT EXISTS');

    const names = watched.map(({ id }) => id);
    for (const { AlarmConfiguration } of propertiesOf('AWS::CodeDeploy::DeploymentGroup')) {
      expect(names).toContain(AlarmConfiguration.Alarms[0].Name.Ref);
    }
    // An alarm created after the alias has moved would watch nothing.
    for (const { id, resource } of stepwise) {
      const { DependsOn = [] } = resource as { DependsOn?: string[] };
      expect(names.filter(name => DependsOn.includes(name)).length, id).toBeGreaterThan(0);
    }
  });

  test.each(['at-once', 'emergency'] as const)('moves everything at once and unwatched: %s', rollout => {
    const urgent = synthesize(fullSettings, { rollout });
    for (const group of urgent.propertiesOf('AWS::CodeDeploy::DeploymentGroup')) {
      expect(group).toMatchObject({
        DeploymentConfigName: 'CodeDeployDefault.LambdaAllAtOnce',
        AlarmConfiguration: { Enabled: false },
        AutoRollbackConfiguration: { Events: ['DEPLOYMENT_FAILURE'] },
      });
    }
    const api = urgent.stacks.find(({ stackName }) => stackName === 'holdfast-api');
    expect(api?.tags.tagValues()).toMatchObject({ rollout });
  });

  test('is not gradual under maintenance, when versions could work on two tables', () => {
    for (const { DeploymentConfigName } of maintained.propertiesOf('AWS::CodeDeploy::DeploymentGroup')) {
      expect(DeploymentConfigName).toBe('CodeDeployDefault.LambdaAllAtOnce');
    }
  });

  test('keeps instances warm if configured', () => {
    const warm = synthesize({ ...fullSettings, provisionedConcurrency: 3 })
      .propertiesOf('AWS::Lambda::Alias')
      .filter(({ ProvisionedConcurrencyConfig }) => ProvisionedConcurrencyConfig !== undefined);
    expect(warm).toHaveLength(warmFunctions.length);
    for (const { ProvisionedConcurrencyConfig } of warm)
      expect(ProvisionedConcurrencyConfig).toMatchObject({ ProvisionedConcurrentExecutions: 3 });
    expect(ofType('AWS::Lambda::Alias')[0]?.resource.Properties).not.toHaveProperty('ProvisionedConcurrencyConfig');
  });
});

describe('the five-minute schedule', () => {
  const ruleOf = (name: string, typed: typeof ofType) =>
    typed('AWS::Events::Rule').find(({ id }) => id.startsWith(name))?.resource.Properties;

  test('runs the service check if an account is configured for it', () => {
    const rule = ruleOf('CheckService', ofType);
    expect(rule).toMatchObject({ ScheduleExpression: 'rate(5 minutes)', State: 'ENABLED' });
    const input = { parameter: '/holdfast/check', isReadOnly: false, domainName: 'secrets.example.com' };
    expect(JSON.parse(rule.Targets[0].Input)).toEqual(input);
    const underMaintenance = ruleOf('CheckService', maintained.ofType);
    expect(underMaintenance).toMatchObject({ State: 'ENABLED' });
    expect(JSON.parse(underMaintenance.Targets[0].Input)).toMatchObject({ isReadOnly: true });
    expect(ruleOf('CheckService', synthesize().ofType)).toMatchObject({ State: 'DISABLED' });
  });

  test('looks for unfinished work, except under maintenance, when jobs wait in the queue', () => {
    const name = 'QueueUnfinishedWork';
    expect(ruleOf(name, ofType)).toMatchObject({ ScheduleExpression: 'rate(5 minutes)', State: 'ENABLED' });
    expect(ruleOf(name, maintained.ofType)).toMatchObject({ State: 'DISABLED' });
  });

  test('mails what is due each morning, except under maintenance', () => {
    const expected = { ScheduleExpression: 'cron(0 6 * * ? *)', State: 'ENABLED' };
    expect(ruleOf('MailDue', ofType)).toMatchObject(expected);
    expect(ruleOf('MailDue', maintained.ofType)).toMatchObject({ State: 'DISABLED' });
  });

  test('runs once each time, but repeats letters that failed', () => {
    const configs = propertiesOf('AWS::Lambda::EventInvokeConfig');
    expect(configs.map(({ MaximumRetryAttempts }) => MaximumRetryAttempts)).toEqual([0, 0, 2, 0]);
    // Rules invoke the alias, which must exist before its name is configured.
    expect(configs.map(({ Qualifier }) => Qualifier)).toEqual(['live', 'live', 'live', 'live']);
    for (const { resource } of ofType('AWS::Lambda::EventInvokeConfig')) {
      expect(resource.DependsOn).toEqual([expect.stringMatching(/Live/)]);
    }
    for (const { Targets } of propertiesOf('AWS::Events::Rule').filter(one => one.ScheduleExpression !== undefined)) {
      expect(Targets[0].Arn.Ref).toMatch(/Live/);
    }
  });
});

interface Metric {
  MetricStat?: { Period: number };
}

describe('alarms', () => {
  const alarms = propertiesOf('AWS::CloudWatch::Alarm').filter(({ AlarmActions }) => AlarmActions !== undefined);

  const alarmsOf = (settings: Record<string, unknown>) =>
    new Map(
      synthesize(settings)
        .propertiesOf('AWS::CloudWatch::Alarm')
        .map(alarm => [String(alarm.AlarmName).replace('holdfast-', ''), alarm]),
    );

  test('describe what users notice and what to do first, and notify the operators', () => {
    const all = [...alarmsOf(replicated).values()];
    expect(all).toHaveLength(28);
    for (const { AlarmName, AlarmDescription, AlarmActions, OKActions, ActionsEnabled } of all) {
      expect(AlarmDescription, AlarmName).toMatch(/\bfirst\b/i);
      // CloudWatch allows 1,024 characters.
      expect(AlarmDescription, AlarmName).toMatch(/^.{101,1024}$/s);
      expect(AlarmActions, AlarmName).toHaveLength(1);
      expect(OKActions, AlarmName).toEqual(AlarmActions);
      expect(ActionsEnabled, AlarmName).not.toBe(false);
    }
    const subscription = { Protocol: 'email', Endpoint: 'operators@example.com' };
    expect(single('AWS::SNS::Subscription').Properties).toMatchObject(subscription);
  });

  test('exist only where their metric does', () => {
    const optional = ['ServiceCheckFailed', 'CertificateEnds', 'ReplicaLate'];
    const present = (settings: Record<string, unknown>) => {
      const names = [...alarmsOf(settings).keys()];
      return optional.filter(name => names.includes(name));
    };
    const { domainName: _, certificateArn: __, ...withoutDomain } = fullSettings;
    expect(present(exampleSettings)).toEqual([]);
    expect(present(withoutDomain)).toEqual(['ServiceCheckFailed']);
    expect(present(fullSettings)).toEqual(['ServiceCheckFailed', 'CertificateEnds']);
    expect(present(replicated)).toEqual(optional);
    expect(present({ ...replicated, restoredTable: 'holdfast-restored' })).not.toContain('ReplicaLate');
  });

  test('notify when the check no longer runs, but not before its first run', () => {
    const notifyingWithoutData = alarms.filter(
      ({ TreatMissingData, InsufficientDataActions }) =>
        TreatMissingData !== 'notBreaching' || InsufficientDataActions !== undefined,
    );
    // A new alarm is in INSUFFICIENT_DATA, and only a change of its state notifies.
    const expected = { AlarmName: 'holdfast-ServiceCheckFailed', TreatMissingData: 'missing' };
    const InsufficientDataActions = notifyingWithoutData[0]?.AlarmActions;
    expect(notifyingWithoutData).toMatchObject([{ ...expected, InsufficientDataActions }]);
  });

  test('on quotas ring before Lambda or KMS throttles', () => {
    const quotas = alarms.filter(({ Metrics }) => JSON.stringify(Metrics)?.includes('SERVICE_QUOTA'));
    const watched = quotas.map(({ AlarmName, Threshold, Metrics }) => {
      const [expression, used] = Metrics;
      const { Namespace, MetricName } = used.MetricStat.Metric;
      return [AlarmName, Threshold, expression.Expression, `${Namespace} ${MetricName} ${used.MetricStat.Period}`];
    });
    const share = '100 * used / SERVICE_QUOTA(used)';
    expect(watched).toEqual([
      ['holdfast-FunctionsNearQuota', 80, share, 'AWS/Lambda ConcurrentExecutions 300'],
      ['holdfast-KeyNearQuota', 80, share, 'AWS/Usage CallCount 60'],
    ]);
  });

  test('on failed requests leave out what is refused under maintenance, whether it is on or was on within their hours', () => {
    for (const { propertiesOf: of } of [installation, maintained]) {
      const counting = of('AWS::Logs::MetricFilter').filter(
        ({ MetricTransformations: [to] }) => to.MetricName === 'RefusedUnderMaintenance',
      );
      // A zero for each request, so that the difference below has data whenever there are requests.
      const [zero, ...ones] = counting;
      expect(zero).toMatchObject({ FilterPattern: '', MetricTransformations: [{ MetricValue: '0' }] });
      expect(JSON.stringify(zero.LogGroupName)).toContain('AccessLog');
      expect(ones).toHaveLength(routes.filter(route => isRefusedInMaintenance(route)).length);
      for (const { FilterPattern: pattern, MetricTransformations } of ones) {
        expect(pattern).toBe(`{ $.reason = "${maintenanceMessage}" }`);
        expect(MetricTransformations).toMatchObject([{ MetricValue: '1', MetricNamespace: 'holdfast' }]);
      }
      const failures = of('AWS::CloudWatch::Alarm').filter(one => one.AlarmName.startsWith('holdfast-ApiErrors'));
      expect(failures).toHaveLength(2);
      const IF = (test: boolean, yes: number, no: number) => (test ? yes : no);
      const FILL = (value: number) => value;
      for (const { Metrics } of failures) {
        const percentOf = (errors: number, announced: number): number =>
          runInNewContext(Metrics[0].Expression, { IF, FILL, errors, announced, requests: 1000 });
        expect([percentOf(500, 500), percentOf(501, 500), percentOf(20, 0)]).toEqual([0, 0, 2]);
        expect(percentOf(502, 500)).toBeCloseTo(0.2);
      }
    }
  });

  test('say nothing about work that waits because of maintenance', () => {
    const silent = [...alarmsOf({ ...fullSettings, maintenance: true })].filter(
      ([, { ActionsEnabled }]) => ActionsEnabled === false,
    );
    expect(silent.map(([name]) => name)).toEqual(['WebhooksLate', 'JobsLate']);
  });

  test('watch as many metrics as the cost table counts', () => {
    const watched = propertiesOf('AWS::CloudWatch::Alarm').flatMap(({ MetricName, Metrics }) =>
      MetricName === undefined ? Metrics.filter(({ MetricStat }: Metric) => MetricStat) : [MetricName],
    );
    expect(watched).toHaveLength(watchedMetrics);
  });

  test('have the rules of the firewall and the copies of the table that the cost table assumes', () => {
    const [firewall] = withOptions.propertiesOf('AWS::WAFv2::WebACL');
    expect(firewall?.Rules).toHaveLength(firewallRules);
    const rules = withOptions.propertiesOf('AWS::Backup::BackupPlan').flatMap(plan => plan.BackupPlan.BackupPlanRule);
    const [{ Lifecycle: here, CopyActions }] = rules;
    expect(here.DeleteAfterDays + CopyActions[0].Lifecycle.DeleteAfterDays).toBe(keptCopies);
  });

  test('for an objective fire when its budget is used up too fast within an hour or six hours', () => {
    const burns = propertiesOf('AWS::CloudWatch::Alarm').filter(({ AlarmName }) =>
      /-(ApiErrors|PullsSlow)(Budget)?$/.test(AlarmName),
    );
    const thresholds = burns.map(({ AlarmName, Threshold, Metrics }) => [
      AlarmName.replace('holdfast-', ''),
      Math.round(Threshold * 1000) / 1000,
      Metrics.find(({ MetricStat }: Metric) => MetricStat).MetricStat.Period,
    ]);
    expect(thresholds).toEqual([
      ['ApiErrors', 1.44, 3600],
      ['PullsSlow', 14.4, 3600],
      ['ApiErrorsBudget', 0.6, 21_600],
      ['PullsSlowBudget', 6, 21_600],
    ]);
    expect(single('AWS::ApiGatewayV2::Stage').Properties.RouteSettings[pullRoute.routeKey]).toMatchObject({
      DetailedMetricsEnabled: true,
      ThrottlingRateLimit: 1000,
    });
  });

  test('include a dashboard that starts with them and shows each operation', () => {
    const body = JSON.stringify(single('AWS::CloudWatch::Dashboard').Properties.DashboardBody);
    expect(body).toContain('by routeKey');
    expect(body).toContain('@initDuration');
    expect(body.indexOf('\\"alarm\\"')).toBeLessThan(body.indexOf('\\"metric\\"'));
  });

  test('include a budget if configured', () => {
    const { Budget } = synthesize({ ...fullSettings, monthlyBudget: 250 }).single('AWS::Budgets::Budget').Properties;
    expect(Budget.BudgetLimit).toEqual({ Amount: 250, Unit: 'USD' });
    expect(ofType('AWS::Budgets::Budget')).toEqual([]);
  });

  test('count the errors in the log of every function', () => {
    const filters = propertiesOf('AWS::Logs::MetricFilter').filter(
      ({ MetricTransformations: [to] }) => to.MetricName === 'LoggedErrors',
    );
    expect(filters).toHaveLength(functions.length);
    for (const { FilterPattern } of filters) expect(FilterPattern).toBe('{ $.level = "ERROR" }');
  });

  test('can only be published to by this installation’s alarms and rule', () => {
    const statements: { Sid: string; Principal: { Service?: string }; Condition: object }[] =
      single('AWS::SNS::TopicPolicy').Properties.PolicyDocument.Statement;
    const publishing = statements.filter(({ Principal }) => Principal.Service !== undefined);
    expect(publishing.map(({ Sid }) => Sid)).toEqual(['PublishAlarms', 'PublishKeyWarning']);
    expect(JSON.stringify(publishing[0]?.Condition)).toContain(':alarm:holdfast-*');
    expect(JSON.stringify(publishing[1]?.Condition)).toContain('KeyInDanger');
  });

  test('include a warning if the key is disabled, shared or scheduled for deletion', () => {
    const rule = ofType('AWS::Events::Rule').find(({ id }) => id.startsWith('KeyInDanger'));
    const events = words('ScheduleKeyDeletion DisableKey PutKeyPolicy CreateGrant');
    expect(rule?.resource.Properties.EventPattern.detail.eventName).toEqual(events);
  });
});

describe('the copy in another account', () => {
  const stack = Object.values(withOptions.templates.get('holdfast-backup')?.Resources ?? {});
  const one = (type: string) => {
    const [first, ...others] = stack.filter(({ Type }) => Type === type);
    if (first === undefined || others.length > 0) throw new Error(`There is not exactly one ${type}.`);
    return first;
  };

  test('is made daily from a backup of the table, and kept as long as its point-in-time recovery', () => {
    const [table] = withOptions.propertiesOf('AWS::DynamoDB::GlobalTable');
    const { RecoveryPeriodInDays } = table.Replicas[0].PointInTimeRecoverySpecification;
    const [rule, ...others] = one('AWS::Backup::BackupPlan').Properties.BackupPlan.BackupPlanRule;
    expect(others).toEqual([]);
    expect(rule).toMatchObject({
      ScheduleExpression: 'cron(0 3 * * ? *)',
      Lifecycle: { DeleteAfterDays: 7 },
      CopyActions: [{ DestinationBackupVaultArn: exampleVault, Lifecycle: { DeleteAfterDays: RecoveryPeriodInDays } }],
    });
    const { Resources } = one('AWS::Backup::BackupSelection').Properties.BackupSelection;
    expect(JSON.stringify(Resources)).toMatch(/^\[\{"Fn::ImportValue":"holdfast-foundation:ExportsOutputFnGetAttTable/);
  });

  test('covers the restored table if one is in use', () => {
    const changes = { backupVaultArn: exampleVault, restoredTable: 'holdfast-restored' };
    const { propertiesOf: of, ofType: typed } = synthesize({ ...exampleSettings, ...changes });
    const [rule] = typed('AWS::Events::Rule').filter(({ id }) => id.startsWith('BackupFailed'));
    for (const covered of [of('AWS::Backup::BackupSelection')[0], rule?.resource.Properties.EventPattern]) {
      expect(JSON.stringify(covered)).toContain(':table/holdfast-restored"');
    }
  });

  test('starts from a vault with its own key, which outlives the stack and which the other account can only read', () => {
    const key = one('AWS::KMS::Key');
    expect(key).toMatchObject({ DeletionPolicy: 'Retain', Properties: { EnableKeyRotation: true } });
    expect(one('AWS::Backup::BackupVault')).toMatchObject({
      DeletionPolicy: 'Retain',
      Properties: { EncryptionKeyArn: { 'Fn::GetAtt': [expect.stringMatching(/^Key/), 'Arn'] } },
    });
    const foreign = key.Properties.KeyPolicy.Statement.filter(({ Principal }: { Principal: unknown }) =>
      JSON.stringify(Principal).includes('210987654321'),
    );
    expect(foreign.map(({ Action, Condition }: Statement) => [Action, Condition])).toEqual([
      [['kms:DescribeKey', 'kms:Decrypt'], undefined],
      ['kms:CreateGrant', { Bool: { 'kms:GrantIsForAWSResource': 'true' } }],
    ]);
  });

  test('is made by a role that AWS Backup assumes for this account, with access to this table and these vaults', () => {
    const role = one('AWS::IAM::Role');
    expect(role.Properties.ManagedPolicyArns).toBeUndefined();
    expect(role.Properties.AssumeRolePolicyDocument.Statement).toEqual([
      {
        Action: 'sts:AssumeRole',
        Effect: 'Allow',
        Principal: { Service: 'backup.amazonaws.com' },
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      },
    ]);
    const statements = new Map(statementsOf(role).map(statement => [statement.Sid, statement]));
    const names = 'BackUpTable WriteToVaults CopyBackups TagBackups EncryptBackups FindKeyOfCopies GrantToBackup';
    expect([...statements.keys()]).toEqual(words(names));
    for (const [sid, { Resource }] of statements) expect(Resource, sid).not.toBe('*');
    expect(statements.get('BackUpTable')?.Resource).toMatchObject({ 'Fn::ImportValue': expect.any(String) });
    expect(statements.get('WriteToVaults')?.Resource).toContain(exampleVault);
    expect(statements.get('CopyBackups')?.Condition).toEqual({
      'ForAllValues:StringEquals': { 'backup:CopyTargets': [exampleVault] },
    });
  });

  test('is reported on failure, on the alarms’ topic', () => {
    const rule = withOptions.ofType('AWS::Events::Rule').find(({ id }) => id.startsWith('BackupFailed'));
    expect(rule?.resource.Properties.EventPattern).toMatchObject({
      source: ['aws.backup'],
      'detail-type': ['Backup Job State Change', 'Copy Job State Change'],
      detail: { state: ['FAILED', 'ABORTED', 'EXPIRED'] },
    });
    const [policy] = withOptions.ofType('AWS::SNS::TopicPolicy');
    const statement = policy?.resource.Properties.PolicyDocument.Statement.find(
      ({ Sid }: Statement) => Sid === 'PublishBackupWarning',
    );
    expect(JSON.stringify(statement?.Condition)).toContain('BackupFailed');
  });

  test('costs nothing unless configured', () => {
    expect(resources.filter(({ resource }) => resource.Type.startsWith('AWS::Backup::'))).toEqual([]);
    expect(ofType('AWS::Events::Rule').filter(({ id }) => id.startsWith('BackupFailed'))).toEqual([]);
  });
});

test('the installation has nothing that is billed by the hour', () => {
  const types = [...new Set(resources.map(({ resource }) => resource.Type.replace('AWS::', '')))].sort();
  const byService = Map.groupBy(types, type => type.split('::')[0] ?? '');
  const names = [...byService].map(([service, all]) => [service, all.map(type => type.split('::')[1]).join(' ')]);
  expect(Object.fromEntries(names)).toEqual({
    ApiGatewayV2: 'Api Integration Route Stage',
    CloudFormation: 'Stack',
    CloudFront: 'Distribution Function OriginAccessControl ResponseHeadersPolicy',
    CloudWatch: 'Alarm Dashboard',
    CodeDeploy: 'Application DeploymentGroup',
    DynamoDB: 'GlobalTable',
    Events: 'Rule',
    IAM: 'Role',
    KMS: 'Alias Key',
    Lambda: 'Alias EventInvokeConfig EventSourceMapping Function Permission Version',
    Logs: 'LogGroup MetricFilter SubscriptionFilter',
    S3: 'Bucket BucketPolicy',
    SES: 'EmailIdentity',
    SNS: 'Subscription Topic TopicPolicy',
    SQS: 'Queue QueuePolicy',
    SSM: 'Parameter',
    SecretsManager: 'Secret',
  });
});
