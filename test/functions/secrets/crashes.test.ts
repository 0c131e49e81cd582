import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { environmentStateRecord } from '../../../lib/environments/records.ts';
import { at, find, transact, update } from '../../../lib/table/store.ts';
import type { Api, Person } from '../../support/api.ts';
import { startDisturbedApi, withFault } from '../../support/disturbed-api.ts';
import { openWorkplace, registerOwner, type Workplace } from '../../support/environments.ts';
import type { FaultKind } from '../../support/inject-faults.ts';
import { scanTable, violationsOf } from '../../support/invariants.ts';

let api: Api;
let owner: Person;

beforeAll(async () => {
  api = await startDisturbedApi();
  owner = await registerOwner(api);
});
afterAll(() => api.stop());

const many = (fill: string) => Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`K${i}`, fill]));
const stateOf = (place: Workplace) => at(environmentStateRecord, owner.organization.slug, place.project.slug, 'dev');

/** Three seconds without a heartbeat, without waiting for them. */
async function letClaimAge(place: Workplace): Promise<void> {
  if ((await find(stateOf(place)))?.pending === undefined) return;
  await transact([update(stateOf(place), { set: { 'pending.beatAtMs': Date.now() - 60_000 } })]);
}

// The calls of an import of 60 keys: 1 to 4 read, 5 claims, 6 writes the versions, 7 the heads, 8 commits.
const committing = 8;
// And of the set that finds it abandoned: 1 to 4 read, 5 takes over, 6 to 8 undo, 9 gives up the claim, then its own.
const cases = [5, 6, 7, 8].flatMap(first => [undefined, 5, 6, 7, 8, 9].map(second => ({ first, second })));

describe('a large import that dies after its call', () => {
  it.each(cases)(
    '$first, and whoever undoes it after call $second, leaves all or nothing',
    async ({ first, second }) => {
      const place = await openWorkplace(api, owner);
      await place.importAll('dev', { ...many('old'), KEPT: 'kept' });
      const dies = (position: number | undefined) =>
        position === undefined ? undefined : { kind: 'dies-after' as FaultKind, position };
      const imported = { ...many('new'), BORN: 'new' };
      await withFault(dies(first), headers => place.importAll('dev', imported, { headers }));

      const done = first >= committing;
      const expected: Record<string, string> = { KEPT: 'kept', ...many('old'), ...(done ? imported : {}) };
      expect(await place.values('dev')).toEqual(expected);
      await letClaimAge(place);
      await withFault(dies(second), headers => place.set('dev', 'OTHER', 'x', { headers }));
      const other = (await place.values('dev')).OTHER;
      expect(await place.values('dev')).toEqual({ ...expected, ...(other === undefined ? {} : { OTHER: 'x' }) });

      await letClaimAge(place);
      const last = await place.set('dev', 'K3', 'last');
      const revision = 1 + (done ? 1 : 0) + (other === undefined ? 0 : 1) + 1;
      expect(last.body).toMatchObject({ revision, secret: { version: done ? 3 : 2 } });
      expect(await place.values('dev')).toEqual({
        ...expected,
        ...(other === undefined ? {} : { OTHER: 'x' }),
        K3: 'last',
      });
      const { versions } = (await place.pull('dev', '/versions/K3?values=true')).body;
      expect(versions.map(({ value }: { value: string }) => value)).toEqual(['last', ...(done ? ['new'] : []), 'old']);
      expect((await find(stateOf(place)))?.pending).toBeUndefined();
    },
  );

  it('has left nothing in the table that does not fit', async () => {
    expect(violationsOf(await scanTable())).toEqual([]);
  });
});

describe('a writer that was presumed dead and wakes up', () => {
  it('changes nothing any more, begins again and loses to no one', async () => {
    const place = await openWorkplace(api, owner);
    await place.importAll('dev', many('old'));
    // The import sleeps before it writes its heads; meanwhile another writer takes its claim and undoes it.
    let wake: () => void = () => undefined;
    const woken = new Promise<void>(resolve => {
      wake = resolve;
    });
    let asleep: () => void = () => undefined;
    const sleeping = new Promise<void>(resolve => {
      asleep = resolve;
    });
    const importing = withFault(
      {
        conductor: {
          call: async (call, send) => {
            if (call.position === 7) {
              asleep();
              await woken;
            }
            return send();
          },
        },
      },
      headers => place.importAll('dev', many('new'), { headers }),
    );
    await sleeping;
    expect(await place.values('dev')).toEqual(many('old'));
    await letClaimAge(place);
    expect((await place.set('dev', 'K1', 'between')).body.revision).toBe(2);
    expect(await place.values('dev')).toEqual({ ...many('old'), K1: 'between' });
    wake();
    expect((await importing).body).toMatchObject({ revision: 3, updated: { length: 60 } });
    expect(await place.values('dev')).toEqual(many('new'));
    const { versions } = (await place.pull('dev', '/versions/K1?values=true')).body;
    expect(versions.map(({ value }: { value: string }) => value)).toEqual(['new', 'between', 'old']);
  });
});

describe('a writer that is alive', () => {
  it('is waited for, not undone', async () => {
    const place = await openWorkplace(api, owner);
    await place.importAll('dev', many('old'));
    const importing = place.importAll('dev', many('new'));
    const sets = await Promise.all(Array.from({ length: 5 }, (_, i) => place.set('dev', `S${i}`, 'v')));
    expect((await importing).status).toBe(200);
    expect(sets.map(({ status }) => status)).toEqual(Array(5).fill(201));
    expect((await place.pull('dev')).body.revision).toBe(7);
  });
});
