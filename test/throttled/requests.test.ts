import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { resetProcessMemory } from '#lib/core/process-memory.ts';
import { keys } from '#lib/table/keys.ts';
import { at, find } from '#lib/table/read.ts';
import { environmentStateRecord } from '#lib/table/records/environment.ts';
import { type Answer, codeOf } from '../support/api.ts';
import { openWorkplace, type Workplace } from '../support/environments.ts';
import { fresh, shared } from '../support/fixtures.ts';
import { isTableWrite } from '../support/inject-faults.ts';
import { numbered } from '../support/numbered.ts';
import type { AwsCall, Conductor } from '../support/observe-calls.ts';
import { startObservedApi, withFault } from '../support/observed-api.ts';
import { throttled } from '../support/throttled.ts';

const api = shared(startObservedApi);
const acme = fresh(() => openWorkplace(api));
const other = fresh(() => openWorkplace(api));
beforeEach(async () => {
  for (const place of [acme, other]) await place.importAll('dev', { A: 'one' });
  resetProcessMemory('throttled-resources');
});
afterEach(() => {
  vi.useRealTimers();
  resetProcessMemory('throttled-resources');
});

/** From now on, the process's clock is ahead, as if the time had passed. Timers run as usual. */
function pass(seconds: number): void {
  const now = Date.now();
  vi.useFakeTimers({ toFake: ['Date'], now: now + seconds * 1000 });
}

/** Throttles attempts as long as it `isOn`, and counts all that reach what it throttles. */
function throttling(isHit: (call: AwsCall) => boolean, error: () => Error) {
  const fault: Conductor & { isOn: boolean; attempts: number } = {
    isOn: true,
    attempts: 0,
    attempt: (call, send) => {
      if (!isHit(call)) return send();
      fault.attempts += 1;
      return fault.isOn ? Promise.reject(error()) : send();
    },
  };
  return fault;
}

const partitionsOf = (place: Workplace) => [
  keys.organization(place.owner.organization.slug).pk,
  keys.environmentState(place.pathOf()).pk,
];
const isTable = ({ service }: AwsCall) => service.startsWith('DynamoDB');
const isIn = (partition: string) => (call: AwsCall) =>
  isTable(call) && !isTableWrite(call) && JSON.stringify(call.input).includes(`"${partition}"`);
const canceled = (Code: string) =>
  new TransactionCanceledException({ message: 'injected', CancellationReasons: [{ Code }], $metadata: {} });
const hotKey = () => throttled('TableReadKeyRangeThroughputExceeded');

const pull = (place: Workplace, conductor: Conductor) =>
  withFault({ conductor }, headers => place.pull('dev', '', { headers }));
const set = (place: Workplace, conductor: Conductor) =>
  withFault({ conductor }, headers => place.set('dev', 'A', 'two', { headers }));

function requireRejected(answer: Answer): number {
  expect(codeOf(answer)).toBe('503 temporarily_unavailable');
  const seconds = Number(answer.headers.get('retry-after'));
  expect(seconds).toBeGreaterThanOrEqual(1);
  expect(seconds).toBeLessThanOrEqual(30);
  return seconds;
}

