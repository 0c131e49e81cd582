import { beforeEach, describe, expect, it } from 'vitest';
import { auditPartitions, partitionOf } from '#lib/audit/partitions.ts';
import { auditActions } from '#lib/contracts/fields/audit-action.ts';
import { resetProcessMemory } from '#lib/core/process-memory.ts';
import { ranges } from '#lib/table/keys.ts';
import { queryItems } from '#lib/table/read.ts';
import { sizeOf } from '#test/support/capacity.ts';
import { openWorkplace } from '#test/support/environments.ts';
import { fresh, shared } from '#test/support/fixtures.ts';
import { noAnswer } from '#test/support/inject-faults.ts';
import type { AwsCall, Conductor } from '#test/support/observe-calls.ts';
import { recordRequest, startObservedApi, withFault } from '#test/support/observed-api.ts';
import { seedOwner } from '#test/support/people.ts';
import { auditEntry, seedAudit } from '#test/support/seed-audit.ts';
import { hotPartition, throttled } from '#test/support/throttled.ts';

const api = shared(startObservedApi);
const owner = fresh(seedOwner);
const place = fresh(() => openWorkplace(api, owner));
beforeEach(async () => {
  resetProcessMemory('busy-organizations');
  await place.set('dev', 'A', 'x');
});

const basePartition = () => ranges.audit(owner.organization.id).pk;
const isEntry = ({ operation, input }: AwsCall, partition = basePartition()) =>
  operation === 'PutItem' && input.Item.pk === partition && !String(input.Item.sk).startsWith('COUNT#');

function throttling(reason: string, attempts = 1): Conductor {
  let left = attempts;
  return {
    attempt: (call, send) => {
      if (!isEntry(call) || left === 0) return send();
      left -= 1;
      return Promise.reject(throttled(reason));
    },
  };
}

const pullTimes = async (count: number) => {
  for (let n = 0; n < count; n += 1) await pull();
};
const pull = (conductor?: Conductor) =>
  withFault(conductor && { conductor }, headers => place.pull('dev', '', { headers }));

const pulledIn = async (partition: number) =>
  (await queryItems(ranges.auditEntries(owner.organization.id, partition, 'secret.pulled'))).length;
const spread = () => Promise.all(Array.from({ length: auditPartitions }, (_, partition) => pulledIn(partition)));
const page = async (query = '') => (await api.get(`/audit/${owner.organization.id}${query}`, owner.session)).body;
const totalOfPulls = async () => (await page('?limit=1&action=secret.pulled')).pagination.total;

