import { describe, expect, it } from 'vitest';
import { at, find as findItem } from '#lib/table/read.ts';
import { environmentStateRecord } from '#lib/table/records/environment.ts';
import { codeOf, createToken, startApi } from '#test/support/api.ts';
import { createWhenFree } from '#test/support/create-when-free.ts';
import { openWorkplace, useWorkplace } from '#test/support/environments.ts';
import { eventually } from '#test/support/eventually.ts';
import { shared } from '#test/support/fixtures.ts';
import { scanTable, violationsOf } from '#test/support/invariants.ts';
import { numbered } from '#test/support/numbered.ts';
import type { Person } from '#test/support/people.ts';

const { api, owner, place } = useWorkplace(() => startApi({ WEBHOOK_ALLOW_LOOPBACK: 'true' }));
const people = shared(async () => {
  const { member } = await openWorkplace(api, owner);
  return { admin: await member('admin'), developer: await member('developer'), viewer: await member('viewer') };
});

interface Shown {
  id: string;
  slug: string;
  name: string;
  type: string;
  revision: number;
}

const pathOf = (env: string) => `${place.projectPath}/environments/${env}`;
const change = (env: string, body: object, as: Person = owner) => api.patch(pathOf(env), body, as.session);
const remove = (env: string, as: Person = owner) => api.delete(pathOf(env), as.session);
const listed = async (): Promise<Shown[]> =>
  (await api.get(place.projectPath, owner.session)).body.project.environments;
const find = async (env: string) => (await listed()).find(({ slug }) => slug === env) as Shown;
const notFound = '404 environment_not_found';

async function detailsOf(action: string) {
  const path = `/audit/${owner.organization.id}?action=${action}`;
  const { entries } = (await api.get(path, owner.session)).body;
  const ids = new Set((await listed()).map(({ id }) => id));
  return entries
    .filter((one: { target: Shown }) => ids.has(one.target.id))
    .map((one: { details: unknown }) => one.details);
}

const makeAgain = async (slug: string): Promise<Shown> => {
  const body = { name: slug, slug, type: 'development' };
  return (await createWhenFree(api, `${place.projectPath}/environments`, body, owner.session)).environment;
};

async function settle(): Promise<void> {
  await eventually(async () => expect(violationsOf(await scanTable(), { settled: true })).toEqual([]));
}

describe('changing an environment', () => {
  it('renames it and keeps its slug, its secrets and their revision', async () => {
    await place.set('dev', 'A', 'kept');

    const answer = await change('dev', { name: 'Local' }, people.admin);

    expect(answer.body.environment).toMatchObject({ slug: 'dev', name: 'Local', type: 'development', revision: 1 });
    expect(await find('dev')).toEqual(answer.body.environment);
    expect(await place.values('dev')).toEqual({ A: 'kept' });
    expect(await detailsOf('environment.updated')).toEqual([{ name: { from: 'Development', to: 'Local' } }]);
  });

  it('to another type immediately changes who may read it and what a matching tag returns', async () => {
    await place.set('dev', 'A', 'a');
    const pull = (as: Person) => place.pull('dev', '', { as: as.session, headers: { 'if-none-match': '"1"' } });
    const { viewer, developer } = people;
    expect([(await pull(viewer)).status, (await pull(developer)).status]).toEqual([304, 304]);

    expect((await change('dev', { type: 'production' })).body.environment.type).toBe('production');
    expect([await pull(viewer), await pull(developer)].map(codeOf)).toEqual(['403 forbidden', '403 forbidden']);
    expect((await place.pull('dev', '', { as: people.admin.session })).status).toBe(200);
    expect(await detailsOf('environment.updated')).toEqual([{ type: { from: 'development', to: 'production' } }]);
  });

  it('to another type is limited to owners; an admin may send the current type', async () => {
    const refused = await change('dev', { name: 'Both or none', type: 'staging' }, people.admin);
    const allowed = await change('dev', { name: 'Renamed', type: 'development' }, people.admin);

    expect(codeOf(refused)).toBe('403 forbidden');
    expect(allowed.body.environment).toMatchObject({ name: 'Renamed', type: 'development' });
    expect(await detailsOf('environment.updated')).toEqual([{ name: { from: 'Development', to: 'Renamed' } }]);
  });

  it('without any effect writes no entry, and an empty change is rejected', async () => {
    const same = await change('dev', { name: 'Development', type: 'development' });
    const bodies = [{}, { slug: 'x' }, { type: 'test' }];
    const refused = await Promise.all(bodies.map(body => change('dev', body)));
    const unknown = await change('nowhere', { name: 'x' });

    expect(same.status).toBe(200);
    expect(refused.map(codeOf)).toEqual(refused.map(() => '400 invalid_request'));
    expect(codeOf(unknown)).toBe(notFound);
    expect(await detailsOf('environment.updated')).toEqual([]);
  });

  it('loses nothing under concurrent changes, including those of its secrets', async () => {
    const types = ['staging', 'production', 'development', 'staging'];

    const answers = await Promise.all([
      ...types.map(type => change('dev', { type })),
      ...types.map((_, index) => change('dev', { name: `Name ${index}` })),
      ...types.map((_, index) => place.set('dev', `KEY_${index}`, 'x')),
    ]);

    expect(answers.filter(({ status }) => status > 201).map(({ body }) => body)).toEqual([]);
    expect((await find('dev')).revision).toBe(types.length);
    const names = (await detailsOf('environment.updated')).filter((details: object) => 'name' in details);
    expect(names).toHaveLength(types.length);
    expect(names[0].name.to).toBe((await find('dev')).name);
    expect(violationsOf(await scanTable())).toEqual([]);
  });
});

