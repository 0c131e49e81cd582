import { beforeAll, describe, expect, it } from 'vitest';
import { resetProcessMemory } from '#lib/core/process-memory.ts';
import { type Answer, createToken } from '#test/support/api.ts';
import { openWorkplace } from '#test/support/environments.ts';
import { shared } from '#test/support/fixtures.ts';
import { numbered } from '#test/support/numbered.ts';
import { recordRequest, startObservedApi } from '#test/support/observed-api.ts';
import { type Counts, countsOf } from '#test/support/record-calls.ts';

// The numbers in the architecture's table, measured. `kept-snapshots.test.ts` measures pulls.

const value = 'x'.repeat(200);
const api = shared(startObservedApi);
const place = shared(() => openWorkplace(api));
const token = shared(() => createToken(api, place.owner));
beforeAll(async () => {
  await place.importAll('dev', numbered(50, value, 'SERVICE_SETTING_'));
  // Warm: the data key and the plan configs are cached, and the token's use is already recorded for this hour.
  await place.pull('dev', '', { as: token });
});

/** As in an organization that is not busy. */
async function count(send: (headers: Record<string, string>) => Promise<Answer>) {
  resetProcessMemory('kept-access');
  const { answer, calls } = await recordRequest(send);
  expect(calls.length).toBeGreaterThan(1);
  return { answer, ...countsOf(calls) };
}

function expectAtMost(counted: Counts, limits: Partial<Counts>): void {
  const exceeded = Object.entries(limits).filter(([name, limit]) => counted[name as keyof Counts] > limit);
  expect(exceeded.map(([name]) => [name, counted[name as keyof Counts]])).toEqual([]);
}

describe('what an operation costs, warm', () => {
  it('a pull that finds nothing new: 1 round trip, 3 calls, 4 read units, nothing written', async () => {
    const counted = await count(headers =>
      place.pull('dev', '', { as: token, headers: { ...headers, 'if-none-match': '"1"' } }),
    );
    expect(counted).toMatchObject({ answer: { status: 304 }, roundTrips: 1, writeUnits: 0, kmsCalls: 0 });
    expectAtMost(counted, { calls: 3, readUnits: 4 });
  });

  it.each([
    ['new', 'NEW', 3, 12],
    ['changed', 'SERVICE_SETTING_1', 3, 12],
    // It reads the compared values again, and the comparison has an audit entry of its own.
    ['unchanged', 'SERVICE_SETTING_1', 4, 1],
  ])(
    'setting one that is %s (%s): %i round trips, 8 calls, %i write units',
    async (kind, key, roundTrips, writeUnits) => {
      const written = kind === 'unchanged' ? value : `${kind} ${value}`;
      const counted = await count(headers => place.set('dev', key, written, { as: token, headers }));
      if (kind === 'changed') await place.set('dev', key, value, { as: token });
      expect(counted.answer.status).toBeLessThan(300);
      expectAtMost(counted, { roundTrips, calls: 8, writeUnits, kmsCalls: 0 });
      expect(counted.writeUnits).toBeGreaterThan(0);
    },
  );

  it('importing 500 secrets of 200 bytes: 6 round trips, 40 calls, 2,500 write units', async () => {
    const secrets = (fill: string) => numbered(500, fill.repeat(200), 'SERVICE_SETTING_');
    for (const fill of ['a', 'b']) {
      const counted = await count(headers => place.importAll('staging', secrets(fill), { as: token, headers }));
      expect(counted.answer.status).toBe(200);
      expectAtMost(counted, { roundTrips: 6, calls: 40, writeUnits: 2500, kmsCalls: 0 });
    }
  });

  it('values that name others: a pull costs what it costs without them, and a round trip a level by name; a change one more', async () => {
    const env = 'dev';
    const own = await openWorkplace(api, place.owner);
    const names = (expand: boolean) => {
      const entry = (index: number) => ({
        key: `URL_${index}`,
        value: `\u0024{NAMED_${index}}`,
        ...(expand && { expand }),
      });
      return Array.from({ length: 25 }, (_, index) => [{ key: `NAMED_${index}`, value }, entry(index)]).flat();
    };
    const pulls: Counts[] = [];
    const sets: Counts[] = [];
    for (const expand of [false, true]) {
      expect((await own.importAll(env, names(expand))).status).toBe(200);
      await own.pull(env, '', { as: token });
      const { answer, ...counted } = await count(headers => own.pull(env, '', { as: token, headers }));
      expect(answer.body.secrets[25].value).toBe(expand ? value : '\u0024{NAMED_0}');
      pulls.push(counted);
      const set = (headers: Record<string, string>) => own.set(env, 'NAMED_0', 'another', { as: token, headers });
      sets.push(await count(set));
    }
    expect(pulls[1]).toEqual(pulls[0]);
    // It reads all heads, to check what they name.
    const [plainSet, namedSet] = sets;
    expect([namedSet?.roundTrips, namedSet?.kmsCalls]).toEqual([(plainSet?.roundTrips ?? 0) + 1, 0]);
    resetProcessMemory('snapshots');
    const plain = await count(headers => own.pull(env, '?keys=NAMED_1', { as: token, headers }));
    const named = await count(headers => own.pull(env, '?keys=URL_1', { as: token, headers }));
    expect([named.roundTrips, named.calls]).toEqual([plain.roundTrips + 1, plain.calls + 1]);
  });

  it('a pull with the template: one call more, and no round trip', async () => {
    const pull = (query: string) => count(headers => place.pull('dev', query, { as: token, headers }));
    await pull('');
    const [plain, described] = [await pull(''), await pull('?describe=true')];
    expect(described.answer.body.secrets[0]).toHaveProperty('dueAt', null);
    expectAtMost(described, { roundTrips: plain.roundTrips, calls: plain.calls + 1, writeUnits: plain.writeUnits });
  });

  it('all other operations on secrets: 4 round trips', async () => {
    const template = `/templates/${place.owner.organization.slug}/${place.project.slug}`;
    const as = token;
    const promotion = { from: 'dev', to: 'production', keys: ['A', 'B'] };
    const works: Record<string, (headers: Record<string, string>) => Promise<Answer>> = {
      keys: headers => place.pull('dev', '/keys', { as, headers }),
      versions: headers => place.pull('dev', '/versions/SERVICE_SETTING_2?values=true', { as, headers }),
      'small import': headers => place.importAll('dev', { A: '1', B: '2' }, { as, headers }),
      promote: headers => place.promote(promotion, { as, headers }),
      'bulk delete': headers => place.bulkDelete('dev', ['A'], { as, headers }),
      delete: headers => place.remove('dev', 'B', { as, headers }),
      'delete again': headers => place.remove('dev', 'B', { as, headers }),
      validate: headers => api.get(`${template}/validate/dev`, as, headers),
      rotate: headers => place.rotateKey({ as, headers }),
    };
    for (const [name, work] of Object.entries(works)) {
      const { answer, roundTrips, kmsCalls } = await count(work);
      expect([name, answer.status < 500, roundTrips <= 4, kmsCalls <= 1]).toEqual([name, true, true, true]);
    }
  });
});
