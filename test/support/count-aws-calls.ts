import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchGetCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { AwsCall, Conductor } from './observe-calls.ts';

/** What one invocation asked of AWS. */
export interface Counts {
  /** Rounds of calls that waited for one another: the longest chain. */
  waves: number;
  calls: number;
  /** Read units of 4 KB, strongly consistent. */
  readUnits: number;
  /** Write units of 1 KB; a transaction counts each item twice. */
  writeUnits: number;
  kmsCalls: number;
  sqsMessages: number;
  mails: number;
}

type Item = Record<string, unknown>;
interface ItemKey {
  pk: string;
  sk: string;
}

/** Long enough that nothing which could begin at the same time begins later, passwords hashed beside it excepted. */
const quietMs = 12;

/**
 * Counts the calls of one invocation. It sends them round by round: a round begins when no further call comes, and all of
 * its answers are handed out together. So the number of rounds is the longest chain of calls that wait for one another,
 * whatever the machine's speed. Capacity is computed from the sizes of the items (Developer Guide, "Read and write
 * capacity"), for DynamoDB Local under-reports that of transactions.
 */
export function countCalls(): Conductor & { counts: Counts } {
  const counts: Counts = {
    waves: 0,
    calls: 0,
    readUnits: 0,
    writeUnits: 0,
    kmsCalls: 0,
    sqsMessages: 0,
    mails: 0,
  };
  let waiting: (() => Promise<() => void>)[] = [];
  let quiet: NodeJS.Timeout | undefined;
  let isRunning = false;

  const runRound = async () => {
    const round = waiting;
    waiting = [];
    isRunning = true;
    counts.waves += 1;
    const handOut = await Promise.all(round.map(send => send()));
    isRunning = false;
    for (const one of handOut) one();
    if (waiting.length > 0) wait();
  };
  const wait = () => {
    clearTimeout(quiet);
    if (!isRunning) quiet = setTimeout(() => void runRound(), quietMs);
  };

  return {
    counts,
    call(call, send) {
      // Their number depends on how fast this machine is.
      if (isHeartbeat(call)) return send();
      counts.calls += 1;
      return new Promise((resolve, reject) => {
        waiting.push(async () => {
          try {
            const output = await measured(call, send, counts);
            return () => resolve(output);
          } catch (error) {
            return () => reject(error);
          }
        });
        wait();
      });
    },
  };
}

/** A writer of a large change sends one each second. */
function isHeartbeat({ operation, input }: AwsCall): boolean {
  return /^Update(Item)?$/.test(operation) && Object.values(input.ExpressionAttributeNames ?? {}).includes('heartbeat');
}

async function measured(call: AwsCall, send: () => Promise<unknown>, counts: Counts): Promise<unknown> {
  if (call.service === 'KMS') counts.kmsCalls += 1;
  if (call.service === 'SQS') counts.sqsMessages += call.input.Entries?.length ?? 1;
  if (call.service === 'SESv2') counts.mails += 1;
  if (!call.service.startsWith('DynamoDB')) return send();
  const written = writtenKeys(call);
  const before = await sizesOf(written);
  const result = (await send()) as { output: Record<string, unknown> };
  counts.readUnits += readUnits(call, result.output);
  if (written.length > 0) {
    const after = await sizesOf(written);
    const perItem = call.operation.startsWith('Transact') ? 2 : 1;
    for (const [index, size] of after.entries()) {
      counts.writeUnits += perItem * Math.max(1, Math.ceil(Math.max(size, before[index] ?? 0) / 1024));
    }
  }
  return result;
}

