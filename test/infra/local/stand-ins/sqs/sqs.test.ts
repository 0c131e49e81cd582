import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ListQueuesCommand,
  type Message,
  PurgeQueueCommand,
  ReceiveMessageCommand,
  type ReceiveMessageCommandInput,
  SendMessageBatchCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AwsServer } from '#infra/local/stand-ins/aws-server.ts';
import { startSqs } from '#infra/local/stand-ins/sqs/sqs.ts';
import { atOnce } from '#test/support/at-once.ts';
import { scratchDirectory, shared, untilEnd } from '#test/support/fixtures.ts';

const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
const clientOf = ({ url }: AwsServer) => new SQSClient({ endpoint: url, region: 'eu-west-1', credentials });
const server = shared(() => startSqs(undefined, 'eu-west-1'));
const sqs = shared(() => clientOf(server));

async function newQueue(name: string, Attributes: Record<string, string> = {}): Promise<string> {
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: name, Attributes }));
  return QueueUrl ?? '';
}

const sendTo = (QueueUrl: string, MessageBody: string, DelaySeconds = 0) =>
  sqs.send(new SendMessageCommand({ QueueUrl, MessageBody, DelaySeconds }));

async function receive(QueueUrl: string, options: Partial<ReceiveMessageCommandInput> = {}) {
  const command = new ReceiveMessageCommand({ QueueUrl, MessageSystemAttributeNames: ['All'], ...options });
  return (await sqs.send(command)).Messages ?? [];
}

const remove = (QueueUrl: string, message: Message | undefined) =>
  sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: message?.ReceiptHandle }));
/** Ends the invisibility of a received message after that many seconds. */
const hide = (QueueUrl: string, message: Message | undefined, VisibilityTimeout: number) =>
  sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle: message?.ReceiptHandle, VisibilityTimeout }));
/** Does the work, which has to end before a long poll does that began with it. */
async function beforeLongPollEnds<T>(work: Promise<T>): Promise<T> {
  const QueueUrl = await newQueue('empty');
  const ended = new AbortController();
  const command = new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 });
  const poll = sqs.send(command, { abortSignal: ended.signal }).then(() => Promise.reject(new Error('It has ended.')));
  return Promise.race([work, poll]).finally(() => ended.abort());
}
const bodiesOf = (messages: readonly Message[]) => messages.map(({ Body }) => Body);

