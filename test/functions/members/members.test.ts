import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { invitationId } from '#lib/organizations/members/new-member.ts';
import { ranges } from '#lib/table/keys.ts';
import { at, find, list, queryItems } from '#lib/table/read.ts';
import { invitationRecord, organizationRecord } from '#lib/table/records/organization.ts';
import { put, transact, update } from '#lib/table/write.ts';
import { type Caller, createToken, startApi } from '#test/support/api.ts';
import { shared } from '#test/support/fixtures.ts';
import { type Person, seedPerson } from '#test/support/people.ts';

const api = shared(startApi);
const stranger = shared(() => seedPerson({ name: 'Stranger' }));

const invite = (organization: { id: string }, as: Caller, body: object = {}) =>
  api.post(
    `/members/${organization.id}/invite`,
    { email: `${randomUUID()}@example.com`, role: 'developer', ...body },
    as,
  );
const accept = (token: string, as: Caller) => api.post(`/members/invite/${token}/accept`, {}, as);
const roster = async (person: Person) => (await api.get(`/members/${person.organization.id}`, person.session)).body;
const counts = async (person: Person) => {
  const organization = await find(at(organizationRecord, person.organization.slug));
  return [organization?.memberCount, organization?.ownerCount, organization?.invitationCount];
};

/** Adds a new person with a role. */
async function join(owner: Person, role: string, name = role): Promise<Person & { memberId: string }> {
  const [person, invitation] = await Promise.all([
    seedPerson({ name: name }),
    invite(owner.organization, owner.session, { role }),
  ]);
  const accepted = await accept(invitation.body.token, person.session);
  if (accepted.status !== 200) throw new Error(`Joining failed: ${JSON.stringify(accepted.body)}`);
  return { ...person, memberId: accepted.body.member.id };
}

const auditOf = async (person: Person, action: string) =>
  (await queryItems(ranges.audit(person.organization.id))).filter(item => item.action === action);

