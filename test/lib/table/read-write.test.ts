import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ApiError } from '#lib/core/errors.ts';
import { entity } from '#lib/table/entity.ts';
import { absent, equals, isNew, isThere, lessThan } from '#lib/table/expressions.ts';
import { at, find, list, queryPage, readAll, readTogether } from '#lib/table/read.ts';
import { withDeadline } from '#lib/table/retry.ts';
import {
  ConditionFailed,
  check,
  increment,
  put,
  putAlone,
  remove,
  removeAll,
  retryOnConditionFailed,
  retryWithFreshRead,
  transact,
  update,
} from '#lib/table/write.ts';
import { useApi } from '#test/support/api.ts';
import { type FaultKind, injectFault } from '#test/support/inject-faults.ts';
import { conduct } from '#test/support/observe-calls.ts';

const thing = entity('thing', (group: string, name: string) => ({ pk: `THING#${group}`, sk: name }), {
  name: z.string(),
  count: z.int(),
  note: z.string().optional(),
});

const group = randomUUID();
const thingAt = (name: string) => at(thing, group, name);
const countAt = async (name: string) => (await find(thingAt(name)))?.count;
const putThing = (name: string, count = 0) => transact([put(thingAt(name), { name, count })]);

async function withFault<T>(kind: FaultKind, work: () => Promise<T>): Promise<T> {
  const fault = injectFault(kind, 1);
  const result = await conduct(fault, work);
  expect(fault.hit()).toBe(true);
  return result;
}

useApi();

