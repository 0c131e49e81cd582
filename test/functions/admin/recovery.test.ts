import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { renewAccess } from '#lib/organizations/change-counts.ts';
import { newMember } from '#lib/organizations/members/new-member.ts';
import { at, find } from '#lib/table/read.ts';
import { organizationRecord } from '#lib/table/records/organization.ts';
import { userRecord } from '#lib/table/records/user.ts';
import { transact, update } from '#lib/table/write.ts';
import { type Answer, codeOf, createToken, useApi } from '#test/support/api.ts';
import { eventually } from '#test/support/eventually.ts';
import { shared } from '#test/support/fixtures.ts';
import { type Person, seedPerson } from '#test/support/people.ts';
import {
  advanceRecovery,
  lostOrganization,
  passHours,
  recoveryOf,
  recoveryPath,
  startRecovery,
} from '#test/support/recovery.ts';
import { expectStatus, join, mailedToken } from '#test/support/sample-requests.ts';

const api = useApi();
const first = shared(() => seedPerson({ isAdmin: true }));
const second = shared(() => seedPerson({ isAdmin: true }));

const scene = () => lostOrganization(api, join);
const start = (lost: Person, heir: { email: string }) => startRecovery(api, lost, first, heir);
const ask = (lost: Person, email: string, by: Person = first) =>
  api.post(recoveryPath(lost), { email, reason: 'Ticket 4711' }, by.session);
const approve = (lost: Person, id: string, by: Person = second) => advanceRecovery(api, lost, by, id, 'approve');
const complete = (lost: Person, id: string, by: Person = second) => advanceRecovery(api, lost, by, id, 'complete');
const codes = (answers: readonly Answer[]) => answers.map(codeOf).toSorted();
const stored = async ({ organization }: Person) => find(at(organizationRecord, organization.slug));
const rolesIn = async ({ session }: Person, { id }: Person['organization']) => {
  const { members } = (await expectStatus(api.get(`/members/${id}`, session), 200)).body;
  return Object.fromEntries(members.map(({ email, role }: Record<string, string>) => [email, role]));
};

async function readyToComplete(lost: Person, heir: Person): Promise<string> {
  const id = await start(lost, heir);
  expect(codeOf(await approve(lost, id))).toBe('200 ok');
  await passHours(lost, 73);
  return id;
}

async function entriesOf(owner: Person, { organization }: Person) {
  const { entries } = (await expectStatus(api.get(`/audit/${organization.id}`, owner.session), 200)).body;
  return entries as { action: string; actor: { email: string | null }; details: Record<string, string> }[];
}

