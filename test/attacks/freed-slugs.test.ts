import { beforeAll, describe, expect, it } from 'vitest';
import { at, find, type Read } from '#lib/table/read.ts';
import { environmentRecord } from '#lib/table/records/environment.ts';
import { projectRecord } from '#lib/table/records/project.ts';
import { retiredEnvironmentRecord } from '#lib/table/records/retired-slug.ts';
import { put, transact, update } from '#lib/table/write.ts';
import { type Caller, codeOf, createToken, useApi } from '../support/api.ts';
import { openWorkplace, type Workplace } from '../support/environments.ts';
import { eventually } from '../support/eventually.ts';
import { scanTable, violationsOf } from '../support/invariants.ts';
import type { Person } from '../support/people.ts';
import { expectStatus } from '../support/sample-requests.ts';
import { ageSession } from '../support/second-factors.ts';

const api = useApi();
let place: Workplace;
let people: Record<'admin' | 'developer' | 'viewer', Person>;
beforeAll(async () => {
  place = await openWorkplace(api);
  const [admin, developer, viewer] = [
    await place.member('admin'),
    await place.member('developer'),
    await place.member('viewer'),
  ];
  people = { admin, developer, viewer };
});

const projects = () => `/projects/${place.owner.organization.id}`;
const project = () => `${projects()}/${place.project.slug}`;
const setType = (path: string, type: string) => expectStatus(api.patch(path, { type }, place.owner.session), 200);
const isGone = (item: Read<unknown>) => eventually(async () => expect(await find(item)).toBeUndefined());
/** Sends requests while the sessions of these people are too old for a step that needs a fresh one. */
async function whileOld(sessions: Person[], work: () => Promise<unknown>): Promise<void> {
  for (const as of sessions) await ageSession(as, 601);
  await work();
  for (const as of sessions) await ageSession(as, 0);
}
const create = (slug: string, type: string | undefined, as: Person = place.owner) =>
  api.post(`${project()}/environments`, { name: slug, slug, type }, as.session);
const lastTypeOf = async (slug: string) =>
  (await find(at(retiredEnvironmentRecord, place.owner.organization.slug, place.project.slug, slug)))?.type;

async function deleteEnvironment(slug: string, lastType: string): Promise<void> {
  await expectStatus(api.delete(`${project()}/environments/${slug}`, place.owner.session), 200);
  await isGone(at(environmentRecord, place.owner.organization.slug, place.project.slug, slug));
  expect(await lastTypeOf(slug)).toBe(lastType);
}

async function free(slug: string, type: string): Promise<void> {
  await expectStatus(create(slug, type), 201);
  await deleteEnvironment(slug, type);
}

describe('a slug that an earlier project had', () => {
  const createProject = (slug: string, as: Caller) => api.post(projects(), { name: slug, slug }, as);

  /** Creates a project, changes types in it, and deletes it; resolves when the slug is free. */
  async function freeProject(slug: string, types: Readonly<Record<string, string>>): Promise<void> {
    await expectStatus(createProject(slug, place.owner.session), 201);
    for (const [env, type] of Object.entries(types)) await setType(`${projects()}/${slug}/environments/${env}`, type);
    await expectStatus(api.delete(`${projects()}/${slug}`, place.owner.session), 200);
    await isGone(at(projectRecord, place.owner.organization.slug, slug));
  }

  it.each([
    ['dev', 'staging'],
    ['dev', 'production'],
    ['staging', 'production'],
  ])('whose %s was a %s environment is only reused in a fresh session, or by a token', async (env, type) => {
    const slug = `${env}-was-${type}`;
    await freeProject(slug, { [env]: type });
    const token = await createToken(api, place.owner);
    const managers = [place.owner, people.admin];
    await whileOld(managers, async () => {
      for (const { session } of managers) {
        expect(codeOf(await createProject(slug, session))).toBe('403 step_up_required');
      }
      await expectStatus(createProject(slug, token), 201);
    });
    await expectStatus(api.delete(`${projects()}/${slug}`, place.owner.session), 200);
  });

  it('is reused in any session if no environment becomes more open', async () => {
    await freeProject('as-it-was', { production: 'development' });
    await whileOld([people.admin], () => expectStatus(createProject('as-it-was', people.admin.session), 201));
  });
});

