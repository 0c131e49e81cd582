import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { AuditEntry } from '#lib/contracts/audit/entries.ts';
import type { Grant } from '#lib/contracts/fields/grant.ts';
import { rightsInProject } from '#lib/contracts/fields/role-in-project.ts';
import { renewAccess } from '#lib/organizations/change-counts.ts';
import { at, find } from '#lib/table/read.ts';
import { grantRequestRecord } from '#lib/table/records/grant-request.ts';
import { memberRecord, organizationRecord } from '#lib/table/records/organization.ts';
import { transact, update } from '#lib/table/write.ts';
import { type Answer, type Caller, codeOf, createProject, createToken, startApi, useApi } from '#test/support/api.ts';
import { openWorkplace, type Workplace } from '#test/support/environments.ts';
import { shared } from '#test/support/fixtures.ts';
import { startIssuer } from '#test/support/issuer.ts';
import { type Person, seedPerson, seedSession } from '#test/support/people.ts';
import { expectStatus, issueToPipeline, join } from '#test/support/sample-requests.ts';
import { allItems } from '#test/support/table-dump.ts';

const api = useApi(() => startApi({ REQUESTS_PER_MINUTE: '100000' }));
const issuer = shared(startIssuer);

interface Member extends Person {
  memberId: string;
}

interface Asked {
  env?: string;
  access?: string;
  minutes?: number;
  in?: Workplace;
}

/** An organization with a project, whose environments have a secret each, and with another project. */
const scene = shared(async () => {
  const place = await openWorkplace(api);
  // More members than the plan allows.
  const organization = at(organizationRecord, place.owner.organization.slug);
  await transact([update(organization, { set: { limitOverrides: { maxMembers: 100 } } })]);
  for (const env of ['dev', 'staging', 'production']) await place.set(env, 'KEY', `of ${env}`);
  const ledger = await createProject(api, place.owner, 'Ledger');
  return {
    place,
    ledger,
    admin: await addMember('admin', place.owner),
    viewer: await addMember('viewer', place.owner),
  };
});

async function addMember(role: string, owner: Person = scene.place.owner): Promise<Member> {
  const person = await seedPerson({ name: role });
  return { ...person, memberId: (await join(api, owner, person, role)).id };
}

/** A member for whom only the listed roles in projects count. */
async function addLimited(projectRoles: object[] = [], role = 'viewer'): Promise<Member> {
  const member = await addMember(role);
  await setProjects(member, { limited: true, projectRoles });
  return member;
}

const organizationId = () => scene.place.owner.organization.id;
const setProjects = ({ memberId }: Member, rights: object) =>
  expectStatus(api.put(`/members/${organizationId()}/${memberId}/projects`, rights, scene.place.owner.session), 200);
const bodyOf = ({ env = 'production', access = 'read', minutes = 60, in: place = scene.place }: Asked = {}) => ({
  environmentId: place.environmentId(env),
  access,
  minutes,
  reason: 'An incident',
});
const giveAs = (as: Caller, { memberId }: { memberId: string }, asked?: Asked) =>
  api.post(`/members/${organizationId()}/${memberId}/grants`, bodyOf(asked), as);
const give = async (member: Member, asked?: Asked): Promise<Grant> =>
  (await expectStatus(giveAs(scene.place.owner.session, member, asked), 201)).body.grant;
const revokeAs = (as: Caller, { memberId }: { memberId: string }, grantId: string) =>
  api.delete(`/members/${organizationId()}/${memberId}/grants/${grantId}`, as);
const ask = (as: Caller, asked?: Asked) => api.post(`/grants/${organizationId()}/requests`, bodyOf(asked), as);
const answer = (as: Caller, id: string, how: 'grant' | 'refuse') =>
  api.post(`/grants/${organizationId()}/requests/${id}/${how}`, undefined, as);
const listed = async (as: Caller) => (await expectStatus(api.get(`/grants/${organizationId()}`, as), 200)).body;
const pull = async (as: Caller, env = 'production') => codeOf(await scene.place.pull(env, '', { as }));
const set = async (as: Caller, env = 'production') =>
  codeOf(await scene.place.set(env, `KEY_${randomUUID().slice(0, 8)}`, 'x', { as }));
