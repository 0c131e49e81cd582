import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type * as Capacity from '#lib/core/capacity.ts';
import { sendPatiently, withDeadline } from '#lib/table/retry.ts';
import { throttled } from '../support/throttled.ts';

/*
 * An account with 100 concurrent executions, in told time. Each process has its own copy of the module that remembers
 * what is throttled. A call takes 10 ms, and a request makes four, one after another.
 */
const slots = 100;
const callMs = 10;
const seconds = 60;

type Process = typeof Capacity;

function processes(): Promise<Process[]> {
  const file = new URL('../../lib/core/capacity.ts', import.meta.url).href;
  return Promise.all(Array.from({ length: slots }, (_, n): Promise<Process> => import(`${file}?process=${n}`)));
}

/** The same random numbers in each run. */
function seedRandom(): void {
  let state = 41;
  vi.spyOn(Math, 'random').mockImplementation(() => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  });
}

beforeEach(() => {
  vi.useFakeTimers();
  seedRandom();
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

interface Tenant {
  name: string;
  perSecond: number;
}

interface Scenario {
  tenants: readonly Tenant[];
  /** Whether a call of the tenant's is throttled, from the first to the 40th second. */
  isThrottled: (tenant: string, need: string) => boolean;
  /** Waits as requests did before: for 22 s. */
  waits?: boolean;
}

const throttledForMs = 40_000;

async function run({ tenants, isThrottled, waits = false }: Scenario) {
  const idle = await processes();
  const startedAt = Date.now();
  const busy = new Map<Process, boolean>();
  const count = { served: 0, rejected: 0, noSlot: 0, most: 0, lastRejectedMs: 0, longestRetryAfter: 0 };
  const byTenant = new Map(tenants.map(({ name }) => [name, { ...count }]));

  const call = async (own: Process, tenant: string, need: string) => {
    const needs = need === 'KMS' ? ['KMS'] : ['reads of the table', need];
    const missing = () => {
      const isOver = Date.now() - startedAt >= throttledForMs;
      return isOver ? [] : needs.filter(name => isThrottled(tenant, name));
    };
    const rules = {
      needs,
      missingIn: (error: unknown) => (error as { missing?: string[] }).missing,
      isAnswer: () => false,
      mayBeExecuted: () => false,
    };
    await own.withinCapacity(rules, async () => {
      await new Promise(resolve => setTimeout(resolve, callMs));
      if (missing().length === 0) return;
      busy.set(own, true);
      throw Object.assign(throttled(), { missing: missing() });
    });
  };

  const request = async (own: Process, { name }: Tenant) => {
    const counted = byTenant.get(name) ?? count;
    busy.set(own, false);
    const work = async () => {
      for (const need of [`USER#${name}`, `ORG#${name}`, `ENV#${name}`, 'KMS']) await call(own, name, need);
    };
    const patient = () => withDeadline(() => sendPatiently(() => own.waitingForCapacity(work)));
    try {
      await (waits ? patient() : own.shedding(work));
      counted.served += 1;
    } catch (error) {
      counted.rejected += 1;
      counted.lastRejectedMs = Date.now() - startedAt;
      const { retryAfterSeconds = 0 } = error as { retryAfterSeconds?: number };
      counted.longestRetryAfter = Math.max(counted.longestRetryAfter, retryAfterSeconds);
    } finally {
      busy.delete(own);
      idle.push(own);
    }
  };

  const due = tenants.map(() => 0);
  for (let ms = 0; ms < seconds * 1000; ms += 1) {
    tenants.forEach((tenant, index) => {
      due[index] = (due[index] ?? 0) + tenant.perSecond / 1000;
      for (; (due[index] ?? 0) >= 1; due[index] = (due[index] ?? 0) - 1) {
        // Any of the idle ones, so that as many as possible have to find out for themselves.
        const [own] = idle.splice(Math.floor(Math.random() * idle.length), 1);
        if (own === undefined) (byTenant.get(tenant.name) ?? count).noSlot += 1;
        else void request(own, tenant);
      }
    });
    await vi.advanceTimersByTimeAsync(1);
    count.most = Math.max(count.most, [...busy.values()].filter(isHeld => isHeld).length);
  }
  await vi.advanceTimersByTimeAsync(30_000);
  return { most: count.most, of: (name: string) => byTenant.get(name) ?? count };
}

/** The rate at which requests that are held for 22 s fill the account. */
const fills = slots / 22;
const acme = { name: 'acme', perSecond: 10 * fills };
const others = Array.from({ length: 5 }, (_, n) => ({ name: `other-${n}`, perSecond: 20 }));

describe('with 100 concurrent executions and ten times the rate that once filled them', () => {
  it('once, requests to one throttled partition left none for the others', async () => {
    const isThrottled = (_: string, need: string) => need === 'ENV#acme';
    const { most, of } = await run({
      tenants: [{ ...acme, perSecond: 1.5 * fills }, ...others],
      isThrottled,
      waits: true,
    });
    expect(most).toBeGreaterThan(slots / 2);
    expect(others.reduce((sum, { name }) => sum + of(name).noSlot, 0)).toBeGreaterThan(100);
  });

  it.each(['USER#acme', 'ORG#acme', 'ENV#acme'])(
    'requests of a tenant whose partition %s is throttled hold at most a fifth, and all others are served',
    async partition => {
      const { most, of } = await run({ tenants: [acme, ...others], isThrottled: (_, need) => need === partition });
      expect(most).toBeGreaterThan(0);
      expect(most).toBeLessThanOrEqual(slots / 5);
      for (const { name } of others) expect(of(name)).toMatchObject({ served: 20 * seconds, rejected: 0, noSlot: 0 });
      expect(of('acme')).toMatchObject({ noSlot: 0 });
      expect(of('acme').rejected).toBeGreaterThan(0);
    },
  );

  it.each(['reads of the table', 'KMS'])('requests hold at most a fifth while all of them lack %s', async need => {
    const { most, of } = await run({ tenants: [acme], isThrottled: (_, name) => name === need });
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(slots / 5);
    expect(of('acme')).toMatchObject({ noSlot: 0 });
    expect(of('acme').longestRetryAfter).toBeGreaterThan(10);
    expect(of('acme').longestRetryAfter).toBeLessThanOrEqual(30);
    // The throttling ends in the 40th second. Who waited for Retry-After is served.
    expect(of('acme').served).toBeGreaterThan(0);
    expect(of('acme').lastRejectedMs).toBeLessThanOrEqual(throttledForMs + 30_000);
  });
});
