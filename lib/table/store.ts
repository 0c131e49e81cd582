import { randomUUID } from 'node:crypto';
import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { requiredSetting } from '../core/settings.ts';
import { tableClient } from './client.ts';
import type { Entity, Key } from './entity.ts';
import { type AnyChanges, type AnyConditions, type Changes, type Conditions, render } from './expressions.ts';
import { pauseBeforeRetry, type RetryBudget, retryBudget, sendPatiently } from './retry.ts';

type Item = Record<string, unknown>;
// biome-ignore lint/suspicious/noExplicitAny: any entity, with any parts of its key
type AnyEntity<R = any> = Entity<R, any>;

/** A read of one item: which entity, at which key. Built by `at`, sent by `readTogether` or `find`. */
export interface Read<R> {
  entity: AnyEntity<R>;
  key: Key;
}

export function at<R, K extends readonly unknown[]>(entity: Entity<R, K>, ...key: K): Read<R> {
  return { entity, key: entity.key(...key) };
}

type ReadResults<Reads extends Record<string, Read<unknown> | undefined>> = {
  [Name in keyof Reads]: (Reads[Name] extends Read<infer R> | undefined ? R : never) | undefined;
};

/** A strongly consistent read of one item. */
export async function find<R>(read: Read<R>): Promise<R | undefined> {
  const command = () =>
    new GetCommand({ TableName: requiredSetting('TABLE_NAME'), Key: read.key, ConsistentRead: true });
  const { Item: item } = await sendPatiently(() => tableClient().send(command()), { repeatable: true });
  return item === undefined ? undefined : read.entity.parse(item);
}

/**
 * Strongly consistent reads of up to 100 items in one call (more in parallel calls), as one object. Each item is read by
 * itself, so together they are no snapshot.
 */
export async function readTogether<Reads extends Record<string, Read<unknown> | undefined>>(
  reads: Reads,
): Promise<ReadResults<Reads>> {
  const wanted = Object.entries(reads).filter((entry): entry is [string, Read<unknown>] => entry[1] !== undefined);
  const found = await readAll(wanted.map(([, read]) => read));
  return Object.fromEntries(wanted.map(([name], index) => [name, found[index]])) as ReadResults<Reads>;
}

/** Like `readTogether` for a list: the records in the order of the reads, undefined for missing ones. */
export async function readAll<R>(reads: readonly Read<R>[]): Promise<(R | undefined)[]> {
  const keys = new Map(reads.map(read => [keyText(read.key), read.key]));
  const unique = [...keys.values()];
  const items = new Map<string, Item>();
  await Promise.all(
    chunksOf(100, unique).map(async chunk => {
      for (const item of await batchGet(chunk)) items.set(keyText(item as unknown as Key), item);
    }),
  );
  return reads.map(read => {
    const item = items.get(keyText(read.key));
    return item === undefined ? undefined : read.entity.parse(item);
  });
}

async function batchGet(keys: readonly Key[]): Promise<Item[]> {
  const table = requiredSetting('TABLE_NAME');
  const items: Item[] = [];
  const budget = retryBudget();
  let open = keys.map(({ pk, sk }) => ({ pk, sk }));
  while (open.length > 0) {
    const request = { RequestItems: { [table]: { Keys: open, ConsistentRead: true } } };
    const answer = await sendPatiently(() => tableClient().send(new BatchGetCommand(request)), {
      repeatable: true,
      budget,
    });
    items.push(...(answer.Responses?.[table] ?? []));
    const left = answer.UnprocessedKeys?.[table]?.Keys as typeof open | undefined;
    // A full answer (16 MB) also leaves keys; only an answer without progress waits.
    if (left !== undefined && left.length === open.length) await pauseBeforeRetry(budget);
    open = left ?? [];
  }
  return items;
}

