import { describe, expect, it } from 'vitest';
import { at, find } from '#lib/table/read.ts';
import { proposalPartRecord, proposalRecord } from '#lib/table/records/proposal.ts';
import { put, transact, update } from '#lib/table/write.ts';
import { type Answer, type Caller, createToken } from '#test/support/api.ts';
import { openWorkplace } from '#test/support/environments.ts';
import { eventually } from '#test/support/eventually.ts';
import { fresh, shared } from '#test/support/fixtures.ts';
import { startIssuer } from '#test/support/issuer.ts';
import { startObservedApi } from '#test/support/observed-api.ts';
import { type Person, seedPerson } from '#test/support/people.ts';
import { expectStatus, issueToPipeline, join, memberIdOf } from '#test/support/sample-requests.ts';
import { stalling } from '#test/support/stalling.ts';
import { allItems } from '#test/support/table-dump.ts';

const api = shared(startObservedApi);
const issuer = shared(startIssuer);
const place = fresh(() => openWorkplace(api));
const admin = shared(() => seedPerson({ isAdmin: true }));

const codeOf = ({ status, body }: Answer) => (status < 300 ? String(status) : `${status} ${body?.error?.code}`);

const requireApprovals = async (approvals: number, env = 'production', as: Caller = place.owner.session) =>
  api.patch(`${place.projectPath}/environments/${env}`, { approvals }, as);

const propose = (body: object, as: Caller = place.owner.session, env = 'production') =>
  api.post(place.at(env, '/proposals'), body, as);

const proposed = async (body: object, as?: Caller, env?: string) => {
  const answer = await propose(body, as, env);
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body.proposal;
};

const act = (
  id: string,
  action: string,
  body: object | undefined,
  as: Caller = place.owner.session,
  env = 'production',
) => api.post(place.at(env, `/proposals/${id}/${action}`), body, as);

const approve = ({ id, digest }: { id: string; digest: string }, as: Caller, env?: string) =>
  act(id, 'approve', { digest }, as, env);

const get = (id: string, query = '', as: Caller = place.owner.session, env = 'production') =>
  api.get(place.at(env, `/proposals/${id}${query}`), as);

const set = (values: Record<string, string>) => Object.entries(values).map(([key, value]) => ({ key, value }));

const mailsTo = async ({ email }: Person, subject: string) =>
  (await api.mails()).filter(mail => mail.to === email && mail.subject === subject);

/** A member with a role in the project that differs from the one in the organization. */
const memberIn = async (role: string, inProject: string, limited = false) => {
  const person = await seedPerson({ name: role });
  const { id } = await join(api, place.owner, person, role);
  await setRole(id, { limited, projectRoles: [{ projectId: place.project.id, role: inProject }] });
  return { ...person, memberId: id };
};

const setRole = (memberId: string, rights: object) =>
  expectStatus(
    api.put(`/members/${place.owner.organization.id}/${memberId}/projects`, rights, place.owner.session),
    200,
  );

const revisionsOf = async (env = 'production') =>
  (await api.get(place.at(env, '/revisions'), place.owner.session)).body.revisions;

/** The ids of those who know a secret's current value. */
const readersOf = async (env: string, key: string): Promise<string[]> => {
  const query = `?environment=${place.environmentId(env)}&key=${key}`;
  const { body } = await api.get(`/audit/${place.owner.organization.id}/exposure${query}`, place.owner.session);
  return body.readers.map(({ actor }: { actor: { id: string } }) => actor.id);
};

const limitSecrets = async (maxSecretsPerEnvironment: number) => {
  const body = { limitOverrides: { maxSecretsPerEnvironment } };
  await expectStatus(api.patch(`/admin/orgs/${place.owner.organization.id}`, body, admin.session), 200);
};

const endNow = async (id: string, env = 'production') =>
  transact([update(at(proposalRecord, place.pathOf(env), id), { set: { endsAt: new Date(0).toISOString() } })]);

