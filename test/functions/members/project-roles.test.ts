import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { gainsRights, mayGive } from '#lib/contracts/fields/member-rights.ts';
import { type MemberRights, roleInProject } from '#lib/contracts/fields/role-in-project.ts';
import { ranges } from '#lib/table/keys.ts';
import { at, find, queryItems } from '#lib/table/read.ts';
import { unpacked } from '#lib/table/records/audit.ts';
import { memberRecord } from '#lib/table/records/organization.ts';
import { type Caller, codeOf, createProject, createToken, startApi, useApi } from '#test/support/api.ts';
import { shared } from '#test/support/fixtures.ts';
import { identityOf } from '#test/support/issuer.ts';
import { type Person, seedPerson } from '#test/support/people.ts';
import { expectStatus, join } from '#test/support/sample-requests.ts';
import { allItems } from '#test/support/table-dump.ts';

const api = useApi(() => startApi({ REQUESTS_PER_MINUTE: '100000' }));

interface Project {
  id: string;
  slug: string;
}

interface Member extends Person {
  memberId: string;
}

async function addMember(owner: Person, role: string): Promise<Member> {
  const person = await seedPerson({ name: role });
  return { ...person, memberId: (await join(api, owner, person, role)).id };
}

/** An organization with two projects. */
const scene = shared(async () => {
  const owner = await seedPerson({ emailVerified: true });
  const [shop, ledger] = [await createProject(api, owner, 'Shop'), await createProject(api, owner, 'Ledger')];
  const [admin, developer] = [await addMember(owner, 'admin'), await addMember(owner, 'developer')];
  return { owner, shop, ledger, admin, developer };
});

const set = (as: Person, { memberId }: { memberId: string }, body: object, owner = scene.owner) =>
  api.put(
    `/members/${owner.organization.id}/${memberId}/projects`,
    { limited: false, projectRoles: [], ...body },
    as.session,
  );
const roleIn = ({ id: projectId }: Project, role: string) => ({ projectId, role });
const pull = ({ organization }: Person, { slug }: Project, env: string, as: Person) =>
  api.get(`/secrets/${organization.slug}/${slug}/${env}`, as.session);
const auditOf = async ({ organization }: Person, action: string) =>
  (await queryItems(ranges.audit(organization.id))).map(unpacked).filter(item => item.action === action);

describe('the role in a project', () => {
  const member: MemberRights = { role: 'developer', projectRoles: [{ projectId: 'shop', role: 'viewer' }] };
  const admin: MemberRights = { role: 'admin' };

  it('counts instead of the organization’s, and for a limited member the other projects do not exist', () => {
    expect(roleInProject(member, 'shop')).toEqual({ role: 'viewer', source: 'project' });
    expect(roleInProject(member, 'ledger')).toEqual({ role: 'developer', source: 'organization' });
    expect(roleInProject({ ...member, limited: true }, 'ledger')).toBeUndefined();
  });

  it('is given by those who have it', () => {
    const lowered: MemberRights = { role: 'admin', projectRoles: [{ projectId: 'shop', role: 'viewer' }] };

    expect(mayGive(admin, { role: 'viewer', projectRoles: [{ projectId: 'shop', role: 'admin' }] })).toBe(true);
    expect(mayGive(lowered, { role: 'developer' })).toBe(false);
    expect(mayGive(lowered, member)).toBe(true);
    expect(mayGive(lowered, { role: 'developer' }, { role: 'developer' })).toBe(true);
    expect(mayGive(lowered, { ...member, projectRoles: [] }, member)).toBe(false);
    expect(
      mayGive(lowered, { role: 'viewer', limited: true, projectRoles: [{ projectId: 'ledger', role: 'admin' }] }),
    ).toBe(true);
  });

  it('can grow and shrink in one change', () => {
    const limited: MemberRights = {
      role: 'viewer',
      limited: true,
      projectRoles: [{ projectId: 'shop', role: 'admin' }],
    };

    expect([gainsRights(member, limited), gainsRights(limited, member)]).toEqual([true, true]);
    expect([gainsRights(member, { role: 'developer' }), gainsRights({ role: 'developer' }, member)]).toEqual([
      true,
      false,
    ]);
  });
});

