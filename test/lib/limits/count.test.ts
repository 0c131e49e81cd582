import { createHash, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ApiError } from '#lib/core/errors.ts';
import {
  type Counter,
  count,
  countOne,
  isReached,
  refuseEarly,
  requireBelowLimit,
  resetCount,
} from '#lib/limits/count.ts';
import { networkOf } from '#lib/limits/network.ts';
import { failedLogins } from '#lib/limits/rate-limits.ts';
import { at, find } from '#lib/table/read.ts';
import { rateRecord } from '#lib/table/records/limits.ts';
import { retryOnConditionFailed, transact, update, type Write } from '#lib/table/write.ts';
import { nowSeconds, useApi } from '#test/support/api.ts';
import { injectFault } from '#test/support/inject-faults.ts';
import { conduct } from '#test/support/observe-calls.ts';
import { recordCalls } from '#test/support/record-calls.ts';

useApi();

function newLimit(bound: number): () => Counter {
  const item = at(rateRecord, `limit-${randomUUID()}`, 'subject');
  return () => ({ bound, windowSeconds: 600, item });
}

/** The seconds to wait, or undefined if allowed. */
async function waitOf(work: Promise<void>): Promise<number | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'rate_limited') return error.retryAfterSeconds;
    throw error;
  }
}

const countIt = (limit: () => Counter) => waitOf(count(limit()));
const countTimes = (limit: () => Counter, times: number) =>
  Promise.all(Array.from({ length: times }, () => countIt(limit)));
const taken = (waits: readonly (number | undefined)[]) => waits.filter(wait => wait === undefined).length;
const triesOf = async (limit: () => Counter) => (await find(limit().item))?.tries;
const endWindow = (limit: () => Counter) => transact([update(limit().item, { set: { expiresAt: nowSeconds() - 1 } })]);

describe('a rate limit', () => {
  it('counts up to its limit and then reports the wait: until the window that started with the first count ends', async () => {
    const limit = newLimit(3);
    const waits = await countTimes(limit, 3);
    expect(waits).toEqual([undefined, undefined, undefined]);

    const wait = await countIt(limit);
    expect(wait).toBeGreaterThan(590);
    expect(wait).toBeLessThanOrEqual(600);
  });

  it('holds for twenty concurrent requests, and in the next window even if the old one is still stored', async () => {
    const limit = newLimit(5);
    expect(taken(await countTimes(limit, 20))).toBe(5);
    expect(await triesOf(limit)).toBe(5);
    await endWindow(limit);

    const waits = await countTimes(limit, 20);

    expect(taken(waits)).toBe(5);
    expect(Math.max(...waits.map(wait => wait ?? 0))).toBeGreaterThan(590);
  });

  it('is disabled with -1 and allows nothing with 0', async () => {
    const [off, shut] = [newLimit(-1), newLimit(0)];

    expect(taken(await countTimes(off, 30))).toBe(30);
    expect(await waitOf(transact([...requireBelowLimit(off()), ...resetCount(off())]))).toBeUndefined();
    expect(() => refuseEarly(off(), { tries: 100, expiresAt: 9e9 })).not.toThrow();
    expect(await countIt(shut)).toBe(600);
    expect(() => refuseEarly(shut(), undefined)).toThrow('at most 0');
  });

  it('counts for all of several limits or for none, also if some windows have ended', async () => {
    const [narrow, wide] = [newLimit(1), newLimit(2)];
    const tries = async () => [await triesOf(narrow), await triesOf(wide)];
    await count(narrow(), wide());

    await expect(count(narrow(), wide())).rejects.toMatchObject({ code: 'rate_limited' });
    expect(await tries()).toEqual([1, 1]);

    await Promise.all([endWindow(narrow), endWindow(wide)]);
    await count(narrow(), wide());
    expect(await tries()).toEqual([1, 1]);
  });

  it('is counted by the transaction of the counted action, and not without it', async () => {
    const limit = newLimit(1);
    const other = at(rateRecord, `other-${randomUUID()}`, 'subject');
    const countWith = (write: Write) => {
      const counter = limit();
      return retryOnConditionFailed(() => transact([...countOne(counter), write]));
    };
    const refused = () => new Error('refused');
    const missing = update(other, { set: { tries: 1 } }, { if: { tries: { op: '=', value: 1 } }, refused });

    await expect(countWith(missing)).rejects.toThrow('refused');

    expect(await triesOf(limit)).toBeUndefined();
  });

  it('stores its subject only as a hash', () => {
    const { key } = failedLogins('Ada@Example.com', '203.0.113.7').item;

    expect(key.pk).toBe(`RATE#login#${createHash('sha256').update('ada@example.com 203.0.113.7').digest('base64url')}`);
  });

  it.each([
    { which: 'the first of its window', counted: 0 },
    { which: 'a later one', counted: 2 },
    { which: 'the last one that the bound allows', counted: 4 },
    { which: 'the first of a window after another', counted: 1, hasEnded: true },
  ])(
    'counts once if the response is lost and the call is sent again: $which',
    async ({ counted, hasEnded = false }) => {
      const limit = newLimit(5);
      for (let index = 0; index < counted; index += 1) await countIt(limit);
      if (hasEnded) await endWindow(limit);
      const fault = injectFault('answer-lost-once', hasEnded ? 2 : 1);

      await conduct(fault, () => countIt(limit));

      expect(fault.hit()).toBe(true);
      expect(await triesOf(limit)).toBe(hasEnded ? 1 : counted + 1);
    },
  );
});

