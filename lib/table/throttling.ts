import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { isConflict, isRefusal } from './retry.ts';

/*
 * Which capacity a call to the table needs, and which one an error says is missing. DynamoDB limits each partition, the
 * table and the account. Only in the first case is it one tenant's requests that must be rejected.
 */

type Reasons = readonly { reason?: string }[];
/** `ProvisionedThroughputExceededException` and `ThrottlingException` spell their reasons differently. */
type ThrottlingError = Error & { ThrottlingReasons?: Reasons; throttlingReasons?: Reasons };

const ofKeyRange = 'KeyRangeThroughputExceeded';

function reasonsOf(error: Error): string[] {
  const { ThrottlingReasons, throttlingReasons = ThrottlingReasons ?? [] } = error as ThrottlingError;
  return throttlingReasons.map(({ reason = '' }) => reason);
}

/** Whether DynamoDB throttled an attempt because the partition, not the table or the account, has reached its limit. */
export function isThrottledPartition(error: unknown): boolean {
  return error instanceof Error && reasonsOf(error).some(reason => reason.endsWith(ofKeyRange));
}

const throttlingCodes = ['ThrottlingError', 'ProvisionedThroughputExceeded'];

/** The table's reads or writes, and the partitions. `input` is that of a low-level command. */
export function capacityOf(isWrite: boolean, input: object) {
  // Reads and writes have limits of their own: an environment that gets too many changes can still be pulled.
  const kind = isWrite ? 'writes' : 'reads';
  const table = `${kind} of the table`;
  const items = partitionsOf(input as Input).map(pk => (pk?.includes('#') ? `${kind} of ${pk}` : undefined));
  const partitions = [...new Set(items.filter(isOwned))];
  // A transaction that is throttled as a whole doesn't say because of which partition. A batch, because of all.
  const throttledTogether = 'TransactItems' in input ? [partitions.join(' and ')] : partitions;
  return {
    needs: [...new Set([table, ...partitions, ...throttledTogether])],
    missingIn: (error: unknown): readonly string[] | undefined => {
      if (error instanceof TransactionCanceledException) {
        const codes = (error.CancellationReasons ?? []).map(({ Code = '' }) => Code);
        const throttled = items.filter((_, index) => throttlingCodes.includes(codes[index] ?? ''));
        const isRefused = throttled.length === 0 || codes.includes('ConditionalCheckFailed');
        return isRefused ? undefined : throttled.filter(isOwned);
      }
      if (!(error instanceof Error) || !isRefusal(error) || isConflict(error)) return undefined;
      const isOfTable =
        error.name === 'RequestLimitExceeded' || reasonsOf(error).some(name => !name.endsWith(ofKeyRange));
      return isOfTable ? [table] : throttledTogether;
    },
  };
}

/** Other partitions belong to everyone, so each request tries them anew. */
const isOwned = (partition: string | undefined) => partition !== undefined;

interface Keyed {
  pk?: { S?: string };
}
interface Operation {
  Key?: Keyed;
  Item?: Keyed;
}
interface Input extends Operation {
  ExpressionAttributeValues?: Record<string, { S?: string }>;
  RequestItems?: Record<string, { Keys: Keyed[] } | Record<string, Operation>[]>;
  TransactItems?: Record<string, Operation>[];
}

/** Of each item that the call names, in order. A query's key condition names its partition `:pk`. */
function partitionsOf({ Key, Item, ExpressionAttributeValues: values, RequestItems, TransactItems = [] }: Input) {
  const pkOf = (key: Keyed | undefined) => key?.pk?.S;
  const pksOf = (operations: Record<string, Operation>[]) =>
    operations.flatMap(Object.values<Operation>).map(operation => pkOf(operation.Key ?? operation.Item));
  if (Key !== undefined || Item !== undefined) return [pkOf(Key ?? Item)];
  const batches = Object.values(RequestItems ?? {});
  if (batches.length > 0) return batches.flatMap(batch => ('Keys' in batch ? batch.Keys.map(pkOf) : pksOf(batch)));
  return TransactItems.length > 0 ? pksOf(TransactItems) : [values?.[':pk']?.S];
}