describe('an environment whose changes need approval', () => {
  it('refuses each way to change its secrets, and says where to propose', async () => {
    await place.set('production', 'A', '1');
    await place.set('dev', 'B', '2');
    expect((await requireApprovals(1)).body.environment).toMatchObject({ approvals: 1 });
    const refused = [
      await place.set('production', 'A', '2'),
      await place.importAll('production', { A: '2' }),
      await place.change('production', { set: set({ A: '2' }) }),
      await place.remove('production', 'A'),
      await place.bulkDelete('production', ['A']),
      await place.restore('production', { revision: 0 }),
      await place.promote({ from: 'dev', to: 'production' }),
      await place.set('production', 'A', '2', { as: await createToken(api, place.owner) }),
    ];
    expect(refused.map(codeOf)).toEqual(refused.map(() => '409 approval_required'));
    const path = place.at('production', '/proposals');
    for (const { body } of refused) expect(body.error.details).toEqual({ propose: `/v1${path}` });
    expect(await place.values('production')).toEqual({ A: '1' });
    expect(codeOf(await place.set('production', 'A', '2', { query: '?dryRun=true' }))).toBe('200');
    expect(codeOf(await place.set('dev', 'A', '2'))).toBe('201');
  });

  it('lets only an owner lower the number', async () => {
    const admin = await place.member('admin');
    expect(codeOf(await requireApprovals(2, 'production', admin.session))).toBe('200');
    expect(codeOf(await requireApprovals(1, 'production', admin.session))).toBe('403 forbidden');
    expect(codeOf(await requireApprovals(4))).toBe('400 invalid_request');
    expect(codeOf(await requireApprovals(0))).toBe('200');
    expect(codeOf(await place.set('production', 'A', '1'))).toBe('201');
    const [lowered] = await api
      .get(`/audit/${place.owner.organization.id}?action=environment.updated`, place.owner.session)
      .then(({ body }) => body.entries);
    expect(lowered.details).toEqual({ approvals: { from: 2, to: 0 } });
  });

  it('is deleted only by an owner, and by no token, so that another one can’t take its place', async () => {
    const admin = await place.member('admin');
    const token = await createToken(api, place.owner);
    const remove = (as: Caller, env = 'production') => api.delete(`${place.projectPath}/environments/${env}`, as);
    await requireApprovals(1);
    await requireApprovals(1, 'staging');
    await requireApprovals(0, 'staging');
    expect(codeOf(await remove(admin.session))).toBe('403 forbidden');
    expect(codeOf(await remove(token))).toBe('403 insufficient_scope');
    expect(codeOf(await api.delete(place.projectPath, admin.session))).toBe('403 forbidden');
    expect(codeOf(await place.set('production', 'A', '1'))).toBe('409 approval_required');
    expect(codeOf(await remove(admin.session, 'staging'))).toBe('200');
    expect(codeOf(await remove(token, 'dev'))).toBe('200');
    expect(codeOf(await remove(place.owner.session))).toBe('200');
  });

  it('is changed by an owner who gives a reason, which all owners and admins learn', async () => {
    const [admin, developer] = [await place.member('admin'), await place.member('developer')];
    await requireApprovals(1);
    const query = '?bypass=The%20database%20is%20down';
    expect(codeOf(await place.set('production', 'A', '1', { as: admin.session, query }))).toBe('403 forbidden');
    const token = await createToken(api, place.owner);
    expect(codeOf(await place.set('production', 'A', '1', { as: token, query }))).toBe('403 insufficient_scope');
    expect(codeOf(await place.set('production', 'A', '1', { query }))).toBe('201');
    const [entry] = await place.entriesOf('secret.approval_bypassed');
    expect(entry).toMatchObject({
      keys: ['A'],
      revision: 1,
      details: { reason: 'The database is down', change: 'secret.created' },
    });
    const subject = 'Secrets were changed without approval';
    await eventually(async () => {
      for (const person of [admin, place.owner]) expect((await mailsTo(person, subject)).length).toBeGreaterThan(0);
    });
    expect(await mailsTo(developer, subject)).toEqual([]);
    expect(codeOf(await place.set('dev', 'A', '1', { as: developer.session, query }))).toBe('201');
  });
});