/** A range of one partition. */
export interface Range {
  pk: string;
  /** Sort keys that begin with this. */
  beginsWith?: string;
  /** Sort keys in this closed interval. */
  between?: readonly [string, string];
  newestFirst?: boolean;
  /** Items per page at the most; DynamoDB ends a page at 1 MB as well. */
  pageSize?: number;
  /** Only these attributes of each item. DynamoDB still charges for the whole items. */
  attributes?: readonly string[];
  /** Reads may lag behind writes, for half the price; strongly consistent unless set. */
  eventuallyConsistent?: boolean;
  startAfter?: Key;
}

export interface Page {
  items: Item[];
  /** Where the next page starts, undefined at the end. */
  next: Key | undefined;
}

/** One page of a range, as raw items. */
export async function queryPage(range: Range): Promise<Page> {
  const values: Record<string, unknown> = { ':pk': range.pk };
  let condition = 'pk = :pk';
  if (range.beginsWith !== undefined) {
    condition += ' AND begins_with(sk, :from)';
    values[':from'] = range.beginsWith;
  } else if (range.between !== undefined) {
    condition += ' AND sk BETWEEN :from AND :to';
    values[':from'] = range.between[0];
    values[':to'] = range.between[1];
  }
  const names = (range.attributes ?? []).map((attribute, index) => [`#${index}`, attribute] as const);
  const projection =
    names.length === 0
      ? {}
      : {
          ProjectionExpression: names.map(([placeholder]) => placeholder).join(', '),
          ExpressionAttributeNames: Object.fromEntries(names),
        };
  const query = {
    TableName: requiredSetting('TABLE_NAME'),
    KeyConditionExpression: condition,
    ExpressionAttributeValues: values,
    ...projection,
    ConsistentRead: range.eventuallyConsistent !== true,
    ScanIndexForward: range.newestFirst !== true,
    Limit: range.pageSize,
    ExclusiveStartKey: range.startAfter,
  };
  const answer = await sendPatiently(() => tableClient().send(new QueryCommand(query)), { repeatable: true });
  return { items: answer.Items ?? [], next: answer.LastEvaluatedKey as Key | undefined };
}

/** All raw items of a range, page after page. */
export async function queryItems(range: Range): Promise<Item[]> {
  const items: Item[] = [];
  let startAfter = range.startAfter;
  do {
    const page = await queryPage(startAfter === undefined ? range : { ...range, startAfter });
    items.push(...page.items);
    startAfter = page.next;
  } while (startAfter !== undefined);
  return items;
}

/** The records of one kind among raw items. */
export function ofKind<R>(entity: AnyEntity<R>, items: readonly Item[]): R[] {
  return items.filter(({ kind }) => kind === entity.kind).map(item => entity.parse(item));
}

/** All records of a range whose items are of one kind. */
export async function list<R>(entity: AnyEntity<R>, range: Range): Promise<R[]> {
  return (await queryItems(range)).map(item => entity.parse(item));
}

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** A write as data. `refused` makes the domain error to throw when its condition does not hold. */
export interface Write {
  kind: 'put' | 'update' | 'remove' | 'check';
  key: Key;
  item?: Item;
  changes?: AnyChanges;
  condition?: AnyConditions;
  refused?: (current: Item | undefined) => Error;
  refusesRepeat?: boolean;
  unique?: string;
  ownKey?: true;
  once?: true;
}

interface WriteOptions<R> {
  if?: Conditions<R>;
  /** Is given the item as it is stored, so an attribute that came with a later format may be missing. */
  refused?: (current: Partial<R> | undefined) => Error;
  /** The condition refuses this very write once it has been made, so sending it twice makes it once. */
  refusesRepeat?: true;
  /** An attribute that is set to text which no other write sets, such as a salted hash. */
  unique?: string & keyof R;
  /** No other write has the key, because there is a new id in it or the hash of a new secret. */
  ownKey?: true;
  /**
   * Removed when it is used, and must not come back: it is sent as a transaction, which DynamoDB makes only once even if
   * an attempt without an answer is executed late.
   */
  once?: true;
}