describe('setting a member’s roles in projects', () => {
  it('counts with the next request, also of a token, and is shown and recorded', async () => {
    const { owner, shop, ledger } = scene;
    const guest = await addMember(owner, 'viewer');
    const token = await createToken(api, guest, { organizationId: owner.organization.id });
    const by = (as: Caller) => api.get(`/secrets/${owner.organization.slug}/${shop.slug}/production`, as);
    expect([codeOf(await by(guest.session)), codeOf(await by(token))]).toEqual(['403 forbidden', '403 forbidden']);

    const answer = await set(owner, guest, { limited: true, projectRoles: [roleIn(shop, 'admin')] });

    const inShop = { projectId: shop.id, slug: shop.slug, role: 'admin' };
    const rights = { limited: true, projectRoles: [inShop] };
    expect([answer.status, answer.body.member]).toEqual([
      200,
      expect.objectContaining({
        role: 'viewer',
        byRules: false,
        limited: true,
        projectRoles: [{ ...inShop, byRules: false }],
      }),
    ]);
    expect([codeOf(await by(guest.session)), codeOf(await by(token))]).toEqual(['200 ok', '200 ok']);
    expect(codeOf(await pull(owner, ledger, 'dev', guest))).toBe('404 project_not_found');
    const { members } = (await api.get(`/members/${owner.organization.id}`, owner.session)).body;
    expect(members).toContainEqual(answer.body.member);
    const { organizations } = (await api.get('/auth/me', guest.session)).body;
    expect(organizations).toContainEqual(
      expect.objectContaining({ id: owner.organization.id, role: 'viewer', ...rights }),
    );
    const entries = await auditOf(owner, 'member.projects_changed');
    expect(entries.at(-1)).toMatchObject({
      target: { type: 'member', id: guest.memberId },
      details: {
        from: { limited: false, projectRoles: '' },
        to: { limited: true, projectRoles: `${shop.slug}: admin` },
      },
    });
    await expectStatus(set(owner, guest, { limited: true, projectRoles: [roleIn(shop, 'admin')] }), 200);
    expect(await auditOf(owner, 'member.projects_changed')).toHaveLength(entries.length);

    await expectStatus(set(owner, guest, {}), 200);

    expect(codeOf(await by(guest.session))).toBe('403 forbidden');
    expect(await find(at(memberRecord, owner.organization.slug, guest.user.id))).not.toHaveProperty('projectRoles');
  });

  it('shows a limited member nothing of the organization but its name, and can’t be undone by them', async () => {
    const { owner, shop } = scene;
    const guest = await addMember(owner, 'developer');
    await expectStatus(set(owner, guest, { limited: true, projectRoles: [roleIn(shop, 'viewer')] }), 200);
    const { id } = owner.organization;

    const paths = [`/members/${id}`, `/billing/${id}`, `/audit/${id}`, `/webhooks/${id}`, `/identities/${id}`];
    for (const path of paths)
      expect([path, codeOf(await api.get(path, guest.session))]).toEqual([path, '403 forbidden']);
    const { organizations } = (await api.get('/auth/me', guest.session)).body;
    const seen = organizations.find((one: { id: string }) => one.id === id);
    expect(seen).toMatchObject({ name: expect.any(String), memberId: guest.memberId });
    expect(Object.keys(seen)).not.toEqual(expect.arrayContaining(['plan']));
    expect(Object.keys(seen)).not.toEqual(expect.arrayContaining(['limitOverrides']));
    expect(codeOf(await set(guest, guest, {}))).toBe('403 forbidden');
    await expectStatus(api.delete(`/members/${id}/me`, guest.session), 200);
  });

  it('is refused for oneself, for owners by admins, for managers who would be limited, and for unknown projects', async () => {
    const { owner, admin, shop } = scene;
    const { members } = (await api.get(`/members/${owner.organization.id}`, owner.session)).body;
    const [{ id: memberId }] = members;
    const other = await addMember(owner, 'admin');
    const roles = { projectRoles: [roleIn(shop, 'viewer')] };

    expect(codeOf(await set(owner, { memberId }, roles))).toBe('403 forbidden');
    expect(codeOf(await set(admin, { memberId }, roles))).toBe('403 forbidden');
    expect(codeOf(await set(admin, other, roles))).toBe('403 forbidden');
    expect(codeOf(await set(owner, other, { limited: true }))).toBe('400 invalid_request');
    const unknown = { projectRoles: [{ projectId: randomUUID(), role: 'viewer' }] };
    expect(codeOf(await set(owner, other, unknown))).toBe('404 project_not_found');
    const twice = { projectRoles: [roleIn(shop, 'viewer'), roleIn(shop, 'admin')] };
    expect(codeOf(await set(owner, other, twice))).toBe('400 invalid_request');
    expect(codeOf(await set(owner, { memberId: randomUUID() }, roles))).toBe('404 member_not_found');
    expect((await set(owner, other, roles)).status).toBe(200);
    const { developer } = scene;
    expect(codeOf(await set(other, developer, { projectRoles: [roleIn(shop, 'admin')] }))).toBe('403 forbidden');
    expect(codeOf(await set(other, developer, roles))).toBe('200 ok');
  });

  it('ends with the limit when somebody becomes an admin, whose role in a project stays', async () => {
    const { owner, shop, ledger } = scene;
    const guest = await addMember(owner, 'viewer');
    await expectStatus(set(owner, guest, { limited: true, projectRoles: [roleIn(shop, 'viewer')] }), 200);

    const path = `/members/${owner.organization.id}/${guest.memberId}`;
    const { member } = (await expectStatus(api.patch(path, { role: 'admin' }, owner.session), 200)).body;

    expect(member).toMatchObject({
      role: 'admin',
      limited: false,
      projectRoles: [{ slug: shop.slug, role: 'viewer' }],
    });
    expect(codeOf(await pull(owner, ledger, 'production', guest))).toBe('200 ok');
    expect(codeOf(await pull(owner, shop, 'production', guest))).toBe('403 forbidden');
  });

  it('makes an item that an earlier version rejects, and lists what it takes away', async () => {
    const { owner, shop } = scene;
    const guest = await addMember(owner, 'developer');

    await expectStatus(set(owner, guest, { projectRoles: [roleIn(shop, 'viewer')] }), 200);

    const items = await allItems();
    const item = items.find(({ kind, id }) => kind === 'member' && id === guest.memberId);
    expect(item).toMatchObject({ v: 2, projectRoles: [{ projectId: shop.id, slug: shop.slug, role: 'viewer' }] });
    const revocations = items.filter(({ kind }) => kind === 'revocation').flatMap(({ changed }) => changed as object[]);
    expect(revocations).toContainEqual({ pk: item?.pk, sk: item?.sk });
  });
});

