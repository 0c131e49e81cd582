import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CreateQueueCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startSqs } from '#infra/local/stand-ins/sqs/sqs.ts';
import { describedStack } from '#test/support/cloud-formation.ts';
import { shared } from '#test/support/fixtures.ts';
import { startReceiver } from '#test/support/receiver.ts';
import { runCommand } from '#test/support/run-command.ts';

const installation = `parked-test-${process.pid}`;
const file = join(import.meta.dirname, '../../../installations', `${installation}.json`);
const sqs = shared(() => startSqs(undefined, 'eu-central-1'));
const cloudFormation = shared(() =>
  startReceiver((response, { body }) => {
    const name = new URLSearchParams(body.toString()).get('StackName') ?? '';
    const [status, described] = describedStack(name, outputs);
    return response.writeHead(status, { 'content-type': 'text/xml' }).end(described);
  }),
);

let client: SQSClient;
let outputs: Record<string, string>;

beforeAll(() => {
  writeFileSync(file, JSON.stringify({ mailFrom: 'no-reply@holdfast.test', region: 'eu-central-1' }));
  client = new SQSClient({
    endpoint: sqs.url,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
});
afterAll(() => {
  rmSync(file, { force: true });
  client.destroy();
});

let queues = 0;
beforeEach(async () => {
  queues += 1;
  const create = async (name: string) =>
    (await client.send(new CreateQueueCommand({ QueueName: `${name}-${queues}` }))).QueueUrl ?? '';
  outputs = {
    JobsUrl: await create('jobs'),
    JobDeadLettersUrl: await create('jobs-dead'),
    WebhookDeadLettersUrl: await create('webhooks-dead'),
  };
});

async function park(queue: 'JobDeadLettersUrl' | 'WebhookDeadLettersUrl', body: string): Promise<string> {
  const sent = await client.send(new SendMessageCommand({ QueueUrl: outputs[queue], MessageBody: body }));
  return sent.MessageId ?? '';
}

async function bodiesIn(queue: string): Promise<string[]> {
  const received = new ReceiveMessageCommand({
    QueueUrl: outputs[queue],
    MaxNumberOfMessages: 10,
    VisibilityTimeout: 0,
  });
  const { Messages = [] } = await client.send(received);
  return Messages.map(({ Body = '' }) => Body);
}

function parked(...args: string[]) {
  return runCommand('parked', [installation, ...args], {
    ...process.env,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormation.url,
    AWS_ENDPOINT_URL_SQS: sqs.url,
  });
}

const job = JSON.stringify({ type: 'mail-reset-link', userId: 'user_1' });
const delivery = JSON.stringify({
  deliveryId: 'dlv_1',
  event: 'secret.updated',
  createdAt: '2026-11-26T10:00:00.000Z',
  orgSlug: 'acme',
  webhookId: 'wh_1',
  payload: { kind: 'whole', content: { key: 'DATABASE_PASSWORD' } },
});

describe('parked messages', () => {
  test('are listed by their ids, without a payload, as often as an operator asks', async () => {
    const [readable, poisoned] = [await park('JobDeadLettersUrl', job), await park('JobDeadLettersUrl', 'swordfish')];
    for (const _ of ['first', 'second']) {
      const { code, stdout } = await parked('jobs');
      expect(code).toBe(0);
      expect(stdout).toMatch(new RegExp(`^${readable}  \\S+Z  type=mail-reset-link userId=user_1$`, 'm'));
      expect(stdout).toMatch(new RegExp(`^${poisoned}  \\S+Z  not a valid job, 9 bytes$`, 'm'));
      expect(stdout).toContain('2 parked jobs');
      expect(stdout).not.toContain('swordfish');
    }
    const id = await park('WebhookDeadLettersUrl', delivery);
    const { stdout } = await parked('webhooks');
    expect(stdout).toContain(id);
    expect(stdout).not.toContain('DATABASE_PASSWORD');
    outputs = { ...outputs, JobDeadLettersUrl: outputs.JobsUrl ?? '' };
    expect((await parked('jobs')).stdout).toBe('No jobs are parked.\n');
  });

  test('are deleted one by one', async () => {
    const [poisoned] = [await park('JobDeadLettersUrl', 'swordfish'), await park('JobDeadLettersUrl', job)];
    const { code, stdout } = await parked('jobs', '--delete', poisoned);
    expect([code, stdout.startsWith(`Deleted: ${poisoned}`)]).toEqual([0, true]);
    expect(await bodiesIn('JobDeadLettersUrl')).toEqual([job]);
    expect((await parked('jobs', '--delete', poisoned)).stderr).toBe(`No message with the id ${poisoned} is parked.\n`);
    expect(await bodiesIn('JobDeadLettersUrl')).toEqual([job]);
  });

  test('are queued again if they are jobs', async () => {
    const id = await park('JobDeadLettersUrl', job);
    expect((await parked('jobs', '--retry', id)).stdout).toMatch(new RegExp(`^Queued again: ${id}`));
    expect([await bodiesIn('JobDeadLettersUrl'), await bodiesIn('JobsUrl')]).toEqual([[], [job]]);
  });

  test('are never sent again if they are webhooks', async () => {
    const id = await park('WebhookDeadLettersUrl', delivery);
    const { code, stderr } = await parked('webhooks', '--retry', id);
    expect([code, stderr]).toEqual([1, expect.stringContaining('a webhook is delivered at most once')]);
    expect(await bodiesIn('WebhookDeadLettersUrl')).toHaveLength(1);
  });

  test('of a version that names no queues can’t be listed', async () => {
    outputs = {};
    expect((await parked('jobs')).stderr).toContain('names no queue of parked jobs: deploy it first');
  });
});
