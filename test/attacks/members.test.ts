import { describe, expect, it } from 'vitest';
import { at, find } from '#lib/table/read.ts';
import {
  type MemberRecord,
  memberRecord,
  type OrganizationRecord,
  organizationRecord,
} from '#lib/table/records/organization.ts';
import { put, remove, transact, update } from '#lib/table/write.ts';
import { codeOf, createToken, useApi } from '../support/api.ts';
import { recordRequest, startObservedApi } from '../support/observed-api.ts';
import { type Person, seedPerson, seedTokens } from '../support/people.ts';
import { countsOf } from '../support/record-calls.ts';
import { expectStatus, invite, join, membersOf } from '../support/sample-requests.ts';
import { stalling } from '../support/stalling.ts';

const api = useApi(startObservedApi);

async function ownerAndMember(role: string) {
  const [owner, member] = await Promise.all([seedPerson(), seedPerson()]);
  const path = `/members/${owner.organization.id}`;
  const { id } = await join(api, owner, member, role);
  return {
    owner,
    member,
    memberId: id,
    path,
    inviteAsMember: (email: string, invited: string) =>
      invite(api, { ...member, organization: owner.organization }, email, invited),
    setRole: (newRole: string) => expectStatus(api.patch(`${path}/${id}`, { role: newRole }, owner.session), 200),
    removeMember: () => expectStatus(api.delete(`${path}/${id}`, owner.session), 200),
  };
}

const accept = async ({ token }: { token: string }, { session }: Person) =>
  codeOf(await api.post(`/members/invite/${token}/accept`, undefined, session));

describe('a removed member', () => {
  it('is removed at once with 3,000 tokens, and none of those for the organization works', async () => {
    const { owner, member, memberId, removeMember } = await ownerAndMember('viewer');
    const { id: organizationId } = owner.organization;
    const bound = await createToken(api, member, { organizationId });
    await seedTokens(member, 3000, { name: 'x'.repeat(90), access: 'read', organizationId, memberId });

    await removeMember();

    expect((await api.get(`/projects/${organizationId}`, bound)).status).not.toBe(200);
    expect((await api.get(`/projects/${organizationId}`, member.session)).status).toBe(404);
    expect(await membersOf(api, owner)).toMatchObject([{ userId: owner.user.id }]);
  });

  it('can’t come back with an invitation they sent before, and neither can a person they gave it to', async () => {
    const { owner, member, path, inviteAsMember, removeMember } = await ownerAndMember('owner');
    const friend = await seedPerson();
    const own = await inviteAsMember('elsewhere@example.com', 'owner');
    const given = await inviteAsMember(friend.email, 'viewer');
    await removeMember();

    expect([await accept(own, member), await accept(given, friend)]).toEqual(Array(2).fill('400 invalid_token'));
    expect((await api.get(path, owner.session)).body.invitations).toEqual([]);
  });
});

it.each(['developer', 'removed'])(
  'an invitation whose inviter is now %s is no longer counted, and makes room for another',
  async change => {
    const { owner, path, inviteAsMember, setRole, removeMember } = await ownerAndMember('admin');
    const limits = { limitOverrides: { maxMembers: 3 } };
    await transact([update(at(organizationRecord, owner.organization.slug), { set: limits })]);
    await inviteAsMember('friend@example.com', 'viewer');
    const send = () => api.post(`${path}/invite`, { email: 'other@example.com', role: 'viewer' }, owner.session);
    const counted = async () =>
      (await api.get(`/billing/${owner.organization.id}`, owner.session)).body.usage.invitations;
    expect((await send()).body.error.code).toBe('plan_limit_exceeded');
    expect(await counted()).toBe(1);

    await (change === 'removed' ? removeMember() : setRole(change));

    expect(await counted()).toBe(0);
    expect((await send()).status).toBe(201);
    expect(await counted()).toBe(1);
  },
);

describe('a member list', () => {
  it('that is read while its organization’s slug goes to another tenant shows nothing of that tenant', async () => {
    const [owner, next] = await Promise.all([seedPerson(), seedPerson()]);
    const { id, slug } = owner.organization;
    const organization = at(organizationRecord, slug);
    const member = at(memberRecord, slug, owner.user.id);
    const organizationNow = (await find(organization)) as OrganizationRecord;
    const memberNow = (await find(member)) as MemberRecord;

    // The caller passes the membership check. Then the erasure ends and another user takes the slug.
    const answer = await stalling(
      ({ operation, input }) => operation === 'Query' && /MEMBER#|INVITATION#/.test(JSON.stringify(input)),
      headers => api.get(`/members/${id}`, owner.session, headers),
      () =>
        transact([
          put(organization, { ...organizationNow, id: crypto.randomUUID() }),
          remove(member),
          put(at(memberRecord, slug, next.user.id), { ...memberNow, userId: next.user.id, email: next.email }),
        ]),
    );

    expect(codeOf(answer)).toBe('404 organization_not_found');
    expect(JSON.stringify(answer.body)).not.toContain(next.email);
  });

  it('costs a legitimate caller two round trips', async () => {
    const owner = await seedPerson();

    const { answer, calls } = await recordRequest(headers =>
      api.get(`/members/${owner.organization.id}`, owner.session, headers),
    );

    expect(answer.body.members).toHaveLength(1);
    expect(countsOf(calls)).toMatchObject({ roundTrips: 2, writeUnits: 0 });
  });
});

describe('a member with a lowered role', () => {
  it('keeps only those invitations valid that the new role could still send', async () => {
    const { inviteAsMember, setRole } = await ownerAndMember('owner');
    const [first, second, third] = [await seedPerson(), await seedPerson(), await seedPerson()];
    const asOwner = await inviteAsMember('a@example.com', 'owner');
    const asAdmin = await inviteAsMember('b@example.com', 'admin');
    const asViewer = await inviteAsMember('c@example.com', 'viewer');

    await setRole('admin');
    expect([await accept(asOwner, first), await accept(asAdmin, second)]).toEqual(['400 invalid_token', '200 ok']);
    await setRole('developer');
    expect(await accept(asViewer, third)).toBe('400 invalid_token');
  });

  it('is in the audit log with both roles', async () => {
    const { owner, setRole } = await ownerAndMember('viewer');

    await setRole('admin');

    const path = `/audit/${owner.organization.id}?action=member.role_changed`;
    const { entries } = (await api.get(path, owner.session)).body;
    expect(entries[0].details).toEqual({ from: 'viewer', to: 'admin' });
  });
});
