import { describe, expect, it } from 'vitest';
import { eraseAccount } from '#lib/accounts/erase-account.ts';
import { openLog } from '#lib/core/logger.ts';
import { queueUnfinishedWork } from '#lib/jobs/queue-unfinished-work.ts';
import { ranges } from '#lib/table/keys.ts';
import { at, find, queryItems } from '#lib/table/read.ts';
import { countPlatform } from '#lib/table/records/platform.ts';
import { noteWork } from '#lib/table/records/unfinished-work.ts';
import { emailRecord, passkeyOwnerRecord, userRecord } from '#lib/table/records/user.ts';
import { remove, transact } from '#lib/table/write.ts';
import { type Caller, codeOf, createToken, sessionOf, useApi } from '#test/support/api.ts';
import { eventually } from '#test/support/eventually.ts';
import { scanTable, violationsOf } from '#test/support/invariants.ts';
import { startObservedApi } from '#test/support/observed-api.ts';
import { type Person, seedPerson, seedTokens, testPassword } from '#test/support/people.ts';
import { expectStatus, invite, join } from '#test/support/sample-requests.ts';
import { addApp, addPasskey } from '#test/support/second-factors.ts';

const api = useApi(() => startObservedApi());
const close = ({ session }: Person, body: object = { password: testPassword }) =>
  api.call('DELETE', '/auth/me', { as: session, body });
const statusOf = async (as: Caller) => (await api.get('/auth/me', as)).status;
const logIn = ({ email }: Person) => api.post('/auth/login', { email, password: testPassword });
const membersOf = async ({ organization: { id }, session }: Person) =>
  (await api.get(`/members/${id}`, session)).body.members.map(({ email }: { email: string }) => email);

/** A person without an organization of their own. */
async function seedGuest(): Promise<Person> {
  const person = await seedPerson({ emailVerified: true });
  await expectStatus(api.delete(`/orgs/${person.organization.id}`, person.session), 200, 202);
  return person;
}

async function asMember(role: string) {
  const [owner, person] = [await seedPerson({ emailVerified: true }), await seedGuest()];
  const { id } = await join(api, owner, person, role);
  return { owner, person, memberId: id };
}

const leavesNothing = (person: Person) =>
  eventually(async () => expect(await queryItems(ranges.account(person.user.id))).toEqual([]));

