import { describe, expect, it } from 'vitest';
import { issuingKey } from '#lib/access/credential-key.ts';
import { chunksOf } from '#lib/core/chunks-of.ts';
import { createCredential, tokenPrefix } from '#lib/crypto/credentials.ts';
import { at, find } from '#lib/table/read.ts';
import { tokenRecord } from '#lib/table/records/credentials.ts';
import {
  type MemberRecord,
  memberRecord,
  type OrganizationRecord,
  organizationRecord,
} from '#lib/table/records/organization.ts';
import { put, remove, transact, update } from '#lib/table/write.ts';
import { createToken, useApi } from '../support/api.ts';
import type { Conductor } from '../support/observe-calls.ts';
import { recordRequest, startObservedApi, withFault } from '../support/observed-api.ts';
import { type Person, seedPerson } from '../support/people.ts';
import { countsOf } from '../support/record-calls.ts';
import { expectStatus } from '../support/sample-requests.ts';

const api = useApi(startObservedApi);

async function join(owner: Person, guest: Person, role: string): Promise<string> {
  const { token } = await invite(owner, guest.email, role, owner);
  const answer = await expectStatus(api.post(`/members/invite/${token}/accept`, undefined, guest.session), 200);
  return answer.body.member.id;
}

async function invite(person: Person, email: string, role: string, { organization }: Person) {
  const path = `/members/${organization.id}/invite`;
  return (await expectStatus(api.post(path, { email, role }, person.session), 201)).body as { token: string };
}

describe('a removed member', () => {
  it('is removed at once with 3,000 tokens, and none of those for the organization works', async () => {
    const owner = await seedPerson();
    const viewer = await seedPerson();
    const memberId = await join(owner, viewer, 'viewer');
    const bound = await createToken(api, viewer, { organizationId: owner.organization.id });
    const key = await issuingKey();
    const writes = Array.from({ length: 3000 }, (_, index) => {
      const { secret, hash } = createCredential(viewer.user.id, tokenPrefix, key);
      return put(at(tokenRecord, viewer.user.id, hash), {
        id: crypto.randomUUID(),
        userId: viewer.user.id,
        email: viewer.email,
        hash,
        name: `token ${index} ${'x'.repeat(80)}`,
        prefix: secret.slice(0, 16),
        access: 'read',
        organizationId: owner.organization.id,
        projectId: null,
        environmentId: null,
        memberId,
        secondFactor: false,
        createdAt: new Date().toISOString(),
        lastUsedAt: null,
        expiryDate: null,
      });
    });
    for (const some of chunksOf(10, chunksOf(100, writes))) await Promise.all(some.map(one => transact(one)));

    const answer = await api.delete(`/members/${owner.organization.id}/${memberId}`, owner.session);

    expect(answer.status).toBe(200);
    expect((await api.get(`/projects/${owner.organization.id}`, bound)).status).not.toBe(200);
    expect((await api.get(`/projects/${owner.organization.id}`, viewer.session)).status).toBe(404);
    const { members } = (await api.get(`/members/${owner.organization.id}`, owner.session)).body;
    expect(members.map(({ userId }: { userId: string }) => userId)).toEqual([owner.user.id]);
  });

  it('has no old token that works again after rejoining', async () => {
    const owner = await seedPerson();
    const guest = await seedPerson();
    const memberId = await join(owner, guest, 'developer');
    const bound = await createToken(api, guest, { organizationId: owner.organization.id });
    await api.delete(`/members/${owner.organization.id}/${memberId}`, owner.session);

    await join(owner, guest, 'developer');

    expect((await api.get('/auth/me', bound)).status).toBe(401);
    expect((await api.get('/auth/tokens', guest.session)).body.tokens).toEqual([]);
  });

  it('can’t come back with an invitation they sent before, and neither can a person they gave it to', async () => {
    const owner = await seedPerson();
    const second = await seedPerson();
    const friend = await seedPerson();
    const memberId = await join(owner, second, 'owner');
    const own = await invite(second, 'elsewhere@example.com', 'owner', owner);
    const given = await invite(second, friend.email, 'viewer', owner);
    await expectStatus(api.delete(`/members/${owner.organization.id}/${memberId}`, owner.session), 200);

    const answers = [
      await api.post(`/members/invite/${own.token}/accept`, undefined, second.session),
      await api.post(`/members/invite/${given.token}/accept`, undefined, friend.session),
    ];

    expect(answers.map(({ status, body }) => [status, body.error.code])).toEqual([
      [400, 'invalid_token'],
      [400, 'invalid_token'],
    ]);
    expect((await api.get(`/members/${owner.organization.id}`, owner.session)).body.invitations).toEqual([]);
  });
});

