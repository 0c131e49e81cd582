import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, createToken } from '#test/support/api.ts';
import { openWorkplace } from '#test/support/environments.ts';
import { shared } from '#test/support/fixtures.ts';
import { numbered } from '#test/support/numbered.ts';
import { recordRequest, startObservedApi } from '#test/support/observed-api.ts';
import { countsOf } from '#test/support/record-calls.ts';

// The numbers in the architecture's table, measured.

const value = 'x'.repeat(200);

const api = shared(startObservedApi);
const place = shared(() => openWorkplace(api));
const token = shared(() => createToken(api, place.owner));
beforeAll(async () => {
  await place.importAll('dev', numbered(50, value, 'SERVICE_SETTING_'));
  // Warm: the data key and the plan configs are cached, and the token's use is already recorded for this hour.
  await place.pull('dev', '', { as: token });
});

async function count(send: (headers: Record<string, string>) => Promise<Answer>) {
  const { answer, calls } = await recordRequest(send);
  expect(calls.length).toBeGreaterThan(1);
  return { answer, ...countsOf(calls) };
}

describe('what an operation costs, warm', () => {
  it('pulling 50 secrets of 200 bytes: 2 round trips, 5 calls, 12 read units, 1 write unit', async () => {
    const counted = await count(headers => place.pull('dev', '', { as: token, headers }));
    expect(counted.answer.body.secrets).toHaveLength(50);
    expect(counted.roundTrips).toBeLessThanOrEqual(2);
    expect(counted.calls).toBeLessThanOrEqual(5);
    expect(counted.readUnits).toBeLessThanOrEqual(12);
    expect(counted.writeUnits).toBeLessThanOrEqual(1);
    expect(counted.kmsCalls).toBe(0);
  });

  it('the same with a session: no more', async () => {
    const counted = await count(headers => place.pull('dev', '', { headers }));
    expect(counted.roundTrips).toBeLessThanOrEqual(2);
    expect(counted.readUnits).toBeLessThanOrEqual(12);
  });

  it('a pull that finds nothing new: 1 round trip, 3 calls, 4 read units, nothing written', async () => {
    const counted = await count(headers =>
      place.pull('dev', '', { as: token, headers: { ...headers, 'if-none-match': '"1"' } }),
    );
    expect([counted.answer.status, counted.roundTrips]).toEqual([304, 1]);
    expect(counted.calls).toBeLessThanOrEqual(3);
    expect(counted.readUnits).toBeLessThanOrEqual(4);
    expect([counted.writeUnits, counted.kmsCalls]).toEqual([0, 0]);
  });

  it.each([
    ['new', 3],
    ['changed', 3],
    // It reads the compared values again, and the comparison has an audit entry of its own.
    ['unchanged', 4],
  ])('setting one that is %s: %i round trips, 8 calls, 12 write units', async (kind, roundTrips) => {
    const written = kind === 'unchanged' ? value : `${kind} ${value}`;
    const counted = await count(headers =>
      place.set('dev', kind === 'new' ? 'NEW' : 'SERVICE_SETTING_1', written, { as: token, headers }),
    );
    if (kind === 'changed') await place.set('dev', 'SERVICE_SETTING_1', value, { as: token });
    expect(counted.answer.status).toBeLessThan(300);
    expect(counted.roundTrips).toBeLessThanOrEqual(roundTrips);
    expect(counted.calls).toBeLessThanOrEqual(8);
    expect(counted.writeUnits).toBeLessThanOrEqual(kind === 'unchanged' ? 1 : 12);
    expect(counted.writeUnits).toBeGreaterThan(0);
    expect(counted.kmsCalls).toBe(0);
  });

  it('importing 500 secrets of 200 bytes: 6 round trips, 40 calls, 2,500 write units', async () => {
    const secrets = (fill: string) => numbered(500, fill.repeat(200), 'SERVICE_SETTING_');
    for (const fill of ['a', 'b']) {
      const counted = await count(headers => place.importAll('staging', secrets(fill), { as: token, headers }));
      expect(counted.answer.status).toBe(200);
      expect(counted.roundTrips).toBeLessThanOrEqual(6);
      expect(counted.calls).toBeLessThanOrEqual(40);
      expect(counted.writeUnits).toBeLessThanOrEqual(2500);
      expect(counted.kmsCalls).toBe(0);
    }
  });

  it('all other operations on secrets: 4 round trips', async () => {
    const organization = place.owner.organization.slug;
    const works: Record<string, (headers: Record<string, string>) => Promise<Answer>> = {
      keys: headers => place.pull('dev', '/keys', { as: token, headers }),
      versions: headers => place.pull('dev', '/versions/SERVICE_SETTING_2?values=true', { as: token, headers }),
      'small import': headers => place.importAll('dev', { A: '1', B: '2' }, { as: token, headers }),
      promote: headers =>
        api.post(
          `/secrets/${organization}/${place.project.slug}/promote`,
          { from: 'dev', to: 'production', keys: ['A', 'B'] },
          token,
          headers,
        ),
      'bulk delete': headers => api.post(place.at('dev', '/bulk-delete'), { keys: ['A'] }, token, headers),
      delete: headers => api.delete(place.at('dev', '/B'), token, headers),
      'delete again': headers => api.delete(place.at('dev', '/B'), token, headers),
      validate: headers => api.get(`/templates/${organization}/${place.project.slug}/validate/dev`, token, headers),
      rotate: headers => api.post(`${place.projectPath}/rotate-key`, undefined, token, headers),
    };
    for (const [name, work] of Object.entries(works)) {
      const { answer, roundTrips, kmsCalls } = await count(work);
      expect([name, answer.status < 500, roundTrips <= 4, kmsCalls <= 1]).toEqual([name, true, true, true]);
    }
  });
});