describe('the table', () => {
  it('returns what was put, without its keys, and nothing for a missing item', async () => {
    await putThing('a', 1);
    expect(await find(thingAt('a'))).toEqual({ name: 'a', count: 1 });
    expect(await find(thingAt('nothing'))).toBeUndefined();
  });

  it('rejects an item that does not parse, and names it without its content', async () => {
    const wrong = entity('thing', thing.key, { name: z.int() });
    await transact([put(thingAt('wrong'), { name: 'canary-content', count: 1 })]);
    const failure = await find(at(wrong, group, 'wrong')).catch((error: unknown) => String(error));
    expect(failure).toMatch(/does not parse: name/);
    expect(failure).not.toContain('canary-content');
    const otherKind = entity('other', thing.key, {});
    await expect(find(at(otherKind, group, 'wrong'))).rejects.toThrow(/of kind thing.*expected other/);
  });

  it('reads many items at once, in the requested order, with gaps and duplicates', async () => {
    const names = Array.from({ length: 120 }, (_, index) => `many-${index}`);
    for (const name of names) await putThing(name);
    const things = await readAll([...names, 'gap', 'many-0'].map(thingAt));
    expect(things.map(item => item?.name)).toEqual([...names, undefined, 'many-0']);
    const together = await readTogether({ first: thingAt('many-0'), gap: thingAt('gap'), left: undefined });
    expect(together).toEqual({ first: { name: 'many-0', count: 0 }, gap: undefined });
  });

  it('pages through a range in both directions', async () => {
    const range = { pk: `THING#${group}`, beginsWith: 'many-1' };
    const all = await list(thing, range);
    const first = await queryPage({ ...range, pageSize: 3 });
    const second = await queryPage({ ...range, pageSize: 3, ...(first.next ? { startAfter: first.next } : {}) });
    expect([...first.items, ...second.items].map(item => item.name)).toEqual(all.slice(0, 6).map(({ name }) => name));
    const newest = await queryPage({ ...range, newestFirst: true, pageSize: 1 });
    expect(newest.items[0]?.name).toBe(all.at(-1)?.name);
  });

  it('makes all writes of a transaction or none', async () => {
    const writes = [
      put(thingAt('t1'), { name: 't1', count: 0 }, { if: isNew }),
      update(thingAt('a'), { add: { count: 1 } }, { if: { count: equals(99) } }),
    ];
    await expect(transact(writes)).rejects.toThrow(ConditionFailed);
    expect(await find(thingAt('t1'))).toBeUndefined();
  });

  it('reports which condition failed, with the first domain error, based on the item as it is', async () => {
    // DynamoDB allows one operation per item in a transaction, so the two are on different items.
    await putThing('b', 5);
    const refused = (current: { count?: unknown } | undefined) =>
      new ApiError('slug_taken', `count is ${String(current?.count)}`);
    const failure = transact([
      check(thingAt('b'), { if: { count: lessThan(0) } }),
      update(thingAt('a'), { add: { count: 1 } }, { if: { count: lessThan(1) }, refused }),
    ]);
    await expect(failure).rejects.toMatchObject({ code: 'slug_taken', message: 'count is 1' });
  });

  it('sends a single write alone, with the same conditions and errors', async () => {
    const creation = put(thingAt('a'), { name: 'a', count: 0 }, { if: isNew });
    await expect(transact([creation])).rejects.toThrow(ConditionFailed);
    const removal = remove(thingAt('gone'), { if: isThere, refused: () => new ApiError('slug_taken', 'gone') });
    await expect(transact([removal])).rejects.toMatchObject({ message: 'gone' });
    await transact([update(thingAt('a'), { set: { note: 'x' } }, { if: { note: absent } })]);
    await transact([update(thingAt('a'), { set: { note: undefined } })]);
    expect(await find(thingAt('a'))).toEqual({ name: 'a', count: 1 });
  });

  it('adds once even if the response is lost and the SDK sends the write again', async () => {
    await putThing('sum');
    await withFault('answer-lost-once', () => transact([update(thingAt('sum'), { add: { count: 1 } })]));
    expect(await countAt('sum')).toBe(1);
  });

  it('executes a transaction once even if its first attempt runs after a conflict cancelled the second', async () => {
    await putThing('late');
    const write = update(thingAt('late'), { set: { count: 1 } }, { if: { count: equals(0) } });
    await withFault('overtaken', () => transact([write]));
    expect(await countAt('late')).toBe(1);
  });

  it('adds to a count even while a transaction is in progress on its item', async () => {
    const changes = { add: { count: 1 }, setIfAbsent: { name: 'busy' } };
    const added = await withFault('conflict', () => increment(thingAt('busy'), changes));
    expect(added).toEqual({ name: 'busy', count: 1 });
  });

  it('sends only puts without a transaction', async () => {
    const creation = put(thingAt('alone'), { name: 'alone', count: 1 }, { if: isNew });
    await withFault('answer-lost-once', () => putAlone(creation));
    expect(await find(thingAt('alone'))).toEqual({ name: 'alone', count: 1 });
    await expect(putAlone(remove(thingAt('alone')))).rejects.toThrow('needs a transaction');
  });

  it('keeps all of thirty concurrent updates that read, decide and write', async () => {
    await putThing('counter');
    const addOne = async () => {
      const count = (await countAt('counter')) ?? 0;
      await transact([update(thingAt('counter'), { set: { count: count + 1 } }, { if: { count: equals(count) } })]);
    };
    await Promise.all(Array.from({ length: 30 }, () => retryOnConditionFailed(addOne)));
    expect(await countAt('counter')).toBe(30);
  });

  it('decides first based on known data, and after a failed condition based on a new read', async () => {
    await putThing('moved', 5);
    const decided: (number | undefined)[] = [];
    const addOne = async (current: { count: number } | undefined) => {
      decided.push(current?.count);
      const count = current?.count ?? 0;
      await transact([update(thingAt('moved'), { set: { count: count + 1 } }, { if: { count: equals(count) } })]);
    };

    await retryWithFreshRead({ name: 'moved', count: 4 }, () => find(thingAt('moved')), addOne);

    expect(decided).toEqual([4, 5]);
    expect(await countAt('moved')).toBe(6);
  });

  it('gives up with 503 and Retry-After when its time is used up', async () => {
    const refused = () => Promise.reject(new ConditionFailed([0]));
    const failure = withDeadline(() => retryOnConditionFailed(refused), 50);
    await expect(failure).rejects.toMatchObject({ code: 'temporarily_unavailable', retryAfterSeconds: 1 });
  });

  it('removes any number of items', async () => {
    const all = await list(thing, { pk: `THING#${group}`, beginsWith: 'many-' });
    await removeAll(all.map(({ name }) => thing.key(group, name)));
    expect(await list(thing, { pk: `THING#${group}`, beginsWith: 'many-' })).toEqual([]);
  });
});
