import { describe, expect, it } from 'vitest';
import { at, find } from '#lib/table/read.ts';
import { identityRightsRecord } from '#lib/table/records/identity.ts';
import { type Answer, codeOf, startApi } from '#test/support/api.ts';
import { openWorkplace, type Workplace } from '#test/support/environments.ts';
import { fresh, shared } from '#test/support/fixtures.ts';
import { identityOf, startIssuer } from '#test/support/issuer.ts';
import { type Person, seedOwner } from '#test/support/people.ts';
import { expectStatus } from '#test/support/sample-requests.ts';
import { allItems } from '#test/support/table-dump.ts';

const api = shared(startApi);
const issuer = shared(startIssuer);
const owner = shared(seedOwner);
const common = fresh(() => openWorkplace(api, owner));
const shop = fresh(() => openWorkplace(api, owner));
const path = () => `/identities/${owner.organization.id}`;
const create = (changes: object, as: Person = owner) =>
  api.post(path(), identityOf(issuer, { ...changes }), as.session);
const make = async (changes: object) => (await expectStatus(create(changes), 201)).body.identity;
const patch = ({ id }: { id: string }, changes: object, as: Person = owner) =>
  api.patch(`${path()}/${id}`, changes, as.session);
const problemsIn = ({ status, body }: Answer) => [
  status,
  body.error.details.map(({ path: where, message }: { path: string; message: string }) => `${where}: ${message}`),
];
const idsOf = (...environments: readonly (readonly [Workplace, string])[]) =>
  environments.map(([place, env]) => place.environmentId(env));

async function signIn({ id: identityId }: { id: string }) {
  const subjectToken = await issuer.token(identityId);
  const body = { identityId, organizationSlug: owner.organization.slug, subjectToken };
  return { token: (await expectStatus(api.post('/auth/exchange', body), 201)).body.token as string };
}

/** What it can do in each environment of both projects: read, write and list. */
async function reach(as: { token: string }) {
  const answers: Record<string, string> = {};
  for (const [name, place] of Object.entries({ common, shop })) {
    for (const env of ['dev', 'staging', 'production']) {
      const read = codeOf(await place.pull(env, '', { as }));
      const written = codeOf(await place.set(env, 'A', `${Math.random()}`, { as }));
      answers[`${name}/${env}`] = `${read}, ${written}`;
    }
  }
  return answers;
}

const nowhere = {
  'common/dev': '404 project_not_found, 404 project_not_found',
  'common/staging': '404 project_not_found, 404 project_not_found',
  'common/production': '404 project_not_found, 404 project_not_found',
  'shop/dev': '404 environment_not_found, 404 environment_not_found',
  'shop/staging': '404 environment_not_found, 404 environment_not_found',
  'shop/production': '404 environment_not_found, 404 environment_not_found',
};
const inBoth = Object.fromEntries(
  Object.keys(nowhere).map(name => [name, '404 environment_not_found, 404 environment_not_found']),
);

