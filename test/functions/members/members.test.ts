import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { invitationId } from '#lib/organizations/members/new-member.ts';
import { ranges } from '#lib/table/keys.ts';
import { at, find, list, queryItems } from '#lib/table/read.ts';
import { unpacked } from '#lib/table/records/audit.ts';
import { invitationRecord, organizationRecord } from '#lib/table/records/organization.ts';
import { put, transact, update } from '#lib/table/write.ts';
import { type Caller, codeOf, createToken, useApi } from '#test/support/api.ts';
import { atOnce } from '#test/support/at-once.ts';
import { shared } from '#test/support/fixtures.ts';
import { type Person, seedPerson } from '#test/support/people.ts';
import { join } from '#test/support/sample-requests.ts';

const api = useApi();
const stranger = shared(() => seedPerson({ name: 'Stranger' }));
const pathOf = ({ organization }: Person, rest = '') => `/members/${organization.id}${rest}`;
const newEmail = () => `${randomUUID()}@example.com`;
const invite = (inviter: Person, body: object = {}, to = inviter) =>
  api.post(pathOf(to, '/invite'), { email: newEmail(), role: 'developer', ...body }, inviter.session);
const accept = (token: string, as: Caller) => api.post(`/members/invite/${token}/accept`, {}, as);
const roster = async (person: Person) => (await api.get(pathOf(person), person.session)).body;
const counts = async (person: Person) => {
  const organization = await find(at(organizationRecord, person.organization.slug));
  return [organization?.memberCount, organization?.ownerCount, organization?.invitationCount];
};
const statusesOf = (answers: readonly { status: number }[]) => answers.map(({ status }) => status).toSorted();

async function addMember(owner: Person, role: string): Promise<Person & { path: string }> {
  const person = await seedPerson({ name: role });
  return { ...person, path: pathOf(owner, `/${(await join(api, owner, person, role)).id}`) };
}

const ownPath = async (owner: Person) => pathOf(owner, `/${(await roster(owner)).members[0].id}`);

const auditOf = async (person: Person, action: string) =>
  (await queryItems(ranges.audit(person.organization.id))).map(unpacked).filter(item => item.action === action);

