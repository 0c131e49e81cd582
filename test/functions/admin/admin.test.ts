import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { defaultLimits, limitNames } from '#lib/contracts/fields/limits.ts';
import { at, find } from '#lib/table/read.ts';
import { organizationRecord } from '#lib/table/records/organization.ts';
import { type Answer, codeOf, createProject, useApi } from '#test/support/api.ts';
import { atOnce } from '#test/support/at-once.ts';
import { eventually } from '#test/support/eventually.ts';
import { shared } from '#test/support/fixtures.ts';
import { type Person, seedPerson } from '#test/support/people.ts';
import { expectStatus, invite, withNewOrganization } from '#test/support/sample-requests.ts';

const api = useApi();
const admin = shared(() => seedPerson({ name: 'Admin', isAdmin: true }));
const owner = shared(() => seedPerson({ name: 'Owner' }));

const asAdmin = {
  get: (path: string) => api.get(path, admin.session),
  patch: (path: string, body: unknown) => api.patch(path, body, admin.session),
  put: (path: string, body: unknown) => api.put(path, body, admin.session),
};

const pathOf = ({ organization }: Person) => `/admin/orgs/${organization.id}`;
const search = async (query: string) => (await asAdmin.get(`/admin/orgs?search=${query}`)).body;
const newProject = ({ organization }: Person, name = 'Shop') =>
  api.post(`/projects/${organization.id}`, { name }, owner.session);
const statusesOf = (answers: readonly Answer[]) => answers.map(({ status }) => status).toSorted();
const newOrganization = (name = `Org ${randomUUID()}`) => withNewOrganization(api, { ...owner }, name);

it('GET /admin/stats counts users, organizations and projects as they are created and deleted', async () => {
  const before = (await asAdmin.get('/admin/stats')).body;
  const organization = await newOrganization();
  const project = await createProject(api, organization);
  await createProject(api, organization, 'Second');
  await api.delete(`/projects/${organization.organization.id}/${project.slug}`, owner.session);

  const after = (await asAdmin.get('/admin/stats')).body;
  const { users, organizations, projects } = before;
  expect(after).toEqual({ users, organizations: organizations + 1, projects: projects + 1 });
});

describe('GET /admin/orgs', () => {
  it('finds organizations by a prefix of their slug or name, case-insensitively, without duplicates, ordered by slug', async () => {
    const word = `w${randomUUID().slice(0, 8)}`;
    const first = await newOrganization(`${word.toUpperCase()} Zebra`);
    const second = await newOrganization(`${word} Ant`);
    await api.post('/orgs', { name: `Other ${word}`, slug: `${word}-by-slug` }, owner.session);
    await newOrganization(`Nothing of ${word}`);

    const { organizations, pagination } = await search(`${word.toUpperCase()}&limit=50`);

    expect(organizations.map(({ slug }: { slug: string }) => slug)).toEqual([
      second.organization.slug,
      `${word}-by-slug`,
      first.organization.slug,
    ]);
    expect(pagination).toEqual({ limit: 50, offset: 0, total: 3 });
  });

  it('returns each organization’s usage', async () => {
    const person = await newOrganization();
    await createProject(api, person);
    await invite(api, person, `${randomUUID()}@example.com`);

    const { organizations } = await search(person.organization.slug);

    expect(organizations[0]).toMatchObject({
      id: person.organization.id,
      plan: 'free',
      usage: { projects: 1, members: 1, invitations: 1, webhooks: 0, environments: 3, secrets: 0 },
    });
  });

  it('returns pages without gaps or duplicates', async () => {
    const word = `p${randomUUID().slice(0, 8)}`;
    for (const letter of 'abcde') await newOrganization(`${word} ${letter}`);

    const pages = await Promise.all([0, 2, 4, 6].map(offset => search(`${word}&limit=2&offset=${offset}`)));

    expect(pages.map(({ organizations }) => organizations.length)).toEqual([2, 2, 1, 0]);
    const ids = pages.flatMap(({ organizations }) => organizations.map(({ id }: { id: string }) => id));
    expect(new Set(ids).size).toBe(5);
    expect(pages[3].pagination).toEqual({ limit: 2, offset: 6, total: 5 });
  });

  it('returns all of them and no pagination without a limit', async () => {
    const word = `all${randomUUID().slice(0, 8)}`;
    // A busy machine may refuse some of them for a moment.
    const create = (name: string) => eventually(() => newOrganization(name));
    for (let tens = 0; tens < 6; tens += 1) await atOnce(10, index => create(`${word} ${tens} ${index}`));

    const body = await search(word);

    expect(body.organizations).toHaveLength(60);
    expect(body).not.toHaveProperty('pagination');
  });

  it('does not list organizations that are being deleted', async () => {
    const person = await newOrganization();
    await api.delete(`/orgs/${person.organization.id}`, owner.session);

    expect((await search(person.organization.slug)).organizations).toEqual([]);
    expect(codeOf(await asAdmin.get(pathOf(person)))).toBe('404 organization_not_found');
    expect((await asAdmin.patch(pathOf(person), { plan: 'pro' })).status).toBe(404);
  });

  it.each(['limit=0', 'limit=501', 'limit=x', 'offset=-1', 'search='])('rejects the query %s', async query => {
    expect((await asAdmin.get(`/admin/orgs?${query}`)).body.error.code).toBe('invalid_request');
  });
});

