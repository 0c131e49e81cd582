import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { resetProcessMemory } from '#lib/core/process-memory.ts';
import { sweepDataKeys } from '#lib/crypto/data-keys.ts';
import { at, find } from '#lib/table/read.ts';
import { environmentStateRecord } from '#lib/table/records/environment.ts';
import { headRecord } from '#lib/table/records/secret.ts';
import { transact, update } from '#lib/table/write.ts';
import { type Answer, type Caller, createToken, useSettings } from '#test/support/api.ts';
import { createWhenFree } from '#test/support/create-when-free.ts';
import { openWorkplace } from '#test/support/environments.ts';
import { fresh, shared } from '#test/support/fixtures.ts';
import { numbered } from '#test/support/numbered.ts';
import { recordRequest, startObservedApi } from '#test/support/observed-api.ts';
import { countsOf, type RecordedCall } from '#test/support/record-calls.ts';

const api = shared(startObservedApi);
const some = (count: number, bytes: number) => numbered(count, 'x'.repeat(bytes), 'KEY_');

type Send = (headers: Record<string, string>) => Promise<Answer>;

/** As in an organization that is not busy. */
async function count(send: Send) {
  resetProcessMemory('kept-access');
  const { answer, calls } = await recordRequest(send);
  return { answer, recorded: calls, ...countsOf(calls), ofEnvironment: calls.filter(isOfEnvironment) };
}

const isOfEnvironment = ({ input }: { input: unknown }): boolean => JSON.stringify(input).includes('"ENV#');
const pull = (query = '', as: Caller = token) => count(headers => place.pull('dev', query, { as, headers }));

const pullSince = (revision: number, path = '') =>
  count(headers => {
    const conditional = { ...headers, 'if-none-match': `"${revision}"` };
    return place.pull('dev', path, { as: token, headers: conditional });
  });

/** Whether a pull reads no secrets from the table. */
async function isKept(env: string, path = ''): Promise<boolean> {
  const { answer, calls } = await recordRequest(headers => place.pull(env, path, { as: token, headers }));
  expect(answer.status).toBe(200);
  return !calls.some(({ operation }) => operation.startsWith('Query'));
}

/** Fills the environment to almost 4 MiB, by changes of a few keys that lie between each other. */
async function fill(env: string): Promise<void> {
  for (const start of [0, 1, 2, 3]) {
    const values = Object.entries(some(16, 60_000)).map(([key, value]) => [`${key}_${start}`, value]);
    expect((await place.importAll(env, Object.fromEntries(values))).status).toBe(200);
  }
}

const place = fresh(() => openWorkplace(api));
const token = fresh(() => createToken(api, place.owner));

async function stateOf() {
  const state = await find(at(environmentStateRecord, place.pathOf()));
  if (state === undefined) throw new Error('There is no such environment.');
  return state;
}

/** Changes the state as another process would. */
const setState = (set: object) => transact([update(at(environmentStateRecord, place.pathOf()), { set })]);

/** From then on, the data key has to be unwrapped, and what was kept is read again. */
const forgetDataKeys = () => sweepDataKeys(Date.now() + 4 * 60_000);
const bothValues = [{ value: 'first' }, { value: 'second' }];

