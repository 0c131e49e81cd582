import { type AttributeValue, DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { tableClient } from '../../lib/table/client.ts';

type MarshalledItem = Record<string, AttributeValue>;

/** What calls to the table cost: DynamoDB's rules on the sizes of the items, for DynamoDB Local under-reports. */
export interface Capacity {
  readUnits: number;
  writeUnits: number;
}

interface TableCall {
  command: string;
  // biome-ignore lint/suspicious/noExplicitAny: inputs and outputs of whatever command, marshalled
  input: any;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  output: any;
}

let listening: TableCall[] | undefined;
let installed = false;

/** Runs `work` and counts what this process's calls to the table cost meanwhile. One at a time. */
export async function countCapacity<T>(work: () => Promise<T>): Promise<{ result: T; capacity: Capacity }> {
  install();
  const calls: TableCall[] = [];
  listening = calls;
  try {
    const result = await work();
    listening = undefined;
    return { result, capacity: await capacityOf(calls) };
  } finally {
    listening = undefined;
  }
}

function install(): void {
  if (installed) return;
  installed = true;
  // biome-ignore lint/suspicious/noExplicitAny: the stack's type is that of all commands
  const stack = tableClient().middlewareStack as any;
  stack.add(
    // biome-ignore lint/suspicious/noExplicitAny: as above
    (next: any, context: any) => async (args: any) => {
      const answer = await next(args);
      listening?.push({ command: context.commandName, input: args.input, output: answer.output });
      return answer;
    },
    { step: 'build', name: 'count-capacity', override: true },
  );
}

async function capacityOf(calls: readonly TableCall[]): Promise<Capacity> {
  let readUnits = 0;
  let writeUnits = 0;
  for (const { command, input, output } of calls) {
    switch (command.replace(/(?:Item)?Command$/, '')) {
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
      case 'TransactWriteItems':
        for (const { Put, Update, ...other } of input.TransactItems) {
          if (Put !== undefined) writeUnits += 2 * writing(Put.Item);
          else if (Update !== undefined) writeUnits += 2 * writing(await stored(Update));
          else throw new Error(`What a transaction's ${Object.keys(other)} costs is not known here.`);
        }
        break;
      default:
        throw new Error(`What a ${command} costs is not known here.`);
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
  return (await plain.send(new GetItemCommand({ TableName, Key }))).Item ?? {};
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