/** What is written to: a record, or only its key if no attribute matters. */
type Target<R> = Read<R> | { entity?: never; key: Key };

function writeOf<R>(write: Pick<Write, 'kind' | 'key' | 'item' | 'changes'>, options: WriteOptions<R>): Write {
  const { if: condition, refused, refusesRepeat, unique, ownKey, once } = options;
  return {
    ...write,
    ...(condition === undefined ? {} : { condition: condition as AnyConditions }),
    ...(refused === undefined ? {} : { refused: refused as NonNullable<Write['refused']> }),
    ...(refusesRepeat === undefined ? {} : { refusesRepeat }),
    ...(unique === undefined ? {} : { unique }),
    ...(ownKey === undefined ? {} : { ownKey }),
    ...(once === undefined ? {} : { once }),
  };
}

export function put<R>(read: Read<R>, record: NoInfer<R>, options: WriteOptions<NoInfer<R>> = {}): Write {
  return writeOf({ kind: 'put', key: read.key, item: read.entity.toItem(read.key, record) }, options);
}

export function update<R>(read: Read<R>, changes: Changes<NoInfer<R>>, options: WriteOptions<NoInfer<R>> = {}): Write {
  return writeOf({ kind: 'update', key: read.key, changes: changes as AnyChanges }, options);
}

/** An update that creates the item if needed. */
export function upsert<R>(read: Read<R>, changes: Changes<NoInfer<R>>, options: WriteOptions<NoInfer<R>> = {}): Write {
  const { kind, formatVersion } = read.entity;
  const { set, ...others } = changes as AnyChanges;
  return writeOf(
    { kind: 'update', key: read.key, changes: { ...others, set: { kind, v: formatVersion, ...set } } },
    options,
  );
}

export function remove<R>(target: Target<R>, options: WriteOptions<NoInfer<R>> = {}): Write {
  return writeOf({ kind: 'remove', key: target.key }, options);
}

export function check<R>(target: Target<R>, options: WriteOptions<NoInfer<R>> & { if: Conditions<NoInfer<R>> }): Write {
  return writeOf({ kind: 'check', key: target.key }, options);
}

/** DynamoDB's bound on the writes of one transaction. */
export const maximumWritesPerTransaction = 100;

/** A condition of a write did not hold. `indexes` tells which writes of the transaction it was. */
export class ConditionFailed extends Error {
  override readonly name = 'ConditionFailed';
  readonly indexes: readonly number[];

  constructor(indexes: readonly number[]) {
    super(`A condition did not hold (write ${indexes.join(', ')}).`);
    this.indexes = indexes;
  }
}

/**
 * All of the writes or none. Conflicts with other transactions are retried with jitter inside `budget`.
 * @throws the first refused write's domain error, else `ConditionFailed`; `temporarily_unavailable` after the budget.
 */
export async function transact(writes: readonly Write[], budget: RetryBudget = retryBudget()): Promise<void> {
  const [only] = writes;
  if (only === undefined) return;
  if (writes.length === 1 && isSafeAlone(only)) {
    await writeAlone(only, budget);
    return;
  }
  const TransactItems = writes.map(toTransactItem);
  for (let cancellations = 0; ; cancellations += 1) {
    // One token until DynamoDB says that the transaction was cancelled: with it, sending it again can't execute it twice.
    const ClientRequestToken = randomUUID();
    const send = () => tableClient().send(new TransactWriteCommand({ TransactItems, ClientRequestToken }));
    try {
      await sendPatiently(send, { repeatable: true, budget });
      return;
    } catch (error) {
      if (!(error instanceof TransactionCanceledException)) throw error;
      const reasons = error.CancellationReasons ?? [];
      const failed = reasons.flatMap((reason, index) => (reason.Code === 'ConditionalCheckFailed' ? [index] : []));
      if (failed.length > 0) {
        if (cancellations > 0 && (await isMade(writes, index => plain(reasons[index]?.Item)))) return;
        throw refusal(writes, failed, index => plain(reasons[index]?.Item));
      }
      const transient = reasons.some(reason => transientReasons.has(reason.Code ?? ''));
      if (!transient) throw error;
      await pauseBeforeRetry(budget, error);
    }
  }
}

