import { writeSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { resetProcessMemory } from '#lib/core/process-memory.ts';
import { ranges } from '#lib/table/keys.ts';
import { queryItems } from '#lib/table/read.ts';
import { type Answer, codeOf, createToken, useSettings } from '#test/support/api.ts';
import { expireLease, openWorkplace, useWorkplace } from '#test/support/environments.ts';
import { shared } from '#test/support/fixtures.ts';
import { scanTable, violationsOf } from '#test/support/invariants.ts';
import { numbered } from '#test/support/numbered.ts';
import { recordRequest, startObservedApi, withFault } from '#test/support/observed-api.ts';
import { countsOf } from '#test/support/record-calls.ts';

/* `npm run proof -- deleted-keys --full` creates and deletes 20,000 keys and prints the counts. */
const deletedKeys = Number(process.env.DELETED_KEYS ?? 150);
const keysAtOnce = 1000;
const { api, owner, place } = useWorkplace(startObservedApi);
const token = shared(() => createToken(api, owner));
const items = (there = place) => queryItems(ranges.environmentItems(there.pathOf()));
const headKeys = async () => (await queryItems(ranges.environmentHeads(place.pathOf()))).map(({ sk }) => String(sk));
const sixty = Object.keys(numbered(60, ''));
const importSixty = (value = 'one') => place.importAll('dev', numbered(60, value));
const deleteSixty = (headers = {}) => place.bulkDelete('dev', sixty, { headers });

async function count(send: (headers: Record<string, string>) => Promise<Answer>) {
  // Access kept from an earlier pull would save its reads, as long as it is kept.
  resetProcessMemory('kept-access');
  const { answer, calls } = await recordRequest(send);
  expect(answer.status).toBeLessThan(300);
  const { roundTrips, calls: sent, readUnits, writeUnits } = countsOf(calls);
  return { roundTrips, calls: sent, readUnits, writeUnits };
}

describe('deleted keys', () => {
  it('add nothing to the cost of a pull or a change', { timeout: 1_800_000 }, async () => {
    // Kept snapshots would hide what is read of deleted keys.
    useSettings({ SNAPSHOT_CACHE_BYTES: '0' });
    for (let made = 0; made < deletedKeys; made += keysAtOnce) {
      const names = numbered(Math.min(keysAtOnce, deletedKeys - made), 'v', `K${made}_`);
      expect((await place.importAll('dev', names)).status).toBe(200);
      expect((await place.bulkDelete('dev', Object.keys(names))).status).toBe(200);
    }
    const as = token;
    const costs = async (env: string) => {
      await place.set(env, 'ONE', 'v', { as });
      return {
        pull: await count(headers => place.pull(env, '', { as, headers })),
        named: await count(headers => place.pull(env, '?keys=ONE', { as, headers })),
        set: await count(headers => place.set(env, 'ONE', 'w', { as, headers })),
        create: await count(headers => place.set(env, 'TWO', 'w', { as, headers })),
        delete: await count(headers => place.remove(env, 'TWO', { as, headers })),
        'create again': await count(headers => place.set(env, 'TWO', 'w', { as, headers })),
      };
    };
    const fresh = await costs('staging');
    const used = await costs('dev');
    if (process.env.DELETED_KEYS !== undefined) writeSync(1, `${JSON.stringify(used, undefined, 2)}\n`);

    expect([used, used.pull.roundTrips]).toEqual([fresh, 2]);
    for (const change of [used.set, used.create, used.delete, used['create again']]) {
      expect(change.roundTrips).toBeLessThanOrEqual(2);
      expect(change.writeUnits).toBeLessThanOrEqual(12);
    }
    expect(await headKeys()).toEqual(['HEAD', 'HEAD#ONE', 'HEAD#TWO']);
  });

  it('continue their version numbers, in small and large changes', async () => {
    await importSixty();
    await deleteSixty();
    expect((await place.set('dev', 'K1', 'two')).body).toMatchObject({ secret: { version: 3 } });
    expect((await place.importAll('dev', numbered(60, 'three'))).body.created).toHaveLength(59);
    const versions = await place.history('dev', 'K2');
    expect(versions.map(({ version, value }) => `${version} ${value}`)).toEqual(['3 three', '2 undefined', '1 one']);
    expect((await place.pull('dev', '?revision=1')).body.secrets).toHaveLength(60);
    expect((await place.pull('dev', '?revision=2')).body.secrets).toEqual([]);
    expect((await place.pull('dev', '?keys=K3')).body.secrets).toMatchObject([{ key: 'K3', version: 3 }]);
  });

  // Calls 1 to 4 read, 5 takes the lease, 6 and 7 are steps, 8 commits, 9 looks for items, 10 and 11 move, 12 records.
  it.each([9, 10, 11, 12])('are moved by the next change if the process dies at call %i', async position => {
    await importSixty();
    const { calls } = await recordRequest(headers => place.bulkDelete('dev', sixty.slice(0, 50), { headers }));
    expect(calls).toHaveLength(12);
    await importSixty();
    await withFault({ kind: 'dies-before', position }, deleteSixty);
    expect((await place.pull('dev')).body.secrets).toEqual([]);
    expect(violationsOf(await scanTable())).toEqual([]);
    expect((await place.set('dev', 'K1', 'again')).body.secret.version).toBeGreaterThan(2);
    expect(await headKeys()).toEqual(['HEAD', 'HEAD#K1']);
    expect((await items()).find(({ sk }) => sk === 'HEAD')?.deadHeadsUpTo).toBeUndefined();
  });

  it('are deleted again when the change that sets them is undone', async () => {
    await importSixty();
    await deleteSixty();
    const dies = { kind: 'dies-after', position: 8 } as const;
    await withFault(dies, headers => place.importAll('dev', numbered(60, 'two'), { headers }));
    expect((await headKeys()).length).toBeGreaterThan(1);
    await expireLease(place, 'dev');
    expect((await place.set('dev', 'K1', 'three')).body).toMatchObject({ revision: 3, secret: { version: 3 } });
    expect(await headKeys()).toEqual(['HEAD', 'HEAD#K1']);
  });
});

describe('the values of old versions', () => {
  const place = shared(() => openWorkplace(api, owner));
  const destroy = (body: object, key = 'A') => place.destroy('dev', key, body);
  const history = async () =>
    (await place.history('dev', 'A')).map(({ version, value, destroyed }) =>
      destroyed ? `${version} destroyed` : `${version} ${value ?? 'deleted'}`,
    );
  const entries = () => place.entriesOf('secret.version_destroyed');
  beforeAll(async () => {
    for (const value of ['one', 'two', 'three', 'four']) await place.set('dev', 'A', value);
    await place.set('dev', 'B', 'other');
    await place.set('dev', 'B', 'another');
  });

  it('are removed from the table when destroyed, with an audit entry and no new revision', async () => {
    const answer = await destroy({ versions: [2] });
    expect([answer.status, answer.body]).toEqual([200, { destroyed: [2], revision: 6 }]);
    expect(await history()).toEqual(['4 four', '3 three', '2 destroyed', '1 one']);
    const item = (await items(place)).find(({ sk }) => sk === 'VERSION#A#0000000002');
    expect([item?.sealed, item?.keyVersion]).toEqual([undefined, undefined]);
    expect(await entries()).toMatchObject([{ keys: ['A'], revision: 6, details: { versions: '2' } }]);
    expect((await destroy({ versions: [2] })).body).toEqual({ destroyed: [], revision: 6 });
  });

  it('are missing when a point in time that needs them is read, compared or restored, and nowhere else', async () => {
    for (const answer of [
      await place.pull('dev', '?revision=2'),
      await place.pull('dev', '/diff?from=2&to=3'),
      await place.restore('dev', { revision: 2 }),
      await place.restore('dev', { revision: 2, keys: ['A', 'B'] }),
    ]) {
      expect([codeOf(answer), answer.body.error.details]).toEqual(['409 version_destroyed', { keys: ['A'] }]);
    }
    expect((await place.pull('dev', '/keys?revision=2')).body.keys).toMatchObject([{ key: 'A', version: 2 }]);
    expect((await place.pull('dev', '?revision=5&keys=B')).body.secrets).toMatchObject([{ value: 'other' }]);
    expect((await place.pull('dev', '?revision=3')).body.secrets).toMatchObject([{ value: 'three' }]);
    expect((await place.pull('dev', '/diff?from=1&to=3&values=true')).body.updated).toEqual([
      { key: 'A', before: 'one', after: 'three' },
    ]);
    expect((await place.restore('dev', { revision: 5, keys: ['B'] })).body).toMatchObject({
      updated: ['B'],
      revision: 7,
    });
  });

  it('can be destroyed up to a version, but never the current one', async () => {
    for (const body of [{ versions: [4] }, { versions: [1, 4] }, { before: 5 }, { before: 99 }]) {
      expect(codeOf(await destroy(body))).toBe('400 invalid_request');
    }
    for (const body of [{}, { versions: [] }, { versions: [1], before: 2 }, { before: 0 }, { version: 1 }]) {
      expect((await destroy(body)).status).toBe(400);
    }
    expect((await destroy({ versions: [5] })).body.error.code).toBe('secret_not_found');
    expect((await destroy({ versions: [1] }, 'NEVER')).body.error.code).toBe('secret_not_found');
    expect((await destroy({ before: 4 })).body).toMatchObject({ destroyed: [1, 3] });
    await place.remove('dev', 'A');
    expect((await destroy({ before: 99 })).body).toMatchObject({ destroyed: [4] });
    expect(await history()).toEqual(['5 deleted', '4 destroyed', '3 destroyed', '2 destroyed', '1 destroyed']);
    expect((await place.set('dev', 'A', 'five')).body.secret.version).toBe(6);
    expect(await history()).toHaveLength(6);
  });

  it('can exceed one transaction', async () => {
    for (let version = 1; version <= 100; version += 1) await place.set('dev', 'C', `${version}`);
    expect((await destroy({ before: 100 }, 'C')).body.destroyed).toHaveLength(99);
    expect((await entries()).slice(0, 2)).toMatchObject([{ keys: ['C'] }, { keys: ['C'] }]);
  });
});

it('the table is consistent afterwards', async () => {
  expect(violationsOf(await scanTable())).toEqual([]);
});