describe('a pull of what has not changed', () => {
  it('of 50 secrets takes two round trips, four calls and six read units, and one more with a session', async () => {
    await place.importAll('dev', some(50, 200));
    const cold = await pull();
    const warm = await pull();
    expect([warm.answer.body, warm.answer.body.secrets.length]).toEqual([cold.answer.body, 50]);
    expect(warm.roundTrips).toBe(2);
    expect(warm.calls).toBeLessThanOrEqual(4);
    expect(warm.readUnits).toBeLessThanOrEqual(6);
    expect([warm.writeUnits, warm.kmsCalls]).toEqual([1, 0]);
    // A partition serves 3,000 units a second, and so as many pulls.
    expect(warm.ofEnvironment.map(({ readUnits }) => readUnits)).toEqual([1]);
    const session = await pull('', place.owner.session);
    expect(session.roundTrips).toBe(2);
    expect(session.readUnits).toBeLessThanOrEqual(7);
  });

  it('of 4 MiB takes no more', async () => {
    await fill('dev');
    const cold = await pull();
    expect(cold.answer.body.secrets).toHaveLength(64);
    expect(cold.roundTrips).toBeLessThanOrEqual(3);
    const warm = await pull();
    expect([warm.answer.body, warm.roundTrips]).toEqual([cold.answer.body, 2]);
    expect(warm.calls).toBeLessThanOrEqual(4);
    expect(warm.readUnits).toBeLessThanOrEqual(6);
    expect(warm.ofEnvironment.map(({ readUnits }) => readUnits)).toEqual([1]);

    const { fence } = await stateOf();
    await setState({ fence: fence + 1 });
    const changed = await pull();
    expect([changed.answer.body, changed.roundTrips]).toEqual([cold.answer.body, 3]);
    expect((await pull()).roundTrips).toBe(2);
    await setState({ fence: fence + 2 });
    const named = await pullSince(1);
    expect([named.answer.body.secrets.length, named.roundTrips]).toEqual([64, 3]);

    // In a process that has served others, the data key is unwrapped while the pages are read.
    forgetDataKeys();
    const { answer, recorded, roundTrips } = await pull();
    expect([answer.body, roundTrips]).toEqual([cold.answer.body, 3]);
    expect(recorded.filter(({ service }) => service === 'KMS')).toMatchObject([{ roundTrip: 2 }]);
    // A list of keys needs no data key.
    forgetDataKeys();
    const keys = await pull('/keys');
    expect([keys.answer.body.keys.length, keys.kmsCalls]).toEqual([64, 0]);
  });
});

it('an environment of 4 MiB that was not read before is compared, promoted, changed and restored with at most three round trips before the first write', async () => {
  await fill('dev');
  await place.set('dev', 'KEY_0_0', 'changed');
  await place.importAll('staging', some(50, 200));
  const commitsIn = async (request: Send) => {
    const { answer, calls } = await recordRequest(request);
    expect([answer.status, answer.body.error]).toEqual([200, undefined]);
    const isCommit = ({ operation, input }: RecordedCall) =>
      operation.startsWith('TransactWrite') && input.TransactItems.length > 1;
    return calls.find(isCommit)?.roundTrip ?? Number.NaN;
  };
  const as = token;
  const promotion = { from: 'dev', to: 'staging', keys: ['KEY_0_0'] };
  const importOf = (prefix: string): Send => {
    return headers => place.importAll('dev', numbered(45, 'x'.repeat(10), prefix), { as, headers });
  };
  const requests: Record<string, Send | Send[]> = {
    compare: headers => place.pull('dev', '/compare?with=production', { as, headers }),
    'one key': headers => place.set('dev', 'KEY_1_0', 'changed', { as, headers }),
    // On a busy machine, a call may begin so late that it looks like one of the next round trip.
    import: [importOf('KEY_'), importOf('OTHER_'), importOf('LAST_')],
    promote: headers => place.promote(promotion, { as, headers }),
    restore: headers => place.restore('dev', { revision: 5 }, { as, headers }),
  };
  const trips: Record<string, number> = {};
  for (const [name, request] of Object.entries(requests)) {
    for (const one of [request].flat()) {
      trips[name] = Math.min(trips[name] ?? Number.POSITIVE_INFINITY, await commitsIn(one));
    }
  }
  expect(trips).toEqual({ compare: 3, 'one key': 2, import: 4, promote: 3, restore: 4 });
});

it('an environment of 4 MiB that is being changed is read without the change, also where its ranges meet', async () => {
  await fill('dev');
  const before = await pull();
  const state = await stateOf();
  const cuts = state.pages?.slice(1).map(({ from }) => from) ?? [];
  expect(cuts.length).toBeGreaterThan(3);
  const revision = state.revision + 1;
  // What a large change has written before it commits.
  await setState({ pending: { revision, fences: 1, heartbeat: 1 } });
  const head = { version: 2, revision, fence: 999 };
  await transact(cuts.map(key => update(at(headRecord, place.pathOf(), key), { set: head })));
  const during = await pull();
  expect([during.answer.status, during.answer.body]).toEqual([200, before.answer.body]);
});

