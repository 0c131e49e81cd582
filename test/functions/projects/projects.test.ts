import { beforeAll, describe, expect, it } from 'vitest';
import { createProject, createToken, startApi } from '#test/support/api.ts';
import { shared } from '#test/support/fixtures.ts';
import { seedPerson } from '#test/support/people.ts';

let base: string;

const api = shared(startApi);
const owner = shared(() => seedPerson({ name: 'Owner' }));
beforeAll(() => {
  base = `/projects/${owner.organization.id}`;
});

describe('a project', () => {
  const named = (path: string) => api.get(path, owner.session).then(({ body }) => body.project);

  it('changes its name, its description or both, and never its slug', async () => {
    const { slug } = await createProject(api, owner, 'First name');
    const path = `${base}/${slug}`;

    const both = await api.patch(path, { name: 'Second name', description: 'Described' }, owner.session);
    const one = await api.patch(path, { name: 'Third name' }, owner.session);
    const cleared = await api.patch(path, { description: null }, owner.session);

    expect(both.body.project).toMatchObject({ slug, name: 'Second name', description: 'Described' });
    expect(one.body.project).toMatchObject({ slug, name: 'Third name', description: 'Described' });
    expect(cleared.body.project).toMatchObject({ slug, name: 'Third name', description: null });
    expect(await named(path)).toEqual(cleared.body.project);
    const { entries } = (await api.get(`/audit/${owner.organization.id}?action=project.updated`, owner.session)).body;
    expect(entries.map(({ details }: { details: unknown }) => details)).toEqual([
      { description: { from: 'Described', to: null } },
      { name: { from: 'Second name', to: 'Third name' } },
      { name: { from: 'First name', to: 'Second name' }, description: { from: null, to: 'Described' } },
    ]);
  });

  it('writes no audit entry for values it already has, or for none', async () => {
    const { slug } = await createProject(api, owner, 'Same');
    const path = `${base}/${slug}`;
    const log = `/audit/${owner.organization.id}?limit=1`;
    const { total } = (await api.get(log, owner.session)).body.pagination;

    const same = await api.patch(path, { name: 'Same', description: null }, owner.session);
    const refused = await Promise.all(
      [{}, { slug: 'other' }, { name: null }, { name: '' }].map(body => api.patch(path, body, owner.session)),
    );

    expect([same.status, same.body.project.name]).toEqual([200, 'Same']);
    expect(refused.map(({ status, body }) => [status, body.error.code])).toEqual(
      refused.map(() => [400, 'invalid_request']),
    );
    expect((await api.get(log, owner.session)).body.pagination.total).toBe(total);
  });

  it('keeps every concurrent change, and reports the true state in every response and entry', async () => {
    const { id, slug } = await createProject(api, owner, 'Raced');
    const path = `${base}/${slug}`;
    const names = ['A', 'B', 'C', 'D'];

    const answers = await Promise.all([
      ...names.map(name => api.patch(path, { name }, owner.session)),
      ...names.map(name => api.patch(path, { description: name }, owner.session)),
    ]);

    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const { entries } = (await api.get(`/audit/${owner.organization.id}?action=project.updated`, owner.session)).body;
    type Entry = { target: { id: string }; details: Record<string, { from: unknown; to: unknown }> };
    const own = entries.filter(({ target }: Entry) => target.id === id) as Entry[];
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
    const answer = await api.post(base, { name: 'Web Shop', description: 'Our shop' }, owner.session);
    expect(answer.status).toBe(201);
    const { project } = answer.body;
    expect(project).toMatchObject({
      slug: 'web-shop',
      name: 'Web Shop',
      description: 'Our shop',
      keyVersion: 1,
      rotation: null,
    });
    expect(
      project.environments.map(({ slug, type, revision, secretCount }: Record<string, unknown>) => [
        slug,
        type,
        revision,
        secretCount,
      ]),
    ).toEqual([
      ['dev', 'development', 0, 0],
      ['staging', 'staging', 0, 0],
      ['production', 'production', 0, 0],
    ]);
    expect((await api.get(`${base}/web-shop`, owner.session)).body).toEqual({ project });
  });

  it('are rejected if their slug is taken, whether explicit or derived from the name', async () => {
    const first = await createProject(api, owner, 'Twice');
    expect(first.slug).toBe('twice');

    const fromName = await api.post(base, { name: 'Twice' }, owner.session);
    const explicit = await api.post(base, { name: 'Other', slug: 'twice' }, owner.session);

    for (const { status, body } of [fromName, explicit]) expect([status, body.error.code]).toEqual([409, 'slug_taken']);
    expect((await api.get(`${base}/twice`, owner.session)).body.project.id).toBe(first.id);
  });

  it('are listed by slug, and a limited token sees only its own project and environment', async () => {
    const project = await createProject(api, owner, 'Only this');
    const { environments } = (await api.get(`${base}/${project.slug}`, owner.session)).body.project;
    const staging = environments[1];
    const scope = { organizationId: owner.organization.id, projectId: project.id };
    const projectToken = await createToken(api, owner, scope);
    const environmentToken = await createToken(api, owner, { ...scope, environmentId: staging.id });

    const all = (await api.get(base, owner.session)).body.projects.map(({ slug }: { slug: string }) => slug);
    expect(all).toEqual(all.toSorted());
    expect(all.length).toBeGreaterThan(1);
    const listed = await api.get(base, projectToken);
    expect(listed.body.projects.map(({ id }: { id: string }) => id)).toEqual([project.id]);
    const narrowed = await api.get(base, environmentToken);
    expect(narrowed.body.projects[0].environments).toEqual([staging]);
    const other = await api.get(`${base}/${all.find((slug: string) => slug !== project.slug)}`, projectToken);
    expect([other.status, other.body.error.code]).toEqual([404, 'project_not_found']);
  });

  it('can’t exceed the plan’s limit concurrently: of ten with two places left, two are created', async () => {
    const person = await seedPerson({ name: 'Limited' });
    const path = `/projects/${person.organization.id}`;
    for (let index = 0; index < 8; index += 1) await createProject(api, person, `P${index}`);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => api.post(path, { name: `Late ${index}` }, person.session)),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(2);
    const refused = answers.filter(({ status }) => status === 402);
    expect(refused).toHaveLength(8);
    for (const { body } of refused) {
      expect(body.error).toMatchObject({
        code: 'plan_limit_exceeded',
        details: { limit: 'maxProjects', value: 10, used: 10 },
      });
    }
    expect((await api.get(path, person.session)).body.projects).toHaveLength(10);
  });

  it('are inaccessible at once when deleted, and free their place at once and their slug after erasure', async () => {
    const project = await createProject(api, owner, 'Short lived');
    const deleted = await api.delete(`${base}/${project.slug}`, owner.session);
    expect([deleted.status, deleted.body]).toEqual([200, { success: true }]);
    for (const answer of [
      await api.get(`${base}/${project.slug}`, owner.session),
      await api.delete(`${base}/${project.slug}`, owner.session),
    ]) {
      expect([answer.status, answer.body.error.code]).toEqual([404, 'project_not_found']);
    }
    await expect
      .poll(async () => (await api.post(base, { name: 'Again', slug: project.slug }, owner.session)).status)
      .toBe(201);
  });
});