const entriesOf = async (action: string): Promise<AuditEntry[]> =>
  (await api.get(`/audit/${organizationId()}?action=${action}`, scene.place.owner.session)).body.entries;

const forbidden = '403 forbidden';

/** The time of this process, which is the service's, from now until the test ends. */
function tellTime() {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  return { set: (time: number | string) => vi.setSystemTime(new Date(time)) };
}

describe('rights in a project', () => {
  const grant = {
    id: 'g',
    projectId: 'shop',
    environmentId: 'prod',
    access: 'read',
    expiresAt: '2026-01-01T10:00:00.000Z',
  } as const;
  const ends = Date.parse(grant.expiresAt);

  it('are the role with the grants that have not ended, or these alone for a limited member', () => {
    const member = { role: 'viewer', grants: [grant] } as const;

    expect(rightsInProject(member, 'shop', ends - 1)).toEqual({
      role: 'viewer',
      source: 'organization',
      grants: [grant],
    });
    expect(rightsInProject(member, 'shop', ends)).toEqual({ role: 'viewer', source: 'organization', grants: [] });
    expect(rightsInProject(member, 'ledger', ends - 1)?.grants).toEqual([]);
    const limited = { ...member, limited: true };
    expect(rightsInProject(limited, 'shop', ends - 1)).toEqual({ role: undefined, source: 'grant', grants: [grant] });
    expect(rightsInProject(limited, 'shop', ends)).toBeUndefined();
    expect(rightsInProject(limited, 'ledger', ends - 1)).toBeUndefined();
  });
});

