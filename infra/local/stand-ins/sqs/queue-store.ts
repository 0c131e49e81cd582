import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import type { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import { openDatabase } from '../../machine/data-directory.ts';
import type { Message, MessageAttribute } from './message-format.ts';

export interface Queue {
  name: string;
  attributes: Record<string, string>;
  createdAt: number;
}

/** A message that was handed over. */
export interface ReceivedMessage {
  id: string;
  receipt: string;
  body: string;
  attributes: Record<string, MessageAttribute>;
  sentAt: number;
  receiveCount: number;
  firstReceivedAt: number;
}

export type QueueStore = ReturnType<typeof openQueueStore>;

const RedrivePolicy = z.object({ deadLetterTargetArn: z.string(), maxReceiveCount: z.coerce.number().int().min(1) });

/**
 * Queues and their messages, in `sqs.db` in the directory or in memory. A message is invisible until its `visibleAt`,
 * whether it was sent with a delay or received. Messages that were received before this start are visible again at
 * once, because their receivers have ended.
 */
export function openQueueStore(directory: string | undefined) {
  const database = openDatabase(directory, 'sqs.db');
  createTables(database);
  const statements = prepare(database);
  database.exec('UPDATE messages SET visibleAt = 0, receipt = NULL WHERE receipt IS NOT NULL');
  const arrivals = new EventEmitter().setMaxListeners(0);

  return {
    find(name: string): Queue | undefined {
      const row = statements.findQueue.get(name);
      return row && { name, attributes: JSON.parse(String(row.attributes)), createdAt: Number(row.createdAt) };
    },

    names: (): string[] => statements.listQueues.all().map(row => String(row.name)),

    create(name: string, attributes: Record<string, string>): void {
      statements.createQueue.run(name, JSON.stringify(attributes), Date.now());
    },

    setAttributes(name: string, attributes: Record<string, string>): void {
      statements.setAttributes.run(JSON.stringify(attributes), name);
    },

    count: (name: string) => statements.count.get({ queue: name, now: Date.now() }) as Record<string, number>,

    /** Returns the message's id. */
    send(queue: Queue, { MessageBody, MessageAttributes, DelaySeconds }: Message): string {
      const id = randomUUID();
      const now = Date.now();
      const visibleAt = now + (DelaySeconds ?? Number(queue.attributes.DelaySeconds)) * 1000;
      statements.send.run(id, queue.name, MessageBody, JSON.stringify(MessageAttributes), now, visibleAt);
      arrivals.emit(queue.name);
      return id;
    },

    /** Hands over visible messages and hides them. Those received too often go to the dead-letter queue instead. */
    receive(queue: Queue, limit: number, visibilityTimeout: number): ReceivedMessage[] {
      const now = Date.now();
      statements.expire.run(queue.name, now - Number(queue.attributes.MessageRetentionPeriod) * 1000);
      const redrive = RedrivePolicy.safeParse(JSON.parse(queue.attributes.RedrivePolicy ?? 'null')).data;
      const messages: ReceivedMessage[] = [];
      while (messages.length < limit) {
        const row = statements.next.get(queue.name, now);
        if (row === undefined) break;
        const receiveCount = Number(row.receiveCount) + 1;
        if (redrive !== undefined && receiveCount > redrive.maxReceiveCount) {
          const deadLetterQueue = redrive.deadLetterTargetArn.split(':').at(-1) ?? '';
          statements.move.run(deadLetterQueue, now, row.number as number);
          arrivals.emit(deadLetterQueue);
          continue;
        }
        const receipt = randomUUID();
        const firstReceivedAt = Number(row.firstReceivedAt ?? now);
        const visibleAt = now + visibilityTimeout * 1000;
        statements.receive.run(visibleAt, receipt, receiveCount, firstReceivedAt, row.number as number);
        messages.push({
          id: String(row.id),
          receipt,
          body: String(row.body),
          attributes: JSON.parse(String(row.attributes)),
          sentAt: Number(row.sentAt),
          receiveCount,
          firstReceivedAt,
        });
        // Without a visibility timeout a received message is visible at once. One call must not receive it twice.
        if (visibilityTimeout === 0) break;
      }
      return messages;
    },

    /** Waits until a message arrives or becomes visible again, but not longer than the deadline. */
    async waitForMessage(queue: Queue, deadline: number, signal: AbortSignal): Promise<void> {
      const { at } = statements.nextVisible.get(queue.name) as { at: number | null };
      const waitMs = Math.max(1, Math.min(deadline, at ?? deadline) - Date.now());
      await once(arrivals, queue.name, { signal: AbortSignal.any([signal, AbortSignal.timeout(waitMs)]) }).catch(
        () => undefined,
      );
    },

    /** With a receipt older than the newest it deletes nothing, and in SQS that is no error. */
    remove(queue: Queue, receipt: string): void {
      statements.remove.run(queue.name, receipt);
    },

    /** Whether the receipt was the newest of a message. */
    changeVisibility(queue: Queue, receipt: string, seconds: number): boolean {
      const { changes } = statements.changeVisibility.run(Date.now() + seconds * 1000, queue.name, receipt);
      arrivals.emit(queue.name);
      return changes > 0;
    },

    purge(queue: Queue): void {
      statements.purge.run(queue.name);
    },

    close: () => database.close(),
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
