import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { requiredSetting } from '../../lib/core/settings.ts';
import { tableClient } from '../../lib/table/client.ts';

/** Every item of the test's table, to check what is stored and what must not be. */
export async function allItems(): Promise<Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = [];
  let startAfter: Record<string, unknown> | undefined;
  do {
    const page = await tableClient().send(
      new ScanCommand({
        TableName: requiredSetting('TABLE_NAME'),
        ConsistentRead: true,
        ...(startAfter === undefined ? {} : { ExclusiveStartKey: startAfter }),
      }),
    );
    items.push(...(page.Items ?? []));
    startAfter = page.LastEvaluatedKey;
  } while (startAfter !== undefined);
  return items;
}