describe('a grant', () => {
  it('lets a member read one environment from the next request on, with sessions and tokens of before', async () => {
    const { place } = scene;
    const guest = await addMember('viewer');
    const token = await createToken(api, guest, { organizationId: organizationId() });
    expect([await pull(guest.session), await pull(token)]).toEqual([forbidden, forbidden]);

    const grant = await give(guest);

    expect(grant).toMatchObject({
      memberId: guest.memberId,
      email: guest.email,
      environmentId: place.environmentId('production'),
      access: 'read',
      reason: 'An incident',
      createdBy: { id: place.owner.user.id, email: place.owner.email },
    });
    expect(Date.parse(grant.expiresAt) - Date.parse(grant.createdAt)).toBe(60 * 60_000);
    expect([await pull(guest.session), await pull(token)]).toEqual(['200 ok', '200 ok']);
    const reads = ['/keys', '/versions/KEY?values=true', '/revisions', '/diff?from=0', '/compare?with=dev'];
    for (const rest of reads) {
      expect([rest, codeOf(await api.get(place.at('production', rest), guest.session))]).toEqual([rest, '200 ok']);
    }
    expect([await pull(guest.session, 'staging'), await set(guest.session)]).toEqual([forbidden, forbidden]);
    expect(codeOf(await api.get(place.at('production', '/compare?with=staging'), guest.session))).toBe(forbidden);
  });

  it('to write includes neither reading nor what takes a manager', async () => {
    const { place } = scene;
    const guest = await addMember('viewer');
    await give(guest, { access: 'write' });
    const as = guest.session;

    expect([await set(as), await set(as, 'dev'), await pull(as)]).toEqual(['201 ok', forbidden, forbidden]);
    expect(codeOf(await place.change('production', { set: [{ key: 'NEW', value: '1' }] }, { as }))).toBe('200 ok');
    expect(codeOf(await place.importAll('production', { NEW: '2', OTHER: '3' }, { as }))).toBe('200 ok');
    expect(codeOf(await place.promote({ from: 'dev', to: 'production' }, { as }))).toBe('200 ok');
    expect(codeOf(await place.promote({ from: 'staging', to: 'production' }, { as }))).toBe(forbidden);
    expect(codeOf(await place.remove('production', 'NEW', { as }))).toBe('200 ok');
    expect(codeOf(await place.set('production', 'LD_PRELOAD', 'x', { as }))).toBe(forbidden);
    expect(codeOf(await place.bulkDelete('production', ['OTHER', 'KEY'], { as }))).toBe(forbidden);
    expect(codeOf(await place.change('production', { delete: ['OTHER', 'KEY'] }, { as }))).toBe(forbidden);
    expect(codeOf(await place.restore('production', { revision: 1 }, { as }))).toBe(forbidden);
    expect(codeOf(await place.destroy('production', 'KEY', { versions: [1] }, { as }))).toBe(forbidden);
  });

  it('to read and one to write add up, also for a promotion', async () => {
    const { place } = scene;
    const guest = await addMember('viewer');
    const as = guest.session;
    await give(guest, { env: 'production' });
    expect(codeOf(await place.promote({ from: 'production', to: 'staging' }, { as }))).toBe(forbidden);

    await give(guest, { env: 'staging', access: 'write' });

    expect(codeOf(await place.promote({ from: 'production', to: 'staging', keys: ['KEY'] }, { as }))).toBe('200 ok');
    const [entry] = await entriesOf('secret.promoted');
    expect(entry?.grants).toHaveLength(2);
    await place.set('staging', 'KEY', 'of staging');
  });

  it('ends by itself, to the millisecond, and is removed by the next one', async () => {
    const { place } = scene;
    const guest = await addMember('viewer');
    const token = await createToken(api, guest, { organizationId: organizationId() });
    const clock = tellTime();
    const grant = await give(guest, { minutes: 5 });

    clock.set(Date.parse(grant.expiresAt) - 1);
    // Machines' requests use a member that the process keeps.
    expect([await pull(guest.session), await pull(token), await pull(token)]).toEqual(Array(3).fill('200 ok'));
    clock.set(grant.expiresAt);
    expect([await pull(guest.session), await pull(token)]).toEqual([forbidden, forbidden]);
    expect((await listed(guest.session)).grants).toEqual([]);
    expect(codeOf(await revokeAs(place.owner.session, guest, grant.id))).toBe('404 grant_not_found');

    const next = await give(guest, { env: 'staging' });

    const stored = await find(at(memberRecord, place.owner.organization.slug, guest.user.id));
    expect(stored?.grants?.map(({ id }) => id)).toEqual([next.id]);
  });

  it('ends at once when it is revoked, which is listed for a restored table', async () => {
    const { place } = scene;
    const guest = await addMember('viewer');
    const token = await createToken(api, guest, { organizationId: organizationId() });
    const [grant, other] = [await give(guest), await give(guest, { env: 'staging' })];
    expect([await pull(token), await pull(token)]).toEqual(['200 ok', '200 ok']);

    await expectStatus(revokeAs(place.owner.session, guest, grant.id), 200);

    expect([await pull(guest.session), await pull(token)]).toEqual([forbidden, forbidden]);
    expect(await pull(token, 'staging')).toBe('200 ok');
    expect(codeOf(await revokeAs(place.owner.session, guest, grant.id))).toBe('404 grant_not_found');
    const items = await allItems();
    const item = items.find(({ kind, id }) => kind === 'member' && id === guest.memberId);
    // Code that doesn't know grants can serve the member, without them.
    expect(item).toMatchObject({ v: 1, grants: [{ id: other.id }] });
    const revocations = items.filter(({ kind }) => kind === 'revocation').flatMap(({ changed }) => changed as object[]);
    expect(revocations).toContainEqual({ pk: item?.pk, sk: item?.sk });
    const [ended] = await entriesOf('grant.ended');
    expect(ended).toMatchObject({
      target: { type: 'member', id: guest.memberId, name: guest.email },
      project: { id: place.project.id },
      environment: { slug: 'production' },
      details: { grant: grant.id, access: 'read', expiresAt: grant.expiresAt },
    });
  });

  it('is shown in the list of members, and to its member alone or to those who may give it', async () => {
    const { place, ledger, admin, viewer } = scene;
    const guest = await addMember('viewer');
    const ledgersAdmin = await addLimited([{ projectId: ledger.id, role: 'admin' }]);
    const shopsAdmin = await addLimited([{ projectId: place.project.id, role: 'admin' }]);
    const grant = await give(guest);
    const sees = async ({ session }: Person) =>
      (await listed(session)).grants.some(({ id }: Grant) => id === grant.id) as boolean;

    const { members } = (await api.get(`/members/${organizationId()}`, viewer.session)).body;
    expect(members).toContainEqual(expect.objectContaining({ id: guest.memberId, grants: [grant] }));
    expect((await listed(guest.session)).grants).toEqual([grant]);
    expect(await Promise.all([place.owner, admin, shopsAdmin].map(sees))).toEqual([true, true, true]);
    expect(await Promise.all([viewer, ledgersAdmin].map(sees))).toEqual([false, false]);
  });

  it('gives nothing in an environment that is deleted, and nothing in the next one with its slug', async () => {
    const place = await openWorkplace(api, scene.place.owner);
    const guest = await addMember('viewer');
    await give(guest, { in: place });
    const path = `${place.projectPath}/environments`;
    await expectStatus(api.delete(`${path}/production`, place.owner.session), 200);
    expect((await listed(guest.session)).grants).toEqual([]);
    const environment = { name: 'Production', slug: 'production', type: 'production' };
    await vi.waitFor(async () => expectStatus(api.post(path, environment, place.owner.session), 201), 10_000);

    expect(codeOf(await place.pull('production', '', { as: guest.session }))).toBe(forbidden);
    expect(codeOf(await giveAs(place.owner.session, guest, { in: place }))).toBe('404 environment_not_found');
  });
});

