import * as z from 'zod';
import { AwsError, type AwsRequest, type AwsServer, callOperation, operation, startAwsServer } from '../aws-server.ts';
import { attributesMd5, Message, maximumMessageBytes, md5, refuseBadCharacters, sizeOf } from './message.ts';
import { openQueueStore, type Queue, type ReceivedMessage } from './queue-store.ts';

const account = '000000000000';
const QueueUrl = z.string();
const VisibilityTimeout = z.int().min(0).max(43_200);
const Attributes = z.record(z.string(), z.string()).prefault({});
const ReceiveMessage = z.object({
  QueueUrl,
  MaxNumberOfMessages: z.int().min(1).max(10).default(1),
  VisibilityTimeout: VisibilityTimeout.optional(),
  WaitTimeSeconds: z.int().min(0).max(20).optional(),
  AttributeNames: z.array(z.string()).default([]),
  MessageSystemAttributeNames: z.array(z.string()).default([]),
  MessageAttributeNames: z.array(z.string()).default([]),
});

const defaultAttributes = {
  VisibilityTimeout: '30',
  DelaySeconds: '0',
  ReceiveMessageWaitTimeSeconds: '0',
  MaximumMessageSize: String(maximumMessageBytes),
  MessageRetentionPeriod: String(4 * 24 * 3600),
};

/**
 * A stand-in for Amazon SQS: standard queues with visibility timeouts, delays, long polling and dead-letter queues.
 * A message is on disk (`sqs.db` in the directory) before it is acknowledged.
 */
export async function startSqs(directory: string | undefined, region: string): Promise<AwsServer> {
  const store = openQueueStore(directory);
  let url = '';

  const queueNamed = (name: string): Queue => {
    const queue = store.find(name);
    if (queue !== undefined) return queue;
    throw new AwsError('QueueDoesNotExist', 'The specified queue does not exist.', {
      queryCode: 'AWS.SimpleQueueService.NonExistentQueue',
    });
  };
  const queueAt = (queueUrl: string) => queueNamed(queueUrl.split('/').at(-1) ?? '');
  const urlOf = (name: string) => `${url}/${account}/${name}`;
  const arnOf = (name: string) => `arn:aws:sqs:${region}:${account}:${name}`;

  const send = (queue: Queue, message: Message) => {
    refuseBadCharacters(message.MessageBody);
    const { MessageBody: body, MessageAttributes: attributes } = message;
    return {
      MessageId: store.send(queue, message),
      MD5OfMessageBody: md5(body),
      ...(Object.keys(attributes).length > 0 ? { MD5OfMessageAttributes: attributesMd5(attributes) } : {}),
    };
  };

  const receive = async (input: z.output<typeof ReceiveMessage>, { signal }: AwsRequest) => {
    const queue = queueAt(input.QueueUrl);
    const waitSeconds = input.WaitTimeSeconds ?? Number(queue.attributes.ReceiveMessageWaitTimeSeconds);
    const visibilityTimeout = input.VisibilityTimeout ?? Number(queue.attributes.VisibilityTimeout);
    const deadline = Date.now() + waitSeconds * 1000;
    // A caller that has disconnected gets nothing: the message would be invisible without a receiver.
    while (!signal.aborted) {
      const messages = store.receive(queue, input.MaxNumberOfMessages, visibilityTimeout);
      if (messages.length > 0) {
        const systemNames = [...input.AttributeNames, ...input.MessageSystemAttributeNames];
        return { Messages: messages.map(message => render(message, systemNames, input.MessageAttributeNames)) };
      }
      if (Date.now() >= deadline) break;
      await store.waitForMessage(queue, deadline, signal);
    }
    return {};
  };

  const remove = (queue: Queue, receipt: string): undefined => {
    refuseMalformedReceipt(receipt);
    store.remove(queue, receipt);
  };

  const changeVisibility = (queue: Queue, receipt: string, seconds: number) => {
    refuseMalformedReceipt(receipt);
    if (store.changeVisibility(queue, receipt, seconds)) return;
    throw new AwsError('MessageNotInflight', 'The specified message is not in flight.', {
      queryCode: 'AWS.SimpleQueueService.MessageNotInflight',
    });
  };

  const parse = <S extends z.ZodType>(schema: S, run: (input: z.output<S>, request: AwsRequest) => unknown) =>
    operation(schema, run, 'InvalidParameterValue');

  const operations = {
    CreateQueue: parse(z.object({ QueueName: z.string().regex(/^[\w-]{1,80}$/), Attributes }), input => {
      const existing = store.find(input.QueueName);
      if (existing === undefined) {
        store.create(input.QueueName, { ...defaultAttributes, ...input.Attributes });
      } else if (Object.entries(input.Attributes).some(([name, value]) => existing.attributes[name] !== value)) {
        throw new AwsError('QueueNameExists', 'A queue already exists with the same name and a different value.', {
          queryCode: 'QueueAlreadyExists',
        });
      }
      return { QueueUrl: urlOf(input.QueueName) };
    }),
    GetQueueUrl: parse(z.object({ QueueName: z.string() }), input => ({
      QueueUrl: urlOf(queueNamed(input.QueueName).name),
    })),
    ListQueues: parse(z.object({ QueueNamePrefix: z.string().default('') }), input => ({
      QueueUrls: store
        .names()
        .filter(name => name.startsWith(input.QueueNamePrefix))
        .map(urlOf),
    })),
    GetQueueAttributes: parse(z.object({ QueueUrl, AttributeNames: z.array(z.string()).default([]) }), input => {
      const queue = queueAt(input.QueueUrl);
      const counts = store.count(queue.name);
      const all = {
        ...queue.attributes,
        QueueArn: arnOf(queue.name),
        CreatedTimestamp: String(Math.floor(queue.createdAt / 1000)),
        ApproximateNumberOfMessages: String(counts.visible ?? 0),
        ApproximateNumberOfMessagesNotVisible: String(counts.inFlight ?? 0),
        ApproximateNumberOfMessagesDelayed: String(counts.delayed ?? 0),
      };
      return { Attributes: chosenOf(all, input.AttributeNames) };
    }),
    SetQueueAttributes: parse(z.object({ QueueUrl, Attributes }), input => {
      const queue = queueAt(input.QueueUrl);
      store.setAttributes(queue.name, { ...queue.attributes, ...input.Attributes });
    }),
    SendMessage: parse(Message.extend({ QueueUrl }), input => {
      const queue = queueAt(input.QueueUrl);
      if (sizeOf(input) > maximumMessageBytes) {
        throw new AwsError(
          'InvalidParameterValue',
          `One or more parameters are invalid. Reason: Message must be shorter than ${maximumMessageBytes} bytes.`,
        );
      }
      return send(queue, input);
    }),
    SendMessageBatch: parse(z.object({ QueueUrl, Entries: z.array(Message.extend({ Id: z.string() })) }), input => {
      const queue = queueAt(input.QueueUrl);
      refuseBadBatch(input.Entries);
      if (input.Entries.reduce((bytes, entry) => bytes + sizeOf(entry), 0) > maximumMessageBytes) {
        throw new AwsError(
          'BatchRequestTooLong',
          'The length of all the messages put together is more than the limit.',
          {
            queryCode: 'AWS.SimpleQueueService.BatchRequestTooLong',
          },
        );
      }
      return batch(input.Entries, entry => send(queue, entry));
    }),
    ReceiveMessage: parse(ReceiveMessage, receive),
    DeleteMessage: parse(z.object({ QueueUrl, ReceiptHandle: z.string() }), input =>
      remove(queueAt(input.QueueUrl), input.ReceiptHandle),
    ),
    DeleteMessageBatch: parse(
      z.object({ QueueUrl, Entries: z.array(z.object({ Id: z.string(), ReceiptHandle: z.string() })) }),
      input => {
        const queue = queueAt(input.QueueUrl);
        refuseBadBatch(input.Entries);
        return batch(input.Entries, entry => remove(queue, entry.ReceiptHandle));
      },
    ),
    ChangeMessageVisibility: parse(z.object({ QueueUrl, ReceiptHandle: z.string(), VisibilityTimeout }), input =>
      changeVisibility(queueAt(input.QueueUrl), input.ReceiptHandle, input.VisibilityTimeout),
    ),
    PurgeQueue: parse(z.object({ QueueUrl }), input => {
      store.purge(queueAt(input.QueueUrl));
    }),
  };

  const server = await startAwsServer(request => callOperation('AmazonSQS', operations, request));
  url = server.url;
  return {
    url,
    async stop() {
      await server.stop();
      store.close();
    },
  };
}