describe('an invitation whose inviter may no longer send it', () => {
  it('is no longer counted, and makes room for another', async () => {
    for (const change of ['developer', 'removed']) {
      const owner = await seedPerson();
      const second = await seedPerson();
      const path = `/members/${owner.organization.id}`;
      const memberId = await join(owner, second, 'admin');
      const limits = { limitOverrides: { maxMembers: 3 } };
      await transact([update(at(organizationRecord, owner.organization.slug), { set: limits })]);
      await invite(second, 'friend@example.com', 'viewer', owner);
      const send = () => api.post(`${path}/invite`, { email: 'other@example.com', role: 'viewer' }, owner.session);
      const counted = async () => (await api.get(`/billing/${owner.organization.id}`, owner.session)).body.usage;
      expect((await send()).body.error.code).toBe('plan_limit_exceeded');
      expect((await counted()).invitations).toBe(1);

      if (change === 'removed') await expectStatus(api.delete(`${path}/${memberId}`, owner.session), 200);
      else await expectStatus(api.patch(`${path}/${memberId}`, { role: change }, owner.session), 200);

      expect((await counted()).invitations).toBe(0);
      expect((await send()).status).toBe(201);
      expect((await counted()).invitations).toBe(1);
    }
  });
});

describe('a member list that is read while its organization’s slug goes to another tenant', () => {
  it('shows nothing of that tenant', async () => {
    const owner = await seedPerson();
    const next = await seedPerson();
    const { id, slug } = owner.organization;
    const organization = at(organizationRecord, slug);
    const before = (await find(organization)) as OrganizationRecord;
    const member = at(memberRecord, slug, owner.user.id);
    const memberBefore = (await find(member)) as MemberRecord;
    const conductor: Conductor = {
      async call(call, send) {
        if (call.operation !== 'Query' || !/MEMBER#|INVITATION#/.test(JSON.stringify(call.input))) return send();
        // The caller passed the membership check. Now the erasure ends and another user takes the slug.
        await new Promise(resolve => setTimeout(resolve, 200));
        await transact([
          put(organization, { ...before, id: crypto.randomUUID() }),
          remove(member),
          put(at(memberRecord, slug, next.user.id), { ...memberBefore, userId: next.user.id, email: next.email }),
        ]);
        return send();
      },
    };

    const answer = await withFault({ conductor }, headers => api.get(`/members/${id}`, owner.session, headers));

    expect([answer.status, answer.body.error?.code]).toEqual([404, 'organization_not_found']);
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
    const owner = await seedPerson();
    const second = await seedPerson();
    const friends = await Promise.all([seedPerson(), seedPerson(), seedPerson()]);
    const memberId = await join(owner, second, 'owner');
    const asOwner = await invite(second, 'a@example.com', 'owner', owner);
    const asAdmin = await invite(second, 'b@example.com', 'admin', owner);
    const asViewer = await invite(second, 'c@example.com', 'viewer', owner);
    const accept = async ({ token }: { token: string }, friend: Person | undefined) =>
      (await api.post(`/members/invite/${token}/accept`, undefined, friend?.session)).status;
    const lower = (role: string) =>
      expectStatus(api.patch(`/members/${owner.organization.id}/${memberId}`, { role }, owner.session), 200);

    await lower('admin');
    expect(await accept(asOwner, friends[0])).toBe(400);
    expect(await accept(asAdmin, friends[1])).toBe(200);
    await lower('developer');
    expect(await accept(asViewer, friends[2])).toBe(400);
  });

  it('is in the audit log with both roles', async () => {
    const owner = await seedPerson();
    const guest = await seedPerson();
    const memberId = await join(owner, guest, 'viewer');

    await api.patch(`/members/${owner.organization.id}/${memberId}`, { role: 'admin' }, owner.session);

    const { entries } = (await api.get(`/audit/${owner.organization.id}?action=member.role_changed`, owner.session))
      .body;
    expect(entries[0].details).toEqual({ from: 'viewer', to: 'admin' });
  });
});