describe('a project’s admin', () => {
  it('sees only the identities and audit entries of the project', async () => {
    const { owner, shop, ledger } = scene;
    const { id } = owner.organization;
    const guest = await addMember(owner, 'viewer');
    await expectStatus(set(owner, guest, { limited: true, projectRoles: [roleIn(shop, 'admin')] }), 200);
    const issuer = { url: 'https://issuer.example.com' };
    const create = async (projectId?: string) => {
      const body = identityOf(issuer, projectId === undefined ? {} : { projectId });
      return (await expectStatus(api.post(`/identities/${id}`, body, owner.session), 201)).body.identity.id;
    };
    const [, , own] = [await create(), await create(ledger.id), await create(shop.id)];

    const { identities } = (await api.get(`/identities/${id}`, guest.session)).body;
    const { entries, pagination } = (await api.get(`/audit/${id}?project=${shop.id}&limit=500`, guest.session)).body;

    expect(identities.map((identity: { id: string }) => identity.id)).toEqual([own]);
    expect(entries.length).toBeGreaterThan(0);
    expect(pagination.total).toBe(entries.length);
    const all = (await api.get(`/audit/${id}?limit=500`, owner.session)).body.entries;
    expect(all.length).toBeGreaterThan(entries.length);
    expect(JSON.stringify(entries)).not.toContain(ledger.id);
  });
});