describe('for a limited member', () => {
  it('only the granted environment of the project exists, until the grant ends', async () => {
    const { place, ledger } = scene;
    const guest = await addLimited([{ projectId: ledger.id, role: 'developer' }]);
    const as = guest.session;
    const missing = '404 project_not_found';
    expect([await pull(as), await set(as)]).toEqual([missing, missing]);
    const clock = tellTime();
    const grant = await give(guest, { minutes: 10 });

    expect([await pull(as), await set(as)]).toEqual(['200 ok', forbidden]);
    expect([await pull(as, 'dev'), await pull(as, 'none')]).toEqual(Array(2).fill('404 environment_not_found'));
    const { projects } = (await api.get(`/projects/${organizationId()}`, as)).body;
    expect(projects.map(({ slug }: { slug: string }) => slug).toSorted()).toEqual(
      [ledger.slug, place.project.slug].toSorted(),
    );
    const { project } = (await api.get(place.projectPath, as)).body;
    expect(project.environments.map(({ slug }: { slug: string }) => slug)).toEqual(['production']);
    expect(codeOf(await api.get(place.at('production', '/compare?with=dev'), as))).toBe('404 environment_not_found');
    const promotion = { from: 'production', to: 'dev' };
    expect(codeOf(await place.promote(promotion, { as }))).toBe('404 environment_not_found');
    const template = `/templates/${place.owner.organization.slug}/${place.project.slug}`;
    expect(codeOf(await api.get(`${template}/validate/production`, as))).toBe('200 ok');
    expect(codeOf(await api.get(`${template}/validate/dev`, as))).toBe('404 environment_not_found');
    expect(codeOf(await api.post(`${place.projectPath}/environments`, { name: 'New' }, as))).toBe(forbidden);
    expect(codeOf(await api.patch(place.projectPath, { name: 'New' }, as))).toBe(forbidden);
    expect(codeOf(await api.get(`/audit/${organizationId()}/feed`, as))).toBe(forbidden);
    expect(codeOf(await api.get(`/audit/${organizationId()}?project=${place.project.id}`, as))).toBe(forbidden);

    clock.set(grant.expiresAt);
    expect([await pull(as), codeOf(await api.get(place.projectPath, as))]).toEqual([missing, missing]);
    expect((await api.get(`/projects/${organizationId()}`, as)).body.projects).toHaveLength(1);
  });

  it('neither the history nor a proposal names the environment that values came from', async () => {
    const place = await openWorkplace(api, scene.place.owner);
    const guest = await addLimited();
    for (const access of ['read', 'write']) await give(guest, { access, in: place });
    await place.set('dev', 'KEY', 'of dev');
    await expectStatus(place.promote({ from: 'dev', to: 'production' }), 200);
    await place.set('dev', 'KEY', 'of dev later');
    const proposals = place.at('production', '/proposals');
    await expectStatus(api.post(proposals, { promote: { from: 'dev' } }, place.owner.session), 201);
    const shownTo = async (as: Caller) => [
      (await expectStatus(api.get(place.at('production', '/revisions'), as), 200)).body.revisions[0],
      (await expectStatus(api.get(proposals, as), 200)).body.proposals[0],
    ];

    const [revision, proposal] = await shownTo(place.owner.session);
    const { from: source, ...changed } = revision;
    const { from, ...proposed } = proposal;
    expect([source.slug, from.slug]).toEqual(['dev', 'dev']);
    expect(await shownTo(guest.session)).toEqual([changed, proposed]);
  });

  it('a token can be limited to the granted environment, and has the access no longer than they do', async () => {
    const { place } = scene;
    const guest = await addLimited();
    const tokenFor = (env: string) => {
      const limits = { organizationId: organizationId(), projectId: place.project.id };
      const body = { name: 'x', access: 'read', ...limits, environmentId: place.environmentId(env) };
      return api.post('/auth/token', body, guest.session);
    };
    expect(codeOf(await tokenFor('production'))).toBe('404 project_not_found');
    const grant = await give(guest);

    const { token } = (await expectStatus(tokenFor('production'), 201)).body;
    expect(codeOf(await tokenFor('dev'))).toBe('404 environment_not_found');
    expect(await pull({ token })).toBe('200 ok');
    await expectStatus(revokeAs(place.owner.session, guest, grant.id), 200);
    expect(await pull({ token })).toBe('404 project_not_found');
  });
});

