import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { auditPartitions } from '#lib/audit/partitions.ts';
import { longestWriteMs } from '#lib/audit/write.ts';
import type { AuditEntry } from '#lib/contracts/audit/entries.ts';
import { resetProcessMemory } from '#lib/core/process-memory.ts';
import { ranges } from '#lib/table/keys.ts';
import { at, ofKind, queryItems } from '#lib/table/read.ts';
import { type AuditRecord, auditRecord } from '#lib/table/records/audit.ts';
import { organizationRecord } from '#lib/table/records/organization.ts';
import { transact, update } from '#lib/table/write.ts';
import { hotPartition, throttled } from '#test/support/throttled.ts';
import { codeOf } from '../support/api.ts';
import { openWorkplace } from '../support/environments.ts';
import { fresh, shared } from '../support/fixtures.ts';
import type { Conductor } from '../support/observe-calls.ts';
import { startObservedApi, withFault } from '../support/observed-api.ts';
import { seedOwner } from '../support/people.ts';
import { expectStatus } from '../support/sample-requests.ts';
import { auditEntry, seedAudit } from '../support/seed-audit.ts';

const api = shared(() => startObservedApi({ REQUESTS_PER_MINUTE: '-1' }));
const owner = fresh(seedOwner);
const feed = (query: string) => api.get(`/audit/${owner.organization.id}/feed${query}`, owner.session);
const feedOf = async (query: string): Promise<{ entries: AuditEntry[]; next: string; upTo: string }> =>
  (await expectStatus(feed(query), 200)).body;

/** Follows the feed up to a time, or until it has returned everything that is settled. */
async function readAll(query: string, until = new Date(Date.now() - longestWriteMs).toISOString()) {
  const entries: AuditEntry[] = [];
  for (let after = ''; ; ) {
    const page = await feedOf(`?${query}${after}`);
    entries.push(...page.entries);
    after = `&after=${page.next}`;
    if (page.upTo >= until) return { entries, next: page.next };
  }
}

const byPosition = (a: AuditRecord, b: AuditRecord) => (`${a.createdAt}#${a.id}` < `${b.createdAt}#${b.id}` ? -1 : 1);
const inPartition = async (partition: number) =>
  ofKind(auditRecord, await queryItems(ranges.audit(owner.organization.id, partition)));
const partitions = Array.from({ length: auditPartitions }, (_, partition) => partition);

async function stored(): Promise<AuditRecord[]> {
  return (await Promise.all(partitions.map(inPartition))).flat().toSorted(byPosition);
}

const idsOf = (entries: readonly { id: string }[]) => entries.map(({ id }) => id);