describe('an invitation', () => {
  it('is listed as pending, sent with a link, and accepted by the user with its token', async () => {
    const owner = await seedPerson({ name: 'Owner <b>' });
    const email = `Grace.${randomUUID()}@example.com`;

    const invited = await invite(owner.organization, owner.session, { email, role: 'admin' });

    expect(invited.status).toBe(201);
    const { invitation, token } = invited.body;
    expect(invitation).toEqual({
      id: expect.any(String),
      email,
      role: 'admin',
      invitedBy: { id: owner.user.id, email: owner.email },
      createdAt: expect.any(String),
      expiresAt: new Date(Date.parse(invitation.createdAt) + 7 * 86_400_000).toISOString(),
    });
    expect((await roster(owner)).invitations).toEqual([invitation]);
    const mail = (await api.mails()).find(({ to }) => to === email);
    expect(mail?.text).toContain(`/accept-invitation#token=${token}`);

    const accepted = await accept(token, stranger.session);

    expect(accepted.status).toBe(200);
    expect(accepted.body.organization).toEqual(owner.organization);
    expect(accepted.body.member).toMatchObject({ userId: stranger.user.id, email: stranger.email, role: 'admin' });
    const after = await roster(owner);
    expect(after.members.map(({ role }: { role: string }) => role)).toEqual(['owner', 'admin']);
    expect(after.members[1]).toEqual(accepted.body.member);
    expect(after.invitations).toEqual([]);
    expect(await counts(owner)).toEqual([2, 1, 0]);
    expect(await auditOf(owner, 'member.invited')).toHaveLength(1);
    expect(await auditOf(owner, 'member.joined')).toHaveLength(1);
  });

  it('makes one member when ten people accept concurrently', async () => {
    const owner = await seedPerson();
    const people = [];
    for (let index = 0; index < 10; index += 1) people.push(await seedPerson({ name: `P${index}` }));
    const { token } = (await invite(owner.organization, owner.session)).body;

    const answers = await Promise.all(people.map(({ session }) => accept(token, session)));

    const codes = answers.map(({ status, body }) => body.error?.code ?? status);
    expect(codes.filter(code => code === 200)).toHaveLength(1);
    expect(codes.filter(code => code === 'invalid_token')).toHaveLength(9);
    expect((await roster(owner)).members).toHaveLength(2);
    expect(await counts(owner)).toEqual([2, 1, 0]);
  });

  it('makes one member when one person accepts ten times concurrently', async () => {
    const [owner, person] = await Promise.all([seedPerson(), seedPerson()]);
    const { token } = (await invite(owner.organization, owner.session)).body;

    const answers = await Promise.all(Array.from({ length: 10 }, () => accept(token, person.session)));

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => [400, 409].includes(status))).toHaveLength(9);
    expect(await counts(owner)).toEqual([2, 1, 0]);
  });

  it('is replaced by a newer one for the same address, case-insensitively', async () => {
    const owner = await seedPerson();
    const email = `grace.${randomUUID()}@example.com`;
    const older = (await invite(owner.organization, owner.session, { email })).body;

    const newer = await invite(owner.organization, owner.session, { email: email.toUpperCase(), role: 'viewer' });

    expect(newer.status).toBe(201);
    expect((await roster(owner)).invitations).toEqual([newer.body.invitation]);
    expect((await accept(older.token, stranger.session)).body.error.code).toBe('invalid_token');
    expect((await accept(newer.body.token, stranger.session)).body.member.role).toBe('viewer');
    expect(await counts(owner)).toEqual([2, 1, 0]);
  });

  it('exists once, even if one address is invited five times concurrently', async () => {
    const owner = await seedPerson();
    const email = `${randomUUID()}@example.com`;

    const answers = await Promise.all(
      Array.from({ length: 5 }, () => invite(owner.organization, owner.session, { email })),
    );

    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    expect((await roster(owner)).invitations).toHaveLength(1);
    expect(await counts(owner)).toEqual([1, 1, 1]);
  });

  it('can be cancelled by its id, which invalidates its token', async () => {
    const owner = await seedPerson();
    const { invitation, token } = (await invite(owner.organization, owner.session)).body;

    const cancelled = await api.delete(`/members/${owner.organization.id}/${invitation.id}`, owner.session);

    expect(cancelled.body).toEqual({ success: true, left: { identities: [], webhooks: [] } });
    expect((await accept(token, stranger.session)).body.error.code).toBe('invalid_token');
    expect((await roster(owner)).invitations).toEqual([]);
    expect(await counts(owner)).toEqual([1, 1, 0]);
    expect(await auditOf(owner, 'member.invitation_cancelled')).toHaveLength(1);
  });

  it('is rejected for an existing member, by address and by token', async () => {
    const owner = await seedPerson();
    const member = await join(owner, 'viewer');

    const byAddress = await invite(owner.organization, owner.session, { email: member.email.toUpperCase() });
    const { token } = (await invite(owner.organization, owner.session)).body;
    const byToken = await accept(token, member.session);

    expect([byAddress.status, byAddress.body.error.code]).toEqual([409, 'already_member']);
    expect([byToken.status, byToken.body.error.code]).toEqual([409, 'already_member']);
    expect((await accept(token, stranger.session)).status).toBe(200);
  });

  it('never grants more than the inviter has', async () => {
    const owner = await seedPerson();
    const admin = await join(owner, 'admin');

    const above = await invite(owner.organization, admin.session, { role: 'owner' });
    const equal = await invite(owner.organization, admin.session, { role: 'admin' });

    expect([above.status, above.body.error.code]).toEqual([403, 'forbidden']);
    expect(equal.status).toBe(201);
  });

  it('requires a signed-in user, with a session or an unlimited full token', async () => {
    const [owner, person] = await Promise.all([seedPerson(), seedPerson()]);
    const { token } = (await invite(owner.organization, owner.session)).body;

    expect((await accept(token, undefined)).status).toBe(401);
    const limited = await createToken(api, person, { organizationId: person.organization.id });
    expect((await accept(token, limited)).body.error.code).toBe('insufficient_scope');
    const reading = await createToken(api, person, { access: 'read' });
    expect((await accept(token, reading)).body.error.code).toBe('insufficient_scope');
    expect((await accept(token, await createToken(api, person))).status).toBe(200);
  });

  it.each(['x'.repeat(60), 'junk', '%2F'])('is not found by the token %s', async token => {
    const answer = await accept(token, stranger.session);

    expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_token']);
  });
});

