import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, expect, inject, test, vi } from 'vitest';
import { ensureTable } from '#infra/local/resources.ts';
import { moveService } from '#infra/repair/move-service.ts';
import { keys } from '#lib/table/keys.ts';
import { servingRegionRecord } from '#lib/table/records/serving-region.ts';
import { findServingRegion } from '#lib/table/serving-region.ts';
import { startRegions } from '#test/support/two-regions.ts';

const first = 'eu-central-1';
const second = 'eu-west-1';
const tableName = 'holdfast-table';
let regions: Awaited<ReturnType<typeof startRegions>>;
let clients: Record<string, DynamoDBDocumentClient>;

beforeAll(async () => {
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', inject('dynamoDbUrl'));
  vi.stubEnv('AWS_REGION', first);
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
});
beforeEach(async () => {
  const tables = { [first]: `move-${randomUUID()}`, [second]: `move-${randomUUID()}` };
  await Promise.all(Object.values(tables).map(ensureTable));
  regions = await startRegions(tables);
  const clientIn = (region: string) =>
    DynamoDBDocumentClient.from(new DynamoDBClient({ region, endpoint: regions.url, maxAttempts: 1 }));
  clients = { [first]: clientIn(first), [second]: clientIn(second) };
  return () => regions.stop();
});
afterAll(() => vi.unstubAllEnvs());

const clientIn = (region: string) => clients[region] as DynamoDBDocumentClient;
const stored = (region: string) => findServingRegion(clientIn(region), tableName);

/** What DynamoDB does, usually within a second. */
async function copy(from: string, to: string): Promise<void> {
  const item = await stored(from);
  if (item === undefined) return;
  const Item = servingRegionRecord.toItem(keys.servingRegion(), item);
  await clientIn(to).send(new PutCommand({ TableName: tableName, Item }));
}

const copyOfOther = (own: string) => copy(own === first ? second : first, own);

function move(
  own: string,
  { isLost = false, waitForProcesses = async () => undefined, waitForReplica = () => copyOfOther(own) } = {} as {
    isLost?: boolean;
    waitForProcesses?: () => Promise<void>;
    waitForReplica?: () => Promise<void>;
  },
) {
  const peer = own === first ? second : first;
  const said: string[] = [];
  const moved = moveService({
    tableName,
    regions: { own, peer, first },
    own: clientIn(own),
    peer: isLost ? undefined : clientIn(peer),
    say: sentence => said.push(sentence),
    waitForProcesses,
    waitForReplica,
  });
  return moved.then(() => said);
}

test('the service moves: nowhere first, where it is now, and then to the other region', async () => {
  let meanwhile: unknown;
  const said = await move(second, {
    waitForProcesses: async () => {
      meanwhile = { first: await stored(first), second: await stored(second) };
    },
  });

  expect(meanwhile).toMatchObject({ first: { region: null, epoch: 1 }, second: undefined });
  expect(await stored(second)).toMatchObject({ region: second, epoch: 2 });
  expect(said.at(-1)).toContain('eu-west-1 serves.');
});

test('a failover and the return need only these steps', async () => {
  regions.set(first, 'lost');
  await move(second, { isLost: true });
  expect(await stored(second)).toMatchObject({ region: second, epoch: 2 });

  regions.set(first, 'there');
  await move(first);
  expect(await stored(first)).toMatchObject({ region: first, epoch: 4 });
  expect(await move(first)).toContain(
    'No region serves now. Waiting until no process of eu-west-1 can be writing any more.',
  );
  await copy(first, second);
  expect(await move(first)).toEqual(['eu-central-1 serves already.']);
});

test('an unreachable region is not mistaken for a lost one', async () => {
  regions.set(first, 'lost');
  await expect(move(second)).rejects.toThrow();
  expect(await stored(second)).toBeUndefined();
});

test('a replica that receives no updates serves only on request', async () => {
  await expect(move(second, { waitForReplica: async () => undefined })).rejects.toThrow(
    'may lack some. No region serves.',
  );
  expect(await stored(first)).toMatchObject({ region: null });

  await move(second, { isLost: true });
  expect(await stored(second)).toMatchObject({ region: second });
});

test('if two operators move it concurrently, one gets an error', async () => {
  await expect(
    move(second, {
      waitForProcesses: async () => {
        const Item = servingRegionRecord.toItem(keys.servingRegion(), { region: first, epoch: 9, changedAt: '' });
        for (const region of [first, second])
          await clientIn(region).send(new PutCommand({ TableName: tableName, Item }));
      },
    }),
  ).rejects.toThrow('Someone else is moving the service.');
  expect(await stored(second)).toMatchObject({ region: first, epoch: 9 });
});
