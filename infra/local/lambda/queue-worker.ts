import { setTimeout as sleep } from 'node:timers/promises';
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSEvent, SQSMessageAttribute, SQSRecord } from 'aws-lambda';
import type { FunctionName, Invoke } from './invoke.ts';

/** A queue as its worker needs it. */
export interface Queue {
  url: string;
  arn: string;
}

export interface QueueWorkerOptions {
  queue: Queue;
  functionName: FunctionName;
  invoke: Invoke;
  /** How many messages are processed in parallel. Each has its own invocation, so that a slow one delays no other. */
  concurrency: number;
  /** The timeout of an invocation. The message stays invisible for that long. */
  timeoutSeconds: number;
  /** How soon a message becomes visible after a failure, instead of at the end of its visibility timeout. */
  retryAfterSeconds?: number;
}

export interface QueueWorker {
  /** Stops receiving messages and finishes those in progress, within `graceMs`. */
  stop: (graceMs: number) => Promise<void>;
}

/**
 * Passes a queue's messages to a function like Lambda's event source: deletes them on success, leaves them for a retry
 * on failure.
 */
export function startQueueWorker(options: QueueWorkerOptions): QueueWorker {
  const { queue, concurrency, timeoutSeconds, retryAfterSeconds } = options;
  const client = new SQSClient({});
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();

  const work = async (message: Message): Promise<void> => {
    const receipt = { QueueUrl: queue.url, ReceiptHandle: message.ReceiptHandle };
    try {
      if (await succeeds(message, options)) {
        await client.send(new DeleteMessageCommand(receipt));
      } else if (retryAfterSeconds !== undefined) {
        await client.send(new ChangeMessageVisibilityCommand({ ...receipt, VisibilityTimeout: retryAfterSeconds }));
      }
    } catch (error) {
      // The message becomes visible again by itself.
      report(options.functionName, error);
    }
  };

  const receive = async (): Promise<void> => {
    const command = new ReceiveMessageCommand({
      QueueUrl: queue.url,
      MaxNumberOfMessages: Math.min(10, concurrency - running.size),
      VisibilityTimeout: timeoutSeconds,
      WaitTimeSeconds: 20,
      MessageSystemAttributeNames: ['All'],
      MessageAttributeNames: ['All'],
    });
    const { Messages = [] } = await client.send(command, { abortSignal: stopping.signal });
    for (const message of Messages) {
      const done = work(message).finally(() => running.delete(done));
      running.add(done);
    }
  };

  const polling = (async () => {
    while (!stopping.signal.aborted) {
      try {
        if (running.size >= concurrency) await Promise.race(running);
        else await receive();
      } catch (error) {
        if (stopping.signal.aborted) break;
        report(options.functionName, error);
        await sleep(1000);
      }
    }
  })();

  return {
    async stop(graceMs) {
      stopping.abort();
      await polling;
      await Promise.race([Promise.all(running), sleep(graceMs, undefined, { ref: false })]);
      client.destroy();
    },
  };
}

/** Whether the function processed the message: it did not throw and does not list the message as failed. */
async function succeeds(message: Message, options: QueueWorkerOptions): Promise<boolean> {
  const { functionName, invoke, queue, timeoutSeconds } = options;
  const event: SQSEvent = { Records: [recordOf(message, queue.arn)] };
  try {
    const result = (await invoke(functionName, event, timeoutSeconds * 1000)) as SQSBatchResponse | undefined;
    return !result?.batchItemFailures?.some(({ itemIdentifier }) => itemIdentifier === message.MessageId);
  } catch (error) {
    report(functionName, error);
    return false;
  }
}

function recordOf(message: Message, arn: string): SQSRecord {
  const attributes = Object.entries(message.MessageAttributes ?? {}).map(([name, attribute]) => {
    const { DataType = 'String', StringValue, BinaryValue } = attribute;
    return [
      name,
      {
        dataType: DataType as SQSMessageAttribute['dataType'],
        stringListValues: [],
        binaryListValues: [],
        ...(StringValue === undefined ? {} : { stringValue: StringValue }),
        ...(BinaryValue === undefined ? {} : { binaryValue: Buffer.from(BinaryValue).toString('base64') }),
      } as SQSMessageAttribute,
    ];
  });
  const { MessageId = '', ReceiptHandle = '', Body = '', MD5OfBody = '' } = message;
  return {
    messageId: MessageId,
    receiptHandle: ReceiptHandle,
    body: Body,
    attributes: message.Attributes as unknown as SQSRecord['attributes'],
    messageAttributes: Object.fromEntries(attributes),
    md5OfBody: MD5OfBody,
    eventSource: 'aws:sqs',
    eventSourceARN: arn,
    awsRegion: arn.split(':')[3] ?? '',
  };
}

function report({ area, name }: FunctionName, error: unknown): void {
  console.error(`${area}/${name}:`, error);
}
