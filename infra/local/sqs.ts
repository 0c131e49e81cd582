import { createHash, randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import type { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import { AwsError, type AwsRequest, type AwsServer, callOperation, operation, startAwsServer } from './aws-server.ts';
import { openDatabase } from './data-directory.ts';

const maximumMessageBytes = 1024 * 1024;
const account = '000000000000';

const MessageAttribute = z.object({
  DataType: z.string().regex(/^(String|Number|Binary)(\..+)?$/),
  StringValue: z.string().optional(),
  BinaryValue: z.base64().optional(),
});
type MessageAttribute = z.output<typeof MessageAttribute>;
const Message = z.object({
  MessageBody: z.string().min(1),
  DelaySeconds: z.int().min(0).max(900).optional(),
  MessageAttributes: z.record(z.string(), MessageAttribute).prefault({}),
});
type Message = z.output<typeof Message>;
const QueueUrl = z.string();
const VisibilityTimeout = z.int().min(0).max(43_200);
const Attributes = z.record(z.string(), z.string()).prefault({});
const RedrivePolicy = z.object({ deadLetterTargetArn: z.string(), maxReceiveCount: z.coerce.number().int().min(1) });

const defaultAttributes = {
  VisibilityTimeout: '30',
  DelaySeconds: '0',
  ReceiveMessageWaitTimeSeconds: '0',
  MaximumMessageSize: String(maximumMessageBytes),
  MessageRetentionPeriod: String(4 * 24 * 3600),
};

interface Queue {
  name: string;
  attributes: Record<string, string>;
  createdAt: number;
}

interface StoredMessage {
  number: number;
  id: string;
  body: string;
  attributes: string;
  sentAt: number;
  receiveCount: number;
  firstReceivedAt: number | null;
}

/**
 * A stand-in for Amazon SQS: standard queues with visibility timeouts, delays, long polling and dead-letter queues.
 * A message is on disk (`sqs.db` of the directory) before it is acknowledged.
 */
export async function startSqs(directory: string | undefined, region: string): Promise<AwsServer> {
  const database = openDatabase(directory, 'sqs.db');
  createTables(database);
  const statements = prepare(database);
  // Nobody who received a message before this start is still working on it.
  database.exec('UPDATE messages SET visibleAt = 0, receipt = NULL WHERE receipt IS NOT NULL');
  const arrivals = new EventEmitter().setMaxListeners(0);
  let url = '';

  const queueNamed = (name: string): Queue => {
    const row = statements.findQueue.get(name);
    if (row === undefined) {
      throw new AwsError('QueueDoesNotExist', 'The specified queue does not exist.', {
        queryCode: 'AWS.SimpleQueueService.NonExistentQueue',
      });
    }
    return { name, attributes: JSON.parse(String(row.attributes)), createdAt: Number(row.createdAt) };
  };
  const queueAt = (queueUrl: string) => queueNamed(queueUrl.split('/').at(-1) ?? '');
  const urlOf = (name: string) => `${url}/${account}/${name}`;
  const arnOf = (name: string) => `arn:aws:sqs:${region}:${account}:${name}`;

  const send = (queue: Queue, message: Message) => {
    if (/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.test(message.MessageBody)) {
      throw new AwsError('InvalidMessageContents', 'Invalid characters found in the message body.');
    }
    const id = randomUUID();
    const delaySeconds = message.DelaySeconds ?? Number(queue.attributes.DelaySeconds);
    const now = Date.now();
    const visibleAt = now + delaySeconds * 1000;
    statements.send.run(id, queue.name, message.MessageBody, JSON.stringify(message.MessageAttributes), now, visibleAt);
    arrivals.emit(queue.name);
    return { MessageId: id, ...digestsOf(message.MessageBody, message.MessageAttributes) };
  };

  const receive = (queue: Queue, limit: number, visibilityTimeout: number): StoredMessage[] => {
    const now = Date.now();
    statements.expire.run(queue.name, now - Number(queue.attributes.MessageRetentionPeriod) * 1000);
    const redrive = RedrivePolicy.safeParse(JSON.parse(queue.attributes.RedrivePolicy ?? 'null')).data;
    const messages: StoredMessage[] = [];
    while (messages.length < limit) {
      const message = statements.next.get(queue.name, now) as unknown as StoredMessage | undefined;
      if (message === undefined) break;
      if (redrive !== undefined && message.receiveCount >= redrive.maxReceiveCount) {
        const deadLetterQueue = redrive.deadLetterTargetArn.split(':').at(-1) ?? '';
        statements.move.run(deadLetterQueue, now, message.number);
        arrivals.emit(deadLetterQueue);
        continue;
      }
      message.receiveCount += 1;
      message.firstReceivedAt ??= now;
      statements.receive.run(
        now + visibilityTimeout * 1000,
        randomUUID(),
        message.receiveCount,
        message.firstReceivedAt,
        message.number,
      );
      messages.push(message);
      // A message received with no visibility timeout is visible at once, and must not be taken twice in one call.
      if (visibilityTimeout === 0) break;
    }
    return messages;
  };

  /** Waits for a message to arrive or to become visible again, at most until the deadline. */
  const waitForMessage = async (queue: Queue, deadline: number, signal: AbortSignal) => {
    const { at } = statements.nextVisible.get(queue.name) as { at: number | null };
    const waitMs = Math.max(1, Math.min(deadline, at ?? deadline) - Date.now());
    await once(arrivals, queue.name, { signal: AbortSignal.any([signal, AbortSignal.timeout(waitMs)]) }).catch(
      () => undefined,
    );
  };

  const receiveOperation = operation(
    z.object({
      QueueUrl,
      MaxNumberOfMessages: z.int().min(1).max(10).default(1),
      VisibilityTimeout: VisibilityTimeout.optional(),
      WaitTimeSeconds: z.int().min(0).max(20).optional(),
      AttributeNames: z.array(z.string()).default([]),
      MessageSystemAttributeNames: z.array(z.string()).default([]),
      MessageAttributeNames: z.array(z.string()).default([]),
    }),
    async (input, { signal }) => {
      const queue = queueAt(input.QueueUrl);
      const waitSeconds = input.WaitTimeSeconds ?? Number(queue.attributes.ReceiveMessageWaitTimeSeconds);
      const visibilityTimeout = input.VisibilityTimeout ?? Number(queue.attributes.VisibilityTimeout);
      const deadline = Date.now() + waitSeconds * 1000;
      // A caller that has gone away is given nothing: the message would stay invisible for nobody.
      while (!signal.aborted) {
        const messages = receive(queue, input.MaxNumberOfMessages, visibilityTimeout);
        if (messages.length > 0) {
          const systemNames = [...input.AttributeNames, ...input.MessageSystemAttributeNames];
          return { Messages: messages.map(message => render(message, systemNames, input.MessageAttributeNames)) };
        }
        if (Date.now() >= deadline) break;
        await waitForMessage(queue, deadline, signal);
      }
      return {};
    },
    'InvalidParameterValue',
  );

  const render = (message: StoredMessage, systemNames: string[], attributeNames: string[]) => {
    const attributes: Record<string, MessageAttribute> = JSON.parse(message.attributes);
    const chosen = Object.fromEntries(
      Object.entries(attributes).filter(([name]) => attributeNames.some(wanted => selects(wanted, name))),
    );
    const system = {
      ApproximateFirstReceiveTimestamp: String(message.firstReceivedAt),
      ApproximateReceiveCount: String(message.receiveCount),
      SenderId: account,
      SentTimestamp: String(message.sentAt),
    };
    return {
      MessageId: message.id,
      ReceiptHandle: String(statements.receiptOf.get(message.number)?.receipt),
      Body: message.body,
      MD5OfBody: md5(message.body),
      Attributes: Object.fromEntries(
        Object.entries(system).filter(([name]) => systemNames.some(wanted => selects(wanted, name))),
      ),
      ...(Object.keys(chosen).length > 0
        ? { MessageAttributes: chosen, MD5OfMessageAttributes: attributesMd5(chosen) }
        : {}),
    };
  };

  const remove = (queue: Queue, receipt: string): undefined => {
    refuseMalformedReceipt(receipt);
    // With an older receipt than the newest a message is not deleted, and that is no error.
    statements.remove.run(queue.name, receipt);
  };

  const changeVisibility = (queue: Queue, receipt: string, seconds: number) => {
    refuseMalformedReceipt(receipt);
    if (statements.changeVisibility.run(Date.now() + seconds * 1000, queue.name, receipt).changes === 0) {
      throw new AwsError('MessageNotInflight', 'The specified message is not in flight.', {
        queryCode: 'AWS.SimpleQueueService.MessageNotInflight',
      });
    }
    arrivals.emit(queue.name);
  };

  const parse = <S extends z.ZodType>(schema: S, run: (input: z.output<S>, request: AwsRequest) => unknown) =>
    operation(schema, run, 'InvalidParameterValue');

  const operations = {
    CreateQueue: parse(z.object({ QueueName: z.string().regex(/^[\w-]{1,80}$/), Attributes }), input => {
      const existing = statements.findQueue.get(input.QueueName);
      if (existing === undefined) {
        const attributes = { ...defaultAttributes, ...input.Attributes };
        statements.createQueue.run(input.QueueName, JSON.stringify(attributes), Date.now());
      } else {
        const { attributes } = queueNamed(input.QueueName);
        if (Object.entries(input.Attributes).some(([name, value]) => attributes[name] !== value)) {
          throw new AwsError('QueueNameExists', 'A queue already exists with the same name and a different value.', {
            queryCode: 'QueueAlreadyExists',
          });
        }
      }
      return { QueueUrl: urlOf(input.QueueName) };
    }),
    GetQueueUrl: parse(z.object({ QueueName: z.string() }), input => ({
      QueueUrl: urlOf(queueNamed(input.QueueName).name),
    })),
    ListQueues: parse(z.object({ QueueNamePrefix: z.string().default('') }), input => ({
      QueueUrls: statements.listQueues
        .all()
        .map(row => String(row.name))
        .filter(name => name.startsWith(input.QueueNamePrefix))
        .map(urlOf),
    })),
    GetQueueAttributes: parse(z.object({ QueueUrl, AttributeNames: z.array(z.string()).default([]) }), input => {
      const queue = queueAt(input.QueueUrl);
      const now = Date.now();
      const counts = statements.count.get({ queue: queue.name, now }) as Record<string, number>;
      const all = {
        ...queue.attributes,
        QueueArn: arnOf(queue.name),
        CreatedTimestamp: String(Math.floor(queue.createdAt / 1000)),
        ApproximateNumberOfMessages: String(counts.visible ?? 0),
        ApproximateNumberOfMessagesNotVisible: String(counts.inFlight ?? 0),
        ApproximateNumberOfMessagesDelayed: String(counts.delayed ?? 0),
      };
      const chosen = Object.entries(all).filter(([name]) => input.AttributeNames.some(wanted => selects(wanted, name)));
      return { Attributes: Object.fromEntries(chosen) };
    }),
    SetQueueAttributes: parse(z.object({ QueueUrl, Attributes }), input => {
      const queue = queueAt(input.QueueUrl);
      statements.setAttributes.run(JSON.stringify({ ...queue.attributes, ...input.Attributes }), queue.name);
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
    ReceiveMessage: receiveOperation,
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
      statements.purge.run(queueAt(input.QueueUrl).name);
    }),
  };

  const server = await startAwsServer(request => callOperation('AmazonSQS', operations, request));
  url = server.url;
  return {
    url,
    async stop() {
      await server.stop();
      database.close();
    },
  };
}

function createTables(database: DatabaseSync): void {
  database.exec(`
    CREATE TABLE IF NOT EXISTS queues (name TEXT PRIMARY KEY, attributes TEXT NOT NULL, createdAt INTEGER NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS messages (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL,
      queue TEXT NOT NULL,
      body TEXT NOT NULL,
      attributes TEXT NOT NULL,
      sentAt INTEGER NOT NULL,
      visibleAt INTEGER NOT NULL,
      receipt TEXT,
      receiveCount INTEGER NOT NULL DEFAULT 0,
      firstReceivedAt INTEGER
    ) STRICT;
    CREATE INDEX IF NOT EXISTS byVisibility ON messages (queue, visibleAt);
    CREATE INDEX IF NOT EXISTS byAge ON messages (queue, sentAt);
    CREATE INDEX IF NOT EXISTS byReceipt ON messages (receipt);
  `);
}

function prepare(database: DatabaseSync) {
  const sql = (text: string) => database.prepare(text);
  return {
    findQueue: sql('SELECT attributes, createdAt FROM queues WHERE name = ?'),
    listQueues: sql('SELECT name FROM queues ORDER BY name'),
    createQueue: sql('INSERT INTO queues (name, attributes, createdAt) VALUES (?, ?, ?)'),
    setAttributes: sql('UPDATE queues SET attributes = ? WHERE name = ?'),
    send: sql('INSERT INTO messages (id, queue, body, attributes, sentAt, visibleAt) VALUES (?, ?, ?, ?, ?, ?)'),
    next: sql('SELECT * FROM messages WHERE queue = ? AND visibleAt <= ? ORDER BY visibleAt, number LIMIT 1'),
    nextVisible: sql('SELECT min(visibleAt) AS at FROM messages WHERE queue = ?'),
    receive: sql(
      'UPDATE messages SET visibleAt = ?, receipt = ?, receiveCount = ?, firstReceivedAt = ? WHERE number = ?',
    ),
    receiptOf: sql('SELECT receipt FROM messages WHERE number = ?'),
    move: sql(
      'UPDATE messages SET queue = ?, visibleAt = ?, receipt = NULL, receiveCount = 0, firstReceivedAt = NULL WHERE number = ?',
    ),
    remove: sql('DELETE FROM messages WHERE queue = ? AND receipt = ?'),
    changeVisibility: sql('UPDATE messages SET visibleAt = ? WHERE queue = ? AND receipt = ?'),
    expire: sql('DELETE FROM messages WHERE queue = ? AND sentAt < ?'),
    purge: sql('DELETE FROM messages WHERE queue = ?'),
    count: sql(`SELECT
      count(*) FILTER (WHERE visibleAt <= $now) AS visible,
      count(*) FILTER (WHERE visibleAt > $now AND receiveCount > 0) AS inFlight,
      count(*) FILTER (WHERE visibleAt > $now AND receiveCount = 0) AS delayed
      FROM messages WHERE queue = $queue`),
  };
}

/** `All`, a name, or a prefix as in `trace.*`. */
function selects(wanted: string, name: string): boolean {
  return wanted === 'All' || wanted === name || (wanted.endsWith('.*') && name.startsWith(wanted.slice(0, -2)));
}

function sizeOf(message: Message): number {
  return Object.entries(message.MessageAttributes).reduce(
    (bytes, [name, { DataType, StringValue = '', BinaryValue = '' }]) =>
      bytes + Buffer.byteLength(name + DataType + StringValue) + Buffer.byteLength(BinaryValue, 'base64'),
    Buffer.byteLength(message.MessageBody),
  );
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

function digestsOf(body: string, attributes: Record<string, MessageAttribute>) {
  return {
    MD5OfMessageBody: md5(body),
    ...(Object.keys(attributes).length > 0 ? { MD5OfMessageAttributes: attributesMd5(attributes) } : {}),
  };
}

function md5(text: string | Buffer): string {
  return createHash('md5').update(text).digest('hex');
}

/** The digest that clients verify (SQS developer guide, "Calculating the MD5 message digest for message attributes"). */
function attributesMd5(attributes: Record<string, MessageAttribute>): string {
  const withLength = (bytes: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    return Buffer.concat([length, bytes]);
  };
  const parts = Object.entries(attributes)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, { DataType, StringValue, BinaryValue }]) => {
      const isBinary = DataType.startsWith('Binary');
      const value = isBinary ? Buffer.from(BinaryValue ?? '', 'base64') : Buffer.from(StringValue ?? '');
      return [
        withLength(Buffer.from(name)),
        withLength(Buffer.from(DataType)),
        Buffer.of(isBinary ? 2 : 1),
        withLength(value),
      ];
    });
  return md5(Buffer.concat(parts));
}
