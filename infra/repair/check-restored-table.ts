import { DescribeTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { partitions } from '#lib/contracts/partitions.ts';
import { tableDefinition } from '#lib/table/definition.ts';
import { auditRecord, entryKey } from '#lib/table/records/audit.ts';

export interface RestoredTable {
  itemsByKind: ReadonlyMap<string, number>;
  /** When the newest audit entry was written; undefined if there is none. */
  newestEntryAt: string | undefined;
  /** What makes the table unusable, one sentence each. */
  problems: readonly string[];
}

/** How many parts of the table are read at once. */
const segments = 4;

/** A backup is not a snapshot: changes made during it may be in a counter and not in what it counts. */
const toleratedDrift = (counter: number) => Math.max(2, counter / 100);

interface Item {
  pk?: unknown;
  sk?: unknown;
  kind?: unknown;
  v?: unknown;
  users?: unknown;
  organizations?: unknown;
}

/**
 * Reads a whole restored table, without any value, and checks that the service could run on it: its keys, the kinds of
 * its items, and its own counters.
 */
export async function checkRestoredTable(client: DynamoDBClient, tableName: string): Promise<RestoredTable> {
  const problems = await keyProblems(client, tableName);
  const seen = { itemsByKind: new Map<string, number>(), misplaced: new Map<string, number>() };
  const counters = { users: 0, organizations: 0 };
  let newestEntryAt: string | undefined;
  const readSegment = async (Segment: number): Promise<void> => {
    const pages = paginateScan(
      { client: DynamoDBDocumentClient.from(client) },
      {
        TableName: tableName,
        Segment,
        TotalSegments: segments,
        ProjectionExpression: 'pk, sk, kind, v, #users, organizations',
        ExpressionAttributeNames: { '#users': 'users' },
      },
    );
    for await (const { Items: items = [] } of pages) {
      for (const item of items as Item[]) {
        const kind = typeof item.kind === 'string' && typeof item.v === 'number' ? item.kind : undefined;
        if (kind === undefined || !isInPartition(item)) add(seen.misplaced, String(item.pk).split('#')[0] ?? '');
        else add(seen.itemsByKind, kind);
        const entryAt = kind === auditRecord.kind ? entryKey({ sk: item.sk }).createdAt : '';
        if (entryAt > (newestEntryAt ?? '')) newestEntryAt = entryAt;
        if (kind !== 'platformCount') continue;
        counters.users += Number(item.users ?? 0);
        counters.organizations += Number(item.organizations ?? 0);
      }
    }
  };
  await Promise.all(Array.from({ length: segments }, (_, segment) => readSegment(segment)));
  problems.push(...itemProblems(seen), ...counterProblems(seen.itemsByKind, counters));
  return { itemsByKind: seen.itemsByKind, newestEntryAt, problems };
}

async function keyProblems(client: DynamoDBClient, tableName: string): Promise<string[]> {
  const { Table: table } = await client.send(new DescribeTableCommand({ TableName: tableName }));
  const keys = table?.KeySchema?.map(({ AttributeName: name }) => name).join(' and ');
  const expected = `${tableDefinition.partitionKey} and ${tableDefinition.sortKey}`;
  return keys === expected ? [] : [`The table's keys are ${keys}, not ${expected}.`];
}

function isInPartition({ pk, sk }: Item): boolean {
  if (typeof pk !== 'string' || typeof sk !== 'string') return false;
  const [name = '', ...identifier] = pk.split('#');
  const declared = (partitions as Readonly<Record<string, 'one' | 'many'>>)[name];
  return declared === 'one' ? identifier.length === 0 : declared === 'many' && identifier.join('#') !== '';
}

function itemProblems({ itemsByKind, misplaced }: Record<'itemsByKind' | 'misplaced', Map<string, number>>): string[] {
  return [
    ...(itemsByKind.size === 0 ? ['The table has no items of the service.'] : []),
    ...(itemsByKind.size > 0 && !itemsByKind.has('credentialKey')
      ? ['The item that checks credentials is missing, so no session or token would be accepted.']
      : []),
    ...[...misplaced].map(
      ([partition, count]) =>
        `${count} items in the partition ${partition} have no key, kind or format that this version knows. Use the version that is deployed.`,
    ),
  ];
}

function counterProblems(
  itemsByKind: ReadonlyMap<string, number>,
  { users, organizations }: Record<'users' | 'organizations', number>,
): string[] {
  // Each organization is in the directory by its slug and by its name.
  const pairs = [
    ['users', users, itemsByKind.get('user') ?? 0],
    ['organizations', organizations, (itemsByKind.get('directory') ?? 0) / 2],
  ] as const;
  return pairs
    .filter(([, counter, counted]) => Math.abs(counter - counted) > toleratedDrift(counter))
    .map(([name, counter, counted]) => `The table has ${counted} ${name}, but its counter says ${counter}.`);
}

function add(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
