import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import type { SQLOutputValue } from 'node:sqlite';
import * as z from 'zod';
import type { Message, MessageAttribute } from './message-format.ts';
import { openQueueTables, type QueueTables } from './queue-tables.ts';

export interface Queue {
  name: string;
  attributes: Record<string, string>;
  createdAt: number;
}

/** A message that was delivered to a receiver. */
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
 * Queues and their messages. A message is invisible until its `visibleAt`, whether it was sent with a delay or
 * received. `delaySecondMs` is how long a second of a delay takes that a sender or a receiver asks for.
 */
export function openQueueStore(directory: string | undefined, delaySecondMs = 1000) {
  const tables = openQueueTables(directory);
  const arrivals = new EventEmitter().setMaxListeners(0);
  return { ...storedQueues(tables), ...storedMessages(tables, arrivals, delaySecondMs), close: tables.close };
}

function storedQueues(tables: QueueTables) {
  return {
    find(name: string): Queue | undefined {
      const row = tables.findQueue.get(name);
      return row && { name, attributes: JSON.parse(String(row.attributes)), createdAt: Number(row.createdAt) };
    },

    names: (): string[] => tables.listQueues.all().map(row => String(row.name)),

    create(name: string, attributes: Record<string, string>): void {
      tables.createQueue.run(name, JSON.stringify(attributes), Date.now());
    },

    setAttributes(name: string, attributes: Record<string, string>): void {
      tables.setAttributes.run(JSON.stringify(attributes), name);
    },

    count: (name: string) => tables.count.get({ queue: name, now: Date.now() }) as Record<string, number>,

    purge(queue: Queue): void {
      tables.purge.run(queue.name);
    },
  };
}

function storedMessages(tables: QueueTables, arrivals: EventEmitter, delaySecondMs: number) {
  return {
    /** Returns the message's id. */
    send(queue: Queue, { MessageBody, MessageAttributes, DelaySeconds }: Message): string {
      const id = randomUUID();
      const now = Date.now();
      const visibleAt = now + (DelaySeconds ?? Number(queue.attributes.DelaySeconds)) * delaySecondMs;
      tables.send.run(id, queue.name, MessageBody, JSON.stringify(MessageAttributes), now, visibleAt);
      arrivals.emit(queue.name);
      return id;
    },

    /**
     * Returns visible messages and hides them. Messages that were received too often move to the dead-letter queue
     * instead.
     */
    receive(queue: Queue, limit: number, visibilityTimeout: number): ReceivedMessage[] {
      const now = Date.now();
      tables.expire.run(queue.name, now - Number(queue.attributes.MessageRetentionPeriod) * 1000);
      const messages: ReceivedMessage[] = [];
      while (messages.length < limit) {
        const row = tables.next.get(queue.name, now);
        if (row === undefined) break;
        const deadLetterQueue = deadLetterQueueOf(queue, Number(row.receiveCount) + 1);
        if (deadLetterQueue !== undefined) {
          tables.move.run(deadLetterQueue, now, row.number as number);
          arrivals.emit(deadLetterQueue);
          continue;
        }
        messages.push(handOver(tables, row, now, visibilityTimeout));
        // Without a visibility timeout, a received message is immediately visible. One call must not receive it twice.
        if (visibilityTimeout === 0) break;
      }
      return messages;
    },

    /** Waits until a message arrives or becomes visible again, or until the deadline. */
    async waitForMessage(queue: Queue, deadline: number, signal: AbortSignal): Promise<void> {
      const { at } = tables.nextVisible.get(queue.name) as { at: number | null };
      const waitMs = Math.max(1, Math.min(deadline, at ?? deadline) - Date.now());
      await once(arrivals, queue.name, { signal: AbortSignal.any([signal, AbortSignal.timeout(waitMs)]) }).catch(
        () => undefined,
      );
    },

    /** Given an outdated receipt, it deletes nothing, which is not an error in SQS. */
    remove(queue: Queue, receipt: string): void {
      tables.remove.run(queue.name, receipt);
    },

    /** Whether the receipt was a message's latest one. */
    changeVisibility(queue: Queue, receipt: string, seconds: number): boolean {
      const { changes } = tables.changeVisibility.run(Date.now() + seconds * delaySecondMs, queue.name, receipt);
      arrivals.emit(queue.name);
      return changes > 0;
    },
  };
}

/** Where a message goes after it was received more often than its queue allows. */
function deadLetterQueueOf({ attributes }: Queue, receiveCount: number): string | undefined {
  const redrive = RedrivePolicy.safeParse(JSON.parse(attributes.RedrivePolicy ?? 'null')).data;
  if (redrive === undefined || receiveCount <= redrive.maxReceiveCount) return undefined;
  return redrive.deadLetterTargetArn.split(':').at(-1) ?? '';
}

function handOver(
  tables: QueueTables,
  row: Record<string, SQLOutputValue>,
  now: number,
  visibilityTimeout: number,
): ReceivedMessage {
  const receipt = randomUUID();
  const receiveCount = Number(row.receiveCount) + 1;
  const firstReceivedAt = Number(row.firstReceivedAt ?? now);
  tables.receive.run(now + visibilityTimeout * 1000, receipt, receiveCount, firstReceivedAt, row.number as number);
  return {
    id: String(row.id),
    receipt,
    body: String(row.body),
    attributes: JSON.parse(String(row.attributes)),
    sentAt: Number(row.sentAt),
    receiveCount,
    firstReceivedAt,
  };
}