it('a deleted project deletes its own webhooks, and frees their places', async () => {
  const project = await createProject(api, owner, 'Hooked');
  const hooks = `/webhooks/${owner.organization.id}`;
  const events = ['secret.created'];
  const url = 'https://hooks.example.com/holdfast';
  await api.post(hooks, { url, events, projectId: project.id }, owner.session);
  const kept = (await api.post(hooks, { url, events }, owner.session)).body.webhook;
  await api.delete(`${base}/${project.slug}`, owner.session);
  await expect
    .poll(async () => (await api.get(hooks, owner.session)).body.webhooks.map(({ id }: { id: string }) => id))
    .toEqual([kept.id]);
  expect((await api.get(`/billing/${owner.organization.id}`, owner.session)).body.usage.webhooks).toBe(1);
});

describe('custom environments', () => {
  it('are production by default, and have a slug that is unique in the project', async () => {
    const project = await createProject(api, owner, 'Custom');
    const path = `${base}/${project.slug}/environments`;
    const plain = await api.post(path, { name: 'Load Test' }, owner.session);
    expect(plain.status).toBe(201);
    expect(plain.body.environment).toMatchObject({
      slug: 'load-test',
      type: 'production',
      revision: 0,
      secretCount: 0,
    });
    const typed = await api.post(path, { name: 'Preview', slug: 'preview', type: 'development' }, owner.session);
    expect(typed.body.environment).toMatchObject({ slug: 'preview', type: 'development' });
    const taken = await api.post(path, { name: 'X', slug: 'dev' }, owner.session);
    expect([taken.status, taken.body.error.code]).toEqual([409, 'slug_taken']);
    const again = await api.post(path, { name: 'Load Test' }, owner.session);
    expect([again.status, again.body.error.code]).toEqual([409, 'slug_taken']);
    const missing = await api.post(`${base}/nothing/environments`, { name: 'X' }, owner.session);
    expect([missing.status, missing.body.error.code]).toEqual([404, 'project_not_found']);
  });

  it('can’t exceed the plan concurrently', async () => {
    const project = await createProject(api, owner, 'Many');
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        api.post(`${base}/${project.slug}/environments`, { name: `E${index}` }, owner.session),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(7);
    const refused = answers.filter(({ status }) => status === 402);
    expect(refused).toHaveLength(3);
    expect(refused[0]?.body.error.details).toEqual({ limit: 'maxEnvironmentsPerProject', value: 10, used: 10 });
  });
});
