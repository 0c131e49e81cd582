import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import {
  type AttributeValue,
  BatchWriteItemCommand,
  type DynamoDBClient,
  paginateScan,
} from '@aws-sdk/client-dynamodb';
import { ensureTable } from '../local/resources.ts';

/** Several files, like a real export. */
const itemsPerFile = 100;

type Item = Record<string, AttributeValue>;

/**
 * Exports a table like `aws dynamodb export-table-to-point-in-time`: gzipped files of `{"Item": …}` lines, and a
 * manifest with the item count and the checksum of each file. Returns the number of items.
 */
export async function exportTable(client: DynamoDBClient, tableName: string, directory: string): Promise<number> {
  const items: Item[] = [];
  for await (const page of paginateScan({ client }, { TableName: tableName, ConsistentRead: true })) {
    items.push(...(page.Items ?? []));
  }
  mkdirSync(join(directory, 'data'), { recursive: true });
  const manifest: string[] = [];
  for (let first = 0; first < items.length; first += itemsPerFile) {
    const chunk = items.slice(first, first + itemsPerFile);
    const file = `data/${String(first).padStart(8, '0')}.json.gz`;
    const content = gzipSync(chunk.map(item => `${JSON.stringify({ Item: item }, bytesAsBase64)}\n`).join(''));
    writeFileSync(join(directory, file), content);
    manifest.push(JSON.stringify({ itemCount: chunk.length, md5Checksum: md5(content), dataFileS3Key: file }));
  }
  writeFileSync(join(directory, 'manifest-files.json'), `${manifest.join('\n')}\n`);
  return items.length;
}

/** Checks an export against its manifest and loads it into a new table. Returns the number of items. */
export async function restoreTable(
  client: DynamoDBClient,
  directory: string,
  tableName: string,
  endpoint: string,
): Promise<number> {
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
  });
  await ensureTable(tableName);
  const lines = readFileSync(join(directory, 'manifest-files.json'), 'utf8').trim().split('\n');
  const files = lines.map(
    line => JSON.parse(line) as { itemCount: number; md5Checksum: string; dataFileS3Key: string },
  );
  if (files.length !== readdirSync(join(directory, 'data')).length)
    throw new Error('The export contains files that its manifest does not list.');
  let count = 0;
  for (const { itemCount, md5Checksum, dataFileS3Key } of files) {
    const content = readFileSync(join(directory, dataFileS3Key));
    if (md5(content) !== md5Checksum) throw new Error(`The file ${dataFileS3Key} is damaged.`);
    const items = gunzipSync(content)
      .toString('utf8')
      .trim()
      .split('\n')
      .map(line => (JSON.parse(line, base64AsBytes) as { Item: Item }).Item);
    if (items.length !== itemCount) throw new Error(`The file ${dataFileS3Key} is incomplete.`);
    for (let first = 0; first < items.length; first += 25) {
      const requests = items.slice(first, first + 25).map(item => ({ PutRequest: { Item: item } }));
      await client.send(new BatchWriteItemCommand({ RequestItems: { [tableName]: requests } }));
    }
    count += items.length;
  }
  return count;
}

function md5(content: Uint8Array): string {
  return createHash('md5').update(content).digest('base64');
}

/** DynamoDB JSON encodes bytes (`{"B": …}`) in base64. */
function bytesAsBase64(this: unknown, name: string, value: unknown): unknown {
  const original = name === 'B' ? (this as { B: unknown }).B : undefined;
  return original instanceof Uint8Array ? Buffer.from(original).toString('base64') : value;
}

function base64AsBytes(name: string, value: unknown): unknown {
  return name === 'B' && typeof value === 'string' ? Buffer.from(value, 'base64') : value;
}
