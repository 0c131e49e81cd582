import { BatchGetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { chunksOf } from '#lib/core/chunks-of.ts';
import { tableClient } from '#lib/table/client.ts';
import type { Key } from '#lib/table/entity.ts';
import type { Item, Range } from '#lib/table/read.ts';

/** Reads of a table that need not be the one of this process. */
export interface NamedTable {
  /** The items that exist, by `keyText`. */
  read: (keys: readonly Key[]) => Promise<Map<string, Item>>;
  query: (range: Range) => Promise<Item[]>;
}

export const keyText = ({ pk, sk }: Key): string => `${pk} / ${sk}`;

export function openTable(name: string): NamedTable {
  return {
    read: async keys => {
      const unique = [...new Map(keys.map(({ pk, sk }) => [keyText({ pk, sk }), { pk, sk }])).values()];
      const items: Item[] = [];
      for (const chunk of chunksOf(100, unique)) {
        let open: Record<string, unknown>[] = chunk;
        while (open.length > 0) {
          const request = { RequestItems: { [name]: { Keys: open, ConsistentRead: true } } };
          const answer = await tableClient().send(new BatchGetCommand(request));
          items.push(...(answer.Responses?.[name] ?? []));
          open = answer.UnprocessedKeys?.[name]?.Keys ?? [];
        }
      }
      return new Map(items.map(item => [keyText(item as unknown as Key), item]));
    },
    query: async ({ pk, between, beginsWith }) => {
      const items: Item[] = [];
      let start: Record<string, unknown> | undefined;
      do {
        const { Items = [], LastEvaluatedKey: next } = await tableClient().send(
          new QueryCommand({
            TableName: name,
            KeyConditionExpression: `pk = :pk AND ${beginsWith === undefined ? 'sk BETWEEN :from AND :to' : 'begins_with(sk, :from)'}`,
            ExpressionAttributeValues: {
              ':pk': pk,
              ...(beginsWith === undefined ? { ':from': between?.[0], ':to': between?.[1] } : { ':from': beginsWith }),
            },
            ConsistentRead: true,
            ExclusiveStartKey: start,
          }),
        );
        items.push(...Items);
        start = next;
      } while (start !== undefined);
      return items;
    },
  };
}