describe('one tenant’s partition is throttled', () => {
  it.each([0, 1])(
    'its requests are rejected after three attempts a call, then without one; others’ pulls are answered (%i)',
    async index => {
      const fault = throttling(isIn(partitionsOf(acme)[index] ?? ''), hotKey);
      requireRejected(await pull(acme, fault));
      // Up to three calls read the partition at the same time.
      expect(fault.attempts).toBeLessThanOrEqual(9);
      const { attempts } = fault;
      for (let n = 0; n < 5; n += 1) {
        requireRejected(await pull(acme, fault));
        expect(codeOf(await pull(other, fault))).toBe('200 ok');
      }
      expect(fault.attempts).toBe(attempts);
    },
  );

  it('its service resumes within Retry-After, and until then one request finds out', async () => {
    const fault = throttling(isIn(partitionsOf(acme)[1] ?? ''), hotKey);
    const first = requireRejected(await pull(acme, fault));
    const { attempts } = fault;
    pass(first);
    const second = requireRejected(await pull(acme, fault));
    expect(fault.attempts).toBe(attempts + 1);
    expect(second).toBeGreaterThanOrEqual(4);
    fault.isOn = false;
    pass(second);
    expect(codeOf(await pull(acme, fault))).toBe('200 ok');
    expect(codeOf(await set(acme, fault))).toBe('200 ok');
  });

  it.each([
    ['as a whole', () => throttled('TableWriteKeyRangeThroughputExceeded')],
    ['because of one item', () => canceled('ThrottlingError')],
  ])('a change throttled %s is rejected before anything is written, and pulls are answered', async (_, error) => {
    const { pk } = keys.environmentState(acme.pathOf());
    const writes = (call: AwsCall) => isTableWrite(call) && JSON.stringify(call.input).includes(`"${pk}"`);
    const fault = throttling(writes, error);
    requireRejected(await set(acme, fault));
    requireRejected(await set(acme, fault));
    expect(fault.attempts).toBe(3);
    fault.attempts = 0;
    requireRejected(
      await withFault({ conductor: fault }, headers => acme.importAll('dev', numbered(60, 'x'), { headers })),
    );
    // It begins with another transaction.
    expect(fault.attempts).toBeLessThanOrEqual(3);
    expect(await acme.values('dev')).toEqual({ A: 'one' });
  });

  it('a conflict with another transaction is waited for', async () => {
    let conflicts = 0;
    const conductor: Conductor = {
      attempt: (call, send) => {
        if (!call.operation.startsWith('TransactWrite') || conflicts === 8) return send();
        conflicts += 1;
        return Promise.reject(canceled('TransactionConflict'));
      },
    };
    expect([codeOf(await set(acme, conductor)), conflicts]).toEqual(['200 ok', 8]);
  });

  it('a large change in progress waits, and is made', async () => {
    const { pk } = keys.environmentState(acme.pathOf());
    let transactions = 0;
    let refused = 0;
    const conductor: Conductor = {
      attempt: (call, send) => {
        if (!call.operation.startsWith('TransactWrite') || !JSON.stringify(call.input).includes(`"${pk}"`))
          return send();
        transactions += 1;
        // The first one takes the lease.
        if (transactions === 1 || refused === 8) return send();
        refused += 1;
        return Promise.reject(throttled('TableWriteKeyRangeThroughputExceeded'));
      },
    };
    const answer = await withFault({ conductor }, headers => acme.importAll('dev', numbered(60, 'x'), { headers }));
    expect([codeOf(answer), refused]).toEqual(['200 ok', 8]);
    expect(await acme.values('dev')).toEqual({ ...numbered(60, 'x'), A: 'one' });
    expect((await find(at(environmentStateRecord, acme.pathOf())))?.pending).toBeUndefined();
  });
});

it.each([
  'TableReadAccountLimitExceeded',
  'TableReadMaxOnDemandThroughputExceeded',
  'TableReadProvisionedThroughputExceeded',
])('the table is throttled (%s): after the first request no tenant’s makes an attempt', async reason => {
  const fault = throttling(
    call => isTable(call) && !isTableWrite(call),
    () => throttled(reason),
  );
  requireRejected(await pull(acme, fault));
  const { attempts } = fault;
  expect(attempts).toBeLessThanOrEqual(9);
  for (const place of [acme, other]) requireRejected(await pull(place, fault));
  expect(fault.attempts).toBe(attempts);
  fault.isOn = false;
  pass(5);
  for (const place of [acme, other]) expect(codeOf(await pull(place, fault))).toBe('200 ok');
});

describe('KMS is throttled', () => {
  const kms = () =>
    throttling(
      ({ service }) => service === 'KMS',
      () => Object.assign(throttled(), { name: 'ThrottlingException' }),
    );

  it('pulls with a data key in memory are answered, without a call', async () => {
    const fault = kms();
    expect(codeOf(await pull(acme, fault))).toBe('200 ok');
    expect(fault.attempts).toBe(0);
  });

  it('others are rejected after three attempts, then without one, and served within Retry-After', async () => {
    resetProcessMemory('data-keys');
    const fault = kms();
    const seconds = requireRejected(await pull(acme, fault));
    expect(fault.attempts).toBe(3);
    for (const place of [acme, other]) requireRejected(await pull(place, fault));
    expect(fault.attempts).toBe(3);
    fault.isOn = false;
    pass(seconds);
    for (const place of [acme, other]) expect(codeOf(await pull(place, fault))).toBe('200 ok');
  });
});
