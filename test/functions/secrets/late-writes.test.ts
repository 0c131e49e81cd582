import { describe, expect, it } from 'vitest';
import { keys } from '#lib/table/keys.ts';
import { at, find } from '#lib/table/read.ts';
import { auditRecord } from '#lib/table/records/audit.ts';
import { environmentStateRecord } from '#lib/table/records/environment.ts';
import { codeOf } from '#test/support/api.ts';
import { expireLease, openWorkplace, useWorkplace, type Workplace } from '#test/support/environments.ts';
import { gate } from '#test/support/gate.ts';
import { noAnswer } from '#test/support/inject-faults.ts';
import { scanTable, violationsOf } from '#test/support/invariants.ts';
import { numbered } from '#test/support/numbered.ts';
import { type AwsCall, type Conductor, replenishRetries } from '#test/support/observe-calls.ts';
import { startObservedApi, withFault } from '#test/support/observed-api.ts';
import { stalling } from '#test/support/stalling.ts';
import { throttled } from '#test/support/throttled.ts';
import { readRequest } from '../../model/read-request.ts';

/* Unanswered transactions, executed at moments that once lost changes or made an environment unreadable. */

const { api, owner, place } = useWorkplace(startObservedApi);

type Send = () => Promise<unknown>;

/** Handles every attempt of a call by what it writes to the environment, in terms of the protocol's model. */
function byKind(
  place: Workplace,
  attempt: (kind: string | undefined, send: Send, position: number) => Promise<unknown>,
): { conductor: Conductor } {
  const { pk } = keys.environmentState(place.pathOf());
  const kindOf = (call: AwsCall) =>
    /^(Transact|Put|Update|Delete)/.test(call.operation) ? readRequest(call, pk)?.kind : undefined;
  return { conductor: { attempt: (call, send) => attempt(kindOf(call), send, call.position) } };
}

const fill = (count = 60) => place.importAll('dev', numbered(count, 'old'));

const importing = (place: Workplace, fault: { conductor: Conductor }, value = 'new', count = 60) =>
  withFault(fault, headers => place.importAll('dev', numbered(count, value), { headers }));

async function requireRefused(send: Send): Promise<void> {
  await expect(send()).rejects.toThrow(/ConditionalCheckFailed/);
}

async function requireWorks(place: Workplace, values: Record<string, string>): Promise<void> {
  expect(await place.values('dev')).toEqual(values);
  const { revision } = (await place.pull('dev')).body;
  expect((await place.set('dev', 'OTHER', 'x')).body.revision).toBe(revision + 1);
  expect((await place.importAll('dev', numbered(60, 'again'))).body.revision).toBe(revision + 2);
  expect(await place.values('dev')).toEqual({ ...values, ...numbered(60, 'again'), OTHER: 'x' });
}

describe('a transaction that is executed late', () => {
  it('and is the commit, while its own writer undoes the change, changes nothing', async () => {
    await fill(200);
    let held: Send | undefined;
    let undone = 0;
    const fault = byKind(place, async (kind, send) => {
      if (kind === 'commit large') {
        held ??= send;
        throw noAnswer();
      }
      if (held !== undefined && kind === 'step') {
        undone += 1;
        if (undone === 2) await requireRefused(held);
      }
      return send();
    });
    const answer = await importing(place, fault, 'new', 200);
    expect([answer.status, undone > 1]).toEqual([503, true]);
    await requireWorks(place, numbered(200, 'old'));
  });

  it('and is a step, just before the undone change is released, changes nothing', async () => {
    await fill();
    let held: Send | undefined;
    let heldPosition = 0;
    let released = false;
    const fault = byKind(place, async (kind, send, position) => {
      if (kind === 'step' && (held === undefined || position === heldPosition)) {
        held ??= send;
        heldPosition = position;
        throw noAnswer();
      }
      if (held !== undefined && kind === 'release') {
        await requireRefused(held);
        released = true;
      }
      return send();
    });
    const answer = await importing(place, fault);
    expect([answer.status, released]).toEqual([503, true]);
    expect((await place.set('dev', 'K5', 'new')).body).toMatchObject({ changed: true, revision: 2 });
    await requireWorks(place, { ...numbered(60, 'old'), K5: 'new' });
  });

  it('and is a step of the first attempt, under the lease of the second, breaks no promise to another writer', async () => {
    await fill();
    let held: Send | undefined;
    let dead = false;
    const isWaiting = gate();
    const overtaken = gate();
    const fault = byKind(place, async (kind, send) => {
      if (dead) throw noAnswer();
      if (kind === 'step' && held === undefined) {
        held = send;
        isWaiting.open();
        await overtaken.opened;
        throw noAnswer();
      }
      if (held === undefined || kind !== 'acquire') return send();
      const answer = await send();
      await requireRefused(held);
      dead = true;
      return answer;
    });
    const first = importing(place, fault, 'first');
    await isWaiting.opened;
    await expireLease(place, 'dev');
    const second = await place.importAll('dev', numbered(60, 'second'));
    expect([second.status, second.body.revision]).toEqual([200, 2]);
    overtaken.open();
    const answer = await first;
    await replenishRetries();
    expect([answer.status, dead]).toEqual([503, true]);
    expect(await place.values('dev')).toEqual(numbered(60, 'second'));
    await expireLease(place, 'dev');
    await requireWorks(place, numbered(60, 'second'));
    const versions = await place.history('dev', 'K3');
    expect(versions.map(({ value }) => value)).toEqual(['again', 'second', 'old']);
  });

  it('and is a small change that returned 503 was made impossible before the response', async () => {
    await place.set('dev', 'A', 'one');
    let held: Send | undefined;
    const fault = byKind(place, async (kind, send) => {
      if (kind !== 'commit small') return send();
      held ??= send;
      throw noAnswer();
    });
    const answer = await withFault(fault, headers => place.set('dev', 'A', 'two', { headers }));
    expect(answer.status).toBe(503);
    await requireRefused(held ?? (() => Promise.resolve()));
    expect((await place.pull('dev')).body).toMatchObject({ revision: 1, secrets: [{ value: 'one' }] });
  });

  it('has left nothing inconsistent in the table', async () => {
    expect(violationsOf(await scanTable())).toEqual([]);
  });
});