describe('a slug that an earlier environment had', () => {
  it.each([
    ['development', ['development', 'staging', 'production'], []],
    ['staging', ['staging', 'production'], ['development']],
    ['production', ['production'], ['staging', 'development']],
  ])(
    'of %s can be reused by developers and viewers only for a type that is at most as open',
    async (last, allowed, refused) => {
      for (const as of [people.developer, people.viewer]) {
        const slug = `was-${last}-${as.user.id.slice(0, 8)}`;
        await free(slug, last);
        for (const type of refused) {
          const answer = await create(slug, type, as);
          expect(codeOf(answer)).toBe('403 forbidden');
          expect(answer.body.error.message).toContain(`belonged to a ${last} environment`);
          expect(answer.body.error.message).toContain(allowed.join(' or '));
        }
        for (const type of allowed) {
          await expectStatus(create(slug, type, as), 201);
          await setType(`${project()}/environments/${slug}`, last);
          await deleteEnvironment(slug, last);
        }
      }
    },
  );

  it('can be reused for any type by owners and admins', async () => {
    await free('by-managers', 'production');
    await expectStatus(create('by-managers', 'staging', people.admin), 201);
    await deleteEnvironment('by-managers', 'staging');
    await expectStatus(create('by-managers', 'development'), 201);
  });

  it('can be reused with a more open type only in a fresh session, and by a token', async () => {
    await free('by-thief', 'production');
    const managers = [place.owner, people.admin];
    await whileOld(managers, async () => {
      for (const as of managers) {
        for (const type of ['development', 'staging']) {
          expect(codeOf(await create('by-thief', type, as))).toBe('403 step_up_required');
        }
        await expectStatus(create(`never-used-${as.user.id.slice(0, 8)}`, 'development', as), 201);
      }
      expect(codeOf(await create('by-thief', 'development', people.developer))).toBe('403 forbidden');
      await expectStatus(create('by-thief', 'production', people.admin), 201);
    });
    await deleteEnvironment('by-thief', 'production');
    const token = await createToken(api, place.owner);
    const body = { name: 'By thief', slug: 'by-thief', type: 'development' };
    await whileOld([place.owner], () => expectStatus(api.post(`${project()}/environments`, body, token), 201));
  });

  it('counts with its last type, not the first or the most open one', async () => {
    await free('changed', 'development');
    await expectStatus(create('changed', 'staging'), 201);
    await setType(`${project()}/environments/changed`, 'production');
    await deleteEnvironment('changed', 'production');

    expect(codeOf(await create('changed', 'development', people.developer))).toBe('403 forbidden');
    expect(codeOf(await create('changed', 'staging', people.developer))).toBe('403 forbidden');
    expect((await create('changed', undefined, people.developer)).status).toBe(201);
  });

  it('is taken as long as an environment has it', async () => {
    await free('taken', 'production');
    await expectStatus(create('taken', 'production'), 201);

    expect(codeOf(await create('taken', 'development', people.developer))).toBe('409 slug_taken');
  });

  it('counts as least open if its record dates from before types were stored', async () => {
    const note = at(retiredEnvironmentRecord, place.owner.organization.slug, place.project.slug, 'older');
    await transact([put(note, { retiredAt: new Date().toISOString(), type: 'production' })]);
    await transact([update(note, { set: { type: undefined as never } })]);

    expect(codeOf(await create('older', 'staging', people.developer))).toBe('403 forbidden');
    expect((await create('older', 'production', people.developer)).status).toBe(201);
  });

  it('counts in a deleted project too', async () => {
    const other = await openWorkplace(api, place.owner);
    const { id, slug: orgSlug } = place.owner.organization;
    const path = `/projects/${id}/${other.project.slug}`;
    const createIn = (slug: string, type: string, as: Person) =>
      api.post(`${path}/environments`, { name: slug, slug, type }, as.session);
    await expectStatus(createIn('eu', 'staging', place.owner), 201);
    await expectStatus(createIn('gone', 'production', place.owner), 201);
    await expectStatus(api.delete(`${path}/environments/gone`, place.owner.session), 200);
    await expectStatus(api.delete(path, place.owner.session), 200);
    const again = () => api.post(`/projects/${id}`, { name: 'Again', slug: other.project.slug }, place.owner.session);
    await eventually(() => expectStatus(again(), 201));

    expect(codeOf(await createIn('eu', 'development', people.developer))).toBe('403 forbidden');
    expect(codeOf(await createIn('gone', 'staging', people.viewer))).toBe('403 forbidden');
    expect((await createIn('eu', 'staging', people.viewer)).status).toBe(201);
    expect((await createIn('never-used', 'development', people.viewer)).status).toBe(201);
    await expectStatus(api.delete(`/orgs/${id}`, place.owner.session), 200);
    await eventually(async () => {
      const items = await scanTable();
      expect(violationsOf(items, { settled: true })).toEqual([]);
      expect(items.filter(({ pk }) => pk === `ORG#${orgSlug}`)).toEqual([]);
    });
  });
});