describe('giving a grant', () => {
  it('is up to owners, admins and the project’s admins, where their role is no lower', async () => {
    const { place, ledger, admin, viewer } = scene;
    const guest = await addMember('viewer');
    const shopsAdmin = await addLimited([{ projectId: place.project.id, role: 'admin' }]);
    const ledgersAdmin = await addLimited([{ projectId: ledger.id, role: 'admin' }]);
    const lowered = await addMember('admin');
    await setProjects(lowered, { limited: false, projectRoles: [{ projectId: place.project.id, role: 'developer' }] });
    const codes = (people: Person[], member = guest) =>
      Promise.all(people.map(async ({ session }) => codeOf(await giveAs(session, member))));

    expect(await codes([admin])).toEqual(['201 ok']);
    expect(await codes([shopsAdmin])).toEqual(['201 ok']);
    expect(await codes([viewer, lowered, ledgersAdmin])).toEqual([forbidden, forbidden, '404 environment_not_found']);
    // Nobody gives it to themselves, and only owners to owners and admins.
    expect(await codes([admin], admin)).toEqual([forbidden]);
    expect(await codes([shopsAdmin], shopsAdmin)).toEqual([forbidden]);
    expect(await codes([admin, shopsAdmin], lowered)).toEqual([forbidden, forbidden]);
    const { id } = (await expectStatus(giveAs(place.owner.session, lowered), 201)).body.grant;
    expect(codeOf(await revokeAs(admin.session, lowered, id))).toBe(forbidden);
    expect(codeOf(await revokeAs(viewer.session, lowered, id))).toBe(forbidden);
    expect(codeOf(await revokeAs(ledgersAdmin.session, lowered, id))).toBe('404 grant_not_found');
    expect(codeOf(await revokeAs(lowered.session, lowered, id))).toBe('200 ok');
  });

  it('does not let those who have one give it on', async () => {
    const guest = await addMember('viewer');
    const other = await addMember('viewer');
    await give(guest, { access: 'write' });

    expect(codeOf(await giveAs(guest.session, other))).toBe(forbidden);
    expect(codeOf(await giveAs(guest.session, guest))).toBe(forbidden);
  });

  it('is refused for what is not there, for a time out of range, and for more than 20 at a time', async () => {
    const { place, viewer } = scene;
    const foreign = await openWorkplace(api);
    const { owner } = place;
    const as = owner.session;
    const guest = await addMember('viewer');

    expect(codeOf(await giveAs(as, { memberId: randomUUID() }))).toBe('404 member_not_found');
    expect(codeOf(await giveAs(as, guest, { env: 'none' }))).toBe('400 invalid_request');
    expect(codeOf(await giveAs(as, guest, { in: foreign }))).toBe('404 environment_not_found');
    const code = async (minutes: number) => codeOf(await giveAs(as, guest, { minutes }));
    expect([await code(4), await code(1441), await code(5.5)]).toEqual(Array(3).fill('400 invalid_request'));
    expect([await code(5), await code(1440)]).toEqual(['201 ok', '201 ok']);
    expect(codeOf(await giveAs(as, guest, { access: 'full' }))).toBe('400 invalid_request');
    for (let grants = 2; grants < 20; grants += 1) await give(guest);
    expect(codeOf(await giveAs(as, guest))).toBe('409 grant_limit_reached');
    await expectStatus(giveAs(as, viewer, { env: 'staging' }), 201);
  });

  it('counts concurrent grants, so that nobody has more than 20', async () => {
    const guest = await addMember('viewer');
    for (let grants = 0; grants < 18; grants += 1) await give(guest);

    const answers = await Promise.all(Array.from({ length: 5 }, () => giveAs(scene.place.owner.session, guest)));

    expect(answers.map(codeOf).toSorted()).toEqual(['201 ok', '201 ok', ...Array(3).fill('409 grant_limit_reached')]);
    expect((await listed(guest.session)).grants).toHaveLength(20);
  });

  it('leaves the member’s other rights as they are, and a change of those leaves the grant', async () => {
    const { place, ledger } = scene;
    const guest = await addLimited([{ projectId: ledger.id, role: 'developer' }]);
    await give(guest);

    await setProjects(guest, { limited: true, projectRoles: [{ projectId: ledger.id, role: 'viewer' }] });

    expect(await pull(guest.session)).toBe('200 ok');
    const stored = await find(at(memberRecord, place.owner.organization.slug, guest.user.id));
    expect(stored).toMatchObject({ limited: true, projectRoles: [{ role: 'viewer' }], grants: [{ access: 'read' }] });
  });
});