describe('a role in a project that is deleted', () => {
  it('gives nothing and is not shown, even if another project gets its slug', async () => {
    const owner = await seedPerson({ emailVerified: true });
    const old = await createProject(api, owner, 'Shop');
    const guest = await addMember(owner, 'viewer');
    await expectStatus(set(owner, guest, { limited: true, projectRoles: [roleIn(old, 'admin')] }, owner), 200);
    const { id } = owner.organization;
    await expectStatus(api.delete(`/projects/${id}/${old.slug}`, owner.session), 200);
    const replaced = await createProject(api, owner, 'Shop');
    expect([replaced.slug, replaced.id === old.id]).toEqual([old.slug, false]);

    expect(codeOf(await pull(owner, replaced, 'dev', guest))).toBe('404 project_not_found');
    expect((await api.get(`/projects/${id}`, guest.session)).body.projects).toEqual([]);
    expect(codeOf(await api.get(`/audit/${id}?project=${old.id}`, guest.session))).toMatch(/^40[34] /);
    expect((await api.get(`/identities/${id}`, guest.session)).body.identities).toEqual([]);
    const { organizations } = (await api.get('/auth/me', guest.session)).body;
    expect(organizations).toContainEqual(expect.objectContaining({ id, limited: true, projectRoles: [] }));
    const { members } = (await api.get(`/members/${id}`, owner.session)).body;
    expect(members).toContainEqual(expect.objectContaining({ id: guest.memberId, projectRoles: [] }));
  });
});

describe('an invitation', () => {
  it('gives roles in projects, of which nobody gives more than they have', async () => {
    const { owner, shop, ledger, admin } = scene;
    const guest = await seedPerson();
    const { id } = owner.organization;
    const body = { email: guest.email, role: 'viewer', limited: true, projectRoles: [roleIn(shop, 'admin')] };

    const { invitation, token } = (await expectStatus(api.post(`/members/${id}/invite`, body, admin.session), 201))
      .body;

    const rights = { limited: true, projectRoles: [{ projectId: shop.id, slug: shop.slug, role: 'admin' }] };
    expect(invitation).toMatchObject(rights);
    const { member } = (await expectStatus(api.post(`/members/invite/${token}/accept`, {}, guest.session), 200)).body;
    expect(member).toMatchObject({ role: 'viewer', ...rights });
    expect(codeOf(await pull(owner, shop, 'production', guest))).toBe('200 ok');
    expect(codeOf(await pull(owner, ledger, 'dev', guest))).toBe('404 project_not_found');
    const email = `${randomUUID()}@example.com`;
    expect(codeOf(await api.post(`/members/${id}/invite`, { ...body, email, role: 'admin' }, owner.session))).toBe(
      '400 invalid_request',
    );
  });

  it('can’t be accepted after its inviter has lost the role in the project that it gives', async () => {
    const owner = await seedPerson({ emailVerified: true });
    const shop = await createProject(api, owner, 'Shop');
    const [inviter, guest] = [await addMember(owner, 'admin'), await seedPerson()];
    const path = `/members/${owner.organization.id}/invite`;
    const body = { email: guest.email, role: 'viewer', projectRoles: [roleIn(shop, 'developer')] };
    const { token } = (await expectStatus(api.post(path, body, inviter.session), 201)).body;
    await expectStatus(set(owner, inviter, { projectRoles: [roleIn(shop, 'viewer')] }, owner), 200);

    expect(codeOf(await api.post(`/members/invite/${token}/accept`, {}, guest.session))).toBe('400 invalid_token');
    const again = { ...body, email: `${randomUUID()}@example.com` };
    expect(codeOf(await api.post(path, again, inviter.session))).toBe('403 forbidden');
  });
});