describe('a proposal', () => {
  it('is applied by the approval that completes the number, as one revision', async () => {
    const [author, first, second] = [
      await place.member('developer'),
      await place.member('admin'),
      await place.member('developer'),
    ];
    await place.set('production', 'A', 'old');
    await place.set('production', 'GONE', 'x');
    await requireApprovals(2);
    const proposal = await proposed(
      { set: set({ A: 'new', B: 'b' }), delete: ['GONE'], message: 'Move' },
      author.session,
    );
    expect(proposal).toMatchObject({
      state: 'open',
      holds: 'changes',
      baseRevision: 2,
      created: ['B'],
      updated: ['A'],
      deleted: ['GONE'],
      message: 'Move',
      purpose: null,
      createdBy: { id: author.user.id },
      approvals: [],
      needed: 2,
    });
    expect(await place.values('production')).toEqual({ A: 'old', GONE: 'x' });
    expect(codeOf(await approve(proposal, author.session))).toBe('403 self_approval');
    const wrong = { ...proposal, digest: '0'.repeat(64) };
    expect(codeOf(await approve(wrong, first.session))).toBe('412 digest_mismatch');
    for (const _ of [1, 2]) {
      const answer = await approve(proposal, first.session);
      expect(answer.body.proposal).toMatchObject({ state: 'open', approvals: [{ id: first.user.id }] });
    }
    const applied = await approve(proposal, second.session);
    expect(applied.body.proposal, JSON.stringify(applied.body)).toMatchObject({ state: 'applied', revision: 3 });
    expect(await place.values('production')).toEqual({ A: 'new', B: 'b' });

    const { revisions } = (await api.get(place.at('production', '/revisions'), place.owner.session)).body;
    expect(revisions[0]).toMatchObject({
      action: 'proposal.applied',
      message: 'Move',
      createdBy: { id: author.user.id },
      proposal: { id: proposal.id, holds: 'changes' },
      approvedBy: [{ id: first.user.id }, { id: second.user.id }],
    });
    const [entry] = await place.entriesOf('proposal.applied');
    expect(entry).toMatchObject({
      revision: 3,
      actor: { id: second.user.id },
      details: { proposal: proposal.id, author: author.email, approvers: { [first.user.id]: first.email } },
    });
    expect((await place.entriesOf('proposal.approved')).length).toBe(2);
    expect(codeOf(await approve(proposal, (await place.member('admin')).session))).toBe('409 proposal_closed');
    const values = (await allItems()).filter(
      ({ kind, sk }) => kind === 'proposalPart' && String(sk).includes(proposal.id),
    );
    expect(values).toEqual([]);
  });

  it('shows its values to those who may read, and says which keys have moved', async () => {
    const [developer, admin] = [await place.member('developer'), await place.member('admin')];
    await place.set('production', 'A', 'old');
    const { id } = await proposed({ set: set({ A: 'new', B: 'b' }) }, developer.session);
    expect(codeOf(await get(id, '?values=true', developer.session))).toBe('403 forbidden');
    const read = await get(id, '?values=true', admin.session);
    expect(read.body.values).toEqual([
      { key: 'A', before: 'old', after: 'new' },
      { key: 'B', after: 'b' },
    ]);
    const [entry] = await place.entriesOf('proposal.read');
    expect(entry).toMatchObject({ keys: ['B', 'A'], details: { proposal: id } });
    await place.set('production', 'A', 'other');
    expect((await get(id)).body.stale).toEqual(['A']);
  });

  it('is not applied over a newer version, until its author proposes it anew', async () => {
    const [author, approver] = [await place.member('developer'), await place.member('admin')];
    await place.set('production', 'A', '1');
    const proposal = await proposed({ set: set({ A: '2' }), delete: [] }, author.session);
    await place.set('production', 'A', 'other');
    await requireApprovals(1);
    const refused = await approve(proposal, approver.session);
    expect(codeOf(refused)).toBe('409 proposal_stale');
    expect(refused.body.error.details).toEqual({ keys: ['A'] });
    expect(codeOf(await act(proposal.id, 'rebase', undefined, approver.session))).toBe('403 forbidden');
    const rebased = (await act(proposal.id, 'rebase', undefined, author.session)).body.proposal;
    expect(rebased).toMatchObject({ id: proposal.id, state: 'open', approvals: [], updated: ['A'], baseRevision: 2 });
    expect(codeOf(await approve(proposal, approver.session))).toBe('412 digest_mismatch');
    expect(codeOf(await approve(rebased, approver.session))).toBe('200');
    expect(await place.values('production')).toEqual({ A: '2' });
  });

  it('does not count an approver who has left, and is refused if its author may no longer write', async () => {
    const [author, first, second, third] = [
      await place.member('developer'),
      await place.member('admin'),
      await place.member('developer'),
      await place.member('developer'),
    ];
    await requireApprovals(2);
    const proposal = await proposed({ set: set({ A: '1' }) }, author.session);
    await approve(proposal, first.session);
    const membersOf = async () =>
      (await api.get(`/members/${place.owner.organization.id}`, place.owner.session)).body.members;
    const memberIdOf = async ({ user }: Person) =>
      (await membersOf()).find((one: { userId: string }) => one.userId === user.id).id;
    await api.delete(`/members/${place.owner.organization.id}/${await memberIdOf(first)}`, place.owner.session);
    const answer = await approve(proposal, second.session);
    expect(answer.body.proposal).toMatchObject({ state: 'open', approvals: [{ id: second.user.id }] });
    const rolePath = `/members/${place.owner.organization.id}/${await memberIdOf(author)}`;
    expect(codeOf(await api.patch(rolePath, { role: 'viewer' }, place.owner.session))).toBe('200');
    expect(codeOf(await approve(proposal, third.session))).toBe('403 forbidden');
    expect((await get(proposal.id)).body.proposal.state).toBe('open');
    expect(await place.values('production')).toEqual({});
  });

  it('is that of an author who has left, also if they join again, until they propose it anew', async () => {
    const [author, approver] = [await place.member('developer'), await place.member('admin')];
    await requireApprovals(1);
    const proposal = await proposed({ set: set({ A: '1' }) }, author.session);
    const memberId = await memberIdOf(api, place.owner, author);
    await expectStatus(api.delete(`/members/${place.owner.organization.id}/${memberId}`, place.owner.session), 200);
    expect(codeOf(await approve(proposal, approver.session))).toBe('403 forbidden');
    await join(api, place.owner, author, 'developer');
    expect(codeOf(await approve(proposal, approver.session))).toBe('403 forbidden');
    const rebased = (await act(proposal.id, 'rebase', undefined, author.session)).body.proposal;
    expect((await approve(rebased, approver.session)).body.proposal).toMatchObject({ state: 'applied' });
  });

  it('of an identity is decided by nobody who can sign in as it', async () => {
    const [creator, changer, approver] = [
      await place.member('admin'),
      await place.member('admin'),
      await place.member('developer'),
    ];
    const { organization } = place.owner;
    await requireApprovals(1);
    const { id, token } = await issueToPipeline(api, issuer, { ...creator, organization }, { access: 'write' });
    const first = await proposed({ set: set({ A: '1' }) }, { token });
    expect(first.createdBy).toEqual({ id, email: 'deploy' });
    expect(codeOf(await approve(first, creator.session))).toBe('403 self_approval');
    expect(codeOf(await act(first.id, 'reject', {}, creator.session))).toBe('403 self_approval');
    await eventually(async () => {
      expect((await mailsTo(approver, 'A change waits for your approval')).length).toBe(1);
    });
    expect(await mailsTo(creator, 'A change waits for your approval')).toEqual([]);

    const claims = { repository_id: '74', repository_owner_id: '65', ref: 'refs/heads/main' };
    await expectStatus(api.patch(`/identities/${organization.id}/${id}`, { claims }, changer.session), 200);
    const shown = (await expectStatus(api.get(`/identities/${organization.id}/${id}`, changer.session), 200)).body;
    expect(JSON.stringify(shown)).not.toContain(changer.email);
    expect(codeOf(await approve(first, approver.session))).toBe('403 forbidden');
    const subjectToken = await issuer.token(id);
    const exchange = { identityId: id, organizationSlug: organization.slug, subjectToken };
    const renewed = { token: (await expectStatus(api.post('/auth/exchange', exchange), 201)).body.token };
    const second = await proposed({ set: set({ B: '1' }) }, renewed);
    for (const { session } of [creator, changer]) {
      expect(codeOf(await approve(second, session))).toBe('403 self_approval');
    }
    expect(codeOf(await approve(second, approver.session))).toBe('200');
    const rebased = (await act(first.id, 'rebase', undefined, renewed)).body.proposal;
    expect(codeOf(await approve(rebased, creator.session))).toBe('403 self_approval');
    expect(codeOf(await approve(rebased, approver.session))).toBe('200');
    expect(await place.values('production')).toEqual({ A: '1', B: '1' });
  });

  it('says at once that it was closed to an author who proposes it anew', async () => {
    const [author, other] = [await place.member('developer'), await place.member('developer')];
    await requireApprovals(1);
    const proposal = await proposed({ set: set({ A: '1' }) }, author.session);
    const rebase = () => act(proposal.id, 'rebase', undefined, author.session);
    const answers = await Promise.all([rebase(), rebase(), act(proposal.id, 'reject', {}, other.session), rebase()]);
    for (const code of answers.map(codeOf)) expect(['200', '409 proposal_closed']).toContain(code);
    expect((await get(proposal.id)).body.proposal.state).toBe('rejected');
    expect(codeOf(await rebase())).toBe('409 proposal_closed');
  });

  it('is closed by rejecting, withdrawing and time', async () => {
    const [author, other] = [await place.member('developer'), await place.member('developer')];
    const one = await proposed({ set: set({ A: '1' }) }, author.session);
    expect(codeOf(await act(one.id, 'reject', {}, author.session))).toBe('403 self_approval');
    expect(codeOf(await act(one.id, 'withdraw', undefined, other.session))).toBe('403 forbidden');
    const rejected = await act(one.id, 'reject', { message: 'The host is wrong' }, other.session);
    expect(rejected.body.proposal).toMatchObject({ state: 'rejected', reason: 'The host is wrong' });
    const two = await proposed({ set: set({ A: '1' }) }, author.session);
    expect((await act(two.id, 'withdraw', undefined, author.session)).body.proposal.state).toBe('withdrawn');
    const three = await proposed({ set: set({ A: '1' }) }, author.session);
    await endNow(three.id);
    expect(codeOf(await act(three.id, 'apply', undefined, author.session))).toBe('409 proposal_closed');
    expect((await get(three.id)).body.proposal.state).toBe('expired');
    const [entry] = await place.entriesOf('proposal.expired');
    expect(entry).toMatchObject({ actor: { type: 'system' }, details: { proposal: three.id } });
    const listed = async (query: string) =>
      (await api.get(place.at('production', `/proposals${query}`), place.owner.session)).body.proposals;
    expect((await listed('')).map(({ id }: { id: string }) => id)).toEqual([three.id, two.id, one.id]);
    expect((await listed('?state=open')).length).toBe(0);
    expect((await listed('?state=rejected')).length).toBe(1);
  });

  it('takes any of the changes, also where none is required, and is then applied by its author', async () => {
    await place.set('dev', 'A', 'of dev');
    await place.set('production', 'A', '1');
    await place.set('production', 'B', '1');
    const token = await createToken(api, place.owner);
    const promotion = await proposed({ promote: { from: 'dev' } }, token);
    expect(promotion).toMatchObject({
      holds: 'promotion',
      updated: ['A'],
      from: { slug: 'dev', revision: 1 },
      needed: 0,
    });
    expect((await act(promotion.id, 'apply', undefined, token)).body.proposal).toMatchObject({ state: 'applied' });
    expect(await place.values('production')).toEqual({ A: 'of dev', B: '1' });
    const restore = await proposed({ restore: { revision: 1 } });
    expect(restore).toMatchObject({ holds: 'restore', restored: 1, updated: ['A'], deleted: ['B'] });
    expect(codeOf(await act(restore.id, 'apply', undefined))).toBe('200');
    expect(await place.values('production')).toEqual({ A: '1' });
    const developer = await place.member('developer');
    expect(codeOf(await propose({ restore: { revision: 1 } }, developer.session))).toBe('403 forbidden');
    expect(codeOf(await propose({ delete: ['A', 'B'] }, developer.session))).toBe('403 forbidden');
    expect(codeOf(await propose({ set: set({ A: '1' }) }))).toBe('400 invalid_request');
    expect(codeOf(await propose({ set: set({ A: '2' }), promote: { from: 'dev' } }))).toBe('400 invalid_request');
  });

  it('for a rotation is applied by its author only, once enough people have approved', async () => {
    const [author, approver] = [await place.member('developer'), await place.member('admin')];
    await requireApprovals(1);
    const token = await createToken(api, author);
    const proposal = await proposed({ set: set({ A: '1' }), purpose: 'rotation' }, token);
    expect(codeOf(await act(proposal.id, 'apply', undefined, token))).toBe('409 approval_required');
    expect((await approve(proposal, approver.session)).body.proposal).toMatchObject({
      state: 'open',
      purpose: 'rotation',
    });
    expect(codeOf(await act(proposal.id, 'apply', undefined, approver.session))).toBe('403 forbidden');
    expect((await act(proposal.id, 'apply', undefined, token)).body.proposal.state).toBe('applied');
  });

  it('is applied by its author or an approver after the number was lowered', async () => {
    const [author, first, other] = [
      await place.member('developer'),
      await place.member('developer'),
      await place.member('admin'),
    ];
    await requireApprovals(2);
    const proposal = await proposed({ set: set({ A: '1' }) }, author.session);
    await approve(proposal, first.session);
    await requireApprovals(1);
    expect(await place.values('production')).toEqual({});
    expect(codeOf(await act(proposal.id, 'apply', undefined, other.session))).toBe('403 forbidden');
    const token = await createToken(api, author);
    expect(codeOf(await act(proposal.id, 'apply', undefined, token))).toBe('403 insufficient_scope');
    expect(codeOf(await act(proposal.id, 'apply', undefined, first.session))).toBe('200');
  });

  it('names everybody whose approval counted, up to three, also after the number was lowered', async () => {
    const author = place.owner;
    const people = [await place.member('developer'), await place.member('admin'), await place.member('developer')];
    const last = await place.member('admin');
    await requireApprovals(3);
    const lowered = await proposed({ set: set({ A: '1' }) }, author.session);
    for (const { session } of people.slice(0, 2)) await approve(lowered, session);
    const rotation = await proposed({ set: set({ B: '1' }), purpose: 'rotation' }, author.session);
    for (const { session } of [...people, last]) await approve(rotation, session);
    await requireApprovals(1);
    const idsOf = (named: { id: string }[]) => named.map(({ id }) => id);
    const applied = await act(lowered.id, 'apply', undefined, people[0]?.session);
    expect(idsOf(applied.body.proposal.approvals)).toEqual(people.slice(0, 2).map(({ user }) => user.id));
    const rotated = await act(rotation.id, 'apply', undefined, author.session);
    expect(idsOf(rotated.body.proposal.approvals)).toEqual(people.map(({ user }) => user.id));
    const [second, first] = await revisionsOf();
    expect(idsOf(first.approvedBy)).toEqual(idsOf(applied.body.proposal.approvals));
    expect(idsOf(second.approvedBy)).toEqual(people.map(({ user }) => user.id));
  });

  it('survives a rotation of the key', async () => {
    const values = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`KEY_${index}`, 'x'.repeat(9_000)]));
    await place.set('production', 'A', '1');
    const proposal = await proposed({ set: set(values) });
    const path = place.pathOf('production');
    const part = await find(at(proposalPartRecord, path, proposal.id, 1));
    // As a request leaves it that ends before it has stored its proposal.
    const uncommitted = at(proposalPartRecord, path, '01943c8e-5a10-7c3d-9f42-6b8e2d7a1c05', 1);
    if (part === undefined) throw new Error('The proposal has no values.');
    await transact([put(uncommitted, { ...part, key: '#01943c8e-5a10-7c3d-9f42-6b8e2d7a1c05' })]);
    expect(codeOf(await place.rotateKey())).toMatch(/^20/);
    await place.whenRotated();
    const stored = await find(at(proposalRecord, path, proposal.id));
    expect(stored?.parts).toBeGreaterThan(1);
    expect((await find(uncommitted))?.keyVersion).toBe(part.keyVersion);
    expect((await find(at(proposalPartRecord, path, proposal.id, 1)))?.keyVersion).toBe(part.keyVersion + 1);
    expect((await act(proposal.id, 'apply', undefined)).body.proposal).toMatchObject({ state: 'applied', revision: 2 });
    expect(await place.values('production')).toEqual({ A: '1', ...values });
  });

  it('is one of up to twenty that are open, however many are proposed at once', async () => {
    const answers = await Promise.all(Array.from({ length: 24 }, (_, n) => propose({ set: set({ [`K${n}`]: '1' }) })));
    const codes = answers.map(codeOf).toSorted();
    expect(codes.filter(code => code === '201').length).toBeLessThanOrEqual(20);
    expect(new Set(codes)).toEqual(new Set(['201', '409 proposal_limit_reached']));
    const open = await api.get(place.at('production', '/proposals?state=open&limit=100'), place.owner.session);
    expect(open.body.proposals.length).toBe(20);
    const parts = (await allItems()).filter(
      ({ kind, pk }) => kind === 'proposalPart' && String(pk).includes(place.project.slug),
    );
    const ids = open.body.proposals.map(({ id }: { id: string }) => id);
    expect(new Set(parts.map(({ sk }) => String(sk).split('#')[1]))).toEqual(new Set(ids));
    await act(open.body.proposals[0].id, 'withdraw', undefined);
    expect(codeOf(await propose({ set: set({ A: '1' }) }))).toBe('201');
  });

  it('is applied once by concurrent approvals', async () => {
    const people = await Promise.all(Array.from({ length: 4 }, () => place.member('admin')));
    await requireApprovals(2);
    const proposal = await proposed({ set: set({ A: '1' }) });
    const answers = await Promise.all(people.map(({ session }) => approve(proposal, session)));
    expect(new Set(answers.map(codeOf))).toEqual(new Set(['200', '409 proposal_closed']));
    const { revisions } = (await api.get(place.at('production', '/revisions'), place.owner.session)).body;
    expect(revisions.length).toBe(1);
    expect(revisions[0].approvedBy.length).toBe(2);
  });

  it('is closed, not stale, for an approver who read it before another applied it', async () => {
    const [late, other] = [await place.member('admin'), await place.member('admin')];
    await requireApprovals(1);
    const proposal = await proposed({ set: set({ A: '1' }) });
    const path = place.at('production', `/proposals/${proposal.id}/approve`);
    const answer = await stalling(
      ({ input }) => JSON.stringify(input).includes('HEAD#A'),
      headers => api.post(path, { digest: proposal.digest }, late.session, headers),
      async () => expect(codeOf(await approve(proposal, other.session))).toBe('200'),
    );
    expect(codeOf(answer)).toBe('409 proposal_closed');
  });

  it('exists for nobody else, and is mailed to those who may approve, once an hour', async () => {
    const [author, approver, viewer] = [
      await place.member('developer'),
      await place.member('developer'),
      await place.member('viewer'),
    ];
    await requireApprovals(1);
    const proposal = await proposed({ set: set({ A: '1' }) }, author.session);
    await proposed({ set: set({ B: '1' }) }, author.session);
    const waiting = (person: Person) => mailsTo(person, 'A change waits for your approval');
    await eventually(async () => expect((await waiting(approver)).length).toBe(1));
    expect([await waiting(author), await waiting(viewer)]).toEqual([[], []]);
    expect(codeOf(await get(proposal.id, '', viewer.session))).toBe('403 forbidden');
    expect(codeOf(await get('01943c8e-5a10-7c3d-9f42-6b8e2d7a1c05'))).toBe('404 proposal_not_found');
    expect(codeOf(await get(proposal.id, '', place.owner.session, 'dev'))).toBe('404 proposal_not_found');
  });

  it('is mailed whatever other organizations have mailed', async () => {
    const other = await openWorkplace(api);
    const approver = await place.member('developer');
    await join(api, other.owner, approver, 'developer');
    await requireApprovals(1);
    const settings = `${other.projectPath}/environments/production`;
    await expectStatus(api.patch(settings, { approvals: 1 }, other.owner.session), 200);
    const body = { set: set({ A: '1' }) };
    await expectStatus(api.post(other.at('production', '/proposals'), body, other.owner.session), 201);
    await proposed(body);
    await eventually(async () => {
      expect((await mailsTo(approver, 'A change waits for your approval')).length).toBe(2);
    });
  });

  it('says what breaks the template when it is proposed and when it is applied', async () => {
    const approver = await place.member('admin');
    await place.set('production', 'GONE', '1');
    await requireApprovals(1);
    const template = `/templates/${place.owner.organization.slug}/${place.project.slug}`;
    const templateKeys = [{ key: 'PORT', pattern: '[0-9]+' }, { key: 'GONE' }, { key: 'OTHER' }];
    for (const body of templateKeys) await expectStatus(api.post(template, body, place.owner.session), 201);
    const templateProblems = {
      missing: ['GONE'],
      invalid: [{ key: 'PORT', reason: 'does not match the pattern' }],
    };
    const answer = await propose({ set: set({ PORT: 'none' }), delete: ['GONE'] });
    expect(answer.body).toMatchObject({ templateProblems });
    expect((await approve(answer.body.proposal, approver.session)).body).toMatchObject({
      proposal: { state: 'applied' },
      templateProblems,
    });
    expect((await propose({ set: set({ PORT: '80' }) })).body).not.toHaveProperty('templateProblems');
  });

  it('is refused by the plan’s limits when it is proposed and when it is applied', async () => {
    const approver = await place.member('admin');
    await requireApprovals(1);
    await limitSecrets(1);
    expect(codeOf(await propose({ set: set({ A: '1', B: '1' }) }))).toBe('402 plan_limit_exceeded');
    await limitSecrets(2);
    const proposal = await proposed({ set: set({ A: '1', B: '1' }) });
    await limitSecrets(1);
    expect(codeOf(await approve(proposal, approver.session))).toBe('402 plan_limit_exceeded');
    expect((await get(proposal.id)).body.proposal).toMatchObject({ state: 'open', approvals: [] });
    await limitSecrets(2);
    expect(codeOf(await approve(proposal, approver.session))).toBe('200');
  });

  it('holds up to a thousand keys and 4 MiB', async () => {
    const many = Object.fromEntries(Array.from({ length: 1001 }, (_, n) => [`K${n}`, '1']));
    expect(codeOf(await propose({ set: set(many) }))).toBe('400 invalid_request');
    await limitSecrets(-1);
    for (const some of [Object.entries(many).slice(0, 600), Object.entries(many).slice(600)]) {
      expect(codeOf(await place.importAll('dev', Object.fromEntries(some)))).toBe('200');
    }
    const refused = await propose({ promote: { from: 'dev' } });
    expect(codeOf(refused)).toBe('413 payload_too_large');
    expect(refused.body.error.details).toMatchObject({ keyCount: 1001, maximumKeyCount: 1000 });
    const first = Object.keys(many).slice(0, 1000);
    const { id } = await proposed({ promote: { from: 'dev', keys: first } });
    expect((await act(id, 'apply', undefined)).body.proposal).toMatchObject({ state: 'applied' });
    expect(Object.keys(await place.values('production')).length).toBe(1000);
  });

  it('tells who knows its values once it is applied', async () => {
    const [author, reader] = [await place.member('developer'), await place.member('admin')];
    const proposal = await proposed({ set: set({ A: '1' }) }, author.session);
    await get(proposal.id, '?values=true', reader.session);
    await act(proposal.id, 'apply', undefined, author.session);
    expect(new Set(await readersOf('production', 'A'))).toEqual(new Set([author.user.id, reader.user.id]));
  });

  it('that restores a value tells that those know it who knew it before', async () => {
    const [writer, reader] = [await place.member('developer'), await place.member('admin')];
    await place.set('production', 'A', '1', { as: writer.session });
    await place.pull('production', '', { as: reader.session });
    await place.set('production', 'A', '2');
    expect(await readersOf('production', 'A')).not.toContain(reader.user.id);
    const { id } = await proposed({ restore: { revision: 1 } });
    expect((await act(id, 'apply', undefined)).body.proposal).toMatchObject({ state: 'applied' });
    expect((await revisionsOf())[0]).toMatchObject({ action: 'proposal.applied', restored: 1 });
    expect(await readersOf('production', 'A')).toEqual(expect.arrayContaining([writer.user.id, reader.user.id]));
  });

  it('tells who saw values of its source or of an earlier revision, also if it is never applied', async () => {
    const [promoted, restored] = [await place.member('admin'), await place.member('admin')];
    await place.set('dev', 'A', 'of dev');
    await place.set('production', 'B', '1');
    await place.set('production', 'B', '2');
    const promotion = await proposed({ promote: { from: 'dev' } });
    const restore = await proposed({ restore: { revision: 1 } });
    expect((await get(promotion.id, '?values=true', promoted.session)).status).toBe(200);
    expect((await get(restore.id, '?values=true', restored.session)).status).toBe(200);
    expect(await readersOf('dev', 'A')).toContain(promoted.user.id);
    expect(await readersOf('dev', 'A')).not.toContain(restored.user.id);
    const path = `/audit/${place.owner.organization.id}/exposure?userId=`;
    const exposuresOf = async ({ user }: Person) =>
      (await expectStatus(api.get(path + user.id, place.owner.session), 200)).body.exposures.map(
        (one: { environment: { slug: string }; key: string; versions: number[] }) =>
          `${one.environment.slug} ${one.key} ${one.versions.join(' ')}`,
      );
    expect(await exposuresOf(promoted)).toEqual(['dev A 1']);
    expect(await exposuresOf(restored)).toEqual(['production B 1 2']);
  });
});