describe('a request for access', () => {
  const idOf = async (answering: Promise<Answer>): Promise<string> =>
    (await expectStatus(answering, 201)).body.request.id;

  it('is shown to those who may answer it, who grant it from then on', async () => {
    const { place, admin, viewer } = scene;
    const guest = await addMember('viewer');
    const shopsAdmin = await addLimited([{ projectId: place.project.id, role: 'admin' }]);

    const { request } = (await expectStatus(ask(guest.session, { minutes: 30 }), 201)).body;

    expect(request).toMatchObject({ memberId: guest.memberId, email: guest.email, ...bodyOf({ minutes: 30 }) });
    for (const { session } of [guest, place.owner, admin, shopsAdmin]) {
      expect((await listed(session)).requests).toContainEqual(request);
    }
    expect((await listed(viewer.session)).requests).not.toContainEqual(request);
    expect(await pull(guest.session)).toBe(forbidden);

    const { grant } = (await expectStatus(answer(shopsAdmin.session, request.id, 'grant'), 201)).body;

    expect(grant).toMatchObject({ memberId: guest.memberId, access: 'read', createdBy: { id: shopsAdmin.user.id } });
    expect(Date.parse(grant.expiresAt) - Date.parse(grant.createdAt)).toBe(30 * 60_000);
    expect(await pull(guest.session)).toBe('200 ok');
    expect(await listed(guest.session)).toEqual({ grants: [grant], requests: [] });
    expect(codeOf(await answer(admin.session, request.id, 'grant'))).toBe('404 grant_not_found');
    const ofRequest = ({ details }: AuditEntry) => details?.request === request.id;
    const requested = (await entriesOf('grant.requested')).find(ofRequest);
    const created = (await entriesOf('grant.created')).find(ofRequest);
    expect(requested).toMatchObject({ actor: { id: guest.user.id }, details: { request: request.id, minutes: 30 } });
    expect(created).toMatchObject({
      actor: { id: shopsAdmin.user.id },
      target: { type: 'member', id: guest.memberId },
      details: { grant: grant.id, request: request.id, access: 'read', minutes: 30, reason: 'An incident' },
    });
  });

  it('can be refused, but neither granted nor seen by others, nor granted by its author', async () => {
    const { place, ledger, admin, viewer } = scene;
    const guest = await addMember('viewer');
    const ledgersAdmin = await addLimited([{ projectId: ledger.id, role: 'admin' }]);
    const id = await idOf(ask(guest.session));
    const lowered = await addMember('admin');
    await setProjects(lowered, { limited: false, projectRoles: [{ projectId: place.project.id, role: 'viewer' }] });
    const own = await idOf(ask(lowered.session));

    for (const how of ['grant', 'refuse'] as const) {
      expect(codeOf(await answer(guest.session, id, how))).toBe(forbidden);
      expect(codeOf(await answer(viewer.session, id, how))).toBe(forbidden);
      expect(codeOf(await answer(ledgersAdmin.session, id, how))).toBe('404 grant_not_found');
      expect(codeOf(await answer(lowered.session, id, how))).toBe('404 grant_not_found');
      expect(codeOf(await answer(admin.session, randomUUID(), how))).toBe('404 grant_not_found');
      expect(codeOf(await answer(lowered.session, own, how))).toBe(forbidden);
    }
    expect(codeOf(await answer(admin.session, own, 'grant'))).toBe(forbidden);

    await expectStatus(answer(admin.session, id, 'refuse'), 200);

    expect((await listed(guest.session)).requests).toEqual([]);
    expect(codeOf(await answer(admin.session, id, 'grant'))).toBe('404 grant_not_found');
    expect((await entriesOf('grant.refused'))[0]).toMatchObject({
      target: { id: guest.memberId },
      details: { request: id },
    });
  });

  it('is refused for environments that don’t exist for the member, and by identities', async () => {
    const { place, ledger } = scene;
    const guest = await addLimited([{ projectId: ledger.id, role: 'viewer' }]);
    const foreign = await openWorkplace(api);

    expect(codeOf(await ask(guest.session))).toBe('404 environment_not_found');
    expect(codeOf(await ask(guest.session, { in: foreign }))).toBe('404 environment_not_found');
    expect(codeOf(await ask(foreign.owner.session))).toBe('404 organization_not_found');
    await give(guest);
    expect(codeOf(await ask(guest.session, { access: 'write' }))).toBe('201 ok');
    expect(codeOf(await ask(guest.session, { env: 'dev' }))).toBe('404 environment_not_found');
    const { token } = await issueToPipeline(api, issuer, place.owner, {});
    expect(codeOf(await ask({ token }))).toMatch(/^40[34] /);
    expect(codeOf(await api.get(`/grants/${organizationId()}`, { token }))).toBe('200 ok');
  });

  it('is one of at most ten that are open, also of concurrent ones, and gone after a day', async () => {
    const { place, admin } = scene;
    const guest = await addMember('viewer');
    const clock = tellTime();
    const asked = await Promise.all(Array.from({ length: 12 }, () => ask(guest.session)));
    const open = asked.filter(({ status }) => status === 201);
    expect(asked.map(codeOf).toSorted()).toEqual([
      ...Array(10).fill('201 ok'),
      ...Array(2).fill('409 grant_limit_reached'),
    ]);
    expect((await listed(guest.session)).requests).toHaveLength(10);
    expect(codeOf(await ask(guest.session))).toBe('409 grant_limit_reached');
    await expectStatus(answer(admin.session, open[0]?.body.request.id, 'refuse'), 200);
    const last = await idOf(ask(guest.session));

    // DynamoDB removes items late.
    const [{ expiresAt }] = (await listed(guest.session)).requests.toReversed();
    clock.set(expiresAt);

    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(open[1]?.body.request.createdAt) + 86_400_000);
    expect((await find(at(grantRequestRecord, place.owner.organization.slug, guest.user.id, 0)))?.memberId).toBe(
      guest.memberId,
    );
    // Their sessions would have to be fresh.
    const [own, managing] = [await seedSession(guest), await seedSession(admin)];
    expect((await listed(own)).requests).toEqual([]);
    expect(codeOf(await answer(managing, last, 'grant'))).toBe('404 grant_not_found');
    expect(codeOf(await ask(own))).toBe('201 ok');
  });

  it('is mailed to each who may answer it, at most once an hour', async () => {
    const place = await openWorkplace(api);
    const { id } = place.owner.organization;
    const [guest, colleague] = [await seedPerson(), await seedPerson()];
    for (const person of [guest, colleague]) await join(api, place.owner, person, 'viewer');
    const body = { ...bodyOf({ in: place }), reason: 'See https://evil.example/x' };
    const mails = async () => (await api.mails()).filter(({ subject }) => subject.includes('asks for access'));
    const before = (await mails()).length;
    const clock = tellTime();

    await expectStatus(api.post(`/grants/${id}/requests`, body, guest.session), 201);
    await expectStatus(api.post(`/grants/${id}/requests`, body, colleague.session), 201);

    const sent = (await mails()).slice(before);
    expect(sent.map(({ to }) => to)).toEqual([place.owner.email]);
    expect(sent[0]?.text).toContain(`${place.project.slug}/production`);
    expect(sent[0]?.text).not.toContain('evil.example');
    clock.set(Date.now() + 3_601_000);
    await expectStatus(api.post(`/grants/${id}/requests`, body, guest.session), 201);
    expect(await mails()).toHaveLength(before + 2);
  });
});

