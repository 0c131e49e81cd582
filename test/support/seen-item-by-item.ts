import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import { requiredSetting } from '#lib/core/settings.ts';
import { tableClient } from '#lib/table/client.ts';
import type { Key } from '#lib/table/entity.ts';
import { writtenKeys } from './capacity.ts';
import { type AwsCall, type Conductor, conduct } from './observe-calls.ts';

/*
 * DynamoDB isolates a transaction from other reads only item by item (Developer Guide, "Isolation levels"). DynamoDB
 * Local makes all of its items visible at once, so here readers get each item as it was until it is revealed.
 */

type Item = Record<string, unknown>;

const nameOf = ({ pk, sk }: Key) => `${pk} ${sk}`;

export function hidingTransactions() {
  const hidden = new Map<string, Item | undefined>();
  return {
    /** Reveals the items of each transaction one by one, after `between`, and only then returns its response. */
    writer: (between: () => Promise<unknown>): Conductor => ({
      async call(call, send) {
        if (call.operation !== 'TransactWriteItems') return send();
        const written = writtenKeys(call);
        const before = await itemsAt(written);
        const answer = await send();
        for (const [index, key] of written.entries()) hidden.set(nameOf(key), before[index]);
        for (const key of written) {
          await between();
          hidden.delete(nameOf(key));
        }
        return answer;
      },
    }),
    reader: {
      async call(call: AwsCall, send: () => Promise<unknown>) {
        // biome-ignore lint/suspicious/noExplicitAny: the output of any read
        const answer = (await send()) as { output: any };
        const { output } = answer;
        if (call.operation === 'TransactGetItems') {
          const keys = (call.input.TransactItems as { Get: { Key: Key } }[]).map(({ Get }) => Get.Key);
          if (keys.some(key => hidden.has(nameOf(key)))) throw conflict();
        }
        if (call.operation === 'GetItem')
          return { ...answer, output: { ...output, Item: seen(call.input.Key, output.Item) } };
        if (call.operation !== 'BatchGetItem') return answer;
        const [[table, { Keys: keys }] = ['', { Keys: [] }]] = Object.entries(
          call.input.RequestItems as Record<string, { Keys: Key[] }>,
        );
        const items = new Map((output.Responses[table] as (Item & Key)[]).map(item => [nameOf(item), item]));
        const visible = keys.map(key => seen(key, items.get(nameOf(key)))).filter(item => item !== undefined);
        return { ...answer, output: { ...output, Responses: { [table]: visible } } };
      },
    } satisfies Conductor,
  };

  function seen(key: Key, item: Item | undefined): Item | undefined {
    return hidden.has(nameOf(key)) ? hidden.get(nameOf(key)) : item;
  }
}

export function conflict(): TransactionCanceledException {
  const message = 'Transaction cancelled, please refer cancellation reasons for specific reasons [TransactionConflict]';
  return new TransactionCanceledException({
    message,
    $metadata: {},
    CancellationReasons: [{ Code: 'TransactionConflict' }],
  });
}

function itemsAt(keys: readonly Key[]): Promise<(Item | undefined)[]> {
  return conduct(undefined, async () => {
    const table = requiredSetting('TABLE_NAME');
    const Keys = keys.map(({ pk, sk }) => ({ pk, sk }));
    const request = { RequestItems: { [table]: { Keys, ConsistentRead: true } } };
    const { Responses } = await tableClient().send(new BatchGetCommand(request));
    const items = new Map((Responses?.[table] ?? []).map(item => [nameOf(item as unknown as Key), item]));
    return keys.map(key => items.get(nameOf(key)));
  });
}