describe('an invitation', () => {
  it('is listed as pending, sent with a link, and accepted by the user with its token', async () => {
    const owner = await seedPerson({ name: 'Owner <b>' });
    const email = `Grace.${newEmail()}`;

    const invited = await invite(owner, { email, role: 'admin' });

    expect(invited.status).toBe(201);
    const { invitation, token } = invited.body;
    expect(invitation).toEqual({
      id: expect.any(String),
      email,
      role: 'admin',
      limited: false,
      projectRoles: [],
      invitedBy: { id: owner.user.id, email: owner.email },
      createdAt: expect.any(String),
      expiresAt: new Date(Date.parse(invitation.createdAt) + 7 * 86_400_000).toISOString(),
    });
    expect((await roster(owner)).invitations).toEqual([invitation]);
    const mail = (await api.mails()).find(({ to }) => to === email);
    expect(mail?.text).toContain(`/accept-invitation#token=${token}`);

    const { status, body } = await accept(token, stranger.session);

    expect([status, body.organization]).toEqual([200, owner.organization]);
    expect(body.member).toMatchObject({ userId: stranger.user.id, email: stranger.email, role: 'admin' });
    const { members, invitations } = await roster(owner);
    expect([members, invitations]).toEqual([[expect.objectContaining({ role: 'owner' }), body.member], []]);
    expect(await counts(owner)).toEqual([2, 1, 0]);
    expect(await auditOf(owner, 'member.invited')).toHaveLength(1);
    expect(await auditOf(owner, 'member.joined')).toHaveLength(1);
  });

  it('makes one member when ten people accept concurrently', async () => {
    const owner = await seedPerson();
    const people = await atOnce(10, index => seedPerson({ name: `P${index}` }));
    const { token } = (await invite(owner)).body;

    const answers = await Promise.all(people.map(({ session }) => accept(token, session)));

    expect(answers.map(codeOf).toSorted()).toEqual(['200 ok', ...Array(9).fill('400 invalid_token')]);
    expect((await roster(owner)).members).toHaveLength(2);
    expect(await counts(owner)).toEqual([2, 1, 0]);
  });

  it('makes one member when one person accepts ten times concurrently', async () => {
    const [owner, person] = await Promise.all([seedPerson(), seedPerson()]);
    const { token } = (await invite(owner)).body;
    const [accepted, ...refused] = statusesOf(await atOnce(10, () => accept(token, person.session)));

    expect(accepted).toBe(200);
    for (const status of refused) expect([400, 409]).toContain(status);
    expect(await counts(owner)).toEqual([2, 1, 0]);
  });

  it('is replaced by a newer one for the same address, case-insensitively', async () => {
    const owner = await seedPerson();
    const email = `grace.${newEmail()}`;
    const older = (await invite(owner, { email })).body;

    const newer = await invite(owner, { email: email.toUpperCase(), role: 'viewer' });

    expect(newer.status).toBe(201);
    expect((await roster(owner)).invitations).toEqual([newer.body.invitation]);
    expect(codeOf(await accept(older.token, stranger.session))).toBe('400 invalid_token');
    expect((await accept(newer.body.token, stranger.session)).body.member.role).toBe('viewer');
    expect(await counts(owner)).toEqual([2, 1, 0]);
  });

  it('exists once, even if one address is invited five times concurrently', async () => {
    const owner = await seedPerson();
    const email = newEmail();

    expect(statusesOf(await atOnce(5, () => invite(owner, { email })))).toEqual(Array(5).fill(201));

    expect((await roster(owner)).invitations).toHaveLength(1);
    expect(await counts(owner)).toEqual([1, 1, 1]);
  });

  it('can be cancelled by its id, which invalidates its token', async () => {
    const owner = await seedPerson();
    const { invitation, token } = (await invite(owner)).body;

    const cancelled = await api.delete(pathOf(owner, `/${invitation.id}`), owner.session);

    expect(cancelled.body).toEqual({ success: true, left: { identities: [], webhooks: [] } });
    expect(codeOf(await accept(token, stranger.session))).toBe('400 invalid_token');
    expect((await roster(owner)).invitations).toEqual([]);
    expect(await counts(owner)).toEqual([1, 1, 0]);
    expect(await auditOf(owner, 'member.invitation_cancelled')).toHaveLength(1);
  });

  it('is rejected for an existing member, by address and by token', async () => {
    const owner = await seedPerson();
    const member = await addMember(owner, 'viewer');
    const { token } = (await invite(owner)).body;

    expect(codeOf(await invite(owner, { email: member.email.toUpperCase() }))).toBe('409 already_member');
    expect(codeOf(await accept(token, member.session))).toBe('409 already_member');
    expect((await accept(token, stranger.session)).status).toBe(200);
  });

  it('never grants more than the inviter has', async () => {
    const owner = await seedPerson();
    const admin = await addMember(owner, 'admin');

    expect(codeOf(await invite(admin, { role: 'owner' }, owner))).toBe('403 forbidden');
    expect(codeOf(await invite(admin, { role: 'admin' }, owner))).toBe('201 ok');
  });

  it.each(['x'.repeat(60), 'junk', '%2F'])('is not found by the token %s', async token => {
    expect(codeOf(await accept(token, stranger.session))).toBe('400 invalid_token');
  });
});

