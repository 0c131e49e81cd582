import { randomUUID } from 'node:crypto';
import { TransactionCanceledException, TransactionConflictException } from '@aws-sdk/client-dynamodb';
import {
  BatchWriteCommand,
  PutCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { chunksOf } from '../core/chunks-of.ts';
import { requiredSetting } from '../core/settings.ts';
import { tableClient } from './client.ts';
import type { Key } from './entity.ts';
import { type AnyChanges, type AnyConditions, type Changes, type Conditions, render } from './expressions.ts';
import type { Item, Read } from './read.ts';
import { asOneTransaction, pauseBeforeRetry, type RetryBudget, retryBudget, sendPatiently } from './retry.ts';

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** A write as data. `refused` makes the domain error to throw when its condition does not hold. */
export interface Write {
  kind: 'put' | 'update' | 'remove' | 'check';
  key: Key;
  item?: Item;
  changes?: AnyChanges;
  condition?: AnyConditions;
  refused?: (current: Item | undefined) => Error;
}

interface WriteOptions<R> {
  if?: Conditions<R>;
  /** Is given the item as it is stored, so an attribute that came with a later format may be missing. */
  refused?: (current: Partial<R> | undefined) => Error;
}

/** What is written to: a record, or only its key if no attribute matters. */
type Target<R> = Read<R> | { entity?: never; key: Key };

function writeOf<R>(
  write: Pick<Write, 'kind' | 'key' | 'item' | 'changes'>,
  { if: condition, refused }: WriteOptions<R>,
): Write {
  return {
    ...write,
    ...(condition === undefined ? {} : { condition: condition as AnyConditions }),
    ...(refused === undefined ? {} : { refused: refused as NonNullable<Write['refused']> }),
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
 *
 * Every attempt carries the same token. For ten minutes DynamoDB makes a transaction with that token once, whichever
 * attempt it executes; after a cancelled attempt it tries again.
 * @throws the first refused write's domain error, else `ConditionFailed`; `temporarily_unavailable` after the budget.
 */
export async function transact(writes: readonly Write[], budget: RetryBudget = retryBudget()): Promise<void> {
  if (writes.length > 0) await asOneTransaction(() => sendTransaction(writes, budget));
}

async function sendTransaction(writes: readonly Write[], budget: RetryBudget): Promise<void> {
  const transaction = { TransactItems: writes.map(toTransactItem), ClientRequestToken: randomUUID() };
  for (;;) {
    try {
      const send = () => tableClient().send(new TransactWriteCommand(transaction));
      await sendPatiently(send, { repeatable: true, budget });
      return;
    } catch (error) {
      if (!(error instanceof TransactionCanceledException)) throw error;
      const reasons = error.CancellationReasons ?? [];
      const failed = reasons.flatMap((reason, index) => (reason.Code === 'ConditionalCheckFailed' ? [index] : []));
      if (failed.length > 0) throw refusal(writes, failed, index => plain(reasons[index]?.Item));
      const isTransient = reasons.some(reason => transientReasons.has(reason.Code ?? ''));
      if (!isTransient) throw error;
      await pauseBeforeRetry(budget, error);
    }
  }
}

/** Reasons of a cancellation that pass by themselves. */
const transientReasons = new Set(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded']);

/**
 * Puts one item without a transaction, for half its price. Nothing tells DynamoDB that an attempt is a repeat, so the key
 * must have a random part that no other write knows: then a repeat puts the same item once more. A condition that the
 * item is new could only refuse such a repeat and is not sent.
 */
export async function putAlone({ kind, item }: Write, budget: RetryBudget = retryBudget()): Promise<void> {
  if (kind !== 'put') throw new Error(`A write of the kind ${kind} needs a transaction.`);
  const put = { TableName: requiredSetting('TABLE_NAME'), Item: item };
  await sendPatiently(() => tableClient().send(new PutCommand(put)), { repeatable: true, budget });
}

/**
 * Adds to a number of an item, which is created if needed, and returns the new item, as no transaction does. If an answer
 * is lost, the SDK adds again, so this is only for counts that may be a little too high.
 */
export async function increment<R>(
  read: Read<R>,
  changesWanted: Pick<Changes<NoInfer<R>>, 'add' | 'setIfAbsent'>,
  budget: RetryBudget = retryBudget(),
): Promise<R> {
  const { key: Key, changes } = upsert(read, changesWanted);
  const TableName = requiredSetting('TABLE_NAME');
  for (;;) {
    const update = new UpdateCommand({ TableName, Key, ...render(undefined, changes), ReturnValues: 'ALL_NEW' });
    try {
      const { Attributes: item = {} } = await tableClient().send(update);
      return read.entity.parse(item);
    } catch (error) {
      // A transaction is under way on the item. The SDK does not send it again.
      if (!(error instanceof TransactionConflictException)) throw error;
      await pauseBeforeRetry(budget, error);
    }
  }
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

function toTransactItem({ kind, key: Key, item: Item, changes, condition, refused }: Write): TransactItem {
  const common = {
    TableName: requiredSetting('TABLE_NAME'),
    ...render(condition, changes),
    ...(refused === undefined ? {} : { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const }),
  };
  switch (kind) {
    case 'put':
      return { Put: { Item, ...common } };
    case 'update':
      return { Update: { Key, UpdateExpression: '', ...common } };
    case 'remove':
      return { Delete: { Key, ...common } };
    case 'check':
      return { ConditionCheck: { Key, ConditionExpression: '', ...common } };
  }
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
