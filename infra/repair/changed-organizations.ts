import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { AuditAction } from '#lib/contracts/fields/audit-action.ts';
import { requiredSetting } from '#lib/core/settings.ts';
import { tableClient } from '#lib/table/client.ts';
import { at, type Item, readAll } from '#lib/table/read.ts';
import { auditRecord, entryKey } from '#lib/table/records/audit.ts';
import { organizationPointerRecord } from '#lib/table/records/organization.ts';

/** They change nothing that is counted. */
const uses: readonly AuditAction[] = [
  'secret.pulled',
  'secret.history_read',
  'secret.compared',
  'environment.validated',
  'identity.token_issued',
  'identity.refused',
];

/** How many parts of the table are read at once. */
const segments = 64;

/**
 * The slugs of the organizations with an item from after the moment. The table has no index by time, so it is read as a
 * whole, in parallel: see `costOfScan`.
 */
export async function findChangedOrganizations(since: Date): Promise<string[]> {
  const slugs = new Set<string>();
  const ids = new Set<string>();
  const note = (item: Item) => {
    const [partition, name = ''] = String(item.pk).split('#');
    if (partition !== 'AUDIT') slugs.add(name);
    else if (entryKey(item).createdAt >= since.toISOString()) ids.add(name);
  };
  await Promise.all(Array.from({ length: segments }, (_, segment) => scan(segment, since, note)));
  const pointers = await readAll([...ids].map(id => at(organizationPointerRecord, id)));
  for (const pointer of pointers) if (pointer !== undefined) slugs.add(pointer.orgSlug);
  return [...slugs].sort();
}

async function scan(Segment: number, since: Date, note: (item: Item) => void): Promise<void> {
  const isUse = uses.map((_, index) => `begins_with(sk, :use${index})`);
  const times = ['createdAt', 'updatedAt', 'joinedAt', 'removedAt'];
  let start: Record<string, unknown> | undefined;
  do {
    const page = await tableClient().send(
      new ScanCommand({
        TableName: requiredSetting('TABLE_NAME'),
        Segment,
        TotalSegments: segments,
        ProjectionExpression: 'pk, sk',
        // An entry's action and time are only in its sort key. A filter can't compare a part of it.
        FilterExpression: `(begins_with(pk, :audit) AND kind = :entry AND NOT (${isUse.join(' OR ')})) OR
          ((begins_with(pk, :env) OR begins_with(pk, :org)) AND (${times.map(name => `${name} >= :since`).join(' OR ')}))`,
        ExpressionAttributeValues: {
          ':env': 'ENV#',
          ':org': 'ORG#',
          ':audit': 'AUDIT#',
          ':since': since.toISOString(),
          ':entry': auditRecord.kind,
          ...Object.fromEntries(uses.map((use, index) => [`:use${index}`, `${use}#`])),
        },
        ExclusiveStartKey: start,
      }),
    );
    for (const item of page.Items ?? []) note(item);
    start = page.LastEvaluatedKey;
  } while (start !== undefined);
}

interface ScanCost {
  gigabytes: number;
  readUnits: number;
  dollars: number;
  seconds: number;
  unitsPerSecond: number;
}

/** An eventually consistent read of 8 KB takes one unit. */
const bytesPerUnit = 8192;
/** What a new on-demand table can serve at once (Amazon DynamoDB Developer Guide, on-demand capacity mode). */
const newTableUnitsPerSecond = 12_000;

/** Pure. */
export function costOfScan(bytes: number, unitsPerSecond: number, dollarsPerUnit: number): ScanCost {
  const readUnits = Math.ceil(bytes / bytesPerUnit);
  return {
    gigabytes: bytes / 1024 ** 3,
    readUnits,
    dollars: readUnits * dollarsPerUnit,
    seconds: Math.ceil(readUnits / unitsPerSecond),
    unitsPerSecond,
  };
}

/** DynamoDB updates a table's size every six hours, so that of a newly restored one is that of the old table. */
export async function sizeOfTable(name: string): Promise<{ bytes: number; unitsPerSecond: number }> {
  const { Table: found } = await new DynamoDBClient({}).send(new DescribeTableCommand({ TableName: name }));
  const { WarmThroughput: warm, TableSizeBytes: bytes = 0 } = found ?? {};
  return { bytes, unitsPerSecond: warm?.ReadUnitsPerSecond || newTableUnitsPerSecond };
}
