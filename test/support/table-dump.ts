import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { requiredSetting } from '#lib/core/settings.ts';
import { tableClient } from '#lib/table/client.ts';
import { credentialKeyRecord } from '#lib/table/records/credentials.ts';
import { removeAll } from '#lib/table/write.ts';

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

/** Removes everything left over: a scan of the whole table takes longer the more it contains. */
export async function emptyTable(): Promise<void> {
  const items = await allItems();
  // What processes cache of the credential key has to stay valid.
  const left = items.filter(({ kind }) => kind !== credentialKeyRecord.kind);
  await removeAll(left.map(({ pk, sk }) => ({ pk: String(pk), sk: String(sk) })));
}