describe('deleting an environment', () => {
  it('makes it inaccessible at once, and frees its slug with nothing left behind', async () => {
    await place.importAll('dev', numbered(150, 'old'));
    await place.set('staging', 'KEPT', 'kept');
    const { id } = await find('dev');

    expect((await remove('dev', people.admin)).body).toEqual({ success: true });

    const template = `/templates/${owner.organization.slug}/${place.project.slug}`;
    const after = await Promise.all([
      place.pull('dev'),
      place.pull('dev', '', { headers: { 'if-none-match': '"1"' } }),
      place.pull('dev', '/keys'),
      place.set('dev', 'K1', 'x'),
      place.importAll('dev', numbered(60, 'x')),
      place.pull('dev', '/versions/K1'),
      place.promote({ from: 'dev', to: 'staging' }),
      place.promote({ from: 'staging', to: 'dev' }),
      api.get(`${template}/validate/dev`, owner.session),
      change('dev', { name: 'x' }),
      remove('dev'),
    ]);
    expect(after.map(codeOf)).toEqual(after.map(() => notFound));
    expect((await listed()).map(({ slug }) => slug)).toEqual(['staging', 'production']);
    const made = await makeAgain('dev');
    expect(made.id).not.toBe(id);
    expect(await place.values('dev')).toEqual({});
    expect(codeOf(await place.pull('dev', '/versions/K1'))).toBe('404 secret_not_found');
    expect(await place.values('staging')).toEqual({ KEPT: 'kept' });
    const log = `/audit/${owner.organization.id}?action=environment.deleted&limit=1`;
    const { entries } = (await api.get(log, owner.session)).body;
    expect(entries[0]).toMatchObject({
      actor: { email: people.admin.email },
      target: { type: 'environment', id, name: 'dev' },
      environment: { id, slug: 'dev' },
    });
    await settle();
  });

  it('frees its place in the plan at once', async () => {
    const count = async () =>
      (await api.get(`/billing/${owner.organization.id}`, owner.session)).body.usage.environments;
    const before = await count();

    await remove('staging');

    expect(await count()).toBe(before - 1);
  });

  it('concurrently deletes it once', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => remove('dev')));

    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 404, 404, 404]);
    expect(await listed()).toHaveLength(2);
    await settle();
  });

  it('ends everything limited to it: webhooks are deleted, and tokens see nothing, even after it is created again', async () => {
    const { id } = await find('dev');
    const scope = { organizationId: owner.organization.id, projectId: place.project.id, environmentId: id };
    const token = await createToken(api, owner, scope);
    const hooks = `/webhooks/${owner.organization.id}`;
    const hook = { url: 'http://127.0.0.1:9/', events: ['secret.created'] };
    await api.post(hooks, { ...hook, environmentId: id }, owner.session);
    const kept = await api.post(hooks, { ...hook, projectId: place.project.id }, owner.session);
    const webhooks = async () => (await api.get(hooks, owner.session)).body.webhooks.map((one: Shown) => one.id);
    expect((await webhooks()).length).toBe(2);

    await remove('dev');

    const late = [
      await api.post(hooks, { ...hook, environmentId: id }, owner.session),
      await api.post('/auth/token', { name: 'late', ...scope }, owner.session),
    ];
    expect(late.map(codeOf)).toEqual(late.map(() => notFound));
    await makeAgain('dev');
    expect(await webhooks()).toEqual([kept.body.webhook.id]);
    expect((await api.get(place.projectPath, token)).body.project.environments).toEqual([]);
    expect(codeOf(await place.pull('dev', '', { as: token }))).toBe(notFound);
    await api.delete(`${hooks}/${kept.body.webhook.id}`, owner.session);
    await settle();
  });

  it('during a large import either loses to it or rejects it, and leaves nothing for an environment created later', async () => {
    const importing = place.importAll('dev', numbered(600, 'x'.repeat(200)));
    const state = at(environmentStateRecord, place.pathOf());
    await eventually(async () => expect(await findItem(state)).toHaveProperty('pending'));

    expect((await remove('dev')).status).toBe(200);
    expect(['200 ok', notFound]).toContain(codeOf(await importing));
    await makeAgain('dev');
    expect(await place.values('dev')).toEqual({});
    await settle();
  });

  it('during a key rotation lets the rotation finish', async () => {
    for (const env of ['dev', 'staging']) await place.importAll(env, numbered(120, env));
    expect((await place.rotateKey()).status).toBe(202);

    expect((await remove('dev')).status).toBe(200);

    await makeAgain('dev');
    await place.set('dev', 'NEW', 'new');
    await place.whenRotated();
    expect(Object.keys(await place.values('staging'))).toHaveLength(120);
    expect(await place.values('dev')).toEqual({ NEW: 'new' });
    await settle();
  });

  it('concurrently with its project or all its siblings leaves nothing behind', async () => {
    const answers = await Promise.all([
      ...['dev', 'staging', 'production'].map(env => remove(env)),
      api.delete(place.projectPath, owner.session),
    ]);

    expect(answers.at(-1)?.status).toBe(200);
    expect(answers.every(({ status }) => status === 200 || status === 404)).toBe(true);
    await settle();
    const left = (await scanTable()).filter(({ pk, sk }) => `${pk}#${sk}#`.includes(`#${place.project.slug}#`));
    const retired = `RETIRED#${place.project.slug}`;
    expect(left.map(({ sk }) => sk).toSorted()).toEqual([
      retired,
      ...['dev', 'production', 'staging'].map(env => `${retired}#${env}`),
    ]);
  });
});
