import { randomUUID } from 'node:crypto';
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import * as dynamo from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { chunksOf } from '../core/chunks-of.ts';
import { requiredSetting } from '../core/settings.ts';
import { requireRenewal } from './access-revision.ts';
import { tableClient } from './client.ts';
import { type Key, restricts } from './entity.ts';
import { type AnyChanges, type AnyConditions, type Changes, type Conditions, render } from './expressions.ts';
import type { Item, Read } from './read.ts';
import {
  asOneTransaction,
  isRefusal,
  isTransient,
  pauseBeforeRetry,
  retryBudget,
  retryWhile,
  sendPatiently,
  withOneDeadline,
} from './retry.ts';

type TransactItem = NonNullable<dynamo.TransactWriteCommandInput['TransactItems']>[number];

/** A write as data. `refused` creates the domain error for a condition that does not hold. */
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
  /** Receives the item as stored, so attributes of later formats may be missing. */
  refused?: ((current: Partial<R> | undefined) => Error) | undefined;
}

type Target<R> = Read<R> | { entity?: never; key: Key };

type Unconditional = Omit<Write, 'condition' | 'refused'>;

function writeOf<R>(write: Unconditional, { if: condition, refused }: WriteOptions<R>): Write {
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
  return writeOf({ kind: 'update', key: read.key, changes: raised(read.entity, changes as AnyChanges) }, options);
}

/** An item that gets a restricting attribute gets the format that older code rejects. */
function raised({ restricting, formatVersion }: Read<unknown>['entity'], changes: AnyChanges): AnyChanges {
  const { set, setIfAbsent, add } = changes;
  if (!restricts({ ...setIfAbsent, ...add, ...set }, restricting)) return changes;
  return { ...changes, set: { ...set, v: formatVersion } };
}

export function upsert<R>(read: Read<R>, changes: Changes<NoInfer<R>>, options: WriteOptions<NoInfer<R>> = {}): Write {
  const { kind, formatVersion } = read.entity;
  const { set, ...others } = changes as AnyChanges;
  const changesOfItem = { ...others, set: { kind, v: formatVersion, ...set } };
  return writeOf({ kind: 'update', key: read.key, changes: changesOfItem }, options);
}

export function remove<R>(target: Target<R>, options: WriteOptions<NoInfer<R>> = {}): Write {
  return writeOf({ kind: 'remove', key: target.key }, options);
}

export function check<R>(target: Target<R>, options: WriteOptions<NoInfer<R>> & { if: Conditions<NoInfer<R>> }): Write {
  return writeOf({ kind: 'check', key: target.key }, options);
}

export const maximumWritesPerTransaction = 100;

export class ConditionFailed extends Error {
  override readonly name = 'ConditionFailed';
  readonly indexes: readonly number[];

  constructor(indexes: readonly number[]) {
    super(`A condition did not hold (write ${indexes.join(', ')}).`);
    this.indexes = indexes;
  }
}

/**
 * Makes all of the writes or none, and retries after conflicts. Every attempt has the same token, so DynamoDB executes
 * at most one of them within ten minutes.
 * @throws the domain error of the first refused write that has one, else `ConditionFailed`; `temporarily_unavailable`
 * at the deadline
 */
export async function transact(writes: readonly Write[]): Promise<void> {
  if (writes.length === 0) return;
  requireRenewal(writes);
  const transaction = { TransactItems: writes.map(toTransactItem), ClientRequestToken: randomUUID() };
  const passes = (error: unknown) => isTransient(error) || isTransientCancellation(error);
  const send = () => tableClient().send(new dynamo.TransactWriteCommand(transaction));
  await asOneTransaction(() => retryWhile(passes, send)).catch(error => {
    throw refusalOf(error, writes) ?? error;
  });
}