describe('the feed of the audit log, while entries are written', () => {
  /** So fast does time pass, to wait less for entries to settle. */
  const speed = 10;
  let clock: NodeJS.Timeout;
  const place = fresh(() => openWorkplace(api, owner));

  beforeEach(async () => {
    resetProcessMemory('busy-organizations');
    await place.set('dev', 'A', 'x');
    const started = { real: performance.now(), ms: Date.now() };
    vi.useFakeTimers({ toFake: ['Date'], now: started.ms });
    clock = setInterval(() => vi.setSystemTime(started.ms + (performance.now() - started.real) * speed), 1);
  });
  afterEach(() => {
    clearInterval(clock);
    vi.useRealTimers();
  });

  const late: Conductor = {
    attempt: async (_, send) => {
      const chance = Math.random();
      const lateness = pause(Math.random() * 1000);
      if (chance < 0.1) {
        void lateness.then(send).catch(() => undefined);
        throw Object.assign(new Error('the connection broke (injected)'), { name: 'TimeoutError', $retryable: {} });
      }
      if (chance < 0.3) await lateness;
      return send();
    },
  };

  /** Refuses the first entry, because its partition has reached its limit. */
  const busy = (): Conductor => {
    let isRefused = false;
    return {
      attempt: (call, send) => {
        if (isRefused || call.operation !== 'PutItem') return send();
        isRefused = true;
        throw throttled(hotPartition);
      },
    };
  };

  it.each([
    ['in one partition', 1],
    ['in all partitions', auditPartitions],
  ])('has every entry once and in order for a reader that is killed again and again, %s', async (_, count) => {
    if (count > 1) await withFault({ conductor: busy() }, headers => place.pull('dev', '', { headers }));
    const acknowledged: string[] = [];
    const write = async (writer: number) => {
      for (let n = 0; n < 15; n += 1) {
        const answer = await withFault({ conductor: late }, headers => {
          if (n % 3 > 0) return place.pull('dev', '', { headers });
          return place.set(writer % 2 === 0 ? 'dev' : 'staging', `K${writer}`, `${n}`, { headers });
        });
        if (answer.status < 300) acknowledged.push(answer.headers.get('x-request-id') ?? '');
      }
    };
    const writers = Promise.all([0, 1, 2, 3].map(write));
    let isWritten = false;
    void writers.then(() => {
      isWritten = true;
    });

    const read: AuditEntry[] = [];
    let cursor = '';
    let upTo = '';
    let kills = 0;
    let writtenTo: string | undefined;
    for (let polls = 0; writtenTo === undefined || upTo < writtenTo; polls += 1) {
      const page = await feedOf(`?limit=7${cursor}`);
      // Killed before it stored the page and its cursor.
      if (polls % 4 === 3) kills += 1;
      else {
        read.push(...page.entries);
        cursor = `&after=${page.next}`;
        upTo = page.upTo;
      }
      if (isWritten && writtenTo === undefined) writtenTo = new Date(Date.now() + 1).toISOString();
      if (page.entries.length === 0) await pause(20);
    }
    await writers;

    const all = await stored();
    expect(idsOf(read)).toEqual(idsOf(all));
    const recorded = new Set(all.map(({ requestId }) => requestId));
    expect(acknowledged.filter(id => !recorded.has(id))).toEqual([]);
    expect(all.length).toBeGreaterThan(20);
    expect(kills).toBeGreaterThan(3);
    const spread = (await Promise.all(partitions.slice(1).map(inPartition))).flat();
    expect(spread.length > 0).toBe(count > 1);
  });

  it.each(['PutItem', 'TransactWriteItems'])(
    'gets no entry from a process that was frozen for minutes during a %s',
    async operation => {
      clearInterval(clock);
      let attempts = 0;
      const frozen: Conductor = {
        attempt: (call, send) => {
          if (call.operation !== operation) return send();
          attempts += 1;
          if (attempts > 1) return send();
          vi.setSystemTime(Date.now() + 5 * 60_000);
          throw Object.assign(new Error('the connection broke (injected)'), { name: 'TimeoutError', $retryable: {} });
        },
      };
      const before = await stored();
      const answer = await withFault({ conductor: frozen }, headers =>
        operation === 'PutItem' ? place.pull('dev', '', { headers }) : place.set('dev', 'B', 'x', { headers }),
      );
      expect(answer.status).toBe(503);
      expect(idsOf(await stored())).toEqual(idsOf(before));
    },
  );
});