describe('the member limit', () => {
  it('counts pending invitations, holds for ten concurrent invitations, and reports the usage', async () => {
    const owner = await seedPerson();
    await setLimit(owner, 4);
    await join(owner, 'viewer');

    const answers = await Promise.all(Array.from({ length: 10 }, () => invite(owner.organization, owner.session)));

    expect(answers.filter(({ status }) => status === 201)).toHaveLength(2);
    const refused = answers.filter(({ status }) => status === 402);
    expect(refused).toHaveLength(8);
    for (const { body } of refused) {
      expect(body.error).toMatchObject({
        code: 'plan_limit_exceeded',
        details: { limit: 'maxMembers', value: 4, used: 4 },
      });
    }
    expect(await counts(owner)).toEqual([2, 1, 2]);
  });

  it('does not prevent accepting or replacing an invitation', async () => {
    const owner = await seedPerson();
    await setLimit(owner, 2);
    const email = `${randomUUID()}@example.com`;
    await invite(owner.organization, owner.session, { email });

    const replaced = await invite(owner.organization, owner.session, { email });
    const other = await invite(owner.organization, owner.session);

    expect([replaced.status, other.status]).toEqual([201, 402]);
    expect((await accept(replaced.body.token, stranger.session)).status).toBe(200);
  });

  it('ignores expired invitations, which are not shown and cannot be accepted', async () => {
    const owner = await seedPerson();
    await setLimit(owner, 2);
    const old = (await invite(owner.organization, owner.session)).body;
    await expire(owner, old.invitation.email);

    expect((await accept(old.token, stranger.session)).body.error.code).toBe('invalid_token');
    expect((await roster(owner)).invitations).toEqual([]);
    const cancelled = await api.delete(`/members/${owner.organization.id}/${old.invitation.id}`, owner.session);
    expect(cancelled.body.error.code).toBe('member_not_found');
    const next = await invite(owner.organization, owner.session);

    expect(next.status).toBe(201);
    expect(await counts(owner)).toEqual([1, 1, 1]);
    expect((await invite(owner.organization, owner.session)).status).toBe(402);
  });

  it('counts an expired invitation again when the same address is invited again', async () => {
    const owner = await seedPerson();
    await setLimit(owner, 2);
    const { email } = (await invite(owner.organization, owner.session)).body.invitation;
    await expire(owner, email);
    await invite(owner.organization, owner.session);

    const renewed = await invite(owner.organization, owner.session, { email });

    expect(renewed.status).toBe(402);
    expect(await counts(owner)).toEqual([1, 1, 1]);
  });

  it('loses all of its expired invitations with the next one, so that none can count again later', async () => {
    const owner = await seedPerson();
    const { id, slug } = owner.organization;
    await setLimit(owner, 3);
    const expiryDate = new Date(Date.now() - 1000).toISOString();
    const old = Array.from({ length: 95 }, (_, index) => {
      const email = `old-${index}@example.com`;
      const invitedBy = { id: owner.user.id, email: owner.email };
      const invitation = { id: invitationId(id, email), email, role: 'viewer' as const, invitedBy };
      const item = at(invitationRecord, slug, invitation.id);
      return put(item, { ...invitation, hash: `${index}`, createdAt: expiryDate, expiryDate });
    });
    await transact([...old, update(at(organizationRecord, slug), { add: { invitationCount: old.length } })]);

    expect((await invite(owner.organization, owner.session)).status).toBe(201);

    expect(await counts(owner)).toEqual([1, 1, 1]);
    expect(await list(invitationRecord, { pk: `ORG#${slug}`, beginsWith: 'INVITATION#' })).toHaveLength(1);
  });

  async function setLimit({ organization }: Person, maxMembers: number) {
    await transact([update(at(organizationRecord, organization.slug), { set: { limitOverrides: { maxMembers } } })]);
  }

  async function expire({ organization }: Person, email: string) {
    const item = at(invitationRecord, organization.slug, invitationId(organization.id, email));
    await transact([update(item, { set: { expiryDate: new Date(Date.now() - 1000).toISOString() } })]);
  }
});