describe('the member limit', () => {
  async function ownerWithLimit(maxMembers: number): Promise<Person> {
    const owner = await seedPerson();
    const item = at(organizationRecord, owner.organization.slug);
    await transact([update(item, { set: { limitOverrides: { maxMembers } } })]);
    return owner;
  }

  async function expire({ organization }: Person, email: string) {
    const item = at(invitationRecord, organization.slug, invitationId(organization.id, email));
    await transact([update(item, { set: { expiryDate: new Date(Date.now() - 1000).toISOString() } })]);
  }

  it('counts pending invitations, holds for ten concurrent invitations, and reports the usage', async () => {
    const owner = await ownerWithLimit(4);
    await addMember(owner, 'viewer');

    const answers = await atOnce(10, () => invite(owner));

    expect(statusesOf(answers)).toEqual([201, 201, ...Array(8).fill(402)]);
    for (const { body } of answers.filter(({ status }) => status === 402)) {
      const details = { limit: 'maxMembers', value: 4, used: 4 };
      expect(body.error).toMatchObject({ code: 'plan_limit_exceeded', details });
    }
    expect(await counts(owner)).toEqual([2, 1, 2]);
  });

  it('does not prevent accepting or replacing an invitation', async () => {
    const owner = await ownerWithLimit(2);
    const email = newEmail();
    await invite(owner, { email });

    const replaced = await invite(owner, { email });

    expect([replaced.status, (await invite(owner)).status]).toEqual([201, 402]);
    expect((await accept(replaced.body.token, stranger.session)).status).toBe(200);
  });

  it('ignores expired invitations, which are not shown and cannot be accepted', async () => {
    const owner = await ownerWithLimit(2);
    const old = (await invite(owner)).body;
    await expire(owner, old.invitation.email);

    expect(codeOf(await accept(old.token, stranger.session))).toBe('400 invalid_token');
    expect((await roster(owner)).invitations).toEqual([]);
    const cancelled = await api.delete(pathOf(owner, `/${old.invitation.id}`), owner.session);
    expect(codeOf(cancelled)).toBe('404 member_not_found');

    expect((await invite(owner)).status).toBe(201);
    expect(await counts(owner)).toEqual([1, 1, 1]);
    expect((await invite(owner)).status).toBe(402);
  });

  it('counts an expired invitation again when the same address is invited again', async () => {
    const owner = await ownerWithLimit(2);
    const { email } = (await invite(owner)).body.invitation;
    await expire(owner, email);
    await invite(owner);

    expect((await invite(owner, { email })).status).toBe(402);
    expect(await counts(owner)).toEqual([1, 1, 1]);
  });

  it('loses all of its expired invitations with the next one, so that none can count again later', async () => {
    const owner = await ownerWithLimit(3);
    const { id, slug } = owner.organization;
    const expiryDate = new Date(Date.now() - 1000).toISOString();
    const old = Array.from({ length: 95 }, (_, index) => {
      const email = `old-${index}@example.com`;
      const invitedBy = { id: owner.user.id, email: owner.email };
      const invitation = { id: invitationId(id, email), email, role: 'viewer' as const, invitedBy };
      const item = at(invitationRecord, slug, invitation.id);
      return put(item, { ...invitation, hash: `${index}`, createdAt: expiryDate, expiryDate });
    });
    await transact([...old, update(at(organizationRecord, slug), { add: { invitationCount: old.length } })]);

    expect((await invite(owner)).status).toBe(201);
    expect(await counts(owner)).toEqual([1, 1, 1]);
    expect(await list(invitationRecord, { pk: `ORG#${slug}`, beginsWith: 'INVITATION#' })).toHaveLength(1);
  });
});