describe('The SQS stand-in', () => {
  it('returns a message with its attributes, which the SDK verifies', async () => {
    const QueueUrl = await newQueue('attributes');
    const MessageAttributes = {
      text: { DataType: 'String', StringValue: 'ü' },
      bytes: { DataType: 'Binary', BinaryValue: Buffer.of(0, 255) },
    };
    const sent = await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'Grüße 🔑', MessageAttributes }));
    // The response of moto, an independent implementation, to the same message.
    expect(sent.MD5OfMessageAttributes).toBe('ba773e6188f84ac3a5cb6f35ed08c982');
    const [message] = await receive(QueueUrl, { MessageAttributeNames: ['All'] });
    expect(message).toMatchObject({
      MessageId: sent.MessageId,
      Body: 'Grüße 🔑',
      Attributes: { ApproximateReceiveCount: '1', SentTimestamp: expect.stringMatching(/^\d{13}$/) },
      MessageAttributes: { text: { DataType: 'String', StringValue: 'ü' }, bytes: { DataType: 'Binary' } },
    });
    expect(Buffer.from(message?.MessageAttributes?.bytes?.BinaryValue ?? [])).toEqual(Buffer.of(0, 255));
  });

  it('hides a received message until its visibility timeout ends, and counts its receives', async () => {
    const QueueUrl = await newQueue('visibility');
    await sendTo(QueueUrl, 'one');
    const [first] = await receive(QueueUrl, { VisibilityTimeout: 1000 });
    expect(await receive(QueueUrl)).toEqual([]);
    await hide(QueueUrl, first, 1);
    // A long poll wakes up when the message is visible again, not at its own end.
    const [second] = await beforeLongPollEnds(receive(QueueUrl, { WaitTimeSeconds: 20 }));
    expect(second?.MessageId).toBe(first?.MessageId);
    expect(second?.Attributes?.ApproximateReceiveCount).toBe('2');
    expect(second?.ReceiptHandle).not.toBe(first?.ReceiptHandle);
  });

  it('gives a message to only one of many waiting receivers', async () => {
    const QueueUrl = await newQueue('waiting');
    await sendTo(QueueUrl, 'one', 1);
    const received = await atOnce(8, () => receive(QueueUrl, { WaitTimeSeconds: 3 }));
    expect(bodiesOf(received.flat())).toEqual(['one']);
  });

  it('gives nothing to a caller that has disconnected', async () => {
    const QueueUrl = await newQueue('gone');
    const leaving = new AbortController();
    const command = new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 });
    const gone = sqs.send(command, { abortSignal: leaving.signal });
    // The poll has arrived by the time that a later request is answered.
    expect(await receive(QueueUrl)).toEqual([]);
    leaving.abort();
    await expect(gone).rejects.toThrow();
    await sendTo(QueueUrl, 'one', 1);
    expect(await receive(QueueUrl, { WaitTimeSeconds: 10 })).toHaveLength(1);
  });

  it('holds back a delayed message', async () => {
    const QueueUrl = await newQueue('delay');
    await sendTo(QueueUrl, 'later', 1);
    expect(await receive(QueueUrl)).toEqual([]);
    expect(await receive(QueueUrl, { WaitTimeSeconds: 5 })).toHaveLength(1);
  });

  it('deletes a message only by its newest receipt', async () => {
    const QueueUrl = await newQueue('receipts');
    await sendTo(QueueUrl, 'one');
    const [first] = await receive(QueueUrl, { VisibilityTimeout: 0 });
    const [second] = await receive(QueueUrl, { VisibilityTimeout: 0 });
    await remove(QueueUrl, first);
    expect(await receive(QueueUrl, { VisibilityTimeout: 0 })).toHaveLength(1);
    const [last] = await receive(QueueUrl);
    await remove(QueueUrl, last);
    expect(second?.ReceiptHandle).toBeTruthy();
    const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }));
    expect(Attributes).toMatchObject({
      ApproximateNumberOfMessages: '0',
      ApproximateNumberOfMessagesNotVisible: '0',
      QueueArn: 'arn:aws:sqs:eu-west-1:000000000000:receipts',
    });
  });

  it('shortens and ends the invisibility of a message', async () => {
    const QueueUrl = await newQueue('change');
    await sendTo(QueueUrl, 'one');
    const [message] = await receive(QueueUrl);
    await hide(QueueUrl, message, 0);
    expect(await receive(QueueUrl)).toHaveLength(1);
  });

  it('moves a message to the dead-letter queue after its last receive', async () => {
    const dead = await newQueue('dead');
    const QueueUrl = await newQueue('redrive');
    const deadLetterTargetArn = 'arn:aws:sqs:eu-west-1:000000000000:dead';
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn, maxReceiveCount: '2' });
    await sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { RedrivePolicy } }));
    await sendTo(QueueUrl, 'poison');
    for (const count of [1, 1, 0]) expect(await receive(QueueUrl, { VisibilityTimeout: 0 })).toHaveLength(count);
    expect(bodiesOf(await receive(dead))).toEqual(['poison']);
  });

  it('sends and deletes in batches, each entry by itself', async () => {
    const QueueUrl = await newQueue('batches');
    const Entries = Object.entries({ a: '1', b: '\u0001', c: '3' }).map(([Id, MessageBody]) => ({ Id, MessageBody }));
    const sent = await sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
    expect(sent.Successful?.map(entry => entry.Id)).toEqual(['a', 'c']);
    expect(sent.Failed).toMatchObject([{ Id: 'b', Code: 'InvalidMessageContents', SenderFault: true }]);
    const messages = await receive(QueueUrl, { MaxNumberOfMessages: 10 });
    expect(bodiesOf(messages)).toEqual(['1', '3']);
    const handles = messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
    const deleted = await sqs.send(
      new DeleteMessageBatchCommand({ QueueUrl, Entries: [...handles, { Id: 'x', ReceiptHandle: 'none' }] }),
    );
    expect(deleted.Successful).toHaveLength(2);
    expect(deleted.Failed).toMatchObject([{ Id: 'x', Code: 'ReceiptHandleIsInvalid' }]);
  });

  it('accepts a message of 1 MiB and not one byte more', async () => {
    const QueueUrl = await newQueue('size');
    const mebibyte = 'x'.repeat(1024 * 1024);
    await sendTo(QueueUrl, mebibyte);
    await expect(sendTo(QueueUrl, `${mebibyte}x`)).rejects.toThrow(/must be shorter than 1048576 bytes/);
    await sqs.send(new PurgeQueueCommand({ QueueUrl }));
    expect(await receive(QueueUrl)).toEqual([]);
  });

  it('creates a queue once and finds it by name', async () => {
    const QueueUrl = await newQueue('named', { VisibilityTimeout: '7' });
    expect(await newQueue('named')).toBe(QueueUrl);
    await expect(newQueue('named', { VisibilityTimeout: '8' })).rejects.toThrow(/already exists/);
    expect((await sqs.send(new GetQueueUrlCommand({ QueueName: 'named' }))).QueueUrl).toBe(QueueUrl);
    expect((await sqs.send(new ListQueuesCommand({ QueueNamePrefix: 'nam' }))).QueueUrls).toEqual([QueueUrl]);
    const missing = sqs.send(new GetQueueUrlCommand({ QueueName: 'none' }));
    await expect(missing).rejects.toMatchObject({ name: 'QueueDoesNotExist' });
  });

  it('still has accepted messages after a restart, and those in progress are visible at once', async () => {
    const directory = scratchDirectory(onTestFinished);
    const first = await startSqs(directory, 'eu-west-1');
    const before = clientOf(first);
    const { QueueUrl } = await before.send(new CreateQueueCommand({ QueueName: 'kept' }));
    await before.send(new SendMessageCommand({ QueueUrl, MessageBody: 'in work' }));
    await before.send(new ReceiveMessageCommand({ QueueUrl, VisibilityTimeout: 1000 }));
    await before.send(new SendMessageCommand({ QueueUrl, MessageBody: 'waiting' }));
    await first.stop();
    const after = clientOf(await untilEnd(startSqs(directory, 'eu-west-1')));
    const found = await after.send(new GetQueueUrlCommand({ QueueName: 'kept' }));
    const { Messages = [] } = await after.send(
      new ReceiveMessageCommand({ QueueUrl: found.QueueUrl, MaxNumberOfMessages: 10 }),
    );
    expect(bodiesOf(Messages)).toEqual(['in work', 'waiting']);
  });

  it('ends a long poll when it stops', async () => {
    const stopped = await startSqs(undefined, 'eu-west-1');
    const client = clientOf(stopped);
    const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName: 'q' }));
    const poll = client.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 }));
    await client.send(new ListQueuesCommand({}));
    await beforeLongPollEnds(stopped.stop());
    expect((await poll).Messages).toBeUndefined();
  });
});
