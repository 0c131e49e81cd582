import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startApi } from '#test/support/api.ts';
import { openWorkplace } from '#test/support/environments.ts';
import { fresh, shared } from '#test/support/fixtures.ts';
import { numbered } from '#test/support/numbered.ts';
import { type Person, seedOwner } from '#test/support/people.ts';

const environments = ['dev', 'staging', 'production'];

let people: Record<'owner' | 'admin' | 'developer' | 'viewer', Person>;

const api = shared(startApi);
beforeAll(async () => {
  const owner = await seedOwner();
  const first = await openWorkplace(api, owner);
  people = {
    owner,
    admin: await first.member('admin'),
    developer: await first.member('developer'),
    viewer: await first.member('viewer'),
  };
});
const place = fresh(() => openWorkplace(api, people.owner));
beforeEach(async () => {
  for (const env of environments) await place.importAll(env, { SHARED: 'same everywhere', OWN: `of ${env}` });
});

const promote = (as: Person, from: string, to: string) =>
  api.post(`/secrets/${place.owner.organization.slug}/${place.project.slug}/promote`, { from, to }, as.session);

describe('the roles table', () => {
  it.each([
    ['owner', ['dev', 'staging', 'production']],
    ['admin', ['dev', 'staging', 'production']],
    ['developer', ['dev', 'staging']],
    ['viewer', ['dev']],
  ] as const)('lets the %s read %j: values, keys and history', async (role, readable) => {
    for (const env of environments) {
      const expected = (readable as readonly string[]).includes(env) ? 200 : 403;
      for (const path of ['', '/keys', '/versions/OWN', '/versions/OWN?values=true']) {
        expect([env, path, (await place.pull(env, path, { as: people[role].session })).status]).toEqual([
          env,
          path,
          expected,
        ]);
      }
    }
  });

  it('lets all roles except viewer write to every environment, and only owners and admins delete in bulk', async () => {
    for (const role of ['owner', 'admin', 'developer', 'viewer'] as const) {
      const as = people[role].session;
      for (const env of environments) {
        const set = await place.set(env, `BY_${role}`, 'x', { as });
        expect([role, env, set.status]).toEqual([role, env, role === 'viewer' ? 403 : 201]);
      }
      const bulk = await api.post(place.at('dev', '/bulk-delete'), { keys: [`BY_${role}`] }, as);
      expect([role, bulk.status]).toEqual([role, role === 'owner' || role === 'admin' ? 200 : 403]);
      const one = await api.delete(place.at('production', `/BY_${role}`), as);
      expect([role, one.status]).toEqual([role, role === 'viewer' ? 403 : 200]);
    }
  });

  it('lets developers promote only from environments they may read', async () => {
    expect((await promote(people.developer, 'production', 'dev')).body.error.code).toBe('forbidden');
    expect((await place.values('dev')).OWN).toBe('of dev');
    expect((await promote(people.developer, 'staging', 'dev')).status).toBe(200);
    expect((await promote(people.developer, 'dev', 'production')).status).toBe(200);
    expect((await promote(people.viewer, 'dev', 'staging')).status).toBe(403);
  });

  it('treats a custom environment as production unless declared otherwise', async () => {
    const path = `${place.projectPath}/environments`;
    await api.post(path, { name: 'Load test' }, people.owner.session);
    await api.post(path, { name: 'Preview', type: 'development' }, people.owner.session);
    expect((await place.pull('load-test', '', { as: people.developer.session })).status).toBe(403);
    expect((await place.pull('preview', '', { as: people.viewer.session })).status).toBe(200);
  });
});

describe('a developer who writes to production without read access', () => {
  it('can’t find out a value by setting it: a correct guess looks like a wrong one', async () => {
    const as = people.developer.session;
    const right = await place.set('production', 'SHARED', 'same everywhere', { as });
    expect(right.body).toMatchObject({ changed: true, revision: 2, secret: { version: 2 } });
    const wrong = await place.set('production', 'OWN', 'a guess', { as });
    expect(wrong.body).toMatchObject({ changed: true, revision: 3, secret: { version: 2 } });
  });

  it('can’t find it out by importing or promoting it', async () => {
    const as = people.developer.session;
    const imported = await place.importAll('production', { SHARED: 'same everywhere', OWN: 'a guess' }, { as });
    expect(imported.body).toEqual({ created: [], updated: ['SHARED', 'OWN'], unchanged: [], revision: 2 });
    const promoted = await promote(people.developer, 'dev', 'production');
    expect(promoted.body).toEqual({ promoted: ['OWN', 'SHARED'], skipped: [], unchanged: [], revision: 3 });
    // A caller who may read production is told which values are unchanged.
    expect((await promote(people.admin, 'dev', 'production')).body).toMatchObject({
      promoted: [],
      unchanged: ['OWN', 'SHARED'],
      revision: 3,
    });
  });

  it('can’t measure a value by filling up an environment', async () => {
    const as = people.developer.session;
    const owner = people.owner.session;
    await place.set('production', 'MEASURED', 'x'.repeat(12_345), { as: owner });
    const filler = (count: number) => numbered(count, 'y'.repeat(64_000), 'FILL_');
    const replacing = await place.importAll('production', { ...filler(66), MEASURED: '' }, { as });
    const creating = await place.importAll('production', { ...filler(66), CREATED_: '' }, { as });
    const { requestId: _, ...first } = replacing.body.error;
    const { requestId: __, ...second } = creating.body.error;
    expect(first).toEqual(second);
    expect(first).toMatchObject({ code: 'payload_too_large', details: { maximumBytes: 4 * 1024 * 1024 } });
    expect(first.details).not.toHaveProperty('sizeBytes');
  });

  it('can’t measure what the environment holds by dry runs of what still fits', async () => {
    const as = people.developer.session;
    await place.importAll('production', numbered(52, 'x'.repeat(64_000), 'V'));
    const fits = async (bytes: number) => {
      const body = { secrets: Array.from({ length: 14 }, (_, i) => ({ key: `F${i}`, value: 'y'.repeat(bytes / 14) })) };
      return (await api.post(place.at('production', '/bulk?dryRun=true'), body, as)).status === 200;
    };
    // The free space measured at each revision; all revisions have the same content.
    const found: number[] = [];
    for (let revision = 0; revision < 8; revision += 1) {
      expect((await place.set('production', 'NOTE', `note ${revision}`, { as })).status).toBeLessThan(300);
      // More than the remaining space, so the search itself doesn't cut off any result.
      let [low, high] = [0, 896_000];
      while (high - low > 20_000) {
        const middle = (low + high) / 2;
        if (await fits(middle)) low = middle;
        else high = middle;
      }
      found.push(low);
    }
    expect(Math.max(...found) - Math.min(...found)).toBeGreaterThan(64_000);
  });
});
