import { describe, expect, it } from 'vitest';
import { keys } from '#lib/table/keys.ts';
import { at, find } from '#lib/table/read.ts';
import { environmentStateRecord } from '#lib/table/records/environment.ts';
import { expireLease, openWorkplace, type Workplace } from '#test/support/environments.ts';
import { shared } from '#test/support/fixtures.ts';
import { gate } from '#test/support/gate.ts';
import { noAnswer } from '#test/support/inject-faults.ts';
import { scanTable, violationsOf } from '#test/support/invariants.ts';
import { numbered } from '#test/support/numbered.ts';
import { type AwsCall, replenishRetries } from '#test/support/observe-calls.ts';
import { startObservedApi, withFault } from '#test/support/observed-api.ts';
import { seedOwner } from '#test/support/people.ts';
import { throttled } from '#test/support/throttled.ts';
import { readRequest } from '../../model/read-request.ts';

/*
 * Transactions of large changes that get no response and that DynamoDB executes later, at moments that once lost other
 * writers' changes or made an environment unreadable.
 */

const api = shared(startObservedApi);
const owner = shared(seedOwner);

/** What a call writes to the environment, in terms of the protocol's model. */
function kindOf(place: Workplace, call: AwsCall): string | undefined {
  if (!/^(Transact|Put|Update|Delete)/.test(call.operation)) return undefined;
  const { pk } = keys.environmentState(place.pathOf());
  return readRequest(call, pk)?.kind;
}

/** Throws unless DynamoDB rejects the transaction. */
async function requireRefused(send: () => Promise<unknown>): Promise<void> {
  await expect(send()).rejects.toThrow(/ConditionalCheckFailed/);
}

/** The environment has exactly this content, and accepts small and large changes. */
async function requireWorks(place: Workplace, values: Record<string, string>): Promise<void> {
  expect(await place.values('dev')).toEqual(values);
  const { revision } = (await place.pull('dev')).body;
  expect((await place.set('dev', 'OTHER', 'x')).body.revision).toBe(revision + 1);
  expect((await place.importAll('dev', numbered(60, 'again'))).body.revision).toBe(revision + 2);
  expect(await place.values('dev')).toEqual({ ...values, ...numbered(60, 'again'), OTHER: 'x' });
}

