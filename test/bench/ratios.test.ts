import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchGetCommand, DynamoDBDocumentClient, GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { hashCredential, readCredential, tokenPrefix } from '#lib/crypto/credentials.ts';
import { keys, ranges } from '#lib/table/keys.ts';
import { preparePlace } from '../load/clients.ts';
import { startStack } from '../support/npm-start.ts';
import { loadRatioLine, measureLoads, median } from './load-ratio.ts';

/* Part of `npm run bench`: durations, only as ratios of things measured side by side. */
const isBench = process.env.BENCH !== undefined;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

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
    try {
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

      for (let warm = 0; warm < 60; warm += 1) {
        await pull();
        await bare();
      }
      const times = { pull: [] as number[], bare: [] as number[] };
      for (let round = 0; round < 200; round += 1) {
        times.pull.push(await timed(pull));
        times.bare.push(await timed(bare));
      }
      const rates = { pull: [] as number[], bare: [] as number[] };
      for (let round = 0; round < 4; round += 1) {
        rates.pull.push(await throughput(pull, 3000));
        rates.bare.push(await throughput(bare, 3000));
      }
      const time = median(times.pull) / median(times.bare);
      const rate = median(rates.pull) / median(rates.bare);
      const shown = [median(times.pull), median(times.bare), median(rates.pull), median(rates.bare)].map(one =>
        one.toFixed(1),
      );
      writeSync(
        1,
        `ratios: pull 100 takes ${time.toFixed(2)} × the bare script (≤ 1.0; ${shown[0]} and ${shown[1]} ms)\n`,
      );
      writeSync(
        1,
        `ratios: 32 clients reach ${(rate * 100).toFixed(0)} % of it (≥ 95; ${shown[2]} and ${shown[3]} a second)\n`,
      );
      expect.soft(time).toBeLessThanOrEqual(1);
      expect.soft(rate).toBeGreaterThanOrEqual(0.95);
    } finally {
      await stack.stop();
    }
  });

  it('loading a hot bundle, next to an empty handler with only the DynamoDB client', { timeout: 300_000 }, async () => {
    for (const load of await measureLoads(15)) {
      writeSync(1, `ratios: ${loadRatioLine(load)} (≤ 400 KB, ≤ 1.35 ×)\n`);
      expect.soft(load.sizeBytes).toBeLessThanOrEqual(400_000);
      expect.soft(load.ratio).toBeLessThanOrEqual(1.35);
    }
  });
});

/**
 * The minimum of a pull: the same four reads in one round trip, decrypting 100 values of the same size, one audit
 * entry. It decrypts its own values, because it has no key for the others.
 */
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
