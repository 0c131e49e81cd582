import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Contract } from '#lib/contracts/contract.ts';
import { type FreshRole, managers, roles } from '#lib/contracts/fields/role.ts';
import { routes } from '#lib/contracts/routes.ts';
import { at } from '#lib/table/read.ts';
import { organizationRecord } from '#lib/table/records/organization.ts';
import { transact, update } from '#lib/table/write.ts';
import { type Answer, type Caller, codeOf, createToken, useApi } from '../support/api.ts';
import { openWorkplace, type Workplace } from '../support/environments.ts';
import { type Person, seedPerson } from '../support/people.ts';
import { expectStatus, join, memberIdOf } from '../support/sample-requests.ts';
import { ageSession } from '../support/second-factors.ts';

const api = useApi();

describe('the contracts', () => {
  const isFresh = ({ access }: Contract) => 'fresh' in access && access.fresh !== undefined;
  const fieldsOf = ({ body = z.object({}) }: Contract): string[] =>
    Object.keys(z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }).properties ?? {});
  const idsOf = (contracts: readonly Contract[]) => contracts.map(({ operationId }) => operationId);
  const always = routes.filter(({ access }) => 'fresh' in access && access.fresh === 'always');

  it('give fresh rights to the roles named for it, and to no other', () => {
    const admitted = new Set(always.flatMap(({ access }) => (access.kind === 'member' ? access.roles : [])));

    expect(roles.filter(role => admitted.has(role as FreshRole))).toEqual(managers);
  });

  it('require a fresh session wherever members, roles or types change, with these exceptions', () => {
    const exceptions = {
      'accept-invitation': 'who made the invitation was asked',
      'leave-organization': 'only the caller loses something',
    };
    const changing = routes.filter(
      route =>
        route.method !== 'GET' &&
        (route.area === 'members' ||
          fieldsOf(route).some(name => ['role', 'type', 'requireSecondFactor'].includes(name))),
    );

    const expected = ['invite-member', 'change-role', 'remove-member', 'update-environment', 'create-identity'];
    expect(idsOf(changing)).toEqual(expect.arrayContaining(expected));
    expect(idsOf(changing.filter(route => !isFresh(route)))).toEqual(Object.keys(exceptions));
  });

  it('require one before anything is permanently deleted or rotated', () => {
    const final = [
      'delete-organization',
      'delete-project',
      'delete-environment',
      'erase-deleted',
      'destroy-versions',
      'rotate-key',
    ];
    expect(idsOf(always)).toEqual(expect.arrayContaining(final));
  });

  it('require one wherever a platform administrator changes something', () => {
    const changing = routes.filter(({ access, method }) => access.kind === 'admin' && method !== 'GET');

    expect(idsOf(changing)).toEqual(expect.arrayContaining(['update-organization', 'update-plan']));
    expect(changing.filter(route => !isFresh(route))).toEqual([]);
  });
});

