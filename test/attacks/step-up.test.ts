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
import { expectStatus } from '../support/sample-requests.ts';
import { ageSession } from '../support/second-factors.ts';

const api = useApi();

describe('the contracts', () => {
  const isFresh = ({ access }: Contract) => 'fresh' in access && access.fresh !== undefined;
  const fieldsOf = ({ body }: Contract): string[] =>
    body === undefined
      ? []
      : Object.keys(z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }).properties ?? {});

  it('give fresh rights to the roles named for it, and to no other', () => {
    const admitted = new Set(
      routes.flatMap(({ access }) =>
        access.kind === 'member' && 'fresh' in access && access.fresh === 'always' ? access.roles : [],
      ),
    );

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

    expect(changing.map(({ operationId }) => operationId)).toEqual(
      expect.arrayContaining([
        'invite-member',
        'change-role',
        'remove-member',
        'update-environment',
        'create-identity',
      ]),
    );
    expect(changing.filter(route => !isFresh(route)).map(({ operationId }) => operationId)).toEqual(
      Object.keys(exceptions),
    );
  });

  it('require one before anything is permanently deleted or rotated', () => {
    const final = ['delete-organization', 'delete-project', 'delete-environment', 'destroy-versions', 'rotate-key'];
    const always = routes.filter(({ access }) => 'fresh' in access && access.fresh === 'always');

    expect(always.map(({ operationId }) => operationId)).toEqual(expect.arrayContaining(final));
  });

  it('require one wherever a platform administrator changes something', () => {
    const changing = routes.filter(({ access, method }) => access.kind === 'admin' && method !== 'GET');

    expect(changing.map(({ operationId }) => operationId)).toEqual(
      expect.arrayContaining(['update-organization', 'update-plan']),
    );
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
  const idOf = async (person: Person) =>
    (await roster()).members.find(({ userId }: { userId: string }) => userId === person.user.id)?.id;
  const invite = (as: Person, email: string, role: string) => api.post(`${path}/invite`, { email, role }, as.session);
  const young = () => ageSession(owner, 0);
  const old = (person = owner) => ageSession(person, 601);

  async function join(role: string): Promise<Person> {
    await young();
    const person = await seedPerson();
    const { token } = (await expectStatus(invite(owner, person.email, role), 201)).body;
    await expectStatus(api.post(`/members/invite/${token}/accept`, undefined, person.session), 200);
    return person;
  }

  /** The request is rejected and changes nothing while the session is old; in a fresh one it works. */
  async function expectStepUp(request: (as: Person) => Promise<Answer>, as = owner): Promise<void> {
    await old(as);
    const before = await roster();
    expect(codeOf(await request(as))).toBe('403 step_up_required');
    expect(await roster()).toEqual(before);
    await ageSession(as, 0);
    expect((await request(as)).status).toBeLessThan(300);
  }

  it.each(['owner', 'admin'])('can’t invite as %s', async role => {
    await expectStepUp(as => invite(as, `${role}-thief@example.com`, role));
  });

  it('of an admin can’t invite an admin either', async () => {
    const admin = await join('admin');
    await expectStepUp(as => invite(as, 'second-thief@example.com', 'admin'), admin);
  });

  it.each(['developer', 'viewer'])('can invite as %s', async role => {
    await old();
    expect((await invite(owner, `${role}-guest@example.com`, role)).status).toBe(201);
  });

  it.each([
    ['viewer', 'admin'],
    ['developer', 'owner'],
    ['admin', 'owner'],
    ['admin', 'viewer'],
    ['owner', 'admin'],
    ['owner', 'developer'],
  ])('can’t change a role from %s to %s', async (from, to) => {
    const id = await idOf(await join(from));
    await expectStepUp(as => api.patch(`${path}/${id}`, { role: to }, as.session));
  });

  it.each([
    ['developer', 'viewer'],
    ['viewer', 'developer'],
  ])('can change a role from %s to %s', async (from, to) => {
    const id = await idOf(await join(from));
    await old();
    expect((await api.patch(`${path}/${id}`, { role: to }, owner.session)).status).toBe(200);
  });

  it.each(['owner', 'admin'])('can’t remove an %s', async role => {
    const id = await idOf(await join(role));
    await expectStepUp(as => api.delete(`${path}/${id}`, as.session));
  });

  it('of an admin can’t remove an admin, and reports the missing role before requiring a step-up', async () => {
    const [admin, other] = [await join('admin'), await join('admin')];
    await old(admin);
    expect(codeOf(await api.delete(`${path}/${await idOf(owner)}`, admin.session))).toBe('403 forbidden');
    const id = await idOf(other);
    await expectStepUp(as => api.delete(`${path}/${id}`, as.session), admin);
  });

  it.each(['developer', 'viewer'])('can remove a %s, but can’t end identities with it', async role => {
    const id = await idOf(await join(role));
    await old();
    expect(codeOf(await api.delete(`${path}/${id}?endIdentities=true`, owner.session))).toBe('403 step_up_required');
    expect((await api.delete(`${path}/${id}`, owner.session)).status).toBe(200);
  });

  it.each(['owner', 'admin'])('can leave as %s', async role => {
    const person = await join(role);
    const id = await idOf(person);
    await old(person);
    expect((await api.delete(`${path}/${id}`, person.session)).status).toBe(200);
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
    await old();
    expect((await api.delete(`${path}/${invitation.id}`, owner.session)).status).toBe(200);
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

describe('an old session of a platform administrator', () => {
  it('can look at plans and limits but can’t change them; the administrator’s full token can', async () => {
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
    const before = await state();

    for (const change of changes) expect(codeOf(await change(admin.session))).toBe('403 step_up_required');

    expect(await state()).toEqual(before);
    for (const change of changes) await expectStatus(change(token), 200);
    await ageSession(admin, 0);
    for (const change of changes) await expectStatus(change(admin.session), 200);
  });
});

describe('a write token', () => {
  it('can’t destroy versions; a full token can, even if it is limited to the environment', async () => {
    const place = await openWorkplace(api);
    const { session, organization } = place.owner;
    await place.set('dev', 'KEY', 'one');
    await place.set('dev', 'KEY', 'two');
    const { project } = (await api.get(`/projects/${organization.id}/${place.project.slug}`, session)).body;
    const limits = {
      organizationId: organization.id,
      projectId: project.id,
      environmentId: project.environments[0].id,
    };
    const destroy = async (access: string) => {
      const { token } = (await expectStatus(api.post('/auth/token', { name: 't', access, ...limits }, session), 201))
        .body;
      return api.post(place.at('dev', '/versions/KEY/destroy'), { versions: [1] }, { token });
    };

    expect(codeOf(await destroy('read'))).toBe('403 insufficient_scope');
    expect(codeOf(await destroy('write'))).toBe('403 insufficient_scope');
    const { versions } = (await api.get(place.at('dev', '/versions/KEY'), session)).body;
    expect(versions.some(({ destroyed }: { destroyed?: boolean }) => destroyed)).toBe(false);
    expect((await destroy('full')).body).toMatchObject({ destroyed: [1] });
  });
});