describe('an organization’s plan and overrides', () => {
  it('are returned with the source of each limit', async () => {
    const person = await newOrganization();
    const changes = { plan: 'pro', limitOverrides: { maxMembers: 150 } };
    await asAdmin.patch(pathOf(person), changes);

    const { body } = await expectStatus(asAdmin.get(pathOf(person)), 200);

    expect(body.organization).toMatchObject({ id: person.organization.id, ...changes });
    expect(body.limits.effective).toMatchObject({ ...defaultLimits.pro, maxMembers: 150 });
    expect(body.limits.source).toMatchObject({ maxMembers: 'override', maxProjects: 'default' });
    expect(body.usage).toMatchObject({ members: 1, projects: 0 });
  });

  it('take effect at once, and null removes an override', async () => {
    const person = await newOrganization();
    const path = pathOf(person);

    await asAdmin.patch(path, { limitOverrides: { maxProjects: 0 } });
    const refused = await newProject(person);
    const removed = await asAdmin.patch(path, { limitOverrides: { maxProjects: null } });
    const allowed = await newProject(person);

    expect(refused.status).toBe(402);
    expect(refused.body.error.details).toEqual({ limit: 'maxProjects', value: 0, used: 0 });
    expect(removed.body.organization.limitOverrides).toEqual({});
    expect([removed.body.limits.source.maxProjects, allowed.status]).toEqual(['default', 201]);
  });

  it('add one entry to the organization’s audit log for each field that changed, and none for unchanged fields', async () => {
    const person = await newOrganization();
    const { organization } = person;
    await asAdmin.patch(pathOf(person), { plan: 'pro' });
    await asAdmin.patch(pathOf(person), { limitOverrides: { maxWebhooks: 3 } });
    await asAdmin.patch(pathOf(person), { plan: 'pro', limitOverrides: { maxWebhooks: 3, maxMembers: null } });

    const { body } = await api.get(`/audit/${organization.id}`, owner.session);

    expect(body.entries.map(({ action }: { action: string }) => action)).toEqual([
      'organization.limits_changed',
      'billing.plan_changed',
      'organization.created',
    ]);
    expect(body.entries[0]).toMatchObject({
      actor: { id: admin.user.id, email: admin.email, type: 'session' },
      target: { type: 'organization', id: organization.id },
    });
  });

  it('keep both changes when two administrators write concurrently', async () => {
    const person = await newOrganization();
    const overrides = limitNames.map((name, index): [string, number] => [name, index + 1]);

    const answers = await Promise.all(
      overrides.map(override => asAdmin.patch(pathOf(person), { limitOverrides: Object.fromEntries([override]) })),
    );

    expect(statusesOf(answers)).toEqual(Array(limitNames.length).fill(200));
    const stored = await find(at(organizationRecord, person.organization.slug));
    expect(stored?.limitOverrides).toEqual(Object.fromEntries(overrides));
  });

  it.each([
    {},
    { plan: 'gold' },
    { limitOverrides: { maxDreams: 1 } },
    { limitOverrides: { maxProjects: -2 } },
    { limitOverrides: { maxProjects: 1.5 } },
    { limitOverrides: { maxProjects: '5' } },
    { name: 'Another' },
  ])('reject %j', async body => {
    expect(codeOf(await asAdmin.patch(pathOf(owner), body))).toBe('400 invalid_request');
  });

  it.each([randomUUID(), 'not-a-uuid'])('do not exist for %s', async id => {
    const path = `/admin/orgs/${id}`;
    expect(codeOf(await asAdmin.get(path))).toBe('404 organization_not_found');
    expect(codeOf(await asAdmin.patch(path, { plan: 'pro' }))).toBe('404 organization_not_found');
  });
});