describe('an organization whose partition of audit entries has reached its limit', () => {
  it('has its pulls recorded in several partitions from then on, each once', async () => {
    expect((await pull(throttling(hotPartition))).status).toBe(200);
    expect(await pulledIn(0)).toBe(1);
    await Promise.all(Array.from({ length: 60 }, () => pull()));
    const counts = await spread();
    expect(counts.reduce((sum, count) => sum + count)).toBe(61);
    // Evenly at random: with 60 pulls, 16 partitions stay this empty less than once in 10 billion runs.
    expect(counts.filter(count => count > 0).length).toBeGreaterThan(8);
  });

  it('has a pull recorded in another partition, once, if the first one stays throttled', async () => {
    expect((await pull(throttling(hotPartition, Number.POSITIVE_INFINITY))).status).toBe(200);
    const [first, ...others] = await spread();
    expect([first, others.reduce((sum, count) => sum + count)]).toEqual([0, 1]);
  });

  it('has a pull recorded once even if the response to its first attempt was lost before', async () => {
    let attempts = 0;
    const lost: Conductor = {
      attempt: async (call, send) => {
        if (!isEntry(call)) return send();
        attempts += 1;
        if (attempts === 1) {
          await send();
          throw noAnswer();
        }
        return attempts <= 5 ? Promise.reject(throttled(hotPartition)) : send();
      },
    };
    expect([(await pull(lost)).status, attempts]).toEqual([200, 6]);
    const [first, ...others] = await spread();
    expect([first, others.reduce((sum, count) => sum + count)]).toEqual([1, 0]);
  });

  it('has one log, newest first, with exact totals, whatever the page and the filter', async () => {
    await pull(throttling(hotPartition));
    await pullTimes(45);
    await place.set('dev', 'B', 'x');
    const all = await page('?limit=100');
    // Created: the organization, the project with its environments; then two sets and 46 pulls.
    expect(all.pagination.total).toBe(all.entries.length);
    expect(all.entries.filter(({ action }: { action: string }) => action === 'secret.pulled')).toHaveLength(46);
    const times = all.entries.map(({ createdAt }: { createdAt: string }) => createdAt);
    expect(times).toEqual(times.toSorted().reverse());
    expect(new Set(all.entries.map(({ id }: { id: string }) => id)).size).toBe(all.entries.length);

    const pulls = await page('?limit=100&action=secret.pulled');
    expect([pulls.entries.length, pulls.pagination.total]).toEqual([46, 46]);
    const paged: { id: string }[] = [];
    for (let offset = 0; offset < 46; offset += 7) {
      paged.push(...(await page(`?limit=7&offset=${offset}&action=secret.pulled`)).entries);
    }
    expect(paged).toEqual(pulls.entries);
    expect((await page('?limit=5&action=project.created')).pagination.total).toBe(1);
  });

  it('keeps its totals exact when thousands of entries are counted once', async () => {
    await pull(throttling(hotPartition));
    const from = Date.now() - 3 * 24 * 3_600_000;
    for (const partition of [0, 1, 7, 15]) {
      const entries = Array.from({ length: 1500 }, (_, n) => auditEntry('secret.pulled', from + n));
      await seedAudit(owner.organization.id, entries, partition);
    }
    expect(await totalOfPulls()).toBe(6001);
    expect(await totalOfPulls()).toBe(6001);
    await pull();
    expect(await totalOfPulls()).toBe(6002);
  });

  it('is found out by each process for itself, and its log is complete in all of them', async () => {
    await pull(throttling(hotPartition));
    await pullTimes(20);
    const inBase = await pulledIn(0);
    resetProcessMemory('busy-organizations');
    await pullTimes(5);
    expect(await pulledIn(0)).toBe(inBase + 5);
    expect(await totalOfPulls()).toBe(26);
  });

  it('serves pulls far beyond the limit of one partition', async () => {
    // Twenty entries a second in each partition, without burst capacity.
    const perSecond = 20;
    const partitions = new Map<string, { units: number; at: number }>();
    let refused = 0;
    // Every attempt takes 10 ms, so that the load is the same on any machine: a hundred entries a second.
    let now = 0;
    const limited: Conductor = {
      attempt: (call, send) => {
        if (call.operation !== 'PutItem') return send();
        now += 10;
        const known = partitions.get(call.input.Item.pk) ?? { units: perSecond / 4, at: now };
        const units = Math.min(perSecond / 4, known.units + ((now - known.at) / 1000) * perSecond);
        const isServed = units >= 1;
        partitions.set(call.input.Item.pk, { units: isServed ? units - 1 : units, at: now });
        if (isServed) return send();
        refused += 1;
        return Promise.reject(throttled(hotPartition));
      },
    };
    const statuses = new Set<number>();
    const client = async () => {
      for (let n = 0; n < 20; n += 1) statuses.add((await pull(limited)).status);
    };
    await Promise.all(Array.from({ length: 8 }, client));
    expect([...statuses]).toEqual([200]);
    // A short page may have no total: counting stops after ten further reads, and up to 16 partitions have some.
    expect((await page('?limit=500&action=secret.pulled')).pagination.total).toBe(160);
    expect(refused).toBeGreaterThan(0);
    // In one partition, 160 pulls at 20 a second would have been refused far more often than they succeeded.
    expect(Math.max(...(await spread()))).toBeLessThan(60);
  });

  it('could serve 10,000 pulls a second: no partition gets more write units than it accepts', async () => {
    await pull(throttling(hotPartition));
    const { calls } = await recordRequest(headers => place.pull('dev', '', { headers }));
    const entries = calls.filter(({ operation }) => operation === 'PutItem');
    expect(entries).toHaveLength(1);
    const units = Math.ceil(sizeOf(entries[0]?.input.Item) / 1024);
    expect(units).toBe(1);
    for (let second = 0; second < 20; second += 1) {
      const used = Array<number>(auditPartitions).fill(0);
      for (let n = 0; n < 10_000; n += 1) {
        const partition = partitionOf(owner.organization.id, 'secret.pulled');
        used[partition] = (used[partition] ?? 0) + units;
      }
      expect(Math.max(...used)).toBeLessThanOrEqual(1000);
    }
  });
});

describe('an organization whose partition has not reached its limit', () => {
  it.each([
    ['the table is throttled', 'TableWriteAccountLimitExceeded'],
    ['its reads are throttled for another reason', 'TableWriteMaxOnDemandThroughputExceeded'],
  ])('has one partition even if %s', async (_, reason) => {
    await pull(throttling(reason, 2));
    await pullTimes(20);
    expect(await pulledIn(0)).toBe(21);
  });

  it('pays nothing for the others: no call of its pulls or its log touches them', async () => {
    const pulled = await recordRequest(headers => place.pull('dev', '', { headers }));
    expect(pulled.calls.filter(({ operation }) => operation.startsWith('Put'))).toHaveLength(1);
    const { calls } = await recordRequest(headers =>
      api.call('GET', `/audit/${owner.organization.id}`, { as: owner.session, headers }),
    );
    const queries = calls.filter(({ operation }) => operation === 'Query');
    expect(queries).toHaveLength(auditActions.length + 1);
    expect(new Set(queries.map(({ input }) => input.ExpressionAttributeValues[':pk']))).toEqual(
      new Set([basePartition()]),
    );
  });
});

it('a read that is throttled succeeds even if its organization cannot be spread; the next throttled one tries again', async () => {
  const first = throttling(hotPartition);
  const failing: Conductor = {
    attempt: (call, send) => {
      if (call.operation === 'PutItem' && call.input.Item.sk === 'COUNT#PARTITIONS') {
        return Promise.reject(Object.assign(new Error('refused (injected)'), { $metadata: { httpStatusCode: 400 } }));
      }
      return first.attempt?.(call, send) ?? send();
    },
  };
  expect((await pull(failing)).status).toBe(200);
  await pullTimes(10);
  expect(await pulledIn(0)).toBe(11);
  await pull(throttling(hotPartition));
  await pullTimes(30);
  expect(await pulledIn(0)).toBeLessThan(12 + 30);
});