describe('an old session', () => {
  let place: Workplace;
  let owner: Person;
  let path: string;
  beforeAll(async () => {
    place = await openWorkplace(api);
    owner = place.owner;
    const limitOverrides = { maxMembers: -1 };
    await transact([update(at(organizationRecord, owner.organization.slug), { set: { limitOverrides } })]);
    path = `/members/${owner.organization.id}`;
  });

  const roster = async () => (await api.get(path, owner.session)).body;
  const invite = (as: Person, email: string, role: string) => api.post(`${path}/invite`, { email, role }, as.session);
  const young = () => ageSession(owner, 0);
  const old = (person = owner) => ageSession(person, 601);

  async function addMember(role: string): Promise<Person & { path: string }> {
    await young();
    const person = await seedPerson();
    const { id } = await join(api, owner, person, role);
    return { ...person, path: `${path}/${id}` };
  }

  /** The request is rejected and changes nothing while the session is old; in a fresh one it succeeds. */
  async function expectStepUp(request: (as: Person) => Promise<Answer>, as = owner): Promise<void> {
    await old(as);
    const members = await roster();
    expect(codeOf(await request(as))).toBe('403 step_up_required');
    expect(await roster()).toEqual(members);
    await ageSession(as, 0);
    expect((await request(as)).status).toBeLessThan(300);
  }

  async function expectNoStepUp(request: (as: Person) => Promise<Answer>, as = owner): Promise<void> {
    await old(as);
    expect((await request(as)).status).toBeLessThan(300);
  }

  it.each(['owner', 'admin'])('can’t invite as %s', role =>
    expectStepUp(as => invite(as, `${role}-thief@example.com`, role)),
  );

  it('of an admin can’t invite an admin either', async () => {
    await expectStepUp(as => invite(as, 'second-thief@example.com', 'admin'), await addMember('admin'));
  });

  it.each(['developer', 'viewer'])('can invite as %s', role =>
    expectNoStepUp(as => invite(as, `${role}-guest@example.com`, role)),
  );

  it.each([
    ['viewer', 'admin'],
    ['developer', 'owner'],
    ['admin', 'owner'],
    ['admin', 'viewer'],
    ['owner', 'admin'],
    ['owner', 'developer'],
  ])('can’t change a role from %s to %s', async (from, to) => {
    const member = await addMember(from);
    await expectStepUp(as => api.patch(member.path, { role: to }, as.session));
  });

  it.each([
    ['developer', 'viewer'],
    ['viewer', 'developer'],
  ])('can change a role from %s to %s', async (from, to) => {
    const member = await addMember(from);
    await expectNoStepUp(as => api.patch(member.path, { role: to }, as.session));
  });

  it.each(['owner', 'admin'])('can’t remove an %s', async role => {
    const member = await addMember(role);
    await expectStepUp(as => api.delete(member.path, as.session));
  });

  it('of an admin can’t remove an admin, and reports the missing role before requiring a step-up', async () => {
    const [admin, other] = [await addMember('admin'), await addMember('admin')];
    const ownerId = await memberIdOf(api, owner, owner);
    await old(admin);
    expect(codeOf(await api.delete(`${path}/${ownerId}`, admin.session))).toBe('403 forbidden');
    await expectStepUp(as => api.delete(other.path, as.session), admin);
  });

  it.each(['developer', 'viewer'])('can remove a %s, but can’t end identities with it', async role => {
    const member = await addMember(role);
    await old();
    expect(codeOf(await api.delete(`${member.path}?endIdentities=true`, owner.session))).toBe('403 step_up_required');
    expect((await api.delete(member.path, owner.session)).status).toBe(200);
  });

  it.each(['owner', 'admin'])('can leave as %s', async role => {
    const member = await addMember(role);
    await expectNoStepUp(as => api.delete(member.path, as.session), member);
  });

  it.each(['owner', 'admin'])('can’t cancel an invitation as %s, or replace one with a lower role', async role => {
    await young();
    const email = `pending-${role}@example.com`;
    const { invitation } = (await expectStatus(invite(owner, email, role), 201)).body;
    await old();
    expect(codeOf(await invite(owner, email.toUpperCase(), 'viewer'))).toBe('403 step_up_required');
    await expectStepUp(as => api.delete(`${path}/${invitation.id}`, as.session));
  });

  it('can cancel an invitation as viewer', async () => {
    await young();
    const { invitation } = (await expectStatus(invite(owner, 'pending@example.com', 'viewer'), 201)).body;
    await expectNoStepUp(as => api.delete(`${path}/${invitation.id}`, as.session));
  });

  it.each([
    ['production', 'development'],
    ['dev', 'production'],
  ])('can’t change the type of %s to %s, but can change its name', async (env, type) => {
    const environment = `/projects/${owner.organization.id}/${place.project.slug}/environments/${env}`;
    await old();
    expect((await api.patch(environment, { name: 'Renamed' }, owner.session)).status).toBe(200);
    expect(codeOf(await api.patch(environment, { name: 'Again', type }, owner.session))).toBe('403 step_up_required');
    await young();
    const { body } = await expectStatus(api.patch(environment, { type }, owner.session), 200);
    expect(body.environment).toMatchObject({ name: 'Renamed', type });
    await old();
    expect((await api.patch(environment, { name: 'Again', type }, owner.session)).status).toBe(200);
  });
});

it('an administrator’s old session can read plans and limits but not change them; their full token can', async () => {
  const [admin, { organization }] = await Promise.all([seedPerson({ isAdmin: true }), seedPerson()]);
  const path = `/admin/orgs/${organization.id}`;
  const changes = [
    (as: Caller) => api.patch(path, { limitOverrides: { auditRetentionDays: 0 } }, as),
    (as: Caller) => api.patch(path, { plan: 'enterprise' }, as),
    (as: Caller) => api.put('/admin/plans/enterprise', { limits: { maxWebhooks: 7 } }, as),
  ];
  const token = await createToken(api, admin);
  const state = async () => [
    (await expectStatus(api.get(path, admin.session), 200)).body,
    (await expectStatus(api.get('/admin/plans', admin.session), 200)).body,
  ];
  await ageSession(admin, 601);
  const initial = await state();

  for (const change of changes) expect(codeOf(await change(admin.session))).toBe('403 step_up_required');

  expect(await state()).toEqual(initial);
  for (const change of changes) await expectStatus(change(token), 200);
  await ageSession(admin, 0);
  for (const change of changes) await expectStatus(change(admin.session), 200);
});

it('a write token can’t destroy versions; a full token can, even if it is limited to the environment', async () => {
  const { owner, project, ...place } = await openWorkplace(api);
  await place.set('dev', 'KEY', 'one');
  await place.set('dev', 'KEY', 'two');
  const { body } = await api.get(`/projects/${owner.organization.id}/${project.slug}`, owner.session);
  const environmentId = body.project.environments[0].id;
  const limits = { organizationId: owner.organization.id, projectId: project.id, environmentId };
  const destroy = async (access: string) => {
    const token = await createToken(api, owner, { access, ...limits });
    return api.post(place.at('dev', '/versions/KEY/destroy'), { versions: [1] }, token);
  };

  expect(codeOf(await destroy('read'))).toBe('403 insufficient_scope');
  expect(codeOf(await destroy('write'))).toBe('403 insufficient_scope');
  const { versions } = (await api.get(place.at('dev', '/versions/KEY'), owner.session)).body;
  expect(versions.some(({ destroyed }: { destroyed?: boolean }) => destroyed)).toBe(false);
  expect((await destroy('full')).body).toMatchObject({ destroyed: [1] });
});
