import * as z from 'zod';
import { AwsError, type AwsRequest, operation } from '../aws-server.ts';
import { maximumMessageBytes } from './message-format.ts';
import type { Queue, QueueStore } from './queue-store.ts';

export const account = '000000000000';
export const QueueUrl = z.string();
const Attributes = z.record(z.string(), z.string()).prefault({});

const defaultAttributes = {
  VisibilityTimeout: '30',
  DelaySeconds: '0',
  ReceiveMessageWaitTimeSeconds: '0',
  MaximumMessageSize: String(maximumMessageBytes),
  MessageRetentionPeriod: String(4 * 24 * 3600),
};

/** An operation whose malformed input fails with SQS's error. */
export function sqsOperation<S extends z.ZodType>(
  schema: S,
  run: (input: z.output<S>, request: AwsRequest) => unknown,
): ReturnType<typeof operation> {
  return operation(schema, run, 'InvalidParameterValue');
}

function queueNamed(store: QueueStore, name: string): Queue {
  const queue = store.find(name);
  if (queue !== undefined) return queue;
  throw new AwsError('QueueDoesNotExist', 'The specified queue does not exist.', {
    queryCode: 'AWS.SimpleQueueService.NonExistentQueue',
  });
}

export function queueAt(store: QueueStore, queueUrl: string): Queue {
  return queueNamed(store, queueUrl.split('/').at(-1) ?? '');
}

/** The operations on queues. `url` returns the base URL of the stand-in. */
export function queueOperations(store: QueueStore, region: string, url: () => string) {
  const urlOf = (name: string) => `${url()}/${account}/${name}`;
  const arnOf = (name: string) => `arn:aws:sqs:${region}:${account}:${name}`;
  return {
    CreateQueue: sqsOperation(z.object({ QueueName: z.string().regex(/^[\w-]{1,80}$/), Attributes }), input => {
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
    GetQueueUrl: sqsOperation(z.object({ QueueName: z.string() }), input => ({
      QueueUrl: urlOf(queueNamed(store, input.QueueName).name),
    })),
    ListQueues: sqsOperation(z.object({ QueueNamePrefix: z.string().default('') }), input => ({
      QueueUrls: store
        .names()
        .filter(name => name.startsWith(input.QueueNamePrefix))
        .map(urlOf),
    })),
    GetQueueAttributes: sqsOperation(z.object({ QueueUrl, AttributeNames: z.array(z.string()).default([]) }), input => {
      const queue = queueAt(store, input.QueueUrl);
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
    SetQueueAttributes: sqsOperation(z.object({ QueueUrl, Attributes }), input => {
      const queue = queueAt(store, input.QueueUrl);
      store.setAttributes(queue.name, { ...queue.attributes, ...input.Attributes });
    }),
    PurgeQueue: sqsOperation(z.object({ QueueUrl }), input => {
      store.purge(queueAt(store, input.QueueUrl));
    }),
  };
}

/** The attributes that the caller asked for. */
export function chosenOf<T>(all: Record<string, T>, wanted: readonly string[]): Record<string, T> {
  return Object.fromEntries(Object.entries(all).filter(([name]) => wanted.some(one => selects(one, name))));
}

/** `All`, a name, or a prefix such as `trace.*`. */
function selects(wanted: string, name: string): boolean {
  return wanted === 'All' || wanted === name || (wanted.endsWith('.*') && name.startsWith(wanted.slice(0, -2)));
}
