import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchGetCommand, DynamoDBDocumentClient, GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hashCredential, readCredential, tokenPrefix } from '#lib/crypto/credentials.ts';
import { keys, ranges } from '#lib/table/keys.ts';
import { preparePlace } from '../load/clients.ts';
import { startStack } from '../support/npm-start.ts';
import { loadRatioLine, measureLoads } from './load-ratio.ts';
import { medians, timed } from './measure.ts';

/* Part of `npm run bench`: durations, only as ratios of things measured side by side. */
const isBench = process.env.BENCH !== undefined;

/** Requests a second of 32 clients. */
async function throughput(work: () => Promise<unknown>, milliseconds: number): Promise<number> {
  const endsAt = performance.now() + milliseconds;
  let count = 0;
  await Promise.all(
    Array.from({ length: 32 }, async () => {
      while (performance.now() < endsAt) {
        await work();
        count += 1;
      }
    }),
  );
  return (count / milliseconds) * 1000;
}

describe.runIf(isBench)('compared with a bare script that makes the same reads and decrypts', () => {
  it('a pull of 100 secrets through gateway and handler', { timeout: 300_000 }, async () => {
    const stack = await startStack({ DATA_DIR: 'memory', LOG_LEVEL: 'ERROR' });
    onTestFinished(async () => void (await stack.stop()));
    const place = await preparePlace(stack.url);
    const { api, as, slug } = place;
    const secrets = Array.from({ length: 100 }, (_, index) => ({ key: `KEY_${index}`, value: 'x'.repeat(200) }));
    const path = `/secrets/${slug}/shop/dev`;
    await api.post(`${path}/bulk`, { secrets }, as);
    const pull = async () => {
      const { status, body } = await api.get(path, as);
      if (status !== 200 || body.secrets.length !== 100) throw new Error(`The pull failed: ${status}`);
    };
    const bare = await bareScript(stack.url, place);
    const times = await medians(200, { pull: () => timed(pull), bare: () => timed(bare) }, 60);
    const rates = await medians(4, { pull: () => throughput(pull, 3000), bare: () => throughput(bare, 3000) });
    const time = times.pull / times.bare;
    const rate = rates.pull / rates.bare;
    const both = ({ pull, bare }: typeof times) => `${pull.toFixed(1)} and ${bare.toFixed(1)}`;
    writeSync(1, `ratios: pull 100 takes ${time.toFixed(2)} × the bare script (≤ 1.0; ${both(times)} ms)\n`);
    writeSync(1, `ratios: 32 clients reach ${(rate * 100).toFixed(0)} % of it (≥ 95; ${both(rates)} a second)\n`);
    expect.soft(time).toBeLessThanOrEqual(1);
    expect.soft(rate).toBeGreaterThanOrEqual(0.95);
  });

  it('loading a hot bundle, next to an empty handler with only the DynamoDB client', { timeout: 300_000 }, async () => {
    for (const load of await measureLoads(15)) {
      writeSync(1, `ratios: ${loadRatioLine(load)} (≤ 400 KB, ≤ 1.35 ×)\n`);
      expect.soft(load.sizeBytes).toBeLessThanOrEqual(400_000);
      expect.soft(load.ratio).toBeLessThanOrEqual(1.35);
    }
  });
});

/** The minimum of a pull: its four reads in one round trip, decrypting 100 own values of that size, an audit entry. */
async function bareScript(url: string, place: Awaited<ReturnType<typeof preparePlace>>): Promise<() => Promise<void>> {
  const endpoints = (await (await fetch(new URL('/local/endpoints', url))).json()) as Record<string, string>;
  const client = DynamoDBDocumentClient.from(
    new DynamoDBClient({
      endpoint: endpoints.dynamoDb ?? '',
      region: endpoints.region ?? '',
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    }),
  );
  const TableName = endpoints.tableName ?? '';
  const userId = readCredential(place.as.token, tokenPrefix)?.userId ?? '';
  const credential = [
    keys.token(userId, hashCredential(place.as.token)),
    keys.organization(place.slug),
    keys.member(place.slug, userId),
  ];
  const range = ranges.environmentHeads({ orgSlug: place.slug, project: 'shop', env: 'dev' });
  const key = randomBytes(32);
  const data = randomBytes(180);
  const sealed = Array.from({ length: 100 }, () => {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: 16 });
    cipher.setAAD(data);
    const text = Buffer.concat([cipher.update('x'.repeat(200)), cipher.final()]);
    return { nonce, tag: cipher.getAuthTag(), text };
  });
  return async () => {
    const [, , page] = await Promise.all([
      client.send(new BatchGetCommand({ RequestItems: { [TableName]: { Keys: credential, ConsistentRead: true } } })),
      client.send(new GetCommand({ TableName, Key: keys.project(place.slug, 'shop'), ConsistentRead: true })),
      client.send(
        new QueryCommand({
          TableName,
          KeyConditionExpression: 'pk = :pk AND begins_with(sk, :from)',
          ExpressionAttributeValues: { ':pk': range.pk, ':from': range.beginsWith },
          ConsistentRead: true,
        }),
      ),
    ]);
    const opened = sealed.map(({ nonce, tag, text }) => {
      const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: 16 });
      decipher.setAAD(data);
      decipher.setAuthTag(tag);
      return Buffer.concat([decipher.update(text), decipher.final()]).toString();
    });
    await client.send(
      new PutCommand({ TableName, Item: { pk: 'BARE', sk: randomBytes(12).toString('hex'), entry: 'x'.repeat(600) } }),
    );
    if (page.Items?.length !== 101 || JSON.stringify(opened).length < 20_000)
      throw new Error('The bare script is wrong.');
  };
}