describe('a role in the project', () => {
  it('decides who requires approvals and who changes the secrets without them', async () => {
    const [admin, lowered] = [await memberIn('viewer', 'admin', true), await memberIn('admin', 'developer')];
    expect(codeOf(await requireApprovals(1, 'production', lowered.session))).toBe('403 forbidden');
    expect(codeOf(await requireApprovals(1, 'production', admin.session))).toBe('200');
    expect(codeOf(await requireApprovals(0, 'production', admin.session))).toBe('403 forbidden');
    const query = '?bypass=The%20database%20is%20down';
    expect(codeOf(await place.set('production', 'A', '1', { as: admin.session, query }))).toBe('403 forbidden');
    expect(codeOf(await place.set('production', 'A', '1', { query }))).toBe('201');
    const subject = 'Secrets were changed without approval';
    await eventually(async () => {
      for (const person of [admin, lowered]) expect((await mailsTo(person, subject)).length).toBe(1);
    });
  });

  it('decides who proposes, approves, reads and restores', async () => {
    const [writer, admin] = [await memberIn('viewer', 'developer', true), await memberIn('developer', 'admin')];
    const [lowered, outsider] = [await memberIn('admin', 'viewer'), await memberIn('viewer', 'viewer')];
    await setRole(outsider.memberId, { limited: true, projectRoles: [] });
    await requireApprovals(1);
    const proposal = await proposed({ set: set({ A: '1' }) }, writer.session);
    await eventually(async () => expect((await mailsTo(admin, 'A change waits for your approval')).length).toBe(1));
    expect(await mailsTo(lowered, 'A change waits for your approval')).toEqual([]);
    expect(codeOf(await approve(proposal, lowered.session))).toBe('403 forbidden');
    expect(codeOf(await approve(proposal, outsider.session))).toBe('404 project_not_found');
    expect(codeOf(await get(proposal.id, '', outsider.session))).toBe('404 project_not_found');
    expect((await get(proposal.id, '?values=true', admin.session)).body.values).toEqual([{ key: 'A', after: '1' }]);
    expect((await approve(proposal, admin.session)).body.proposal).toMatchObject({ state: 'applied' });
    expect(codeOf(await propose({ restore: { revision: 0 } }, writer.session))).toBe('403 forbidden');
    const restore = await proposed({ restore: { revision: 0 } }, admin.session);
    expect(codeOf(await approve(restore, writer.session))).toBe('200');
    expect(await place.values('production')).toEqual({});
  });

  it('counts as it is when the proposal is applied', async () => {
    const [author, first] = [await memberIn('viewer', 'admin'), await memberIn('viewer', 'developer')];
    const [second, third] = [await place.member('developer'), await place.member('developer')];
    await requireApprovals(2);
    await place.set('production', 'A', '1', { query: '?bypass=start' });
    await place.set('production', 'B', '1', { query: '?bypass=start' });
    const proposal = await proposed({ delete: ['A', 'B'] }, author.session);
    await approve(proposal, first.session);
    await setRole(first.memberId, { limited: false, projectRoles: [] });
    const answer = await approve(proposal, second.session);
    expect(answer.body.proposal).toMatchObject({ state: 'open', approvals: [{ id: second.user.id }] });
    await setRole(author.memberId, {
      limited: false,
      projectRoles: [{ projectId: place.project.id, role: 'developer' }],
    });
    expect(codeOf(await approve(proposal, third.session))).toBe('403 forbidden');
    await setRole(author.memberId, { limited: false, projectRoles: [{ projectId: place.project.id, role: 'admin' }] });
    expect((await approve(proposal, third.session)).body.proposal).toMatchObject({ state: 'applied' });
    expect(await place.values('production')).toEqual({});
  });
});