describe('a kept snapshot', () => {
  beforeEach(async () => {
    await place.importAll('dev', { A: 'first', B: 'second' });
    await pull();
    expect((await pull()).roundTrips).toBe(2);
  });

  it('is read again after a change, in three round trips', async () => {
    await place.set('dev', 'A', 'changed');
    const changed = await pull();
    expect(changed.roundTrips).toBeLessThanOrEqual(3);
    expect(changed.answer.body).toMatchObject({ revision: 2, secrets: [{ value: 'changed' }, { value: 'second' }] });
    expect((await pull()).readUnits).toBeLessThanOrEqual(6);
  });

  it('is read again in three round trips by a caller that names the revision before the change', async () => {
    await place.set('dev', 'A', 'changed');
    const changed = await pullSince(1);
    expect([changed.answer.status, changed.answer.body.revision, changed.roundTrips]).toEqual([200, 2, 3]);
    // Another caller at that revision finds the snapshot that the first one has left.
    const kept = await pullSince(1);
    expect([kept.answer.body, kept.roundTrips]).toEqual([changed.answer.body, 3]);
    expect(kept.readUnits).toBeLessThanOrEqual(6);
    expect(await pullSince(2)).toMatchObject({ answer: { status: 304 }, roundTrips: 1 });
    await place.set('dev', 'B', 'changed');
    const keys = await pullSince(2, '/keys');
    expect([keys.answer.status, keys.answer.body.revision, keys.roundTrips]).toEqual([200, 3, 2]);
  });

  it('serves lists of keys, named keys, pages, searches, comparisons, validations and dry runs', async () => {
    const template = `/templates/${place.owner.organization.slug}/${place.project.slug}`;
    const pulling =
      (path: string): Send =>
      headers =>
        place.pull('dev', path, { as: token, headers });
    const requests: Record<string, [number, Send]> = {
      keys: [1, pulling('/keys')],
      named: [2, pulling('?keys=B')],
      page: [2, pulling('?limit=1&offset=1')],
      search: [2, pulling('?search=B')],
      compare: [3, pulling('/compare?with=staging')],
      validate: [2, headers => api.get(`${template}/validate/dev`, token, headers)],
      'dry run': [3, headers => place.importAll('dev', { B: 'x' }, { as: token, headers, query: '?dryRun=true' })],
    };
    for (const [name, [roundTrips, send]] of Object.entries(requests)) {
      const counted = await count(send);
      expect([name, counted.answer.status, counted.roundTrips <= roundTrips]).toEqual([name, 200, true]);
    }
    expect((await pull('?keys=B')).answer.body.secrets).toMatchObject([{ key: 'B', value: 'second' }]);
    expect((await pull('?keys=C')).answer.body.error).toMatchObject({ code: 'secret_not_found' });
  });

  it('never serves a caller who may not read the environment', async () => {
    const viewer = await place.member('viewer');
    await place.importAll('production', { A: 'production' });
    for (let time = 0; time < 2; time += 1) expect((await place.pull('production')).status).toBe(200);
    expect((await place.pull('production', '', { as: viewer.session })).status).toBe(403);
    const stranger = await openWorkplace(api);
    expect((await place.pull('dev', '', { as: stranger.owner.session })).status).toBe(404);
  });

  it('never serves another environment with its slug', async () => {
    const environments = `${place.projectPath}/environments`;
    expect((await api.delete(`${environments}/dev`, place.owner.session)).status).toBe(200);
    expect((await pull()).answer.body.error.code).toBe('environment_not_found');
    await createWhenFree(api, environments, { name: 'dev', slug: 'dev' }, place.owner.session);
    expect((await pull()).answer.body.secrets).toEqual([]);
  });

  it.each([
    ['id', '00000000-0000-4000-8000-000000000000'],
    ['fence', 999],
    ['revision', 999],
    ['digest', 'f'.repeat(32)],
    ['keyVersion', 2],
    ['pending', { revision: 2, fences: 1, heartbeat: 1 }],
  ])('is not used if the state has another %s', async (name, other) => {
    const state = await stateOf();
    await setState({ [name]: other });
    const { calls } = await recordRequest(headers => place.pull('dev', '', { as: token, headers }));
    expect(calls.some(({ operation }) => operation.startsWith('Query'))).toBe(true);
    await setState({ [name]: state[name as keyof typeof state] });
    expect((await pull()).answer.body.secrets).toHaveLength(2);
  });

  it('is not kept with a value under an older data key', async () => {
    await setState({ fence: (await stateOf()).fence + 1, keyVersion: 2 });
    for (let time = 0; time < 2; time += 1) expect(await isKept('dev')).toBe(false);
    expect((await find(at(headRecord, place.pathOf(), 'A')))?.keyVersion).toBe(1);
  });

  it('is replaced by a rotation of the data key, before and after it', async () => {
    let isDone = false;
    const done = place.whenRotated().finally(() => {
      isDone = true;
    });
    expect((await place.rotateKey()).status).toBe(202);
    do expect((await pull()).answer.body.secrets).toMatchObject(bothValues);
    while (!isDone);
    await done;
    expect((await pull()).answer.status).toBe(200);
    expect((await pull()).readUnits).toBeLessThanOrEqual(6);
    expect((await find(at(headRecord, place.pathOf(), 'A')))?.keyVersion).toBe(2);
  });

  it('is not used again if a ciphertext in it did not open, because it may have been restored in the table', async () => {
    const head = at(headRecord, place.pathOf(), 'A');
    const sealed = (await find(head))?.sealed ?? new Uint8Array();
    const damaged = sealed.map(byte => byte ^ 1);
    forgetDataKeys();
    await transact([update(head, { set: { sealed: damaged } })]);
    expect((await pull()).answer.status).toBe(500);
    await transact([update(head, { set: { sealed } })]);
    expect((await pull()).answer.body.secrets).toMatchObject(bothValues);
  });

  it('is forgotten with the data key, and after three minutes', async () => {
    forgetDataKeys();
    expect(await isKept('dev')).toBe(false);
    expect(await isKept('dev')).toBe(true);
    const startedAt = Date.now();
    // Only the age of the snapshot passes, because a list of keys doesn't fetch the data key.
    vi.spyOn(Date, 'now').mockImplementation(() => startedAt + 3 * 60_000);
    onTestFinished(() => {
      vi.restoreAllMocks();
    });
    expect(await isKept('dev', '/keys')).toBe(false);
  });
});

describe('the memory for snapshots', () => {
  const limitTo = (bytes: number) => useSettings({ SNAPSHOT_CACHE_BYTES: String(bytes) });

  it('can be switched off', async () => {
    limitTo(0);
    await place.importAll('dev', { A: 'a' });
    for (const env of ['dev', 'dev', 'dev', 'staging', 'staging']) expect(await isKept(env)).toBe(false);
  });

  it('holds the ones used last, and none that is larger than all of it', async () => {
    for (const env of ['dev', 'staging', 'production']) await place.importAll(env, some(10, 1000));
    // Each takes some 20 kB.
    limitTo(50_000);
    await isKept('dev');
    await isKept('staging');
    expect([await isKept('dev'), await isKept('staging'), await isKept('dev')]).toEqual([true, true, true]);
    expect(await isKept('production')).toBe(false);
    expect([await isKept('dev'), await isKept('production')]).toEqual([true, true]);
    expect(await isKept('staging')).toBe(false);
    await place.importAll('dev', some(40, 1000));
    for (let time = 0; time < 2; time += 1) expect(await isKept('dev')).toBe(false);
  });
});