describe('a change whose commit is throttled', () => {
  const throttling = (place: Workplace, forMs: number) => {
    let since: number | undefined;
    return byKind(place, (kind, send) => {
      if (!kind?.startsWith('commit')) return send();
      since ??= Date.now();
      return Date.now() - since < forMs ? Promise.reject(throttled()) : send();
    });
  };

  it.concurrent('for eight seconds is made, and no other writer undoes it', async () => {
    const place = await openWorkplace(api, owner);
    const imported = importing(place, throttling(place, 8000));
    const set = await place.set('dev', 'OTHER', 'x');
    expect([(await imported).status, set.status]).toEqual([200, 201]);
    expect(await place.values('dev')).toEqual({ ...numbered(60, 'new'), OTHER: 'x' });
  });

  it.concurrent('for good returns 503, sends no write that could end after a request’s time, and was not made', async () => {
    const place = await openWorkplace(api, owner);
    await place.importAll('dev', numbered(60, 'old'));
    const startedAt = Date.now();
    let lastWriteMs = 0;
    const fault = byKind(place, (kind, send) => {
      if (kind !== undefined) lastWriteMs = Date.now() - startedAt;
      return kind?.startsWith('commit') ? Promise.reject(throttled()) : send();
    });
    const [small, large] = await Promise.all([
      withFault(fault, headers => place.set('dev', 'A', 'one', { headers })),
      importing(place, fault),
    ]);
    for (const answer of [small, large]) {
      expect([codeOf(answer), answer.headers.has('retry-after')]).toEqual(['503 temporarily_unavailable', true]);
    }
    expect(lastWriteMs).toBeLessThan(28_000);
    expect(await place.values('dev')).toEqual(numbered(60, 'old'));
    expect((await find(at(environmentStateRecord, place.pathOf())))?.pending).toBeUndefined();
  });
});

it('a promotion commits only what its source contains at that moment, and records its revision', async () => {
  await place.set('dev', 'A', 'one');
  const { pk } = keys.environmentState(place.pathOf('staging'));
  const answer = await stalling(
    call => call.operation.startsWith('Transact') && JSON.stringify(call.input).includes(pk),
    headers => place.promote({ from: 'dev', to: 'staging' }, { headers }),
    () => place.set('dev', 'A', 'two'),
  );
  expect([answer.status, answer.body]).toMatchObject([200, { promoted: ['A'], revision: 1 }]);
  expect(await place.values('staging')).toEqual({ A: 'two' });
  const entries = (await scanTable()).filter(({ kind }) => kind === 'audit').map(auditRecord.parse);
  const entry = entries.find(({ action, environment }) => {
    return action === 'secret.promoted' && environment?.slug === 'staging';
  });
  expect(entry?.from).toMatchObject({ slug: 'dev', revision: 2 });
});