describe('a request for access that can’t be mailed to everybody', () => {
  it('is mailed to all others who may answer it', async () => {
    const place = await openWorkplace(api);
    const { id, slug } = place.owner.organization;
    await transact([update(at(organizationRecord, slug), { set: { limitOverrides: { maxMembers: 100 } } })]);
    const guest = await seedPerson();
    await join(api, place.owner, guest, 'viewer');
    const managers: Person[] = [place.owner];
    // More than are mailed at once.
    while (managers.length < 12) managers.push(await place.member('admin'));
    const [first, ...others] = managers.toSorted((a, b) => (a.user.id < b.user.id ? -1 : 1));
    if (first === undefined) throw new Error('Nobody may answer it.');
    const member = at(memberRecord, slug, first.user.id);
    await transact([update(member, { set: { email: 'not an address' } }), renewAccess({ id, slug })]);

    await expectStatus(api.post(`/grants/${id}/requests`, bodyOf({ in: place }), guest.session), 201);

    const mails = (await api.mails()).filter(({ subject }) => subject.includes('asks for access'));
    const told = new Set(mails.map(({ to }) => to));
    expect(others.filter(({ email }) => !told.has(email)).map(({ email }) => email)).toEqual([]);
  });
});

describe('what was read under a grant', () => {
  it('says so also where seeing the environment is enough', async () => {
    const { place, viewer } = scene;
    const { slug } = place.owner.organization;
    const template = `/templates/${slug}/${place.project.slug}`;
    await expectStatus(api.post(template, { key: 'KEY', pattern: '[a-z ]+' }, place.owner.session), 201);
    const guest = await addLimited();
    const grant = await give(guest, { access: 'write' });
    for (const as of [guest.session, viewer.session]) {
      await expectStatus(api.get(`${template}/validate/production`, as), 200);
    }
    const entries = await entriesOf('environment.validated');
    const grantsOf = ({ user }: Person) => entries.find(({ actor }) => actor.id === user.id)?.grants;
    expect([grantsOf(guest), grantsOf(viewer)]).toEqual([[grant.id], undefined]);
  });

  it('is in the audit log and in the exposure, and what was read without one is not', async () => {
    const { place } = scene;
    const developer = await addMember('developer');
    const grant = await give(developer);
    await pull(developer.session, 'dev');
    await pull(developer.session);
    await place.set('production', 'WRITTEN', '1', { as: developer.session });

    const pulls = await entriesOf('secret.pulled');
    const own = pulls.filter(({ actor }) => actor.id === developer.user.id);
    expect(own.map(({ environment, grants }) => [environment?.slug, grants])).toEqual([
      ['production', [grant.id]],
      ['dev', undefined],
    ]);
    const query = `/audit/${organizationId()}/exposure?userId=${developer.user.id}`;
    const { exposures } = (await expectStatus(api.get(query, place.owner.session), 200)).body;
    const shown = exposures.map((one: { environment: { slug: string }; key: string; grants: string[] }) => [
      one.environment.slug,
      one.key,
      one.grants,
    ]);
    expect(shown).toContainEqual(['production', 'KEY', [grant.id]]);
    expect(shown).toContainEqual(['production', 'WRITTEN', []]);
    expect(shown).toContainEqual(['dev', 'KEY', []]);
    const readers = `/audit/${organizationId()}/exposure?environment=${place.environmentId('production')}&key=KEY`;
    const hasAccess = async () =>
      (await api.get(readers, place.owner.session)).body.readers.find(
        (reader: { actor: { id: string } }) => reader.actor.id === developer.user.id,
      ).hasAccess;
    expect(await hasAccess()).toBe(true);
    await expectStatus(revokeAs(place.owner.session, developer, grant.id), 200);
    expect(await hasAccess()).toBe(false);
  });
});
