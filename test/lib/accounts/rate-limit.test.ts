import { randomUUID } from 'node:crypto';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  forgetTries,
  type RateLimit,
  rateSubjectOfAddress,
  returnTry,
  takeTries,
  takeTry,
} from '../../../lib/accounts/rate-limit.ts';
import { ApiError } from '../../../lib/core/errors.ts';
import { requiredSetting } from '../../../lib/core/settings.ts';
import { tableClient } from '../../../lib/table/client.ts';
import { type Api, startApi } from '../../support/api.ts';
import { allItems } from '../../support/table-dump.ts';

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

const newLimit = (tries: number, name = `limit-${randomUUID()}`): RateLimit => ({
  name,
  tries,
  windowSeconds: 600,
  subject: 'ada@example.com',
});

/** The seconds to wait, or undefined for a try that was taken. */
async function tryIt(limit: RateLimit): Promise<number | undefined> {
  try {
    await takeTry(limit);
    return undefined;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'rate_limited') return error.retryAfterSeconds;
    throw error;
  }
}

async function endWindow({ name }: RateLimit): Promise<void> {
  const item = (await allItems()).find(({ pk }) => String(pk).startsWith(`RATE#${name}#`));
  await tableClient().send(
    new UpdateCommand({
      TableName: requiredSetting('TABLE_NAME'),
      Key: { pk: item?.pk, sk: item?.sk },
      UpdateExpression: 'SET expiresAt = :past',
      ExpressionAttributeValues: { ':past': Math.floor(Date.now() / 1000) - 1 },
    }),
  );
}

describe('a rate limit', () => {
  it('takes as many tries as it says and then tells how long to wait: until the window of the first try ends', async () => {
    const limit = newLimit(3);

    const waits = [await tryIt(limit), await tryIt(limit), await tryIt(limit), await tryIt(limit)];

    expect(waits.slice(0, 3)).toEqual([undefined, undefined, undefined]);
    expect(waits[3]).toBeGreaterThan(590);
    expect(waits[3]).toBeLessThanOrEqual(600);
  });

  it('holds for twenty tries at once', async () => {
    const limit = newLimit(5);

    const waits = await Promise.all(Array.from({ length: 20 }, () => tryIt(limit)));

    expect(waits.filter(wait => wait === undefined)).toHaveLength(5);
  });

  it('begins a new window after the old one, though its item is still stored, and holds there for twenty at once', async () => {
    const limit = newLimit(5);
    for (let index = 0; index < 6; index += 1) await tryIt(limit);
    await endWindow(limit);

    const waits = await Promise.all(Array.from({ length: 20 }, () => tryIt(limit)));

    expect(waits.filter(wait => wait === undefined)).toHaveLength(5);
    expect(Math.max(...waits.map(wait => wait ?? 0))).toBeGreaterThan(590);
  });

  it('is off with -1 and lets nothing through with 0', async () => {
    const off = newLimit(-1);

    expect(await Promise.all(Array.from({ length: 30 }, () => tryIt(off)))).toEqual(Array(30).fill(undefined));
    expect(await tryIt(newLimit(0))).toBe(600);
  });

  it('counts a try less that is returned, and none any more once they are forgotten', async () => {
    const limit = newLimit(1);

    await takeTry(limit);
    await returnTry(limit);
    expect(await tryIt(limit)).toBeUndefined();
    expect(await tryIt(limit)).toBeGreaterThan(0);
    await forgetTries(limit);
    expect(await tryIt(limit)).toBeUndefined();
  });

  it('returns and forgets what is not there without a complaint', async () => {
    const limit = newLimit(1);

    await returnTry(limit);
    await forgetTries(limit);

    expect(await tryIt(limit)).toBeUndefined();
  });

  it('takes of several limits from all or from none', async () => {
    const [narrow, wide] = [newLimit(1), newLimit(2)];
    await takeTries([narrow, wide]);

    await expect(takeTries([narrow, wide])).rejects.toMatchObject({ code: 'rate_limited' });

    expect(await tryIt(wide)).toBeUndefined();
    expect(await tryIt(wide)).toBeGreaterThan(0);
  });

  it('stores its subject as a hash only', async () => {
    const limit = newLimit(3);
    await takeTry(limit);

    const item = (await allItems()).find(({ pk }) => String(pk).startsWith(`RATE#${limit.name}#`));

    expect(JSON.stringify(item)).not.toContain('ada');
    expect(item?.pk).toMatch(/#[\w-]{43}$/);
  });
});

describe('the address that tries are counted for', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:aaaa::1', rateSubjectOfAddress('2001:0db8:0001:0002:bbbb:cccc:dddd:eeee')],
    ['unknown', 'unknown'],
  ])('of %s is %s', (ip, subject) => {
    expect(rateSubjectOfAddress(ip)).toBe(subject);
  });

  it('differs between neighbouring IPv6 networks', () => {
    expect(rateSubjectOfAddress('2001:db8:1:2::1')).not.toBe(rateSubjectOfAddress('2001:db8:1:3::1'));
  });
});
