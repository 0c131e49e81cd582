import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { ensureTable } from '#infra/local/resources.ts';
import { resetProcessMemory } from '#lib/core/process-memory.ts';
import { deliverRecords } from '#lib/deliveries/deliver.ts';
import { runJob } from '#lib/jobs/run-job.ts';
import { requireServingRegion, tableClient } from '#lib/table/client.ts';
import { keys } from '#lib/table/keys.ts';
import { at, find } from '#lib/table/read.ts';
import { servingRegionRecord } from '#lib/table/records/serving-region.ts';
import { newestRegion, reliedOnMs } from '#lib/table/serving-region.ts';
import { codeOf, createProject, createToken, startApi, useSettings } from '#test/support/api.ts';
import { shared } from '#test/support/fixtures.ts';
import { captureLog } from '#test/support/log-lines.ts';
import { seedPerson } from '#test/support/people.ts';
import { logInAs } from '#test/support/sign-in/scene.ts';
import { startRegions } from '#test/support/two-regions.ts';

/** The region that the table was made in, and the one with a replica of it. */
const first = 'us-east-1';
const second = 'eu-west-1';
let token: { token: string };
let secrets: string;
let tables: Record<string, string>;
let now: number;
const api = shared(() => startApi({ LOG_LEVEL: 'WARN' }));
const person = shared(seedPerson);
const regions = shared(async () => {
  const name = `${process.env.TABLE_NAME}`;
  tables = { [first]: name, [second]: `${name}-replica` };
  await ensureTable(`${tables[second]}`);
  return startRegions(tables);
});
beforeAll(async () => {
  await createProject(api, person);
  secrets = `/secrets/${person.organization.slug}/shop/dev`;
  token = await createToken(api, person);
  await api.put(secrets, { key: 'REGION', value: 'first' }, token);
});

let lines: ReturnType<typeof captureLog>;
beforeEach(async () => {
  lines = captureLog();
  // Each test begins when nothing is relied on any more.
  now = (now ?? Date.now()) + reliedOnMs + 1;
  vi.useFakeTimers({ toFake: ['Date'], now });
  for (const region of [first, second]) regions.set(region, 'there');
  await Promise.all([store(first, undefined), store(second, undefined)]);
  runIn(first);
});
afterEach(() => void vi.useRealTimers());

function runIn(region: string): void {
  useSettings({
    AWS_REGION: region,
    PEER_REGION: region === first ? second : first,
    FIRST_REGION: first,
    TABLE_NAME: `${tables[region]}`,
    // The client of this region exists already; only that of the other one takes the address.
    AWS_ENDPOINT_URL_DYNAMODB: regions.url,
  });
}

function later(): void {
  now += reliedOnMs + 1;
  vi.setSystemTime(now);
}

/** Puts the item into the replica of one region, as before it has been copied to the other. */
async function store(region: string, item: { region: string | null; epoch: number } | undefined): Promise<void> {
  useSettings({ PEER_REGION: '' });
  const TableName = tables[region];
  const Key = keys.servingRegion();
  if (item === undefined) await tableClient().send(new DeleteCommand({ TableName, Key }));
  else {
    const Item = servingRegionRecord.toItem(Key, { ...item, changedAt: '' });
    await tableClient().send(new PutCommand({ TableName, Item }));
  }
  vi.unstubAllEnvs();
  resetProcessMemory('settings');
}

async function failOver(observer = first): Promise<void> {
  await store(second, { region: second, epoch: 2 });
  runIn(observer);
}
const fenced = '503 temporarily_unavailable';
const elsewhere = 'Another region is serving';
const logIn = () => logInAs(api, person);

describe('a region that lost the service', () => {
  it('refuses everything when it returns, although its own replica has not heard of the failover', async () => {
    await failOver();

    const writing = await api.put(secrets, { key: 'REGION', value: 'late' }, token);
    // Its credential may have been revoked in the other region.
    expect([codeOf(writing), codeOf(await api.get(secrets, token))]).toEqual([fenced, fenced]);
    await expect(logIn()).rejects.toThrow('got 503');
    expect(writing.headers.get('retry-after')).toBe('60');
    expect(lines.filter(({ level }) => level === 'ERROR')).toEqual([]);
  });

  it('refuses a credential that its replica does not know with 503, because the other region may know it', async () => {
    const session = await logIn();
    await api.post('/auth/logout', undefined, session);
    expect((await api.get('/auth/me', session)).status).toBe(401);
    await failOver();
    later();

    expect(codeOf(await api.get('/auth/me', session))).toBe(fenced);
  });

  it('keeps its queued work for the queue, and its writes to itself', async () => {
    await failOver();
    const attributes = { ApproximateReceiveCount: '1', SentTimestamp: '0' };
    const body = JSON.stringify({ type: 'mail-reset-link', email: person.email });
    const record = { body, attributes, messageId: '1' } as never;
    const write = new PutCommand({ TableName: tables[first], Item: { pk: 'THING', sk: 'THING' } });

    expect(await runJob(record)).toBe(false);
    await expect(deliverRecords([record])).rejects.toThrow(elsewhere);
    await expect(tableClient().send(write)).rejects.toThrow(elsewhere);
  });

  it('serves again after the way back', async () => {
    await failOver();
    await store(first, { region: first, epoch: 4 });
    runIn(first);

    expect((await api.get(secrets, token)).body.secrets).toMatchObject([{ key: 'REGION', value: 'first' }]);
  });
});

describe('the second region', () => {
  it('serves nothing until the table names it', async () => {
    runIn(second);
    await expect(requireServingRegion()).rejects.toThrow(elsewhere);

    await failOver(second);
    await expect(requireServingRegion()).rejects.toThrow(elsewhere);
    later();
    await requireServingRegion();
  });

  it('goes on while the first region is lost, and says so without an error', async () => {
    await failOver(second);
    regions.set(first, 'lost');

    await requireServingRegion();
    expect(lines).toMatchObject([{ level: 'WARN', region: first }]);
  });
});

describe('the first region', () => {
  it('goes on while the second one is lost', async () => {
    regions.set(second, 'lost');
    expect((await api.put(secrets, { key: 'REGION', value: 'first' }, token)).status).toBe(200);
  });

  it('reports an error if its functions may not read the other replica', async () => {
    regions.set(second, 'refusing');
    await requireServingRegion();
    expect(lines).toMatchObject([{ level: 'ERROR', message: 'may not read which region serves in the other region' }]);
  });

  it('asks once a minute, not with every request', async () => {
    await requireServingRegion();
    await failOver();

    await requireServingRegion();
    later();
    await expect(requireServingRegion()).rejects.toThrow(elsewhere);
  });
});

describe('the newest item of the two', () => {
  const item = (region: string | null, epoch: number) => ({ region, epoch, changedAt: '' });

  it.each([
    ['none: the region that began', [undefined, undefined], first],
    ['only one replica answered', [item(second, 2), undefined], second],
    ['the higher epoch', [item(first, 1), item(second, 2)], second],
    ['while the service moves: none', [item(first, 1), item(null, 2)], null],
    ['two regions claim one epoch: none', [item(first, 2), item(second, 2)], null],
  ])('%s', (_, items, region) => {
    expect(newestRegion(items, first)).toBe(region);
  });
});

it('an item can be read back', async () => {
  await store(first, { region: second, epoch: 7 });
  expect(await find(at(servingRegionRecord))).toMatchObject({ region: second, epoch: 7 });
});