describe('an identity of several environments', () => {
  it('is returned with their ids, and is stored so that code that doesn’t know them rejects it', async () => {
    const environmentIds = idsOf([shop, 'production'], [common, 'production']);
    const identity = await make({ role: 'deployer', environmentIds });
    expect(identity).toMatchObject({ environmentIds, projectId: null, environmentId: null });
    expect(identity).not.toHaveProperty('environments');
    expect((await api.get(`${path()}/${identity.id}`, owner.session)).body.identity).toEqual(identity);
    const stored = (await allItems()).find(({ id }) => id === identity.id);
    expect([stored?.v, stored?.environments]).toEqual([
      2,
      [
        { id: environmentIds[0], projectId: shop.project.id },
        { id: environmentIds[1], projectId: common.project.id },
      ],
    ]);
    const plain = await make({ role: 'viewer' });
    expect([plain.environmentIds, (await allItems()).find(({ id }) => id === plain.id)?.v]).toEqual([null, 1]);
    const entries = (await api.get(`/audit/${owner.organization.id}?action=identity.created&limit=2`, owner.session))
      .body.entries;
    expect(entries[1].details).toMatchObject({ environmentIds: environmentIds.join() });
  });

  it('deploys to each of them whatever its type, and reaches nothing else', async () => {
    const as = await signIn(
      await make({
        role: 'deployer',
        access: 'write',
        environmentIds: idsOf([shop, 'production'], [common, 'staging']),
      }),
    );
    expect(await reach(as)).toEqual({
      ...inBoth,
      'shop/production': '200 ok, 201 ok',
      'common/staging': '200 ok, 201 ok',
    });
    const { projects } = (await api.get(`/projects/${owner.organization.id}`, as)).body;
    const listed = projects.map(({ slug, environments }: { slug: string; environments: { slug: string }[] }) => [
      slug,
      environments.map(one => one.slug),
    ]);
    expect(listed).toEqual(
      expect.arrayContaining([
        [shop.project.slug, ['production']],
        [common.project.slug, ['staging']],
      ]),
    );
    expect(listed).toHaveLength(2);
    expect(codeOf(await shop.bulkDelete('production', ['A'], { as }))).toBe('403 forbidden');
    expect(codeOf(await api.get(`/audit/${owner.organization.id}`, as))).toBe('403 insufficient_scope');
  });

  it('has the rights of its role there if it is no deployer', async () => {
    const as = await signIn(
      await make({ role: 'developer', access: 'write', environmentIds: idsOf([shop, 'dev'], [shop, 'production']) }),
    );
    expect(await reach(as)).toEqual({
      ...nowhere,
      'shop/dev': '200 ok, 201 ok',
      'shop/production': '403 forbidden, 201 ok',
    });
  });

  it('is changed at once, also for tokens issued earlier', async () => {
    const identity = await make({
      role: 'deployer',
      projectId: shop.project.id,
      environmentId: shop.environmentId('dev'),
    });
    const as = await signIn(identity);
    const may = async () =>
      Object.entries(await reach(as))
        .filter(([, answers]) => answers.startsWith('200'))
        .map(([name]) => name);
    expect(await may()).toEqual(['shop/dev']);

    const environmentIds = idsOf([shop, 'dev'], [common, 'production']);
    const changed = (await expectStatus(patch(identity, { environmentIds }), 200)).body.identity;
    expect(changed).toMatchObject({ environmentIds, projectId: null, environmentId: null });
    expect(await may()).toEqual(['common/production', 'shop/dev']);
    const entry = (await api.get(`/audit/${owner.organization.id}?action=identity.updated&limit=1`, owner.session)).body
      .entries[0];
    expect(entry.details).toEqual({
      projectId: { from: shop.project.id, to: null },
      environmentId: { from: shop.environmentId('dev'), to: null },
      environmentIds: { from: null, to: environmentIds.join() },
    });
    // The same again changes nothing.
    expect((await patch(identity, { environmentIds })).body.identity).toEqual(changed);

    const single = { environmentIds: null, projectId: shop.project.id, environmentId: shop.environmentId('staging') };
    expect((await expectStatus(patch(identity, single), 200)).body.identity).toMatchObject(single);
    expect(await may()).toEqual(['shop/staging']);
    const stored = await find(at(identityRightsRecord, owner.organization.slug, identity.id));
    expect(stored?.environments).toBeUndefined();
    await expectStatus(patch(identity, { environmentIds: idsOf([common, 'dev']) }), 200);
    expect(await may()).toEqual(['common/dev']);
  });

  it('keeps the others when one of them is deleted, and can be changed as long as its limits stay', async () => {
    const environmentIds = idsOf([shop, 'dev'], [common, 'dev']);
    const identity = await make({ role: 'deployer', environmentIds });
    const as = await signIn(identity);
    await expectStatus(api.delete(`${common.projectPath}?keepDays=1`, owner.session), 200);
    expect([await shop.pull('dev', '', { as }), await common.pull('dev', '', { as })].map(codeOf)).toEqual([
      '200 ok',
      '404 project_not_found',
    ]);
    await expectStatus(patch(identity, { name: 'renamed' }), 200);
    const without = await patch(identity, { environmentIds: environmentIds.toReversed() });
    expect(codeOf(without)).toBe('404 environment_not_found');
  });
});