it('plan limits under ten concurrent creations admit as many as fit, and report the limit, its value and the usage to the others', async () => {
  const person = await newOrganization();
  for (let number = 0; number < 3; number += 1) await createProject(api, person, `Project ${number}`);
  await asAdmin.patch(pathOf(person), { limitOverrides: { maxProjects: 5 } });

  const answers = await atOnce(10, index => newProject(person, `Parallel ${index}`));

  expect(statusesOf(answers)).toEqual([201, 201, ...Array(8).fill(402)]);
  for (const { body } of answers.filter(({ status }) => status === 402)) {
    const details = { limit: 'maxProjects', value: 5, used: 5 };
    expect(body.error).toMatchObject({ code: 'plan_limit_exceeded', details });
  }
  expect((await find(at(organizationRecord, person.organization.slug)))?.projectCount).toBe(5);
});

describe('plan configs', () => {
  // They apply to every organization in the table, so this test, the only one that changes them, restores them.
  it('are merged, apply at once to every organization without an override, and are listed', async () => {
    const [plain, overridden] = [await newOrganization(), await newOrganization()];
    await asAdmin.patch(pathOf(overridden), { limitOverrides: { maxWebhooks: 7 } });

    const first = await asAdmin.put('/admin/plans/free', { limits: { maxWebhooks: 2 } });
    const second = await asAdmin.put('/admin/plans/free', { limits: { maxMembers: -1 } });
    const inspected = await Promise.all([plain, overridden].map(person => asAdmin.get(pathOf(person))));
    const billing = await api.get(`/billing/${plain.organization.id}`, owner.session);
    const plans = await asAdmin.get('/admin/plans');
    await asAdmin.put('/admin/plans/free', { limits: { maxWebhooks: 10, maxMembers: 10 } });

    expect(first.body.plan).toMatchObject({ name: 'free', limits: { ...defaultLimits.free, maxWebhooks: 2 } });
    expect(second.body.plan.limits).toMatchObject({ ...defaultLimits.free, maxWebhooks: 2, maxMembers: -1 });
    expect(inspected.map(({ body }) => [body.limits.effective.maxWebhooks, body.limits.source.maxWebhooks])).toEqual([
      [2, 'plan'],
      [7, 'override'],
    ]);
    expect(billing.body.limits).toMatchObject({ maxWebhooks: 2, maxMembers: -1 });
    expect(plans.body.plans.map(({ name }: { name: string }) => name)).toEqual(['free', 'pro', 'enterprise']);
    expect(plans.body.plans[0].limits.maxWebhooks).toBe(2);
  });

  it('lose none of several concurrent changes', async () => {
    const values = Object.fromEntries(limitNames.map((name, index) => [name, 40 + index]));

    const change = ([name, value]: [string, number]) =>
      asAdmin.put('/admin/plans/enterprise', { limits: { [name]: value } });
    const answers = await Promise.all(Object.entries(values).map(change));

    expect(statusesOf(answers)).toEqual(Array(limitNames.length).fill(200));
    const { body } = await asAdmin.get('/admin/plans');
    expect(body.plans[2].limits).toEqual(values);
  });

  it.each([{ limits: {} }, {}, { limits: { maxProjects: null } }, { limits: { maxDreams: 1 } }, { maxProjects: 5 }])(
    'reject %j',
    async body => {
      expect(codeOf(await asAdmin.put('/admin/plans/free', body))).toBe('400 invalid_request');
    },
  );

  it.each(['gold', 'constructor', 'FREE', '__proto__'])('do not exist for the plan %s', async name => {
    const limits = { maxProjects: 1 };
    expect(codeOf(await asAdmin.put(`/admin/plans/${name}`, { limits }))).toBe('404 plan_not_found');
  });
});