/**
 * Whether a refused transaction has in fact been made, by an attempt under an earlier token that was executed late, after
 * a conflict had cancelled its repeat. The one write that only this transaction makes is refused, too, then.
 */
async function isMade(writes: readonly Write[], current: (index: number) => Item | undefined): Promise<boolean> {
  const index = writes.findIndex(isKnownAgain);
  const own = writes[index];
  return own !== undefined && isWritten(own, current(index));
}

/** Whether the item tells afterwards that it was this very write that made it. */
function isKnownAgain({ condition, unique, ownKey }: Write): boolean {
  return condition !== undefined && (unique !== undefined || ownKey === true);
}

/**
 * The SDK sends a write again when its answer was lost. DynamoDB knows a transaction by its token and makes it once; a
 * single write costs half and has no token, so making it twice must have the same effect as once.
 */
function isSafeAlone({ kind, changes, refusesRepeat, once }: Write): boolean {
  return kind !== 'check' && once === undefined && (changes?.add === undefined || refusesRepeat === true);
}

/** Reasons of a cancellation that pass by themselves. */
const transientReasons = new Set(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded']);

/** One write alone: half the price of a transaction of one. */
async function writeAlone(write: Write, budget: RetryBudget): Promise<void> {
  const TableName = requiredSetting('TABLE_NAME');
  const isConditionedPut = write.kind === 'put' && write.condition !== undefined;
  const isAsked = write.refused !== undefined || isConditionedPut || isKnownAgain(write);
  const returned = isAsked ? ({ ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const) : {};
  for (let sends = 0; ; ) {
    try {
      const expressions = render(write.condition, write.changes);
      await sendPatiently(
        async () => {
          sends += 1;
          if (write.kind === 'put') {
            await tableClient().send(new PutCommand({ TableName, Item: write.item, ...expressions, ...returned }));
          } else if (write.kind === 'update') {
            await tableClient().send(new UpdateCommand({ TableName, Key: write.key, ...expressions, ...returned }));
          } else {
            await tableClient().send(new DeleteCommand({ TableName, Key: write.key, ...expressions, ...returned }));
          }
        },
        // Without a token DynamoDB doesn't know a write that it has executed already.
        { repeatable: false, budget },
      );
      return;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) {
        const current = plain(error.Item);
        const isRepeat = sends > 1 || (error.$metadata.attempts ?? 1) > 1;
        if (isRepeat && (await isWritten(write, current))) return;
        throw refusal([write], [0], () => current);
      }
      if (!(error instanceof TransactionConflictException)) throw error;
      await pauseBeforeRetry(budget, error);
    }
  }
}

/**
 * Adds to a number of an item, which is created if needed, and returns the new item. If an answer is lost, the SDK adds
 * again, so this is only for counts that may be a little too high.
 */
export async function increment<R>(
  read: Read<R>,
  changesWanted: Pick<Changes<NoInfer<R>>, 'add' | 'setIfAbsent'>,
): Promise<R> {
  const { key, changes } = upsert(read, changesWanted);
  const { Attributes: item = {} } = await tableClient().send(
    new UpdateCommand({
      TableName: requiredSetting('TABLE_NAME'),
      Key: key,
      ...render(undefined, changes),
      ReturnValues: 'ALL_NEW',
    }),
  );
  return read.entity.parse(item);
}

/**
 * Whether a refused write has in fact been made, by an earlier attempt of the SDK whose answer was lost. Items that only
 * one caller may put carry something unique to it, so an equal item is its own. Of an update this is known only if it says
 * which of its values is unique.
 */
async function isWritten({ item, changes, unique }: Write, current: Item | undefined): Promise<boolean> {
  if (current === undefined) return false;
  if (item === undefined) return unique !== undefined && changes?.set?.[unique] === current[unique];
  // Loaded here, because importing `node:util` takes longer than the rest of this module and is rarely needed.
  const { isDeepStrictEqual } = await import('node:util');
  return isDeepStrictEqual(unmarshall(marshall(item, { removeUndefinedValues: true })), current);
}

function refusal(
  writes: readonly Write[],
  failed: readonly number[],
  current: (index: number) => Item | undefined,
): Error {
  for (const index of failed) {
    const refused = writes[index]?.refused;
    if (refused !== undefined) return refused(current(index));
  }
  return new ConditionFailed(failed);
}

/** The document client leaves the items inside exceptions as they came over the wire. */
function plain(item: Parameters<typeof unmarshall>[0] | undefined): Item | undefined {
  return item === undefined ? undefined : unmarshall(item);
}

function toTransactItem(write: Write): TransactItem {
  const TableName = requiredSetting('TABLE_NAME');
  const expressions = render(write.condition, write.changes);
  const isAsked = write.refused !== undefined || isKnownAgain(write);
  const returned = isAsked ? ({ ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const) : {};
  if (write.kind === 'put') return { Put: { TableName, Item: write.item, ...expressions, ...returned } };
  if (write.kind === 'update') {
    return { Update: { TableName, Key: write.key, UpdateExpression: '', ...expressions, ...returned } };
  }
  if (write.kind === 'remove') return { Delete: { TableName, Key: write.key, ...expressions, ...returned } };
  return { ConditionCheck: { TableName, Key: write.key, ConditionExpression: '', ...expressions, ...returned } };
}

/** Makes the writes unless a condition does not hold, where nothing is left to do then. @returns whether they were made */
export async function transactIfHolds(writes: readonly Write[], budget?: RetryBudget): Promise<boolean> {
  try {
    await transact(writes, budget);
    return true;
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    return false;
  }
}

/** Removes items without a condition, 25 a call. It is not atomic, so use it only for data out of reach. */
export async function removeAll(keysToRemove: readonly Key[]): Promise<void> {
  const table = requiredSetting('TABLE_NAME');
  for (const chunk of chunksOf(25, keysToRemove)) {
    const budget = retryBudget();
    let open = chunk.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } }));
    while (open.length > 0) {
      const request = { RequestItems: { [table]: open } };
      const answer = await sendPatiently(() => tableClient().send(new BatchWriteCommand(request)), {
        repeatable: true,
        budget,
      });
      open = (answer.UnprocessedItems?.[table] ?? []) as typeof open;
      if (open.length > 0) await pauseBeforeRetry(budget);
    }
  }
}