describe('the environments of an identity', () => {
  it('are one to five, without duplicates, and instead of the other limits', async () => {
    const [one, two] = idsOf([shop, 'dev'], [common, 'dev']) as [string, string];
    const base = { role: 'viewer' };
    expect(problemsIn(await create({ ...base, environmentIds: [] }))).toEqual([
      400,
      ['environmentIds: must have 1 to 5 items'],
    ]);
    const six = ['dev', 'staging', 'production'].flatMap(env => idsOf([shop, env], [common, env]));
    expect((await create({ ...base, environmentIds: six })).status).toBe(400);
    expect((await create({ ...base, environmentIds: six.slice(0, 5) })).status).toBe(201);
    expect(problemsIn(await create({ ...base, environmentIds: [one, two, one.toUpperCase()] }))).toEqual([
      400,
      ['environmentIds.2: is a duplicate of item 0'],
    ]);
    const both = { environmentIds: [one], projectId: shop.project.id, environmentId: one };
    const beside = [
      'projectId: must not be combined with environmentIds',
      'environmentId: must not be combined with environmentIds',
    ];
    expect(problemsIn(await create({ ...base, ...both }))).toEqual([400, beside]);

    const identity = await make({ ...base, environmentIds: [one, two] });
    expect(problemsIn(await patch(identity, both))).toEqual([400, beside]);
    expect(problemsIn(await patch(identity, { projectId: shop.project.id }))).toEqual([400, beside.slice(0, 1)]);
    await expectStatus(patch(identity, { role: 'deployer' }), 200);
    expect(problemsIn(await patch(identity, { environmentIds: null }))).toEqual([
      400,
      ['environmentId: is required for the role deployer'],
    ]);
  });

  it('have to exist in the organization', async () => {
    const foreign = await openWorkplace(api);
    const unknown = '00000000-0000-4000-8000-000000000000';
    for (const id of [foreign.environmentId('dev'), unknown]) {
      const environmentIds = [shop.environmentId('dev'), id];
      expect(codeOf(await create({ role: 'viewer', environmentIds }))).toBe('404 environment_not_found');
    }
  });

  it('are given only by those who manage all of their projects', async () => {
    const admin = await shop.member('viewer');
    const members = `/members/${owner.organization.id}`;
    const list = (await api.get(members, owner.session)).body.members;
    const { id } = list.find(({ email }: { email: string }) => email === admin.email);
    const projectRoles = [{ projectId: shop.project.id, role: 'admin' }];
    const roles = (limited: boolean) =>
      expectStatus(api.put(`${members}/${id}/projects`, { limited, projectRoles }, owner.session), 200);
    await roles(false);
    const own = idsOf([shop, 'dev'], [shop, 'production']);
    const mixed = idsOf([shop, 'dev'], [common, 'dev']);
    const codes = async () => [
      codeOf(await create({ role: 'deployer', environmentIds: mixed }, admin)),
      codeOf(await create({ role: 'deployer', environmentIds: idsOf([common, 'dev']) }, admin)),
    ];
    expect(await codes()).toEqual(['403 forbidden', '403 forbidden']);
    await roles(true);
    // What doesn't exist for them can't be told from what doesn't exist.
    expect(await codes()).toEqual(['404 environment_not_found', '404 environment_not_found']);

    const theirs = await make({ role: 'deployer', environmentIds: own });
    const others = await make({ role: 'deployer', environmentIds: mixed });
    const { identities } = (await api.get(path(), admin.session)).body;
    expect(identities.map((one: { id: string }) => one.id)).toContain(theirs.id);
    expect(identities.map((one: { id: string }) => one.id)).not.toContain(others.id);
    expect(codeOf(await patch(others, { name: 'theirs' }, admin))).toBe('404 identity_not_found');
    expect(codeOf(await patch(theirs, { environmentIds: mixed }, admin))).toBe('404 environment_not_found');
    expect(codeOf(await patch(theirs, { environmentIds: own.slice(0, 1) }, admin))).toBe('200 ok');
  });
});

it('a proposal of such an identity is applied with the rights that it has then', async () => {
  await expectStatus(api.patch(`${shop.projectPath}/environments/production`, { approvals: 1 }, owner.session), 200);
  const environmentIds = idsOf([common, 'dev'], [shop, 'production']);
  const identity = await make({ role: 'deployer', access: 'write', environmentIds });
  const as = await signIn(identity);
  const propose = async (value: string) => {
    const body = { set: [{ key: 'A', value }] };
    return (await expectStatus(api.post(shop.at('production', '/proposals'), body, as), 201)).body.proposal;
  };
  const approve = async ({ id, digest }: { id: string; digest: string }, by: Person) =>
    codeOf(await api.post(shop.at('production', `/proposals/${id}/approve`), { digest }, by.session));
  const [first, second] = [await propose('1'), await propose('2')];
  const approver = await shop.member('admin');
  expect(await approve(first, approver)).toBe('200 ok');
  expect(await shop.values('production')).toEqual({ A: '1' });
  await expectStatus(patch(identity, { environmentIds: idsOf([common, 'dev']) }), 200);
  expect(await approve(second, approver)).not.toBe('200 ok');
  expect(await shop.values('production')).toEqual({ A: '1' });
});