describe('a limit on failures', () => {
  it('is reset by a success, and no success is rejected below the limit', async () => {
    const limit = newLimit(2);
    await countIt(limit);

    const successes = Array.from({ length: 8 }, () => waitOf(transact(resetCount(limit()))));

    expect(taken(await Promise.all(successes))).toBe(8);
    expect(taken(await countTimes(limit, 5))).toBe(2);
  });

  it('rejects a success above the limit, until the window has ended', async () => {
    const limit = newLimit(1);
    await countIt(limit);

    expect(await waitOf(transact(resetCount(limit())))).toBeGreaterThan(590);
    expect(await waitOf(transact(requireBelowLimit(limit())))).toBeGreaterThan(590);
    expect(await triesOf(limit)).toBe(1);
    await endWindow(limit);
    expect(await waitOf(transact(requireBelowLimit(limit())))).toBeUndefined();
    expect(await waitOf(transact(resetCount(limit())))).toBeUndefined();
  });

  it('rejects early based on the counter as read', async () => {
    const limit = newLimit(1);
    const [open, over] = [nowSeconds() + 60, nowSeconds() - 1].map(expiresAt => ({ tries: 1, expiresAt }));

    expect([undefined, open, over].map(counted => isReached(limit(), counted))).toEqual([false, true, false]);
    expect(() => refuseEarly(limit(), open)).toThrow('at most 1');
  });

  it('needs one call for a failure after an ended window that was read, and no second one to detect that', async () => {
    const limit = newLimit(2);
    await countTimes(limit, 2);
    await endWindow(limit);
    const counter = limit();
    refuseEarly(counter, await find(counter.item));

    const { calls } = await recordCalls(() => count(counter));

    expect([calls.length, await triesOf(limit)]).toEqual([1, 1]);
  });
});

describe('the network that an address is counted under', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:aaaa::1', networkOf('2001:0db8:0001:0002:bbbb:cccc:dddd:eeee')],
    ['unknown', 'unknown'],
  ])('of %s is %s', (ip, network) => {
    expect(networkOf(ip)).toBe(network);
  });

  it('differs between neighboring IPv6 networks', () => {
    expect(networkOf('2001:db8:1:2::1')).not.toBe(networkOf('2001:db8:1:3::1'));
  });
});
