import { type AttributeValue, DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { TimedCall } from './aws-calls.ts';
import type { Conductor } from './observe-calls.ts';

type MarshalledItem = Record<string, AttributeValue>;

/** What calls to the table cost: DynamoDB's rules on the sizes of the items, for DynamoDB Local under-reports. */
export interface Capacity {
  readUnits: number;
  writeUnits: number;
}

/** One call that an invocation made. */
export interface ObservedCall extends TimedCall {
  service: string;
  operation: string;
  // biome-ignore lint/suspicious/noExplicitAny: inputs and outputs of whatever command
  input: any;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  output: any;
}

/** A conductor that only looks: what one invocation calls, whatever else this process does at the same time. */
export function observing(): { conductor: Conductor; calls: ObservedCall[] } {
  const calls: ObservedCall[] = [];
  return {
    calls,
    conductor: {
      call: async ({ service, operation, input }, send) => {
        const begunAt = performance.now();
        const answer = (await send()) as { output: unknown };
        calls.push({ service, operation, input, output: answer.output, begunAt, endedAt: performance.now() });
        return answer;
      },
    },
  };
}

/** What the calls to the table among these cost; to be asked before anything of it is changed again. */
export async function capacityOf(calls: readonly ObservedCall[]): Promise<Capacity> {
  let readUnits = 0;
  let writeUnits = 0;
  for (const { operation, input, output } of calls.filter(({ service }) => service.startsWith('DynamoDB'))) {
    switch (operation.replace(/Items?$/, '')) {
      case 'Get':
        readUnits += reading([output.Item ?? {}]);
        break;
      case 'BatchGet': {
        // An item that is not there costs a unit as well.
        const [wanted] = Object.values(input.RequestItems) as { Keys: unknown[] }[];
        const [found = []] = Object.values(output.Responses ?? {}) as MarshalledItem[][];
        for (const item of found) readUnits += reading([item]);
        readUnits += (wanted?.Keys.length ?? 0) - found.length;
        break;
      }
      case 'Query':
        readUnits += reading(output.Items);
        break;
      case 'Put':
        writeUnits += writing(input.Item);
        break;
      case 'Update':
        writeUnits += writing(await stored(input));
        break;
      case 'TransactWrite':
        for (const { Put, Update, ConditionCheck, Delete } of input.TransactItems) {
          // An item that is deleted now counts as one of up to 1 KB.
          if (Put !== undefined) writeUnits += 2 * writing(Put.Item);
          else writeUnits += 2 * writing(await stored(Update ?? ConditionCheck ?? Delete));
        }
        break;
      default:
        throw new Error(`What a ${operation} costs is not known here.`);
    }
  }
  return { readUnits, writeUnits };
}

/** Strongly consistent: a unit for each 4 KB of what was looked at. */
function reading(items: readonly MarshalledItem[]): number {
  return Math.max(1, Math.ceil(items.reduce((sum, item) => sum + itemSize(marshalled(item)), 0) / 4096));
}

function writing(item: MarshalledItem): number {
  return Math.max(1, Math.ceil(itemSize(marshalled(item)) / 1024));
}

let plain: DynamoDBClient | undefined;

/** An updated item as it is now; it counts with its whole size. */
async function stored({ TableName, Key }: { TableName: string; Key: MarshalledItem }): Promise<MarshalledItem> {
  plain ??= new DynamoDBClient({});
  return (await plain.send(new GetItemCommand({ TableName, Key: marshalled(Key) }))).Item ?? {};
}

/** The document client unmarshalls answers in place. */
function marshalled(item: Record<string, unknown>): MarshalledItem {
  return typeof item.pk === 'string' ? marshall(item, { removeUndefinedValues: true }) : (item as MarshalledItem);
}

/** Bytes of an item by DynamoDB's rules (Developer Guide, "DynamoDB item sizes and formats"). */
export function itemSize(item: MarshalledItem): number {
  return Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueSize(value), 0);
}

function valueSize(value: AttributeValue): number {
  if (value.S !== undefined) return Buffer.byteLength(value.S);
  if (value.N !== undefined) return Math.ceil(value.N.replace(/[-.]/g, '').length / 2) + 1;
  if (value.B !== undefined) return value.B.length;
  if (value.M !== undefined) return 3 + Object.keys(value.M).length + itemSize(value.M);
  if (value.L !== undefined) return value.L.reduce((sum, one) => sum + 1 + valueSize(one), 3);
  return 1;
}
