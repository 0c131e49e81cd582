import { DescribeTableCommand, DescribeTimeToLiveCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { expect, inject, it, onTestFinished, vi } from 'vitest';
import { startLocalStack } from '#infra/local/stack.ts';
import { settings } from '#lib/core/settings.ts';
import { eventually } from '#test/support/eventually.ts';

async function start(env: Record<string, string>, options: Partial<Parameters<typeof startLocalStack>[0]> = {}) {
  const stack = await startLocalStack({
    port: 0,
    dataDir: 'memory',
    env: { AWS_ENDPOINT_URL_DYNAMODB: inject('dynamoDbUrl'), LOG_LEVEL: 'SILENT', ...env },
    ...options,
  });
  onTestFinished(() => stack.stop());
  return stack;
}

it('The functions get local defaults, which the given settings override', async () => {
  const stack = await start({ TABLE_NAME: 'stack-defaults', REGISTER_LIMIT_PER_HOUR: '7', MAIL_FROM: '' });
  expect(settings()).toMatchObject({
    TABLE_NAME: 'stack-defaults',
    REGISTER_LIMIT_PER_HOUR: 7,
    WEBHOOK_ALLOW_LOOPBACK: true,
    MAIL_FROM: 'no-reply@holdfast.example',
    PUBLIC_BASE_URL: stack.url.replace(/\/v1$/, ''),
  });
  const second = await start({ TABLE_NAME: 'stack-defaults' });
  expect(second.env.REGISTER_LIMIT_PER_HOUR).toBe('-1');
});

it('The functions and the test share one process and one copy of every module', async () => {
  const stack = await start({ TABLE_NAME: 'stack-modules' });
  const { handler } = await import('#functions/system/unknown-route.ts');
  const { loadFromFunctions } = await import('#infra/local/lambda/invoke.ts');
  expect(await loadFromFunctions({ area: 'system', name: 'unknown-route' })).toBe(handler);
  expect((await fetch(`${stack.url}/nowhere`)).status).toBe(404);
});

it('The table is created as the CDK would, and found at the next start', async () => {
  await start({ TABLE_NAME: 'stack-table' });
  await start({ TABLE_NAME: 'stack-table' });
  const client = new DynamoDBClient({});
  const { Table } = await client.send(new DescribeTableCommand({ TableName: 'stack-table' }));
  expect(Table).toMatchObject({
    BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' },
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
  });
  expect(Table?.GlobalSecondaryIndexes).toBeUndefined();
  const ttl = await client.send(new DescribeTimeToLiveCommand({ TableName: 'stack-table' }));
  expect(ttl.TimeToLiveDescription).toEqual({ AttributeName: 'expiresAt', TimeToLiveStatus: 'ENABLED' });
});

it('Queued work and the access log reach their functions', async () => {
  const invoked: string[] = [];
  const stack = await start(
    { TABLE_NAME: 'stack-workers' },
    {
      routes: [],
      loadHandler:
        async ({ area, name }) =>
        () => {
          invoked.push(`${area}/${name}`);
          return { statusCode: 200 };
        },
    },
  );
  const sqs = new SQSClient({});
  for (const QueueUrl of [stack.env.WEBHOOK_QUEUE_URL, stack.env.JOB_QUEUE_URL]) {
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: '{}' }));
  }
  await fetch(`${stack.url}/nowhere`);
  const workers = ['deliver-webhooks', 'roll-up-metrics', 'run-jobs'].map(name => `workers/${name}`);
  const expected = ['system/unknown-route', ...workers];
  await eventually(() => expect([...new Set(invoked)].sort()).toEqual(expected));
});

it("Stopping restores the process's environment, and its own profile does not reach the functions' clients", async () => {
  vi.stubEnv('AWS_PROFILE', 'mine');
  onTestFinished(() => void vi.unstubAllEnvs());
  const before = { ...process.env };
  const stack = await startLocalStack({
    port: 0,
    dataDir: 'memory',
    env: { AWS_ENDPOINT_URL_DYNAMODB: inject('dynamoDbUrl'), TABLE_NAME: 'stack-environment' },
  });
  expect(process.env.AWS_PROFILE).toBeUndefined();
  await stack.stop();
  expect({ ...process.env }).toEqual(before);
});
