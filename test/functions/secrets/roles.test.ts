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

const promote = ({ session: as }: Person, from: string, to: string) => place.promote({ from, to }, { as });

/* `test/authorization` has the verdict for each role on each route. */

describe('the roles table', () => {
  it.each([
    ['owner', [200, 200, 200]],
    ['admin', [200, 200, 200]],
    ['developer', [200, 200, 403]],
    ['viewer', [200, 403, 403]],
  ] as const)('lets the %s read histories without values like values: %j', async (role, expected) => {
    const as = people[role].session;
    const answers = await Promise.all(environments.map(env => place.pull(env, '/versions/OWN', { as })));
    expect(answers.map(({ status }) => status)).toEqual(expected);
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
    const errors = [replacing, creating].map(({ body }) => ({ ...body.error, requestId: undefined }));
    expect(errors[0]).toEqual(errors[1]);
    expect(errors[0]).toMatchObject({ code: 'payload_too_large', details: { maximumBytes: 4 * 1024 * 1024 } });
    expect(errors[0].details).not.toHaveProperty('sizeBytes');
  });

  it('can’t measure what the environment holds by dry runs of what still fits', async () => {
    const as = people.developer.session;
    await place.importAll('production', numbered(52, 'x'.repeat(64_000), 'V'));
    const fits = async (bytes: number) => {
      const secrets = numbered(14, 'y'.repeat(bytes / 14), 'F');
      return (await place.importAll('production', secrets, { as, query: '?dryRun=true' })).status === 200;
    };
    // The free space measured at each revision; all revisions have the same content.
    const measured: number[] = [];
    for (let revision = 0; revision < 8; revision += 1) {
      expect((await place.set('production', 'NOTE', `note ${revision}`, { as })).status).toBeLessThan(300);
      // More than the remaining space, so the search itself doesn't cut off any result.
      let [low, high] = [0, 896_000];
      while (high - low > 20_000) {
        const middle = (low + high) / 2;
        if (await fits(middle)) low = middle;
        else high = middle;
      }
      measured.push(low);
    }
    expect(Math.max(...measured) - Math.min(...measured)).toBeGreaterThan(64_000);
  });
});
