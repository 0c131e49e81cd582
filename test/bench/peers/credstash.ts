import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DecryptCommand, GenerateDataKeyCommand } from '@aws-sdk/client-kms';
import { DynamoDBDocumentClient, PutCommand, QueryCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { requiredSetting } from '#lib/core/settings.ts';
import { kmsClient } from '#lib/crypto/kms.ts';
import { tableClient } from '#lib/table/client.ts';

/* As credstash.py (github.com/fugue/credstash): an item and a data key for each version; `getall` scans for names. */

/** `THREAD_POOL_MAX_SIZE` in credstash.py. */
const threads = 64;
/** `LEGACY_NONCE` in credstash.py. Each item has its own key. */
const nonce = Buffer.from('00000000000000000000000000000001', 'hex');

function seal(key: Uint8Array, value: string): { contents: string; hmac: string } {
  const cipher = createCipheriv('aes-256-ctr', key.subarray(0, 32), nonce);
  const contents = Buffer.concat([cipher.update(value), cipher.final()]);
  const hmac = createHmac('sha256', key.subarray(32)).update(contents).digest('hex');
  return { contents: contents.toString('base64'), hmac };
}

function open(key: Uint8Array, { contents, hmac }: Record<string, string>): string {
  const sealed = Buffer.from(contents ?? '', 'base64');
  const computed = createHmac('sha256', key.subarray(32)).update(sealed).digest();
  if (!timingSafeEqual(computed, Buffer.from(hmac ?? '', 'hex'))) throw new Error('The HMAC does not match.');
  const decipher = createDecipheriv('aes-256-ctr', key.subarray(0, 32), nonce);
  return Buffer.concat([decipher.update(sealed), decipher.final()]).toString();
}

export async function storeLikeCredstash(table: string, secrets: readonly { key: string; value: string }[]) {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));
  await client.send(
    new CreateTableCommand({
      TableName: table,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: ['name', 'version'].map(AttributeName => ({ AttributeName, AttributeType: 'S' as const })),
      KeySchema: [
        { AttributeName: 'name', KeyType: 'HASH' },
        { AttributeName: 'version', KeyType: 'RANGE' },
      ],
    }),
  );
  for (const { key: name, value } of secrets) {
    const { Plaintext, CiphertextBlob } = await kmsClient().send(
      new GenerateDataKeyCommand({ KeyId: requiredSetting('KMS_KEY_ID'), NumberOfBytes: 64 }),
    );
    if (Plaintext === undefined || CiphertextBlob === undefined) throw new Error('KMS returned no data key.');
    const key = Buffer.from(CiphertextBlob).toString('base64');
    const Item = { name, version: '1'.padStart(19, '0'), key, digest: 'SHA256', ...seal(Plaintext, value) };
    await client.send(new PutCommand({ TableName: table, Item }));
  }
  client.destroy();
}

/** `credstash getall`. The read units are those that DynamoDB reports: a projection does not make a Scan cheaper. */
export async function pullLikeCredstash(table: string): Promise<{ values: Map<string, string>; readUnits: number }> {
  const common = { TableName: table, ReturnConsumedCapacity: 'TOTAL' } as const;
  const listed = await tableClient().send(
    new ScanCommand({ ...common, ProjectionExpression: '#n, version', ExpressionAttributeNames: { '#n': 'name' } }),
  );
  if (listed.LastEvaluatedKey !== undefined) throw new Error('100 secrets fit into one page of a Scan.');
  let readUnits = listed.ConsumedCapacity?.CapacityUnits ?? Number.NaN;
  const names = (listed.Items ?? []).map(item => String(item.name));
  const values = new Map<string, string>();
  const readNext = async (): Promise<void> => {
    for (let name = names.shift(); name !== undefined; name = names.shift()) {
      const { Items, ConsumedCapacity } = await tableClient().send(
        new QueryCommand({
          ...common,
          Limit: 1,
          ScanIndexForward: false,
          ConsistentRead: true,
          KeyConditionExpression: '#n = :name',
          ExpressionAttributeNames: { '#n': 'name' },
          ExpressionAttributeValues: { ':name': name },
        }),
      );
      readUnits += ConsumedCapacity?.CapacityUnits ?? Number.NaN;
      const item = Items?.[0] as Record<string, string>;
      const CiphertextBlob = Buffer.from(item.key ?? '', 'base64');
      const { Plaintext } = await kmsClient().send(new DecryptCommand({ CiphertextBlob }));
      if (Plaintext === undefined) throw new Error('KMS returned no plaintext.');
      values.set(name, open(Plaintext, item));
    }
  };
  await Promise.all(Array.from({ length: Math.min(threads, names.length) }, readNext));
  return { values, readUnits };
}