/** A message as ReceiveMessage answers it, with the attributes that the caller asked for. */
function render(message: ReceivedMessage, systemNames: string[], attributeNames: string[]) {
  const chosen = chosenOf(message.attributes, attributeNames);
  const system = {
    ApproximateFirstReceiveTimestamp: String(message.firstReceivedAt),
    ApproximateReceiveCount: String(message.receiveCount),
    SenderId: account,
    SentTimestamp: String(message.sentAt),
  };
  return {
    MessageId: message.id,
    ReceiptHandle: message.receipt,
    Body: message.body,
    MD5OfBody: md5(message.body),
    Attributes: chosenOf(system, systemNames),
    ...(Object.keys(chosen).length > 0
      ? { MessageAttributes: chosen, MD5OfMessageAttributes: attributesMd5(chosen) }
      : {}),
  };
}

function chosenOf<T>(all: Record<string, T>, wanted: readonly string[]): Record<string, T> {
  return Object.fromEntries(Object.entries(all).filter(([name]) => wanted.some(one => selects(one, name))));
}

/** `All`, a name, or a prefix such as `trace.*`. */
function selects(wanted: string, name: string): boolean {
  return wanted === 'All' || wanted === name || (wanted.endsWith('.*') && name.startsWith(wanted.slice(0, -2)));
}

function refuseMalformedReceipt(receipt: string): void {
  if (!/^[0-9a-f-]{36}$/.test(receipt)) {
    throw new AwsError(
      'ReceiptHandleIsInvalid',
      `The input receipt handle "${receipt}" is not a valid receipt handle.`,
    );
  }
}

function refuseBadBatch(entries: readonly { Id: string }[]): void {
  const refusal = (name: string, message: string) =>
    new AwsError(name, message, { queryCode: `AWS.SimpleQueueService.${name}` });
  if (entries.length === 0) throw refusal('EmptyBatchRequest', 'There should be at least one entry in the request.');
  if (entries.length > 10)
    throw refusal('TooManyEntriesInBatchRequest', 'Maximum number of entries per request is 10.');
  if (new Set(entries.map(entry => entry.Id)).size < entries.length) {
    throw refusal('BatchEntryIdsNotDistinct', 'Two or more batch entries have the same Id.');
  }
}

function batch<Entry extends { Id: string }>(entries: readonly Entry[], run: (entry: Entry) => object | undefined) {
  const successful: object[] = [];
  const failed: object[] = [];
  for (const entry of entries) {
    try {
      successful.push({ Id: entry.Id, ...run(entry) });
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      failed.push({ Id: entry.Id, Code: error.code, Message: error.message, SenderFault: true });
    }
  }
  return { Successful: successful, Failed: failed };
}