const transientReasons = new Set(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded']);

function isTransientCancellation(error: unknown): boolean {
  if (!(error instanceof TransactionCanceledException)) return false;
  const codes = (error.CancellationReasons ?? []).map(({ Code = '' }) => Code);
  return !codes.includes('ConditionalCheckFailed') && codes.some(code => transientReasons.has(code));
}

function refusalOf(error: unknown, writes: readonly Write[]): Error | undefined {
  if (!(error instanceof TransactionCanceledException)) return undefined;
  const reasons = error.CancellationReasons ?? [];
  const failed = reasons.flatMap(({ Code }, index) => (Code === 'ConditionalCheckFailed' ? [index] : []));
  const refusing = failed.find(index => writes[index]?.refused !== undefined);
  if (refusing === undefined) return failed.length === 0 ? undefined : new ConditionFailed(failed);
  // The document client leaves the items inside exceptions in their wire format.
  const item = reasons[refusing]?.Item;
  return writes[refusing]?.refused?.(item === undefined ? undefined : unmarshall(item));
}

/**
 * Puts one item without a transaction, at half the price. A late or repeated attempt puts it again, so its key needs a
 * random part, and the condition that it is new is not sent.
 */
export async function putAlone({ kind, item }: Write): Promise<void> {
  if (kind !== 'put') throw new Error(`A write of the kind ${kind} needs a transaction.`);
  const put = { TableName: requiredSetting('TABLE_NAME'), Item: item };
  await sendPatiently(() => tableClient().send(new dynamo.PutCommand(put)));
}

/**
 * Adds to a number in an item, which it may create, and returns the item. If a response is lost, the SDK adds again, so
 * use this only for counts that may be slightly too high.
 */
export async function increment<R>(read: Read<R>, changesWanted: Pick<Changes<NoInfer<R>>, 'add' | 'setIfAbsent'>) {
  const { key: Key, changes } = upsert(read, changesWanted);
  const TableName = requiredSetting('TABLE_NAME');
  const request = { TableName, Key, ...render(undefined, changes), ReturnValues: 'ALL_NEW' as const };
  const { Attributes: item = {} } = await retryWhile(isRefusal, () =>
    tableClient().send(new dynamo.UpdateCommand(request)),
  );
  return read.entity.parse(item);
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

/** Like `transact`, for writes that are not needed if a condition doesn't hold. @returns whether they were made */
export async function transactIfHolds(writes: readonly Write[]): Promise<boolean> {
  try {
    await transact(writes);
    return true;
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    return false;
  }
}

/** Removes items unconditionally, 25 per call. Not atomic: only for data that no request can reach. */
export async function removeAll(keysToRemove: readonly Key[]): Promise<void> {
  for (const chunk of chunksOf(25, keysToRemove)) {
    await writeBatch(chunk.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } })));
  }
}

/** Puts items unconditionally, 25 per call. Not atomic: only for data that no request can reach. */
export async function putAll(writes: readonly Write[]): Promise<void> {
  for (const chunk of chunksOf(25, writes)) await writeBatch(chunk.map(({ item }) => ({ PutRequest: { Item: item } })));
}

type BatchRequest = NonNullable<dynamo.BatchWriteCommandInput['RequestItems']>[string][number];

async function writeBatch(requests: BatchRequest[]): Promise<void> {
  const table = requiredSetting('TABLE_NAME');
  const budget = retryBudget();
  let open = requests;
  while (open.length > 0) {
    const request = { RequestItems: { [table]: open } };
    const answer = await sendPatiently(() => tableClient().send(new dynamo.BatchWriteCommand(request)), budget);
    open = (answer.UnprocessedItems?.[table] ?? []) as BatchRequest[];
    if (open.length > 0) await pauseBeforeRetry(budget);
  }
}

/**
 * Repeats an optimistic change while it fails with `ConditionFailed`, within one deadline.
 * @throws `temporarily_unavailable` if other changes keep committing first
 */
export function retryOnConditionFailed<T>(attempt: (tries: number) => Promise<T>): Promise<T> {
  return withOneDeadline(() => retryWhile(error => error instanceof ConditionFailed, attempt));
}

/** The same, except that the first attempt uses `firstRead`, which the request has already read. */
export function retryWithFreshRead<Read, T>(
  firstRead: Read,
  readAgain: () => Promise<Read>,
  attempt: (current: Read) => Promise<T>,
): Promise<T> {
  return retryOnConditionFailed(async tries => attempt(tries === 0 ? firstRead : await readAgain()));
}