describe('a recovery', () => {
  it('makes a member an owner after two administrators and 72 hours, mails everybody, and is in the audit log', async () => {
    const { lost, heir } = await scene();
    const other = await expectStatus(api.post('/orgs', { name: 'Another' }, lost.session), 201);
    const id = await start(lost, heir);
    expect(codeOf(await approve(lost, id))).toBe('200 ok');
    expect(codeOf(await complete(lost, id))).toBe('409 recovery_not_ready');
    await passHours(lost, 71.9);
    expect(codeOf(await complete(lost, id))).toBe('409 recovery_not_ready');
    await passHours(lost, 72.1);

    expect((await expectStatus(complete(lost, id), 200)).body.recovery.state).toBe('completed');

    expect(await rolesIn(heir, lost.organization)).toEqual({ [lost.email]: 'owner', [heir.email]: 'owner' });
    expect(await stored(lost)).toMatchObject({ ownerCount: 2, memberCount: 2 });
    // Neither the account of the former owner nor what else it owns is reached.
    expect((await api.get('/auth/me', lost.session)).status).toBe(200);
    const members = `/members/${other.body.organization.id}`;
    for (const { session } of [heir, first, second]) {
      expect(codeOf(await api.get(members, session))).toBe('404 organization_not_found');
    }
    const entries = await entriesOf(heir, lost);
    const steps = entries.filter(({ action }) => action.startsWith('organization.recovery_'));
    expect(steps.map(({ action, actor }) => [action, actor.email]).toReversed()).toEqual([
      ['organization.recovery_started', first.email],
      ['organization.recovery_approved', second.email],
      ['organization.recovery_completed', second.email],
    ]);
    const promoted = entries.find(({ action }) => action === 'member.role_changed');
    expect(promoted?.details).toEqual({ from: 'developer', to: 'owner', via: 'recovery' });
    await eventually(async () => {
      const mails = await api.mails();
      for (const to of [lost.email, heir.email]) {
        const subjects = new Set(
          mails.filter(mail => mail.to === to && mail.subject.includes('owner')).map(one => one.subject),
        );
        expect([...subjects]).toEqual([
          'Your organization may get another owner',
          'Your organization has another owner',
        ]);
      }
    });
  });

  it('mails the billing address and every member before the waiting time begins, however many they are', async () => {
    const { lost, heir } = await scene();
    await expectStatus(api.post(`/billing/${lost.organization.id}/checkout`, { plan: 'pro' }, lost.session), 200);
    const people = Array.from({ length: 30 }, (_, index) => ({
      id: randomUUID(),
      email: `m${index}@${lost.organization.slug}.example`,
      name: 'M',
    }));
    await transact([
      ...people.flatMap(person => newMember(lost.organization, person, { role: 'viewer' }).writes),
      renewAccess(lost.organization),
    ]);

    await start(lost, heir);

    const mailed = (await api.mails())
      .filter(({ text }) => text.includes(heir.email.split('@')[0] ?? ''))
      .map(({ to }) => to);
    expect(mailed).toEqual(expect.arrayContaining([lost.email, heir.email, ...people.map(({ email }) => email)]));
    expect(mailed).toContain('billing@example.com');
  });

  it('can’t be approved by who started it, nor give the organization to either of the two', async () => {
    const { lost, heir } = await scene();
    const id = await start(lost, heir);

    expect(codeOf(await approve(lost, id, first))).toBe('403 self_approval');
    await passHours(lost, 73);
    expect(codeOf(await complete(lost, id, first))).toBe('409 recovery_not_ready');

    const verified = await seedPerson({ isAdmin: true, emailVerified: true });
    const alone = await seedPerson();
    expect(codeOf(await ask(alone, verified.email, verified))).toBe('403 self_approval');
    const given = await start(alone, verified);
    expect(codeOf(await approve(alone, given, verified))).toBe('403 self_approval');
    expect((await recoveryOf(api, alone, first)).approvedBy).toBeNull();
  });

  it('takes a fresh session, and no token', async () => {
    const { lost, heir } = await scene();
    const admin = await seedPerson({ isAdmin: true });
    const token = await createToken(api, admin);
    const body = { email: heir.email, reason: 'Ticket 4711' };

    expect(codeOf(await api.post(recoveryPath(lost), body, token))).toBe('403 insufficient_scope');
    expect(codeOf(await api.post(recoveryPath(lost), body, heir.session))).toBe('403 admin_required');
    expect((await stored(lost))?.recovery).toBeUndefined();
  });

  it('names a person of verified address, who is a member unless there are only owners', async () => {
    const { lost, heir } = await scene();
    const unverified = await seedPerson();
    const stranger = await seedPerson({ emailVerified: true });
    for (const email of [unverified.email, `nobody@${heir.email}`, stranger.email, lost.email]) {
      expect(codeOf(await ask(lost, email))).toBe('400 invalid_request');
    }

    const alone = await seedPerson();
    const id = await readyToComplete(alone, stranger);
    await expectStatus(complete(alone, id), 200);

    expect(await rolesIn(stranger, alone.organization)).toEqual({ [alone.email]: 'owner', [stranger.email]: 'owner' });
    expect(await stored(alone)).toMatchObject({ ownerCount: 2, memberCount: 2 });
  });

  it('is stopped by an owner who can log in, whom the session shows it, even without a required factor', async () => {
    const { lost, heir } = await scene();
    const id = await readyToComplete(lost, heir);
    await transact([update(at(organizationRecord, lost.organization.slug), { set: { requireSecondFactor: true } })]);
    const ownOf = async ({ session }: Person) => {
      const { organizations } = (await api.get('/auth/me', session)).body;
      return organizations.find(({ id: own }: { id: string }) => own === lost.organization.id).recovery;
    };
    expect(await ownOf(lost)).toMatchObject({ id, state: 'waiting', newOwner: { email: heir.email } });
    expect(await ownOf(heir)).toBeUndefined();
    const path = `/orgs/${lost.organization.id}/recovery`;
    expect(codeOf(await api.delete(path, heir.session))).toBe('403 forbidden');
    expect(codeOf(await api.delete(path, first.session))).toBe('404 organization_not_found');

    expect(codeOf(await api.delete(path, lost.session))).toBe('200 ok');

    expect(codeOf(await api.delete(path, lost.session))).toBe('404 recovery_not_found');
    expect(codeOf(await complete(lost, id))).toBe('409 recovery_closed');
    expect(codeOf(await approve(lost, id, await seedPerson({ isAdmin: true })))).toBe('409 recovery_closed');
    expect(await stored(lost)).toMatchObject({ ownerCount: 1, recovery: { state: 'stopped' } });
    await eventually(async () => {
      const mails = (await api.mails()).filter(({ subject }) => subject === 'Your organization gets no other owner');
      expect(mails.map(({ to }) => to)).toEqual(expect.arrayContaining([lost.email, heir.email]));
    });
  });

  it('is stopped by anybody with the link in the mail, and by an administrator; then another can start', async () => {
    const { lost, heir } = await scene();
    const id = await readyToComplete(lost, heir);
    const token = await mailedToken(api, heir.email, 'may get another owner');

    expect(codeOf(await api.post('/recovery/stop', { token: `${token.slice(0, -1)}0` }))).toBe('400 invalid_token');
    expect(codeOf(await api.post('/recovery/stop', { token }))).toBe('200 ok');
    expect(codeOf(await api.post('/recovery/stop', { token }))).toBe('200 ok');

    expect(codeOf(await complete(lost, id))).toBe('409 recovery_closed');
    const [entry] = (await entriesOf(lost, lost)).filter(({ action }) => action === 'organization.recovery_stopped');
    expect(entry?.details).toMatchObject({ via: 'link', mailedTo: heir.email });
    const next = await start(lost, heir);
    expect(codeOf(await api.post('/recovery/stop', { token }))).toBe('409 recovery_closed');
    expect(codeOf(await approve(lost, id))).toBe('404 recovery_not_found');
    expect(codeOf(await advanceRecovery(api, lost, second, next, 'stop'))).toBe('200 ok');
    expect(codeOf(await advanceRecovery(api, lost, second, next, 'stop'))).toBe('200 ok');
  });

  it('starts once, however many start it at once', async () => {
    const { lost, heir } = await scene();

    const answers = await Promise.all([ask(lost, heir.email, first), ask(lost, heir.email, second)]);

    expect(codes(answers)).toEqual(['201 ok', '409 recovery_in_progress']);
    const winner = answers[0]?.status === 201 ? first : second;
    const again = await expectStatus(ask(lost, heir.email, winner), 201);
    expect(again.body.recovery.id).toBe((await recoveryOf(api, lost, first)).id);
  });

  it('has one outcome if it is stopped and completed at once, and adds one owner if it is completed twice', async () => {
    const { lost, heir } = await scene();
    const id = await readyToComplete(lost, heir);
    const stop = () => api.delete(`/orgs/${lost.organization.id}/recovery`, lost.session);

    const [, completed] = await Promise.all([stop(), complete(lost, id), complete(lost, id, first)]);

    const { recovery, ownerCount } = (await stored(lost)) ?? {};
    expect(recovery?.state).toBe(completed.status === 200 ? 'completed' : 'stopped');
    expect(ownerCount).toBe(completed.status === 200 ? 2 : 1);
  });

  it('is not completed once one of the two is no longer an administrator', async () => {
    const { lost, heir } = await scene();
    const rogue = await seedPerson({ isAdmin: true });
    const id = await startRecovery(api, lost, rogue, heir);
    await approve(lost, id);
    await passHours(lost, 73);
    await transact([update(at(userRecord, rogue.user.id), { set: { isAdmin: undefined } })]);

    expect(codeOf(await complete(lost, id))).toBe('409 recovery_not_ready');
    expect(await stored(lost)).toMatchObject({ ownerCount: 1, recovery: { state: 'waiting' } });
  });

  it('ends with the membership of the person, with the organization, and after 30 days', async () => {
    const { lost, heir } = await scene();
    const left = await readyToComplete(lost, heir);
    await expectStatus(api.delete(`/members/${lost.organization.id}/me`, heir.session), 200);
    expect(codeOf(await complete(lost, left))).toBe('404 member_not_found');

    const late = await scene();
    const id = await readyToComplete(late.lost, late.heir);
    const startedAt = new Date(Date.now() - 30 * 86_400_000).toISOString();
    const { slug } = late.lost.organization;
    await transact([update(at(organizationRecord, slug), { set: { 'recovery.startedAt': startedAt } })]);
    expect(codeOf(await complete(late.lost, id))).toBe('409 recovery_closed');
    expect((await recoveryOf(api, late.lost, first)).state).toBe('expired');

    const next = await start(late.lost, late.heir);
    const token = await mailedToken(api, late.heir.email, 'may get another owner');
    await expectStatus(api.delete(`/orgs/${late.lost.organization.id}`, late.lost.session), 200);
    expect(codeOf(await approve(late.lost, next))).toBe('404 organization_not_found');
    expect(codeOf(await api.post('/recovery/stop', { token }))).toBe('400 invalid_token');
  });
});