describe('a role', () => {
  it('is changed by an owner and applies from the next request on, including tokens', async () => {
    const owner = await seedPerson();
    const person = await join(owner, 'viewer');
    const token = await createToken(api, person, { organizationId: owner.organization.id });
    const path = `/members/${owner.organization.id}/${person.memberId}`;
    const audit = () => api.get(`/audit/${owner.organization.id}`, token);
    expect((await audit()).status).toBe(403);

    const changed = await api.patch(path, { role: 'admin' }, owner.session);

    expect([changed.status, changed.body.member.role]).toEqual([200, 'admin']);
    expect((await audit()).status).toBe(200);
    expect(await auditOf(owner, 'member.role_changed')).toHaveLength(1);
    await api.patch(path, { role: 'admin' }, owner.session);
    expect(await auditOf(owner, 'member.role_changed')).toHaveLength(1);
  });

  it('can’t be taken from the last owner', async () => {
    const owner = await seedPerson();
    const [me] = (await roster(owner)).members;
    const path = `/members/${owner.organization.id}/${me.id}`;

    const demoted = await api.patch(path, { role: 'admin' }, owner.session);
    const removed = await api.delete(path, owner.session);

    expect([demoted.status, demoted.body.error.code]).toEqual([409, 'last_owner']);
    expect([removed.status, removed.body.error.code]).toEqual([409, 'last_owner']);
    expect(await counts(owner)).toEqual([1, 1, 0]);
  });

  it('leaves one owner when two demote each other concurrently', async () => {
    for (let round = 0; round < 5; round += 1) {
      const first = await seedPerson();
      const second = await join(first, 'owner');
      const [firstMember] = (await roster(first)).members;
      const demote = (memberId: string, as: Person) =>
        api.patch(`/members/${first.organization.id}/${memberId}`, { role: 'developer' }, as.session);

      const answers = await Promise.all([demote(second.memberId, first), demote(firstMember.id, second)]);

      expect(answers.map(({ status }) => status).filter(status => status === 200)).toHaveLength(1);
      const { members } = (await api.get(`/members/${first.organization.id}`, first.session)).body;
      expect(members.filter(({ role }: { role: string }) => role === 'owner')).toHaveLength(1);
      expect(await counts(first)).toEqual([2, 1, 0]);
    }
  });

  it('leaves one owner when two remove each other concurrently', async () => {
    const first = await seedPerson();
    const second = await join(first, 'owner');
    const [firstMember] = (await roster(first)).members;
    const remove = (memberId: string, as: Person) =>
      api.delete(`/members/${first.organization.id}/${memberId}`, as.session);

    const answers = await Promise.all([remove(second.memberId, first), remove(firstMember.id, second)]);

    expect(answers.map(({ status }) => status).filter(status => status === 200)).toHaveLength(1);
    expect(await counts(first)).toEqual([1, 1, 0]);
  });

  it('is not changed for an invitation, an unknown id or a member of another organization', async () => {
    const owner = await seedPerson();
    const { invitation } = (await invite(owner.organization, owner.session)).body;
    const foreign = (await roster(stranger)).members[0].id;

    for (const id of [invitation.id, randomUUID(), foreign, 'nonsense']) {
      const answer = await api.patch(`/members/${owner.organization.id}/${id}`, { role: 'viewer' }, owner.session);
      expect([answer.status, answer.body.error.code]).toEqual([404, 'member_not_found']);
    }
  });
});

describe('removing a member', () => {
  it('ends access from the next request on and permanently revokes the organization’s tokens', async () => {
    const owner = await seedPerson();
    const person = await join(owner, 'developer');
    const bound = await createToken(api, person, { organizationId: owner.organization.id });
    const free = await createToken(api, person);
    const projects = (as: Caller) => api.get(`/projects/${owner.organization.id}`, as);

    const removed = await api.delete(`/members/${owner.organization.id}/${person.memberId}`, owner.session);

    expect(removed.body).toEqual({ success: true, left: { identities: [], webhooks: [] } });
    for (const as of [person.session, free]) {
      expect((await projects(as)).body.error.code).toBe('organization_not_found');
    }
    expect((await projects(bound)).status).toBe(401);
    expect((await api.get('/auth/me', bound)).status).toBe(401);
    const me = (await api.get('/auth/me', person.session)).body;
    expect(me.organizations.map(({ id }: { id: string }) => id)).toEqual([person.organization.id]);
    expect((await api.get('/auth/tokens', person.session)).body.tokens).toHaveLength(1);

    const again = (await invite(owner.organization, owner.session)).body;
    expect((await accept(again.token, person.session)).status).toBe(200);
    expect((await projects(person.session)).status).toBe(200);
    expect((await projects(bound)).status).toBe(401);
    expect(await counts(owner)).toEqual([2, 1, 0]);
  });

  it('is forbidden for an admin removing an owner, but allowed for another admin', async () => {
    const owner = await seedPerson();
    const [admin, other] = [await join(owner, 'admin'), await join(owner, 'admin')];
    const [ownMember] = (await roster(owner)).members;
    const remove = (id: string) => api.delete(`/members/${owner.organization.id}/${id}`, admin.session);

    expect((await remove(ownMember.id)).body.error.code).toBe('forbidden');
    expect((await remove(other.memberId)).status).toBe(200);
    expect((await remove(admin.memberId)).status).toBe(200);
    expect((await api.get(`/members/${owner.organization.id}`, admin.session)).status).toBe(404);
  });

  it('removes once, even with five concurrent requests', async () => {
    const owner = await seedPerson();
    const person = await join(owner, 'viewer');
    const remove = () => api.delete(`/members/${owner.organization.id}/${person.memberId}`, owner.session);

    const answers = await Promise.all([remove(), remove(), remove(), remove(), remove()]);

    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 404, 404, 404]);
    expect(await counts(owner)).toEqual([1, 1, 0]);
  });
});
