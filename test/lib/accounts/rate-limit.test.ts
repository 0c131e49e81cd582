import { randomUUID } from 'node:crypto';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  forgetTries,
  keepTry,
  type RateLimit,
  rateSubjectOfAddress,
  returnTry,
  type Try,
  takeTries,
  takeTry,
} from '../../../lib/accounts/rate-limit.ts';
import { ApiError } from '../../../lib/core/errors.ts';
import { requiredSetting } from '../../../lib/core/settings.ts';
import { tableClient } from '../../../lib/table/client.ts';
import { type Api, startApi } from '../../support/api.ts';
import { injectFault } from '../../support/inject-faults.ts';
import { type Conductor, conduct } from '../../support/observe-calls.ts';
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

async function storedItem({ name }: RateLimit) {
  return (await allItems()).find(({ pk }) => String(pk).startsWith(`RATE#${name}#`));
}

async function endWindow(limit: RateLimit): Promise<void> {
  const item = await storedItem(limit);
  await tableClient().send(
    new UpdateCommand({
      TableName: requiredSetting('TABLE_NAME'),
      Key: { pk: item?.pk, sk: item?.sk },
      UpdateExpression: 'SET expiresAt = :past',
      ExpressionAttributeValues: { ':past': Math.floor(Date.now() / 1000) - 1 },
    }),
  );
}

const epochSeconds = () => Math.floor(Date.now() / 1000);

async function setMarks(limit: RateLimit, marks: readonly string[]): Promise<void> {
  const item = await storedItem(limit);
  await tableClient().send(
    new UpdateCommand({
      TableName: requiredSetting('TABLE_NAME'),
      Key: { pk: item?.pk, sk: item?.sk },
      UpdateExpression: 'SET marks = :marks',
      ExpressionAttributeValues: { ':marks': new Set(marks) },
    }),
  );
}

/** Makes the tries under way look as if they had begun this long ago. */
async function ageMarks(limit: RateLimit, seconds: number): Promise<void> {
  await setMarks(limit, [`${epochSeconds() - seconds}.aged`]);
}

async function countingCalls<T>(work: () => Promise<T>): Promise<{ calls: number; result: T }> {
  let calls = 0;
  const result = await conduct(
    {
      call: (_, send) => {
        calls += 1;
        return send();
      },
    },
    work,
  );
  return { calls, result };
}

