import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import {
  type AttributeValue,
  BatchWriteItemCommand,
  DeleteTableCommand,
  DynamoDBClient,
  paginateScan,
} from '@aws-sdk/client-dynamodb';
import { ensureTable } from '../local/resources.ts';
import { startDynamoDb } from '../local/stand-ins/dynamodb.ts';

/*
 * `npm run rehearse-restore`: fills an organization through the API, exports the table as DynamoDB does to S3, deletes
 * it, restores the export into a new table, starts the service on that one with the same KMS key, and compares every
 * value, version and audit entry with what the API answered before. Exit code 1 where anything differs.
 */

const originalTable = 'holdfast';
const restoredTable = 'holdfast-restored';
/** Several files, as a real export has. */
const itemsPerFile = 100;

type Item = Record<string, AttributeValue>;

async function rehearse(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'rehearsal-'));
  const dynamoDb = await startDynamoDb(undefined);
  const client = new DynamoDBClient({
    endpoint: dynamoDb.url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  // The directory keeps the key of the stand-in of KMS between the two runs of the service.
  const start = (tableName: string) =>
    startService({
      PORT: '0',
      DATA_DIR: join(directory, 'service'),
      AWS_ENDPOINT_URL_DYNAMODB: dynamoDb.url,
      TABLE_NAME: tableName,
      LOG_LEVEL: 'ERROR',
    });
  let running: Service | undefined;
  try {
    await dynamoDb.ready;
    running = await start(originalTable);
    const call = apiOf(running);
    const filled = await fill(call);
    const expected = await readEverything(call, filled);
    await running.stop();
    running = undefined;
    say(`Filled the table ${originalTable}: ${summaryOf(expected)}.`);

    const exportDirectory = join(directory, 'AWSDynamoDB', 'rehearsal');
    const exported = await exportTable(client, originalTable, exportDirectory);
    say(`Exported ${exported} items as DynamoDB JSON.`);
    await client.send(new DeleteTableCommand({ TableName: originalTable }));
    say(`Deleted the table ${originalTable}.`);

    const restored = await restoreTable(client, exportDirectory, restoredTable, dynamoDb.url);
    say(`Restored ${restored} items into the new table ${restoredTable}.`);
    running = await start(restoredTable);
    const callAgain = apiOf(running);
    const found = await readEverything(callAgain, filled);
    const differences = Object.keys(expected).filter(name => !isDeepStrictEqual(expected[name], found[name]));
    if (differences.length > 0) throw new Error(`These answers differ after the restore: ${differences.join(', ')}.`);
    say('Every secret decrypts, and values, revisions, histories and the audit log are as before.');
    await goOn(callAgain, filled);
    say('A change after the restore continues the revision and the history; a new project gets its key from KMS.');
    say('The rehearsal succeeded.');
  } catch (error) {
    process.stderr.write(`The rehearsal failed: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  } finally {
    await running?.stop();
    client.destroy();
    await dynamoDb.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

interface Service {
  url: string;
  stop(): Promise<void>;
}

/** A process of its own: nothing that the one before knew, no data key above all, helps the next one. */
async function startService(settings: Record<string, string>): Promise<Service> {
  const child: ChildProcess = spawn(process.execPath, [join(import.meta.dirname, '../local/start.ts')], {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const ready = (async () => {
    for await (const line of createInterface({ input: child.stdout ?? process.stdin })) {
      if (line.startsWith('ready ')) return line.slice('ready '.length);
    }
    throw new Error('The service did not start.');
  })();
  return {
    url: await ready,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function say(sentence: string): void {
  process.stdout.write(`${sentence}\n`);
}

interface Answer {
  status: number;
  cookie: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the API answers
  body: any;
}

type Call = (method: string, path: string, body?: unknown) => Promise<Answer>;

let session: string | undefined;

/** Calls the API as the person who registered. @throws Error where an answer is an error. */
function apiOf(service: Service): Call {
  return async (method, path, body) => {
    const response = await fetch(service.url + path, {
      method,
      headers: {
        'x-requested-with': 'service',
        ...(session === undefined ? {} : { cookie: session }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    const cookie = response.headers.getSetCookie()[0]?.split(';')[0];
    return { status: response.status, cookie, body: JSON.parse(text) };
  };
}

interface Filled {
  organizationId: string;
  /** Path of the project's secrets, and of the project. */
  secrets: string;
  project: string;
}

const environments = ['dev', 'staging', 'production'];

/** A small organization with everything that a restore could lose: histories, deletions, a rotated key, other tenants' kinds of items. */
async function fill(call: Call): Promise<Filled> {
  const registered = await call('POST', '/auth/register', {
    email: 'rehearsal@example.com',
    password: 'correct horse battery',
    name: 'Rehearsal',
  });
  session = registered.cookie;
  const { id: organizationId, slug } = registered.body.organization;
  const project = `/projects/${organizationId}/shop`;
  const secrets = `/secrets/${slug}/shop`;
  await call('POST', `/projects/${organizationId}`, { name: 'Shop', slug: 'shop' });
  for (const [index, env] of environments.entries()) {
    const imported = Array.from({ length: 40 * (index + 1) }, (_, key) => ({
      key: `KEY_${key}`,
      value: `${env} ${key} \u{1f511} ${'x'.repeat(key * 7)}`,
    }));
    await call('POST', `${secrets}/${env}/bulk`, { secrets: imported });
    for (const value of ['second', 'third']) await call('PUT', `${secrets}/${env}`, { key: 'KEY_1', value });
    await call('DELETE', `${secrets}/${env}/KEY_2`);
  }
  await call('POST', `${project}/rotate-key`);
  for (let tries = 0; (await call('GET', project)).body.project.rotation.status !== 'completed'; tries += 1) {
    if (tries > 300) throw new Error('The key rotation did not complete.');
    await sleep(100);
  }
  await call('PUT', `${secrets}/dev`, { key: 'KEY_0', value: 'set after the rotation' });
  await call('POST', `/templates/${slug}/shop`, { key: 'KEY_0', pattern: '.+' });
  await call('POST', `/members/${organizationId}/invite`, { email: 'guest@example.com', role: 'developer' });
  return { organizationId, secrets, project };
}

/** Everything the API tells of the organization. The audit log is read first: reading values adds to it. */
async function readEverything(
  call: Call,
  { organizationId, secrets, project }: Filled,
): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {};
  const read = async (name: string, path: string) => {
    answers[name] = (await call('GET', path)).body;
  };
  const { entries } = (await call('GET', `/audit/${organizationId}?limit=500`)).body;
  // What this function reads is audited, so only changes compare.
  answers.audit = entries.filter(
    ({ action }: { action: string }) => !['secret.pulled', 'secret.history_read'].includes(action),
  );
  await read('project', project);
  await read('members', `/members/${organizationId}`);
  for (const env of environments) {
    await read(`${env}: secrets`, `${secrets}/${env}`);
    for (const key of ['KEY_0', 'KEY_1', 'KEY_2']) {
      await read(`${env}: history of ${key}`, `${secrets}/${env}/versions/${key}?values=true`);
    }
  }
  return answers;
}

function summaryOf(answers: Record<string, unknown>): string {
  const values = environments.map(env => (answers[`${env}: secrets`] as { secrets: unknown[] }).secrets.length);
  return `${values.reduce((sum, count) => sum + count, 0)} secrets in ${environments.length} environments, ${(answers.audit as unknown[]).length} changes in the audit log`;
}

/** The service goes on where it stopped. */
async function goOn(call: Call, { organizationId, secrets }: Filled): Promise<void> {
  const before = (await call('GET', `${secrets}/dev/keys`)).body.revision;
  const { body } = await call('PUT', `${secrets}/dev`, { key: 'KEY_2', value: 'set again after the restore' });
  if (body.revision !== before + 1 || body.secret.version !== 3) {
    throw new Error(`A change after the restore has revision ${body.revision} and version ${body.secret.version}.`);
  }
  await call('POST', `/projects/${organizationId}`, { name: 'Second' });
}

/**
 * Writes a table as `aws dynamodb export-table-to-point-in-time` does: gzipped files of `{"Item": …}` lines, and a
 * manifest with the number of items and the checksum of each. Answers how many items.
 */
async function exportTable(client: DynamoDBClient, tableName: string, directory: string): Promise<number> {
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

/** Reads an export back into a new table, after checking it against its manifest. Answers how many items. */
async function restoreTable(
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
    throw new Error('The export has more files than its manifest.');
  let count = 0;
  for (const { itemCount, md5Checksum, dataFileS3Key } of files) {
    const content = readFileSync(join(directory, dataFileS3Key));
    if (md5(content) !== md5Checksum) throw new Error(`The file ${dataFileS3Key} is damaged.`);
    const items = gunzipSync(content)
      .toString('utf8')
      .trim()
      .split('\n')
      .map(line => (JSON.parse(line, base64AsBytes) as { Item: Item }).Item);
    if (items.length !== itemCount) throw new Error(`The file ${dataFileS3Key} is not complete.`);
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

/** DynamoDB JSON has bytes (`{"B": …}`) in base64. */
function bytesAsBase64(this: unknown, name: string, value: unknown): unknown {
  const original = name === 'B' ? (this as { B: unknown }).B : undefined;
  return original instanceof Uint8Array ? Buffer.from(original).toString('base64') : value;
}

function base64AsBytes(name: string, value: unknown): unknown {
  return name === 'B' && typeof value === 'string' ? Buffer.from(value, 'base64') : value;
}

await rehearse();