describe('the feed of the audit log', () => {
  const day = 86_400_000;

  /** Half of them share their time with another one. */
  const seeded = async (count: number, startMs: number, more: Partial<AuditRecord> = {}) => {
    const entries = Array.from({ length: count }, (_, n) =>
      auditEntry(n % 3 === 0 ? 'secret.updated' : 'secret.pulled', startMs + Math.floor(n / 2) * 10, more),
    );
    await seedAudit(owner.organization.id, entries);
    return entries.toSorted(byPosition);
  };

  it('returns the same entries whatever the size of its pages', async () => {
    const entries = await seeded(60, Date.now() - day);
    const since = `since=${new Date(Date.now() - 2 * day).toISOString()}`;
    for (const limit of [1, 7, 60, 1000]) {
      expect(idsOf((await readAll(`${since}&limit=${limit}`)).entries)).toEqual(idsOf(entries));
    }
  });

  it('returns only the entries that the filters ask for, and nothing from `until` on', async () => {
    const entries = await seeded(40, Date.now() - day);
    const updates = entries.filter(({ action }) => action === 'secret.updated');
    const until = updates[5]?.createdAt ?? '';
    const { entries: read, next } = await readAll(`action=secret.updated&limit=2&until=${until}`, until);
    expect(idsOf(read)).toEqual(idsOf(updates.filter(({ createdAt }) => createdAt < until)));
    expect((await feedOf(`?action=secret.updated&until=${until}&after=${next}`)).entries).toEqual([]);
  });

  it('holds back entries before which another one may still be written', async () => {
    const now = Date.now();
    const settled = auditEntry('secret.pulled', now - longestWriteMs - 1000);
    const young = auditEntry('secret.pulled', now - longestWriteMs + 20_000);
    await seedAudit(owner.organization.id, [settled, young]);
    const page = await feedOf('');
    expect(idsOf(page.entries)).toEqual([settled.id]);
    expect(page.upTo > settled.createdAt && page.upTo < young.createdAt).toBe(true);
    const late = auditEntry('secret.updated', now - longestWriteMs + 10_000);
    await seedAudit(owner.organization.id, [late]);
    vi.useFakeTimers({ toFake: ['Date'], now: now + 30_000 });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    expect(idsOf((await feedOf(`?after=${page.next}`)).entries)).toEqual([late.id, young.id]);
  });

  it('gives an idle reader a cursor that goes on, and leaves no entry', async () => {
    const before = await stored();
    const first = await feedOf('');
    const second = await feedOf(`?after=${first.next}`);
    expect([first.entries, second.entries]).toEqual([[], []]);
    expect(second.upTo >= first.upTo).toBe(true);
    expect(await stored()).toEqual(before);
  });

  it('does not go back if a cursor is ahead of the clock', async () => {
    const ahead = new Date(Date.now() + day).toISOString();
    const page = await feedOf(`?since=${ahead}`);
    expect([page.entries, page.upTo]).toEqual([[], ahead]);
    expect((await feedOf(`?after=${page.next}`)).upTo).toBe(ahead);
  });

  it('cuts a page so that it fits in a response', async () => {
    const keys = Array.from({ length: 1000 }, (_, n) => `${n}`.padStart(250, 'K'));
    const entries = await seeded(30, Date.now() - day, { keys });
    const page = await feedOf('?limit=1000');
    expect(page.entries.length).toBeGreaterThan(5);
    expect(page.entries.length).toBeLessThan(30);
    expect(page.entries.every(entry => entry.keys?.length === 1000)).toBe(true);
    expect(idsOf((await readAll('limit=1000')).entries)).toEqual(idsOf(entries));
  });

  it('refuses a cursor that retention has passed by, and starts with the oldest entry it surely has', async () => {
    const old = Date.now() - 200 * day;
    // As if the organization had been created then.
    const createdAt = new Date(old).toISOString();
    await transact([update(at(organizationRecord, owner.organization.slug), { set: { createdAt } })]);
    const entries = await seeded(20, Date.now() - 10 * day);
    const cursor = Buffer.from(JSON.stringify({ from: new Date(old + day).toISOString() })).toString('base64url');
    const answer = await feed(`?after=${cursor}`);
    expect(codeOf(answer)).toBe('410 cursor_expired');
    const { since } = answer.body.error.details;
    expect(answer.body.error.message).toContain(`since=${since}`);
    expect(idsOf((await readAll(`since=${since}&limit=3`)).entries)).toEqual(idsOf(entries));
    expect(idsOf((await readAll(`since=${new Date(old).toISOString()}&limit=3`)).entries)).toEqual(idsOf(entries));
  });
});