describe('a transaction that is executed late', () => {
  it('and is the commit, while its own writer undoes the change, changes nothing', async () => {
    const place = await openWorkplace(api, owner);
    await place.importAll('dev', numbered(200, 'old'));
    let held: (() => Promise<unknown>) | undefined;
    let undone = 0;
    const conductor = {
      attempt: async (call: AwsCall, send: () => Promise<unknown>) => {
        const kind = kindOf(place, call);
        if (kind === 'commit large') {
          held ??= send;
          throw noAnswer();
        }
        if (held !== undefined && kind === 'step') {
          undone += 1;
          if (undone === 2) await requireRefused(held);
        }
        return send();
      },
    };
    const answer = await withFault({ conductor }, headers => place.importAll('dev', numbered(200, 'new'), { headers }));
    expect([answer.status, undone > 1]).toEqual([503, true]);
    await requireWorks(place, numbered(200, 'old'));
  });

  it('and is a step, just before the undone change is released, changes nothing', async () => {
    const place = await openWorkplace(api, owner);
    await place.importAll('dev', numbered(60, 'old'));
    let held: (() => Promise<unknown>) | undefined;
    let position = 0;
    let released = false;
    const conductor = {
      attempt: async (call: AwsCall, send: () => Promise<unknown>) => {
        const kind = kindOf(place, call);
        if (kind === 'step' && (held === undefined || call.position === position)) {
          held ??= send;
          position = call.position;
          throw noAnswer();
        }
        if (held !== undefined && kind === 'release') {
          await requireRefused(held);
          released = true;
        }
        return send();
      },
    };
    const answer = await withFault({ conductor }, headers => place.importAll('dev', numbered(60, 'new'), { headers }));
    expect([answer.status, released]).toEqual([503, true]);
    expect((await place.set('dev', 'K5', 'new')).body).toMatchObject({ changed: true, revision: 2 });
    await requireWorks(place, { ...numbered(60, 'old'), K5: 'new' });
  });

  it('and is a step of the first attempt, under the lease of the second, breaks no promise to another writer', async () => {
    const place = await openWorkplace(api, owner);
    await place.importAll('dev', numbered(60, 'old'));
    let held: (() => Promise<unknown>) | undefined;
    let dead = false;
    const isWaiting = gate();
    const overtaken = gate();
    const conductor = {
      attempt: async (call: AwsCall, send: () => Promise<unknown>) => {
        if (dead) throw noAnswer();
        const kind = kindOf(place, call);
        if (kind === 'step' && held === undefined) {
          held = send;
          isWaiting.open();
          await overtaken.opened;
          throw noAnswer();
        }
        if (held !== undefined && kind === 'acquire') {
          const answer = await send();
          await requireRefused(held);
          dead = true;
          return answer;
        }
        return send();
      },
    };
    const first = withFault({ conductor }, headers => place.importAll('dev', numbered(60, 'first'), { headers }));
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
    const place = await openWorkplace(api, owner);
    await place.set('dev', 'A', 'one');
    let held: (() => Promise<unknown>) | undefined;
    const conductor = {
      attempt: async (call: AwsCall, send: () => Promise<unknown>) => {
        if (kindOf(place, call) !== 'commit small') return send();
        held ??= send;
        throw noAnswer();
      },
    };
    const answer = await withFault({ conductor }, headers => place.set('dev', 'A', 'two', { headers }));
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
    return {
      attempt: (call: AwsCall, send: () => Promise<unknown>) => {
        if (!kindOf(place, call)?.startsWith('commit')) return send();
        since ??= Date.now();
        return Date.now() - since < forMs ? Promise.reject(throttled()) : send();
      },
    };
  };

  it.concurrent('for eight seconds is made, and no other writer undoes it', { timeout: 60_000 }, async () => {
    const place = await openWorkplace(api, owner);
    const importing = withFault({ conductor: throttling(place, 8000) }, headers =>
      place.importAll('dev', numbered(60, 'new'), { headers }),
    );
    const set = await place.set('dev', 'OTHER', 'x');
    expect([(await importing).status, set.status]).toEqual([200, 201]);
    expect(await place.values('dev')).toEqual({ ...numbered(60, 'new'), OTHER: 'x' });
  });

  it.concurrent('for good returns 503 within a request’s time, and was not made', {
    timeout: 60_000,
  }, async () => {
    const place = await openWorkplace(api, owner);
    await place.importAll('dev', numbered(60, 'old'));
    const startedAt = performance.now();
    const [small, large] = await Promise.all([
      withFault({ conductor: throttling(place, 60_000) }, headers => place.set('dev', 'A', 'one', { headers })),
      withFault({ conductor: throttling(place, 60_000) }, headers =>
        place.importAll('dev', numbered(60, 'new'), { headers }),
      ),
    ]);
    const seconds = (performance.now() - startedAt) / 1000;
    for (const { status, headers, body } of [small, large]) {
      expect([status, headers.has('retry-after'), body.error.code]).toEqual([503, true, 'temporarily_unavailable']);
    }
    expect(seconds).toBeLessThan(29);
    expect(await place.values('dev')).toEqual(numbered(60, 'old'));
    const state = await find(at(environmentStateRecord, place.pathOf()));
    expect(state?.pending).toBeUndefined();
  });
});

it('a promotion commits only what its source contains at that moment, and records its revision', async () => {
  const place = await openWorkplace(api, owner);
  await place.set('dev', 'A', 'one');
  let isChanged = false;
  const { pk } = keys.environmentState(place.pathOf('staging'));
  const conductor = {
    call: async (call: AwsCall, send: () => Promise<unknown>) => {
      if (!isChanged && call.operation.startsWith('Transact') && JSON.stringify(call.input).includes(pk)) {
        isChanged = true;
        await place.set('dev', 'A', 'two');
      }
      return send();
    },
  };
  const path = `/secrets/${owner.organization.slug}/${place.project.slug}/promote`;
  const answer = await withFault({ conductor }, headers =>
    api.post(path, { from: 'dev', to: 'staging' }, owner.session, headers),
  );
  expect([isChanged, answer.status, answer.body]).toMatchObject([true, 200, { promoted: ['A'], revision: 1 }]);
  expect(await place.values('staging')).toEqual({ A: 'two' });
  const entry = (await scanTable()).find(({ action, environment }) => {
    return action === 'secret.promoted' && (environment as { slug: string } | undefined)?.slug === 'staging';
  });
  expect(entry?.from).toMatchObject({ slug: 'dev', revision: 2 });
});