describe('a role', () => {
  it('is changed by an owner and applies from the next request on, including tokens', async () => {
    const owner = await seedPerson();
    const person = await addMember(owner, 'viewer');
    const token = await createToken(api, person, { organizationId: owner.organization.id });
    const auditStatus = async () => (await api.get(`/audit/${owner.organization.id}`, token)).status;
    expect(await auditStatus()).toBe(403);

    const changed = await api.patch(person.path, { role: 'admin' }, owner.session);

    expect([changed.status, changed.body.member.role]).toEqual([200, 'admin']);
    expect(await auditStatus()).toBe(200);
    expect(await auditOf(owner, 'member.role_changed')).toHaveLength(1);
    await api.patch(person.path, { role: 'admin' }, owner.session);
    expect(await auditOf(owner, 'member.role_changed')).toHaveLength(1);
  });

  it('can’t be taken from the last owner', async () => {
    const owner = await seedPerson();
    const path = await ownPath(owner);

    expect(codeOf(await api.patch(path, { role: 'admin' }, owner.session))).toBe('409 last_owner');
    expect(codeOf(await api.delete(path, owner.session))).toBe('409 last_owner');
    expect(await counts(owner)).toEqual([1, 1, 0]);
  });

  it.each(['demote', 'remove'])('leaves one owner when two %s each other concurrently', async how => {
    for (let round = 0; round < 5; round += 1) {
      const first = await seedPerson();
      const second = await addMember(first, 'owner');
      const end = (path: string, { session }: Person) =>
        how === 'demote' ? api.patch(path, { role: 'developer' }, session) : api.delete(path, session);

      const answers = await Promise.all([end(second.path, first), end(await ownPath(first), second)]);

      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(await counts(first)).toEqual([how === 'demote' ? 2 : 1, 1, 0]);
      if (how === 'remove') continue;
      const { members } = await roster(first);
      expect(members.filter(({ role }: { role: string }) => role === 'owner')).toHaveLength(1);
    }
  });

  it('is not changed for an invitation, an unknown id or a member of another organization', async () => {
    const owner = await seedPerson();
    const { invitation } = (await invite(owner)).body;
    const foreign = (await roster(stranger)).members[0].id;

    for (const id of [invitation.id, randomUUID(), foreign, 'nonsense']) {
      const answer = await api.patch(pathOf(owner, `/${id}`), { role: 'viewer' }, owner.session);
      expect(codeOf(answer)).toBe('404 member_not_found');
    }
  });
});

describe('removing a member', () => {
  it('ends access from the next request on and permanently revokes the organization’s tokens', async () => {
    const owner = await seedPerson();
    const person = await addMember(owner, 'developer');
    const bound = await createToken(api, person, { organizationId: owner.organization.id });
    const free = await createToken(api, person);
    const projects = async (as: Caller) => codeOf(await api.get(`/projects/${owner.organization.id}`, as));

    const removed = await api.delete(person.path, owner.session);

    expect(removed.body).toEqual({ success: true, left: { identities: [], webhooks: [] } });
    for (const as of [person.session, free]) expect(await projects(as)).toBe('404 organization_not_found');
    expect(await projects(bound)).toMatch(/^401/);
    expect((await api.get('/auth/me', bound)).status).toBe(401);
    const me = (await api.get('/auth/me', person.session)).body;
    expect(me.organizations.map(({ id }: { id: string }) => id)).toEqual([person.organization.id]);
    expect((await api.get('/auth/tokens', person.session)).body.tokens).toHaveLength(1);

    await join(api, owner, person);
    expect(await projects(person.session)).toBe('200 ok');
    expect(await projects(bound)).toMatch(/^401/);
    expect(await counts(owner)).toEqual([2, 1, 0]);
  });

  it('is forbidden for an admin removing an owner, but allowed for another admin', async () => {
    const owner = await seedPerson();
    const [admin, other] = [await addMember(owner, 'admin'), await addMember(owner, 'admin')];
    const remove = async (path: string) => codeOf(await api.delete(path, admin.session));

    expect(await remove(await ownPath(owner))).toBe('403 forbidden');
    expect(await remove(other.path)).toBe('200 ok');
    expect(await remove(admin.path)).toBe('200 ok');
    expect((await api.get(pathOf(owner), admin.session)).status).toBe(404);
  });

  it('removes once, even with five concurrent requests', async () => {
    const owner = await seedPerson();
    const { path } = await addMember(owner, 'viewer');

    expect(statusesOf(await atOnce(5, () => api.delete(path, owner.session)))).toEqual([200, 404, 404, 404, 404]);
    expect(await counts(owner)).toEqual([1, 1, 0]);
  });
});