describe('an environment that was deleted and restored', () => {
  it('has its open proposals and the number of approvals as before', async () => {
    const approver = await place.member('admin');
    await requireApprovals(1);
    const proposal = await proposed({ set: set({ A: '1' }) });
    await place.rotateKey();
    await place.whenRotated();
    const { id: orgId } = place.owner.organization;
    const environment = `${place.projectPath}/environments/production`;
    await expectStatus(api.delete(`${environment}?keepDays=7`, place.owner.session), 200);
    expect(codeOf(await get(proposal.id))).toBe('404 environment_not_found');
    expect(codeOf(await place.rotateKey())).toMatch(/^20/);
    await place.whenRotated();
    const restore = `/deleted/${orgId}/${place.environmentId('production')}/restore`;
    await expectStatus(api.post(restore, undefined, place.owner.session), 200);
    expect((await get(proposal.id)).body.proposal).toEqual(proposal);
    expect(codeOf(await place.set('production', 'A', '2'))).toBe('409 approval_required');
    expect((await approve(proposal, approver.session)).body.proposal).toMatchObject({ state: 'applied' });
    expect(await place.values('production')).toEqual({ A: '1' });
  });

  it('is erased with its proposals', async () => {
    const proposal = await proposed({ set: set({ A: '1' }) });
    const environment = `${place.projectPath}/environments/production`;
    await expectStatus(api.delete(`${environment}?keepDays=7`, place.owner.session), 200);
    const erased = `/deleted/${place.owner.organization.id}/${place.environmentId('production')}`;
    await expectStatus(api.delete(erased, place.owner.session), 200);
    await eventually(async () => {
      const left = (await allItems()).filter(item => JSON.stringify(item).includes(proposal.id));
      expect(left.filter(({ kind }) => kind !== 'audit')).toEqual([]);
    });
  });
});
