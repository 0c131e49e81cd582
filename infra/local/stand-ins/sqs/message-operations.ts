import * as z from 'zod';
import { AwsError } from '../aws-server.ts';
import { attributesMd5, Message, maximumMessageBytes, md5, refuseBadCharacters, sizeOf } from './message-format.ts';
import { account, chosenOf, QueueUrl, queueAt, sqsOperation } from './queue-operations.ts';
import type { Queue, QueueStore, ReceivedMessage } from './queue-store.ts';

const VisibilityTimeout = z.int().min(0).max(43_200);
const ReceiveMessage = z.object({
  QueueUrl,
  MaxNumberOfMessages: z.int().min(1).max(10).default(1),
  VisibilityTimeout: VisibilityTimeout.optional(),
  WaitTimeSeconds: z.int().min(0).max(20).optional(),
  AttributeNames: z.array(z.string()).default([]),
  MessageSystemAttributeNames: z.array(z.string()).default([]),
  MessageAttributeNames: z.array(z.string()).default([]),
});

const SendMessage = Message.extend({ QueueUrl });
const SendMessageBatch = z.object({ QueueUrl, Entries: z.array(Message.extend({ Id: z.string() })) });

/** The operations on messages. */
export function messageOperations(store: QueueStore) {
  return {
    SendMessage: sqsOperation(SendMessage, input => {
      const queue = queueAt(store, input.QueueUrl);
      if (sizeOf(input) > maximumMessageBytes) {
        throw new AwsError(
          'InvalidParameterValue',
          `One or more parameters are invalid. Reason: Message must be shorter than ${maximumMessageBytes} bytes.`,
        );
      }
      return send(store, queue, input);
    }),
    SendMessageBatch: sqsOperation(SendMessageBatch, input => {
      const queue = queueAt(store, input.QueueUrl);
      refuseBadBatch(input.Entries);
      refuseLongBatch(input.Entries);
      return batch(input.Entries, entry => send(store, queue, entry));
    }),
    ReceiveMessage: sqsOperation(ReceiveMessage, (input, { signal }) => receive(store, input, signal)),
    DeleteMessage: sqsOperation(z.object({ QueueUrl, ReceiptHandle: z.string() }), input =>
      remove(store, queueAt(store, input.QueueUrl), input.ReceiptHandle),
    ),
    DeleteMessageBatch: sqsOperation(
      z.object({ QueueUrl, Entries: z.array(z.object({ Id: z.string(), ReceiptHandle: z.string() })) }),
      input => {
        const queue = queueAt(store, input.QueueUrl);
        refuseBadBatch(input.Entries);
        return batch(input.Entries, entry => remove(store, queue, entry.ReceiptHandle));
      },
    ),
    ChangeMessageVisibility: sqsOperation(z.object({ QueueUrl, ReceiptHandle: z.string(), VisibilityTimeout }), input =>
      changeVisibility(store, queueAt(store, input.QueueUrl), input.ReceiptHandle, input.VisibilityTimeout),
    ),
  };
}

function send(store: QueueStore, queue: Queue, message: Message) {
  refuseBadCharacters(message.MessageBody);
  const { MessageBody: body, MessageAttributes: attributes } = message;
  return {
    MessageId: store.send(queue, message),
    MD5OfMessageBody: md5(body),
    ...(Object.keys(attributes).length > 0 ? { MD5OfMessageAttributes: attributesMd5(attributes) } : {}),
  };
}

async function receive(store: QueueStore, input: z.output<typeof ReceiveMessage>, signal: AbortSignal) {
  const queue = queueAt(store, input.QueueUrl);
  const waitSeconds = input.WaitTimeSeconds ?? Number(queue.attributes.ReceiveMessageWaitTimeSeconds);
  const visibilityTimeout = input.VisibilityTimeout ?? Number(queue.attributes.VisibilityTimeout);
  const deadline = Date.now() + waitSeconds * 1000;
  // A caller that has disconnected gets nothing; otherwise the message would be invisible without a receiver.
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
}

function remove(store: QueueStore, queue: Queue, receipt: string): undefined {
  refuseMalformedReceipt(receipt);
  store.remove(queue, receipt);
}

function changeVisibility(store: QueueStore, queue: Queue, receipt: string, seconds: number): void {
  refuseMalformedReceipt(receipt);
  if (store.changeVisibility(queue, receipt, seconds)) return;
  throw new AwsError('MessageNotInflight', 'The specified message is not in flight.', {
    queryCode: 'AWS.SimpleQueueService.MessageNotInflight',
  });
}

/** A message in ReceiveMessage's format, with the attributes that the caller asked for. */
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

function refuseLongBatch(entries: readonly Message[]): void {
  if (entries.reduce((bytes, entry) => bytes + sizeOf(entry), 0) <= maximumMessageBytes) return;
  throw new AwsError('BatchRequestTooLong', 'The length of all the messages put together is more than the limit.', {
    queryCode: 'AWS.SimpleQueueService.BatchRequestTooLong',
  });
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