describe('a rate limit', () => {
  it('takes as many tries as it says and then tells how long to wait: until the window of the first try ends', async () => {
    const limit = newLimit(3);

    const waits = [await tryIt(limit), await tryIt(limit), await tryIt(limit), await tryIt(limit)];

    expect(waits.slice(0, 3)).toEqual([undefined, undefined, undefined]);
    expect(waits[3]).toBeGreaterThan(590);
    expect(waits[3]).toBeLessThanOrEqual(600);
  });

  it('limits twenty tries at once', async () => {
    const limit = newLimit(5);

    const waits = await Promise.all(Array.from({ length: 20 }, () => tryIt(limit)));

    expect(waits.filter(wait => wait === undefined)).toHaveLength(5);
  });

  it('begins a new window even if the old one is still stored, and limits twenty at once there', async () => {
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

  it('takes a returned try off the count, and all of them once they are forgotten', async () => {
    const limit = newLimit(1);

    await returnTry(await takeTry(limit));
    const taken = await takeTry(limit);
    expect(await tryIt(limit)).toBeGreaterThan(0);
    await forgetTries(taken);
    expect(await tryIt(limit)).toBeUndefined();
  });

  it('returns and forgets tries that do not exist without an error', async () => {
    const limit = newLimit(1);

    const taken = await takeTry(limit);
    await returnTry(taken);

    await returnTry(taken);
    await keepTry(taken);
    await forgetTries(taken);

    expect(await tryIt(limit)).toBeUndefined();
    expect(await tryIt(limit)).toBeGreaterThan(0);
  });

  it('takes a try from all of several limits or from none', async () => {
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

    expect(JSON.stringify(item)).not.toContain('ada@');
    expect(item?.pk).toMatch(/#[\w-]{43}$/);
  });
});

describe('a try that the SDK sends again because its answer was lost', () => {
  const loseAnswer = async <T>(work: () => Promise<T>): Promise<T> => {
    const fault = injectFault('answer-lost-once', 1);
    const result = await conduct(fault, work);
    expect(fault.hit()).toBe(true);
    return result;
  };
  const triesOf = async (limit: RateLimit) => (await storedItem(limit))?.tries;

  it.each([
    ['the first of its window', 0],
    ['a later one', 2],
    ['the last one that the limit allows', 4],
  ])('counts once: %s', async (_, before) => {
    const limit = newLimit(5);
    for (let index = 0; index < before; index += 1) await takeTry(limit);

    await loseAnswer(() => takeTry(limit));

    expect(await triesOf(limit)).toBe(before + 1);
  });

  it('counts once where it begins a new window', async () => {
    const limit = newLimit(5);
    await takeTry(limit);
    await endWindow(limit);
    const fault = injectFault('answer-lost-once', 2);

    await conduct(fault, () => takeTry(limit));

    expect(fault.hit()).toBe(true);
    expect(await triesOf(limit)).toBe(1);
  });

  it('is returned once', async () => {
    const limit = newLimit(5);
    await takeTry(limit);
    const taken = await takeTry(limit);

    await loseAnswer(() => returnTry(taken));

    expect(await triesOf(limit)).toBe(1);
  });

  it('is kept once', async () => {
    const limit: RateLimit = { ...newLimit(5), onlyFailures: true };
    const taken = await takeTry(limit);

    await loseAnswer(() => keepTry(taken));

    expect(await storedItem(limit)).toMatchObject({ tries: 1 });
    expect(await storedItem(limit)).not.toHaveProperty('marks');
  });

  it('forgets the tries before it, but none that was counted in between', async () => {
    const limit = newLimit(5);
    const taken = await takeTry(limit);
    let other: Try | undefined;
    const lost: Conductor = {
      attempt: async (_, send) => {
        if (other !== undefined) return send();
        await send();
        other = await conduct(undefined, () => takeTry(limit));
        throw Object.assign(new Error('no answer in time (injected)'), { name: 'TimeoutError', $metadata: {} });
      },
    };

    await conduct(lost, () => forgetTries(taken));

    expect(await triesOf(limit)).toBe(1);
  });
});

describe('a limit of failures', () => {
  const newFailureLimit = (tries: number): RateLimit => ({ ...newLimit(tries), onlyFailures: true });

  it('lets a try wait for one under way, and counts it if that one succeeded', async () => {
    const limit = newFailureLimit(1);
    const first = await takeTry(limit);
    const second = takeTry(limit);
    await returnTry(first);

    await expect(second).resolves.toMatchObject({ limit });
  });

  it('refuses at once when nothing is under way', async () => {
    const limit = newFailureLimit(1);
    await keepTry(await takeTry(limit));

    expect(await countingCalls(() => tryIt(limit))).toEqual({ calls: 1, result: expect.any(Number) });
  });

  it('waits at most ten seconds for a try of a dead process, and counts it as a failure', async () => {
    const limit = newFailureLimit(1);
    await conduct(injectFault('dies-after', 1), () => takeTry(limit)).catch(() => undefined);
    expect((await storedItem(limit))?.marks).toHaveLength(1);
    await ageMarks(limit, 8);
    const waiting = await countingCalls(() => tryIt(limit));
    await ageMarks(limit, 10);

    const after = await countingCalls(() => tryIt(limit));

    expect(waiting).toEqual({ calls: expect.any(Number), result: expect.any(Number) });
    expect(waiting.calls).toBeGreaterThan(1);
    expect(after).toEqual({ calls: 1, result: expect.any(Number) });
  });

  it('makes room for marks by discarding those that no try asks for any more', async () => {
    const limit = newFailureLimit(1000);
    await takeTry(limit);
    await setMarks(
      limit,
      Array.from({ length: 256 }, (_, index) => `${epochSeconds() - 61}.${index}`),
    );

    await takeTry(limit);

    expect((await storedItem(limit))?.marks).toHaveLength(1);
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
