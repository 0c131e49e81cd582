import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CapacityMissing, evenIfThrottled, shedding, waitingForCapacity, withinCapacity } from '#lib/core/capacity.ts';
import { resetProcessMemory } from '#lib/core/process-memory.ts';

class TooFast extends Error {
  missing: readonly string[] = [];
}

let throttled = new Set<string>();
let attempts = 0;
beforeEach(() => {
  vi.useFakeTimers();
  resetProcessMemory('throttled-resources');
  throttled = new Set();
  attempts = 0;
});
afterEach(() => void vi.useRealTimers());

function use(
  needs: readonly string[],
  { mayBeExecuted = false, refused }: { mayBeExecuted?: boolean; refused?: Error } = {},
) {
  const call = {
    needs,
    missingIn: (error: unknown) => (error instanceof TooFast ? error.missing : undefined),
    isAnswer: (error: unknown) => error === refused,
    mayBeExecuted: () => mayBeExecuted,
  };
  return withinCapacity(call, async () => {
    attempts += 1;
    const missing = needs.filter(need => throttled.has(need));
    if (missing.length > 0) throw Object.assign(new TooFast(), { missing });
    if (refused !== undefined) throw refused;
    return 'served';
  });
}

/** One request: its outcome, after how many attempts, and after how many milliseconds. */
async function request(work: () => Promise<unknown> = () => use(['table'])) {
  const before = { attempts, at: Date.now() };
  const outcome = shedding(work).catch((error: Error) => error);
  await vi.runAllTimersAsync();
  const result = await outcome;
  const retryAfter = result instanceof CapacityMissing ? result.retryAfterSeconds : undefined;
  return { result, retryAfter, attempts: attempts - before.attempts, ms: Date.now() - before.at };
}

const pass = (seconds = 0) => vi.advanceTimersByTimeAsync(seconds * 1000);

describe('a request that needs a throttled resource', () => {
  it('makes three attempts within 0.4 s and is rejected with Retry-After', async () => {
    throttled.add('table');
    const first = await request();
    expect(first.result).toMatchObject({ status: 503, code: 'temporarily_unavailable', isExpected: true });
    expect(first.attempts).toBe(3);
    expect(first.ms).toBeLessThanOrEqual(400);
    expect(first.retryAfter).toBeGreaterThanOrEqual(2);
    expect(first.retryAfter).toBeLessThanOrEqual(5);
  });

  it('succeeds if there is capacity again before the third attempt', async () => {
    throttled.add('table');
    const served = shedding(() => use(['table']));
    throttled.clear();
    await vi.runAllTimersAsync();
    expect([await served, attempts]).toEqual(['served', 2]);
  });

  it('is rejected without an attempt once its process knows, unlike requests that need other resources', async () => {
    throttled.add('ENV#a');
    await request(() => use(['reads', 'ENV#a']));
    expect(await request(() => use(['reads', 'ENV#a']))).toMatchObject({ attempts: 0, ms: 0 });
    expect(await request(() => use(['reads', 'ENV#b']))).toMatchObject({ result: 'served', attempts: 1 });
  });

  it('finds out, after Retry-After, with one attempt; the time until the next one doubles, up to 30 s', async () => {
    throttled.add('table');
    let { retryAfter = 0 } = await request();
    for (const [least, most] of [
      [4, 10],
      [8, 20],
      [15, 30],
      [15, 30],
    ] as const) {
      await pass(retryAfter);
      const probe = await request();
      expect(probe.attempts).toBe(1);
      retryAfter = probe.retryAfter ?? 0;
      expect(retryAfter).toBeGreaterThanOrEqual(least);
      expect(retryAfter).toBeLessThanOrEqual(most);
    }
  });

  it('succeeds after Retry-After with all of its calls if there is capacity again, and so do the others then', async () => {
    throttled.add('table');
    const { retryAfter } = await request();
    throttled.clear();
    await pass(retryAfter);
    const several = () => Promise.all([use(['table']), use(['table', 'ENV#a']), use(['ENV#a'])]);
    expect((await request(several)).result).toEqual(['served', 'served', 'served']);
    expect(await request()).toMatchObject({ result: 'served' });
  });

  it('is the only one that finds out', async () => {
    throttled.add('table');
    const { retryAfter } = await request();
    await pass(retryAfter);
    const both = [1, 2].map(() => shedding(() => use(['table'])).catch((error: Error) => error));
    await vi.runAllTimersAsync();
    for (const end of await Promise.all(both)) expect(end).toBeInstanceOf(CapacityMissing);
    expect(attempts).toBe(3 + 1);
  });

  it('counts the failures of its concurrent calls once', async () => {
    throttled.add('table');
    const all = () => Promise.all(Array.from({ length: 5 }, () => use(['table'])));
    expect((await request(all)).retryAfter).toBeLessThanOrEqual(5);
  });

  it('is tried as if nothing had happened if nothing has needed the resource for long', async () => {
    throttled.add('table');
    await request();
    await pass(60);
    expect((await request()).attempts).toBe(3);
  });
});

it('what ends the throttling makes three attempts even then', async () => {
  throttled.add('table');
  await request();
  const work = () => evenIfThrottled(() => use(['table']));
  expect(await request(work)).toMatchObject({ attempts: 3, result: expect.any(CapacityMissing) });
  throttled.clear();
  expect(await request(work)).toMatchObject({ attempts: 1, result: 'served' });
});

it('a rejected condition shows that there is capacity', async () => {
  throttled.add('table');
  const { retryAfter } = await request();
  throttled.clear();
  await pass(retryAfter);
  const refused = new Error('the condition does not hold');
  expect((await request(() => use(['table'], { refused }))).result).toBe(refused);
  expect(await request()).toMatchObject({ result: 'served' });
});

describe('what is never rejected for lack of capacity', () => {
  it.each([
    ['background work', () => use(['table'])],
    ['work that must finish', () => shedding(() => waitingForCapacity(() => use(['table'])))],
    ['a call that may have been executed', () => shedding(() => use(['table'], { mayBeExecuted: true }))],
  ])('%s: each attempt is sent, and its error is left to its own retries', async (_, work) => {
    throttled.add('table');
    await request();
    expect(await work().catch((error: Error) => error)).toBeInstanceOf(TooFast);
    expect(attempts).toBe(3 + 1);
  });
});
