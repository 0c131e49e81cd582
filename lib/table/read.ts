import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { BatchGetCommand, GetCommand, QueryCommand, TransactGetCommand } from '@aws-sdk/lib-dynamodb';
import { chunksOf } from '../core/chunks-of.ts';
import { requiredSetting } from '../core/settings.ts';
import { tableClient } from './client.ts';
import type { Entity, Key } from './entity.ts';
import { isTransient, pauseBeforeRetry, retryBudget, sendPatiently } from './retry.ts';

export type Item = Record<string, unknown>;
// biome-ignore lint/suspicious/noExplicitAny: any entity, with any parts of its key
type AnyEntity<R = any> = Entity<R, any>;

/** A read of one item, built by `at` and sent by `find`, `readTogether` or `readAll`. */
export interface Read<R> {
  entity: AnyEntity<R>;
  key: Key;
}

export function at<R, K extends readonly unknown[]>(entity: Entity<R, K>, ...key: K): Read<R> {
  return { entity, key: entity.key(...key) };
}

export type Reads = Record<string, Read<unknown> | undefined>;

type ReadResults<R extends Reads> = {
  [Name in keyof R]: (R[Name] extends Read<infer Found> | undefined ? Found : never) | undefined;
};

export async function find<R>(read: Read<R>): Promise<R | undefined> {
  const request = { TableName: requiredSetting('TABLE_NAME'), Key: read.key, ConsistentRead: true };
  const { Item: item } = await sendPatiently(() => tableClient().send(new GetCommand(request)));
  return item === undefined ? undefined : read.entity.parse(item);
}

/**
 * Strongly consistent reads of up to 100 items per call, as one object. Not a snapshot: each item is read on its own.
 */
export async function readTogether<R extends Reads>(reads: R): Promise<ReadResults<R>> {
  const [records] = await readTogetherWith(reads, []);
  return records;
}

/** Like `readTogether`, with a list of further reads in the same call. */
export async function readTogetherWith<Named extends Reads, R>(
  reads: Named,
  others: readonly Read<R>[],
): Promise<[ReadResults<Named>, (R | undefined)[]]> {
  const given = Object.entries(reads).filter((entry): entry is [string, Read<unknown>] => entry[1] !== undefined);
  const records = await readAll<unknown>([...given.map(([, read]) => read), ...others]);
  const named = Object.fromEntries(given.map(([name], index) => [name, records[index]]));
  return [named as ReadResults<Named>, records.slice(given.length) as (R | undefined)[]];
}

/**
 * Reads up to 100 items as of one moment, at twice the price: unlike other reads, it sees all writes of a transaction or
 * none (Developer Guide, "Isolation levels for DynamoDB transactions").
 * @returns undefined if one of the items is being written, or DynamoDB is throttling
 */
export async function readAtOneMoment<R>(reads: readonly Read<R>[]): Promise<(R | undefined)[] | undefined> {
  const TableName = requiredSetting('TABLE_NAME');
  const TransactItems = reads.map(({ key }) => ({ Get: { TableName, Key: key } }));
  try {
    const { Responses = [] } = await tableClient().send(new TransactGetCommand({ TransactItems }));
    return reads.map(({ entity }, index) => {
      const item = Responses[index]?.Item;
      return item === undefined ? undefined : entity.parse(item);
    });
  } catch (error) {
    if (error instanceof TransactionCanceledException || isTransient(error)) return undefined;
    throw error;
  }
}

/** Like `readTogether`, for a list: the records in the order of the reads, undefined for missing ones. */
export async function readAll<R>(reads: readonly Read<R>[]): Promise<(R | undefined)[]> {
  const keys = new Map(reads.map(read => [keyText(read.key), read.key]));
  const chunks = await Promise.all(chunksOf(100, [...keys.values()]).map(batchGet));
  const items = new Map(chunks.flat().map(item => [keyText(item as unknown as Key), item]));
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
    const answer = await sendPatiently(() => tableClient().send(new BatchGetCommand(request)), budget);
    items.push(...(answer.Responses?.[table] ?? []));
    const left = answer.UnprocessedKeys?.[table]?.Keys as typeof open | undefined;
    // A full response (16 MB) also leaves keys unprocessed, so wait only if none were processed.
    if (left !== undefined && left.length === open.length) await pauseBeforeRetry(budget);
    open = left ?? [];
  }
  return items;
}

export interface Range {
  pk: string;
  beginsWith?: string;
  between?: readonly [string, string];
  newestFirst?: boolean;
  /** The most items per page; DynamoDB also ends a page at 1 MB. */
  pageSize?: number;
  /** Returns only these attributes of each item. DynamoDB still charges for the whole item. */
  attributes?: readonly string[];
  /** Half the price, but may miss recent writes. Reads are strongly consistent unless this is set. */
  eventuallyConsistent?: boolean;
  startAfter?: Key | undefined;
}

export interface Page {
  items: Item[];
  next: Key | undefined;
}

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
  const { attributes } = range;
  const query = {
    TableName: requiredSetting('TABLE_NAME'),
    KeyConditionExpression: condition,
    ExpressionAttributeValues: values,
    ProjectionExpression: attributes?.map((_, index) => `#${index}`).join(', '),
    ExpressionAttributeNames: attributes && Object.fromEntries(attributes.map((name, index) => [`#${index}`, name])),
    ConsistentRead: range.eventuallyConsistent !== true,
    ScanIndexForward: range.newestFirst !== true,
    Limit: range.pageSize,
    ExclusiveStartKey: range.startAfter,
  };
  const answer = await sendPatiently(() => tableClient().send(new QueryCommand(query)));
  return { items: answer.Items ?? [], next: answer.LastEvaluatedKey as Key | undefined };
}

export async function* queryPages(range: Range): AsyncGenerator<Item[]> {
  let startAfter = range.startAfter;
  do {
    const page = await queryPage({ ...range, startAfter });
    yield page.items;
    startAfter = page.next;
  } while (startAfter !== undefined);
}

export async function queryItems(range: Range): Promise<Item[]> {
  const items: Item[] = [];
  for await (const page of queryPages(range)) items.push(...page);
  return items;
}

export function ofKind<R>(entity: AnyEntity<R>, items: readonly Item[]): R[] {
  return items.filter(({ kind }) => kind === entity.kind).map(item => entity.parse(item));
}

export async function list<R>(entity: AnyEntity<R>, range: Range): Promise<R[]> {
  return (await queryItems(range)).map(item => entity.parse(item));
}

const keyText = ({ pk, sk }: Key): string => `${pk}\u0000${sk}`;