/**
 * Runs `attempt` again while it ends with `ConditionFailed`: optimistic changes that read, decide and write.
 * @throws `temporarily_unavailable` when other changes came first until the budget was used up.
 */
export async function retryOnConditionFailed<T>(
  attempt: (budget: RetryBudget) => Promise<T>,
  budget: RetryBudget = retryBudget(),
): Promise<T> {
  for (;;) {
    try {
      return await attempt(budget);
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      await pauseBeforeRetry(budget, error);
    }
  }
}

/**
 * The same, with a separate read: the first `attempt` decides on `known`, which the request has already read, and each
 * later one on what `readAgain` finds.
 */
export function retryWithFreshRead<Read, T>(
  known: Read,
  readAgain: () => Promise<Read>,
  attempt: (current: Read, budget: RetryBudget) => Promise<T>,
): Promise<T> {
  let isFirst = true;
  return retryOnConditionFailed(async budget => {
    const current = isFirst ? known : await readAgain();
    isFirst = false;
    return attempt(current, budget);
  });
}

export function chunksOf<T>(size: number, values: readonly T[]): T[][] {
  const chunks: T[][] = [];
  for (let start = 0; start < values.length; start += size) chunks.push(values.slice(start, start + size));
  return chunks;
}

function keyText({ pk, sk }: Key): string {
  return `${pk}\u0000${sk}`;
}
