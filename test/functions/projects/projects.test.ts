import { describe, expect, it } from 'vitest';
import { codeOf, createProject, createToken, startApi } from '#test/support/api.ts';
import { createWhenFree } from '#test/support/create-when-free.ts';
import { shared } from '#test/support/fixtures.ts';
import { seedPerson } from '#test/support/people.ts';

const api = shared(startApi);
const owner = shared(() => seedPerson({ name: 'Owner' }));
const base = () => `/projects/${owner.organization.id}`;

type Details = Record<string, { from: unknown; to: unknown }>;
const updates = async (): Promise<{ target: { id: string }; details: Details }[]> =>
  (await api.get(`/audit/${owner.organization.id}?action=project.updated`, owner.session)).body.entries;

async function create(name: string) {
  const project = await createProject(api, owner, name);
  return { ...project, path: `${base()}/${project.slug}` };
}

const named = async (path: string) => (await api.get(path, owner.session)).body.project;

describe('a project', () => {
  it('changes its name, its description or both, and never its slug', async () => {
    const { slug, path } = await create('First name');
    const both = await api.patch(path, { name: 'Second name', description: 'Described' }, owner.session);
    const one = await api.patch(path, { name: 'Third name' }, owner.session);
    const cleared = await api.patch(path, { description: null }, owner.session);

    expect(both.body.project).toMatchObject({ slug, name: 'Second name', description: 'Described' });
    expect(one.body.project).toMatchObject({ slug, name: 'Third name', description: 'Described' });
    expect(cleared.body.project).toMatchObject({ slug, name: 'Third name', description: null });
    expect(await named(path)).toEqual(cleared.body.project);
    expect((await updates()).map(({ details }) => details)).toEqual([
      { description: { from: 'Described', to: null } },
      { name: { from: 'Second name', to: 'Third name' } },
      { name: { from: 'First name', to: 'Second name' }, description: { from: null, to: 'Described' } },
    ]);
  });

  it('writes no audit entry for values it already has, or for none', async () => {
    const { path } = await create('Same');
    const log = `/audit/${owner.organization.id}?limit=1`;
    const { total } = (await api.get(log, owner.session)).body.pagination;

    const same = await api.patch(path, { name: 'Same', description: null }, owner.session);
    const refused = await Promise.all(
      [{}, { slug: 'other' }, { name: null }, { name: '' }].map(body => api.patch(path, body, owner.session)),
    );

    expect([same.status, same.body.project.name]).toEqual([200, 'Same']);
    expect(refused.map(codeOf)).toEqual(refused.map(() => '400 invalid_request'));
    expect((await api.get(log, owner.session)).body.pagination.total).toBe(total);
  });

  it('keeps every concurrent change, and reports the true state in every response and entry', async () => {
    const { id, path } = await create('Raced');
    const names = ['A', 'B', 'C', 'D'];

    const answers = await Promise.all([
      ...names.map(name => api.patch(path, { name }, owner.session)),
      ...names.map(name => api.patch(path, { description: name }, owner.session)),
    ]);

    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const own = (await updates()).filter(({ target }) => target.id === id);
    expect(own).toHaveLength(answers.length);
    // Each change of a field starts from the state after the previous one.
    for (const field of ['name', 'description']) {
      const steps = own.flatMap(({ details }) => (details[field] === undefined ? [] : [details[field]])).reverse();
      expect(steps.slice(1).map(({ from }) => from)).toEqual(steps.slice(0, -1).map(({ to }) => to));
      expect((await named(path))[field]).toBe(steps.at(-1)?.to);
    }
    // The states in the entries match those in the responses.
    let state: Record<string, unknown> = { name: 'Raced', description: null };
    const states = own.toReversed().map(({ details }) => {
      for (const [field, { to }] of Object.entries(details)) state = { ...state, [field]: to };
      return JSON.stringify([state.name, state.description]);
    });
    const shown = answers.map(({ body }) => JSON.stringify([body.project.name, body.project.description]));
    expect(shown.toSorted()).toEqual(states.toSorted());
  });
});