describe('closing an account', () => {
  it('ends its memberships, sessions, tokens and log-in', async () => {
    const { owner, person } = await asMember('developer');
    const token = await createToken(api, person, { organizationId: owner.organization.id });
    const endless = await createToken(api, person);
    const other = sessionOf(await logIn(person));

    const answer = await close(person);

    expect(answer.body).toEqual({ success: true });
    expect(answer.headers.get('set-cookie')).toContain('Max-Age=0');
    expect(await Promise.all([person.session, other, token, endless].map(statusOf))).toEqual([401, 401, 401, 401]);
    expect(codeOf(await logIn(person))).toBe('401 invalid_credentials');
    expect(await membersOf(owner)).toEqual([owner.email]);
    await leavesNothing(person);
    const log = await api.get(`/audit/${owner.organization.id}?action=member.removed`, owner.session);
    const actor = { id: person.user.id, email: person.email };
    const details = { role: 'developer', left: true, accountClosed: true };
    expect(log.body.entries).toMatchObject([{ actor, details, target: { name: person.email } }]);
  });

  it('is mailed, and the address can be registered again and gets nothing of the account', async () => {
    const { owner, person } = await asMember('admin');
    await expectStatus(close(person), 200);
    await eventually(async () => {
      const mails = (await api.mails()).filter(({ to }) => to === person.email);
      expect(mails.map(({ subject }) => subject)).toContain('Your account was closed');
    });

    const { body } = await expectStatus(
      api.post('/auth/register', { email: person.email, password: testPassword }),
      201,
    );

    expect(body.user.id).not.toBe(person.user.id);
    const session = sessionOf(await logIn(person));
    expect((await api.get('/auth/me', session)).body.organizations).toHaveLength(1);
    expect(codeOf(await api.get(`/members/${owner.organization.id}`, session))).toBe('404 organization_not_found');
  });

  it('is refused to the last owner of organizations, which are named, and then changes nothing', async () => {
    const person = await seedPerson();
    const [guest, token] = [await seedPerson({ emailVerified: true }), await createToken(api, person)];
    await join(api, guest, person);

    const answer = await close(person);

    expect(codeOf(answer)).toBe('409 last_owner');
    const { id, slug } = person.organization;
    expect(answer.body.error.details.organizations).toMatchObject([{ id, slug }]);
    expect(await statusOf(token)).toBe(200);
    expect(await membersOf(guest)).toEqual([guest.email, person.email]);
  });

  it('leaves organizations to their other owners', async () => {
    const { owner, person } = await asMember('owner');
    await expectStatus(close(person), 200);
    expect(await membersOf(owner)).toEqual([owner.email]);
    expect(codeOf(await close(owner))).toBe('409 last_owner');
    await leavesNothing(person);
  });

  it('also ends memberships of a deleted organization, which would come back with it', async () => {
    const { owner, person } = await asMember('owner');
    const { id } = owner.organization;
    await expectStatus(api.delete(`/orgs/${id}?keepDays=7`, owner.session), 200);
    await expectStatus(close(person), 200);
    await leavesNothing(person);

    await expectStatus(api.post(`/orgs/deleted/${id}/restore`, undefined, owner.session), 200);

    expect(await membersOf(owner)).toEqual([owner.email]);
    // Whoever remains is the last owner.
    expect(codeOf(await close(owner))).toBe('409 last_owner');
    expect(violationsOf(await scanTable())).toEqual([]);
  });

  it('requires the password, also in a fresh session', async () => {
    const person = await seedGuest();
    expect((await close(person, {})).body.error.details).toEqual([{ path: 'password', message: 'is required' }]);
    const wrong = await close(person, { password: 'not the right one' });
    expect(wrong.body.error.details).toEqual([{ path: 'password', message: 'is wrong' }]);
    expect(await statusOf(person.session)).toBe(200);
  });

  it('requires the second factor of an account that has one, and frees its passkeys', async () => {
    const person = await seedGuest();
    const app = await addApp(api, person);
    const { authenticator } = await addPasskey(api, person);
    expect(codeOf(await close(person))).toBe('401 second_factor_required');

    await expectStatus(close(person, { password: testPassword, totp: app.code(1) }), 200);

    await leavesNothing(person);
    expect(await find(at(passkeyOwnerRecord, authenticator.credentialId))).toBeUndefined();
  });

  it('with a passkey uses up its challenge', async () => {
    const person = await seedGuest();
    const { authenticator } = await addPasskey(api, person);
    const asked = await close(person);
    const { challenge, publicKey } = asked.body.error.details;

    const proof = { password: testPassword, challenge, passkey: authenticator.get(publicKey) };
    await expectStatus(close(person, proof), 200);
    await leavesNothing(person);
  });

  it('ends invitations that the person sent', async () => {
    const { person, owner } = await asMember('admin');
    const guest = await seedPerson();
    const { token } = await invite(api, { ...person, organization: owner.organization }, guest.email, 'viewer');
    await expectStatus(close(person), 200);

    expect(codeOf(await api.post(`/members/invite/${token}/accept`, undefined, guest.session))).toBe(
      '400 invalid_token',
    );
  });

  it('frees the earlier address of a change that could still be undone', async () => {
    const person = await seedGuest();
    const email = `new-${person.email}`;
    await expectStatus(api.post('/auth/change-email', { email }, person.session), 200);
    const link = await eventually(async () => {
      const mail = (await api.mails()).find(({ to }) => to === email);
      return /#token=(\w+)/.exec(mail?.text ?? '')?.[1] ?? expect.fail('no mail yet');
    });
    await expectStatus(api.post('/auth/change-email/confirm', { token: link }), 200);
    await expectStatus(close(person), 200);

    await leavesNothing(person);
    expect(await find(at(emailRecord, person.email))).toBeUndefined();
    expect(await find(at(emailRecord, email))).toBeUndefined();
  });

  it('of an account with a hundred tokens, which do not fit in one transaction, leaves none', async () => {
    const person = await seedGuest();
    const tokens = await seedTokens(person, 100);
    await expectStatus(close(person), 200);
    expect(await statusOf(tokens[0])).toBe(401);
    await leavesNothing(person);
  });

  it('and becoming an owner at once leaves every organization with an owner who has an account', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { owner, person, memberId } = await asMember('admin');
      const path = `/members/${owner.organization.id}`;
      const [closed, promoted] = await Promise.all([
        close(person),
        api.patch(`${path}/${memberId}`, { role: 'owner' }, owner.session),
      ]);
      expect(closed.status).toBe(200);
      expect([200, 404]).toContain(promoted.status);
      expect(codeOf(await api.delete(`${path}/me`, owner.session))).toBe('409 last_owner');
      await leavesNothing(person);
    }
  });

  it('of two owners at once leaves one of them', async () => {
    const { owner, person } = await asMember('owner');
    const answers = await Promise.all([close(owner), close(person)]);
    // The personal organization of the first one is the one that they share.
    expect(answers.map(codeOf).toSorted()).toEqual(['200 ok', '409 last_owner']);
  });

  it('and accepting an invitation at once leaves no member without an account', async () => {
    const [owner, person] = [await seedPerson({ emailVerified: true }), await seedGuest()];
    const { token } = await invite(api, owner, person.email, 'owner');
    await Promise.all([close(person), api.post(`/members/invite/${token}/accept`, undefined, person.session)]);
    await leavesNothing(person);
    expect(await membersOf(owner)).toEqual([owner.email]);
  });

  it('is finished by a job if the request ended before', async () => {
    const { owner, person } = await asMember('viewer');
    await addPasskey(api, person);
    const closing = { email: person.email, ip: '127.0.0.1', userAgent: 'node', requestId: 'ended' };
    const job = { type: 'erase-account', userId: person.user.id, closing } as const;
    await transact([
      remove(at(userRecord, person.user.id)),
      remove(at(emailRecord, person.email)),
      countPlatform({ users: -1 }),
      noteWork(job),
    ]);

    await queueUnfinishedWork(openLog({}), { nowMs: Date.now() + 600_000 });

    await leavesNothing(person);
    expect(await membersOf(owner)).toEqual([owner.email]);
    await eventually(async () => expect(violationsOf(await scanTable())).toEqual([]));
  });

  it('can be finished by a job that runs late or again', async () => {
    const { owner, person } = await asMember('viewer');
    await expectStatus(close(person), 200);
    const closing = { email: person.email, ip: '127.0.0.1', userAgent: 'node', requestId: 'again' };
    const job = { type: 'erase-account', userId: person.user.id, closing } as const;
    await eraseAccount(job, openLog({}));
    await eraseAccount({ ...job, userId: owner.user.id }, openLog({}));
    expect(await membersOf(owner)).toEqual([owner.email]);
    await leavesNothing(person);
    expect(violationsOf(await scanTable())).toEqual([]);
  });
});