function readUnits({ operation, input }: AwsCall, output: Record<string, unknown>): number {
  const units = (bytes: number) => Math.max(1, Math.ceil(bytes / 4096));
  if (operation === 'GetItem') return units(sizeOf(plain(output.Item as Item)));
  if (operation === 'BatchGetItem') {
    const wanted = Object.values(input.RequestItems as Record<string, { Keys: unknown[] }>)[0]?.Keys.length ?? 0;
    const found = Object.values((output.Responses ?? {}) as Record<string, Item[]>).flat();
    return found.reduce((sum, item) => sum + units(sizeOf(plain(item))), 0) + (wanted - found.length);
  }
  if (operation === 'Query') {
    const bytes = ((output.Items ?? []) as Item[]).reduce((sum, item) => sum + sizeOf(plain(item)), 0);
    return input.ConsistentRead === true ? units(bytes) : units(bytes) / 2;
  }
  return 0;
}

// biome-ignore lint/suspicious/noExplicitAny: a write of whatever kind
function keyOf(write: any): ItemKey {
  const key = write.Key ?? write.Item;
  return { pk: textOf(key.pk), sk: textOf(key.sk) };
}

/** Plain, or as it travels. */
function textOf(attribute: string | { S: string }): string {
  return typeof attribute === 'string' ? attribute : attribute.S;
}

function writtenKeys({ operation, input }: AwsCall): ItemKey[] {
  if (operation === 'PutItem' || operation === 'UpdateItem' || operation === 'DeleteItem') return [keyOf(input)];
  if (operation === 'TransactWriteItems') {
    // biome-ignore lint/suspicious/noExplicitAny: one of four shapes
    return input.TransactItems.map((item: any) => keyOf(Object.values(item)[0]));
  }
  if (operation === 'BatchWriteItem') {
    // biome-ignore lint/suspicious/noExplicitAny: one of two shapes
    return (Object.values(input.RequestItems).flat() as any[]).map(one => keyOf(one.PutRequest ?? one.DeleteRequest));
  }
  return [];
}

let reader: DynamoDBDocumentClient | undefined;

/** A client of its own, which nobody counts. */
async function sizesOf(keys: readonly ItemKey[]): Promise<number[]> {
  reader ??= DynamoDBDocumentClient.from(new DynamoDBClient({}));
  const table = process.env.TABLE_NAME ?? '';
  const sizes = new Map<string, number>();
  for (let start = 0; start < keys.length; start += 100) {
    let open: ItemKey[] | undefined = keys.slice(start, start + 100);
    while (open !== undefined && open.length > 0) {
      const { Responses, UnprocessedKeys } = await reader.send(
        new BatchGetCommand({ RequestItems: { [table]: { Keys: open, ConsistentRead: true } } }),
      );
      for (const item of Responses?.[table] ?? []) sizes.set(`${item.pk} ${item.sk}`, sizeOf(item));
      open = UnprocessedKeys?.[table]?.Keys as ItemKey[] | undefined;
    }
  }
  return keys.map(({ pk, sk }) => sizes.get(`${pk} ${sk}`) ?? 0);
}

/** Forgets the client, whose table may be gone. */
export function closeCounting(): void {
  reader?.destroy();
  reader = undefined;
}

/** The attribute values of the wire (`{S: "…"}`) as they are; plain values stay what they are. */
function plain(item: Item | undefined): Item {
  return item ?? {};
}

/** An item's size in bytes as DynamoDB counts it (Developer Guide, "DynamoDB item sizes and formats"). */
export function sizeOf(item: Item): number {
  return Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueSize(value), 0);
}

function valueSize(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  // "Approximately (length of attribute name) + (1 byte per two significant digits) + (1 byte)", with a byte for the sign.
  if (typeof value === 'number') {
    const digits = String(Math.abs(value))
      .replace(/[.]/, '')
      .replace(/^0+|0+$/g, '').length;
    return Math.ceil(digits / 2) + 1 + (value < 0 ? 1 : 0);
  }
  if (typeof value === 'boolean' || value === null || value === undefined) return 1;
  if (value instanceof Uint8Array) return value.byteLength;
  if (Array.isArray(value)) return value.reduce((sum, one) => sum + 1 + valueSize(one), 3);
  return Object.entries(value as Item).reduce(
    (sum, [name, one]) => sum + 1 + Buffer.byteLength(name) + valueSize(one),
    3,
  );
}