describe('projects', () => {
  it('start with three environments, in promotion order', async () => {
    const body = { name: 'Web Shop', description: 'Our shop' };
    const answer = await api.post(base(), body, owner.session);
    expect(answer.status).toBe(201);
    const { project } = answer.body;
    expect(project).toMatchObject({ ...body, slug: 'web-shop', keyVersion: 1, rotation: null });
    expect(project.environments).toMatchObject([
      { slug: 'dev', type: 'development', revision: 0, secretCount: 0 },
      { slug: 'staging', type: 'staging', revision: 0, secretCount: 0 },
      { slug: 'production', type: 'production', revision: 0, secretCount: 0 },
    ]);
    expect((await api.get(`${base()}/web-shop`, owner.session)).body).toEqual({ project });
  });

  it('are rejected if their slug is taken, whether explicit or derived from the name', async () => {
    const first = await createProject(api, owner, 'Twice');
    expect(first.slug).toBe('twice');

    const fromName = await api.post(base(), { name: 'Twice' }, owner.session);
    const explicit = await api.post(base(), { name: 'Other', slug: 'twice' }, owner.session);

    expect([fromName, explicit].map(codeOf)).toEqual(['409 slug_taken', '409 slug_taken']);
    expect((await api.get(`${base()}/twice`, owner.session)).body.project.id).toBe(first.id);
  });

  it('are listed by slug, and a limited token sees only its own project and environment', async () => {
    const project = await create('Only this');
    const [, staging] = (await named(project.path)).environments;
    const scope = { organizationId: owner.organization.id, projectId: project.id };
    const projectToken = await createToken(api, owner, scope);
    const environmentToken = await createToken(api, owner, { ...scope, environmentId: staging.id });
    const all = (await api.get(base(), owner.session)).body.projects.map(({ slug }: { slug: string }) => slug);
    expect(all).toEqual(all.toSorted());
    expect(all.length).toBeGreaterThan(1);
    const listed = await api.get(base(), projectToken);
    expect(listed.body.projects.map(({ id }: { id: string }) => id)).toEqual([project.id]);
    const narrowed = await api.get(base(), environmentToken);
    expect(narrowed.body.projects[0].environments).toEqual([staging]);
    const other = await api.get(`${base()}/${all.find((slug: string) => slug !== project.slug)}`, projectToken);
    expect(codeOf(other)).toBe('404 project_not_found');
  });

  it('can’t exceed the plan’s limit concurrently: of ten with two places left, two are created', async () => {
    const person = await seedPerson({ name: 'Limited' });
    const path = `/projects/${person.organization.id}`;
    for (let index = 0; index < 8; index += 1) await createProject(api, person, `P${index}`);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => api.post(path, { name: `Late ${index}` }, person.session)),
    );
    expect(answers.map(codeOf).toSorted()).toEqual([
      ...Array(2).fill('201 ok'),
      ...Array(8).fill('402 plan_limit_exceeded'),
    ]);
    const details = { limit: 'maxProjects', value: 10, used: 10 };
    for (const { status, body } of answers) if (status === 402) expect(body.error.details).toMatchObject(details);
    expect((await api.get(path, person.session)).body.projects).toHaveLength(10);
  });

  it('are inaccessible at once when deleted, and free their place at once and their slug after erasure', async () => {
    const { path, slug } = await create('Short lived');
    const deleted = await api.delete(path, owner.session);
    expect([deleted.status, deleted.body]).toEqual([200, { success: true }]);
    const later = [await api.get(path, owner.session), await api.delete(path, owner.session)];
    expect(later.map(codeOf)).toEqual(['404 project_not_found', '404 project_not_found']);
    await createWhenFree(api, base(), { name: 'Again', slug }, owner.session);
  });
});

it('a deleted project deletes its own webhooks, and frees their places', async () => {
  const project = await create('Hooked');
  const hooks = `/webhooks/${owner.organization.id}`;
  const events = ['secret.created'];
  const url = 'https://hooks.example.com/holdfast';
  await api.post(hooks, { url, events, projectId: project.id }, owner.session);
  const kept = (await api.post(hooks, { url, events }, owner.session)).body.webhook;
  await api.delete(project.path, owner.session);
  await expect
    .poll(async () => (await api.get(hooks, owner.session)).body.webhooks.map(({ id }: { id: string }) => id))
    .toEqual([kept.id]);
  expect((await api.get(`/billing/${owner.organization.id}`, owner.session)).body.usage.webhooks).toBe(1);
});

describe('custom environments', () => {
  it('are production by default, and have a slug that is unique in the project', async () => {
    const path = `${(await create('Custom')).path}/environments`;
    const plain = await api.post(path, { name: 'Load Test' }, owner.session);
    const expected = { slug: 'load-test', type: 'production', revision: 0, secretCount: 0 };
    expect(plain).toMatchObject({ status: 201, body: { environment: expected } });
    const typed = await api.post(path, { name: 'Preview', slug: 'preview', type: 'development' }, owner.session);
    expect(typed.body.environment).toMatchObject({ slug: 'preview', type: 'development' });
    expect(codeOf(await api.post(path, { name: 'X', slug: 'dev' }, owner.session))).toBe('409 slug_taken');
    expect(codeOf(await api.post(path, { name: 'Load Test' }, owner.session))).toBe('409 slug_taken');
    const missing = await api.post(`${base()}/nothing/environments`, { name: 'X' }, owner.session);
    expect(codeOf(missing)).toBe('404 project_not_found');
  });

  it('can’t exceed the plan concurrently', async () => {
    const path = `${(await create('Many')).path}/environments`;
    const names = Array.from({ length: 10 }, (_, index) => `E${index}`);
    const answers = await Promise.all(names.map(name => api.post(path, { name }, owner.session)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(7).fill(201), ...Array(3).fill(402)]);
    const details = { limit: 'maxEnvironmentsPerProject', value: 10, used: 10 };
    expect(answers.find(({ status }) => status === 402)?.body.error.details).toEqual(details);
  });
});
