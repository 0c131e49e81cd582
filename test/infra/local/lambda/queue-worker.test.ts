import { setTimeout as sleep } from 'node:timers/promises';
import { GetQueueAttributesCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { SQSEvent } from 'aws-lambda';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import type { Invoke } from '#infra/local/lambda/invoke.ts';
import { type Queue, type QueueWorkerOptions, startQueueWorker } from '#infra/local/lambda/queue-worker.ts';
import { ensureQueue } from '#infra/local/resources.ts';
import { startSqs } from '#infra/local/stand-ins/sqs/sqs.ts';
import { eventually } from '#test/support/eventually.ts';
import { fresh } from '#test/support/fixtures.ts';
import { gate } from '#test/support/gate.ts';

let sqs: SQSClient;
let queue: Queue;
const server = fresh(() => startSqs(undefined, 'eu-west-1'));
beforeEach(async () => {
  vi.stubEnv('AWS_ENDPOINT_URL_SQS', server.url);
  vi.stubEnv('AWS_REGION', 'eu-west-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
  sqs = new SQSClient({});
  queue = await ensureQueue('work', { visibilityTimeoutSeconds: 30, maxReceiveCount: 3 });
});

afterEach(() => {
  vi.unstubAllEnvs();
});

function work(invoke: (event: SQSEvent) => unknown, options: Partial<QueueWorkerOptions> = {}) {
  const worker = startQueueWorker({
    queue,
    functionName: { area: 'workers', name: 'test' },
    invoke: (async (_, event) => invoke(event as SQSEvent)) as Invoke,
    concurrency: 4,
    timeoutSeconds: 30,
    ...options,
  });
  onTestFinished(() => worker.stop(100));
  return worker;
}

const send = (MessageBody: string) =>
  sqs.send(
    new SendMessageCommand({
      QueueUrl: queue.url,
      MessageBody,
      MessageAttributes: { kind: { DataType: 'String', StringValue: 'test' } },
    }),
  );

async function left(): Promise<number> {
  const AttributeNames = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const;
  const command = new GetQueueAttributesCommand({ QueueUrl: queue.url, AttributeNames: [...AttributeNames] });
  const { Attributes = {} } = await sqs.send(command);
  return AttributeNames.reduce((sum, name) => sum + Number(Attributes[name]), 0);
}

it('A message is passed on as on Lambda, and deleted when the function has processed it', async () => {
  const events: SQSEvent[] = [];
  work(event => void events.push(event));
  const { MessageId } = await send('{"a":1}');
  await eventually(async () => expect(await left()).toBe(0));
  expect(events).toEqual([
    {
      Records: [
        {
          messageId: MessageId,
          receiptHandle: expect.any(String),
          body: '{"a":1}',
          attributes: {
            ApproximateReceiveCount: '1',
            ApproximateFirstReceiveTimestamp: expect.any(String),
            SentTimestamp: expect.any(String),
            SenderId: expect.any(String),
          },
          messageAttributes: {
            kind: { dataType: 'String', stringValue: 'test', stringListValues: [], binaryListValues: [] },
          },
          md5OfBody: expect.stringMatching(/^[0-9a-f]{32}$/),
          eventSource: 'aws:sqs',
          eventSourceARN: 'arn:aws:sqs:eu-west-1:000000000000:work',
          awsRegion: 'eu-west-1',
        },
      ],
    },
  ]);
});

it('A slow message does not delay others, up to the concurrency', async () => {
  const started: string[] = [];
  const released = gate();
  work(async ({ Records }) => {
    const body = Records[0]?.body ?? '';
    started.push(body);
    if (body.startsWith('slow')) await released.opened;
  });
  for (const body of ['slow 1', 'slow 2', 'slow 3', 'quick 1', 'quick 2']) await send(body);
  await eventually(() => expect(started).toContain('quick 2'));
  await send('slow 4');
  await eventually(() => expect(started).toContain('slow 4'));
  await send('quick 3');
  await sleep(100);
  expect(started).not.toContain('quick 3');
  released.open();
  await eventually(async () => expect(await left()).toBe(0));
});

const naming = ({ Records }: SQSEvent) => ({ batchItemFailures: [{ itemIdentifier: Records[0]?.messageId }] });
it.each<[string, (event: SQSEvent) => unknown]>([
  ['throws', () => Promise.reject(new Error('boom'))],
  ['names it among its failures', naming],
])(
  'A message comes back after the retry time if the function %s, and eventually goes to the dead-letter queue',
  async (_, fail) => {
    const silent = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    onTestFinished(() => silent.mockRestore());
    const counts: string[] = [];
    work(
      event => {
        counts.push(event.Records[0]?.attributes.ApproximateReceiveCount ?? '');
        return fail(event);
      },
      { retryAfterSeconds: 0 },
    );
    await send('poison');
    await eventually(async () => expect(await left()).toBe(0));
    expect(counts).toEqual(['1', '2', '3']);
    const dead = await sqs.send(new ReceiveMessageCommand({ QueueUrl: `${queue.url}-dead`, WaitTimeSeconds: 2 }));
    expect(dead.Messages?.map(message => message.Body)).toEqual(['poison']);
  },
);

it('Stopping accepts no new message and finishes the one in progress', async () => {
  const released = gate();
  let [started, finished] = [0, 0];
  const worker = work(
    async () => {
      started += 1;
      await released.opened;
      finished += 1;
    },
    { concurrency: 1 },
  );
  await send('one');
  await send('two');
  await eventually(() => expect(started).toBe(1));
  const stopped = worker.stop(600_000);
  released.open();
  await stopped;
  expect([started, finished, await left()]).toEqual([1, 1, 1]);
});
