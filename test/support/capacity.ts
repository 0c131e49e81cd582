import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import { requiredSetting } from '#lib/core/settings.ts';
import { tableClient } from '#lib/table/client.ts';
import { type AwsCall, conduct } from './observe-calls.ts';

export interface Capacity {
  /** Read units of 4 KB, strongly consistent. */
  readUnits: number;
  /** Write units of 1 KB. A transaction counts each item twice. */
  writeUnits: number;
}

type Item = Record<string, unknown>;
interface ItemKey {
  pk: string;
  sk: string;
}

/** Computes the cost (Developer Guide, "Read and write capacity"): DynamoDB Local's is too low for transactions. */
export async function measured(
  call: AwsCall,
  send: () => Promise<unknown>,
): Promise<{ answer: unknown; capacity: Capacity }> {
  const written = writtenKeys(call);
  const before = await sizesOf(written);
  const answer = (await send()) as { output: Record<string, unknown> };
  const after = await sizesOf(written);
  const perItem = call.operation === 'TransactWriteItems' ? 2 : 1;
  const writeUnits = after.map((size, index) => perItem * unitsOf(Math.max(size, before[index] ?? 0), 1024));
  return {
    answer,
    capacity: {
      readUnits: readUnits(call, answer.output),
      writeUnits: writeUnits.reduce((sum, units) => sum + units, 0),
    },
  };
}

function unitsOf(bytes: number, bytesPerUnit: number): number {
  return Math.max(1, Math.ceil(bytes / bytesPerUnit));
}

function readUnits({ operation, input }: AwsCall, output: Record<string, unknown>): number {
  if (operation === 'GetItem') return unitsOf(sizeOf((output.Item ?? {}) as Item), 4096);
  if (operation === 'BatchGetItem') {
    // A missing item costs a unit as well.
    const requested = Object.values(input.RequestItems as Record<string, { Keys: unknown[] }>)[0]?.Keys.length ?? 0;
    const items = Object.values((output.Responses ?? {}) as Record<string, Item[]>).flat();
    return items.reduce((sum, item) => sum + unitsOf(sizeOf(item), 4096), 0) + (requested - items.length);
  }
  if (operation === 'TransactGetItems') {
    // "Two underlying reads of every item in the transaction" (Developer Guide, "Capacity management for transactions").
    const found = (output.Responses ?? []) as { Item?: Item }[];
    return found.reduce((sum, { Item = {} }) => sum + 2 * unitsOf(sizeOf(Item), 4096), 0);
  }
  if (operation === 'Query') {
    const bytes = ((output.Items ?? []) as Item[]).reduce((sum, item) => sum + sizeOf(item), 0);
    return input.ConsistentRead === true ? unitsOf(bytes, 4096) : unitsOf(bytes, 4096) / 2;
  }
  return 0;
}

export function writtenKeys({ operation, input }: AwsCall): ItemKey[] {
  if (operation === 'PutItem' || operation === 'UpdateItem' || operation === 'DeleteItem') return [keyOf(input)];
  if (operation === 'TransactWriteItems') {
    // biome-ignore lint/suspicious/noExplicitAny: one of four shapes
    return input.TransactItems.map((item: any) => keyOf(Object.values(item)[0]));
  }
  if (operation === 'BatchWriteItem') {
    // biome-ignore lint/suspicious/noExplicitAny: one of two shapes
    const writes = Object.values(input.RequestItems).flat() as any[];
    return writes.map(({ PutRequest, DeleteRequest }) => keyOf(PutRequest ?? DeleteRequest));
  }
  return [];
}

// biome-ignore lint/suspicious/noExplicitAny: any kind of write
function keyOf(write: any): ItemKey {
  const key = write.Key ?? write.Item;
  return { pk: textOf(key.pk), sk: textOf(key.sk) };
}

/** An attribute as the document client accepts it, or marshalled. */
function textOf(attribute: string | { S: string }): string {
  return typeof attribute === 'string' ? attribute : attribute.S;
}

/** The current sizes of the items. These reads run outside the observed invocation, so they are not observed. */
function sizesOf(keys: readonly ItemKey[]): Promise<number[]> {
  return conduct(undefined, async () => {
    const table = requiredSetting('TABLE_NAME');
    const sizes = new Map<string, number>();
    for (let start = 0; start < keys.length; start += 100) {
      let open: ItemKey[] | undefined = keys.slice(start, start + 100);
      while (open !== undefined && open.length > 0) {
        const { Responses, UnprocessedKeys } = await tableClient().send(
          new BatchGetCommand({ RequestItems: { [table]: { Keys: open, ConsistentRead: true } } }),
        );
        for (const item of Responses?.[table] ?? []) sizes.set(`${item.pk} ${item.sk}`, sizeOf(item));
        open = UnprocessedKeys?.[table]?.Keys as ItemKey[] | undefined;
      }
    }
    return keys.map(({ pk, sk }) => sizes.get(`${pk} ${sk}`) ?? 0);
  });
}

/** An item's size in bytes as DynamoDB counts it (Developer Guide, "DynamoDB item sizes and formats"). */
export function sizeOf(item: Item): number {
  return Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueSize(value), 0);
}

function valueSize(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  // "Approximately (length of attribute name) + (1 byte per two significant digits) + (1 byte)", and a byte for the sign.
  if (typeof value === 'number') {
    const digits = String(Math.abs(value))
      .replace(/[.]/, '')
      .replace(/^0+|0+$/g, '').length;
    return Math.ceil(digits / 2) + 1 + (value < 0 ? 1 : 0);
  }
  if (typeof value === 'boolean' || value === null || value === undefined) return 1;
  if (value instanceof Uint8Array) return value.byteLength;
  if (Array.isArray(value)) return value.reduce((sum, element) => sum + 1 + valueSize(element), 3);
  return 3 + Object.keys(value as Item).length + sizeOf(value as Item);
}
