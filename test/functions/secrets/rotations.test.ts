import { describe, expect, it } from 'vitest';
import { dayMs, epochSeconds } from '#lib/core/time.ts';
import { at, find } from '#lib/table/read.ts';
import { proposalPartRecord, proposalRecord } from '#lib/table/records/proposal.ts';
import { type Answer, type Caller, createToken, startApi } from '#test/support/api.ts';
import { openWorkplace } from '#test/support/environments.ts';
import { fresh, shared } from '#test/support/fixtures.ts';
import { expectStatus } from '#test/support/sample-requests.ts';

/* Proposals that rotate a value which something outside of Holdfast accepts too. */

const api = shared(startApi);
const place = fresh(() => openWorkplace(api));

const codeOf = ({ status, body }: Answer) => (status < 300 ? String(status) : `${status} ${body?.error?.code}`);
const propose = (values: Record<string, string>, as: Caller = place.owner.session, purpose?: string) => {
  const set = Object.entries(values).map(([key, value]) => ({ key, value }));
  return api.post(place.at('production', '/proposals'), { set, purpose }, as);
};
const rotate = (values: Record<string, string>, as?: Caller) => propose(values, as, 'rotation');
const rotation = async (values: Record<string, string>, as?: Caller) =>
  (await expectStatus(rotate(values, as), 201)).body.proposal;
const pathOf = (id: string, rest = '') => place.at('production', `/proposals/${id}${rest}`);
const record = (id: string, progress: string, as: Caller = place.owner.session) =>
  api.put(pathOf(id, '/progress'), { progress }, as);
const act = (id: string, action: string, as: Caller = place.owner.session) =>
  api.post(pathOf(id, `/${action}`), {}, as);
const close = (id: string, action: string) => api.post(pathOf(id, `/${action}`), undefined, place.owner.session);
const requireApprovals = (approvals: number) =>
  expectStatus(api.patch(`${place.projectPath}/environments/production`, { approvals }, place.owner.session), 200);
const approve = ({ id, digest }: { id: string; digest: string }, as: Caller) =>
  expectStatus(api.post(pathOf(id, '/approve'), { digest }, as), 200);
const stored = async (id: string) => {
  const proposal = await find(at(proposalRecord, place.pathOf('production'), id));
  if (proposal === undefined) throw new Error('The proposal is gone.');
  return proposal;
};

describe('a second rotation of a key', () => {
  it('is refused while one is open, and names it', async () => {
    const first = await rotation({ A: '1', B: '1' });
    const second = await rotate({ B: '2', C: '2' });
    expect(codeOf(second)).toBe('409 rotation_open');
    expect(second.body.error.details).toEqual({ keys: ['B'], proposals: [first.id] });
    expect(codeOf(await rotate({ C: '2' }))).toBe('201');
    expect(codeOf(await propose({ B: '2' }))).toBe('201');
    await expectStatus(close(first.id, 'withdraw'), 200);
    expect(codeOf(await rotate({ B: '2' }))).toBe('201');
  });

  it('is refused however many begin at once', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, (_, index) => rotate({ A: String(index) })));
    expect(answers.map(codeOf).toSorted()).toEqual(['201', ...Array(7).fill('409 rotation_open')]);
  });
});

describe('the progress of a rotation', () => {
  it('is recorded by its author, and never goes back', async () => {
    const { id } = await rotation({ A: '1' });
    const admin = await place.member('admin');
    expect(codeOf(await record(id, 'started', admin.session))).toBe('403 forbidden');
    expect((await record(id, 'started')).body.proposal).toMatchObject({ state: 'open', progress: 'started' });
    expect((await record(id, 'changed')).body.proposal.progress).toBe('changed');
    expect((await record(id, 'started')).body.proposal.progress).toBe('changed');
    expect(codeOf(await record(id, 'finished'))).toBe('409 rotation_open');
    expect((await close(id, 'apply')).body.proposal).toMatchObject({ state: 'applied', progress: 'changed' });
    expect(codeOf(await record(id, 'changed'))).toBe('409 proposal_closed');
    expect((await record(id, 'finished')).body.proposal).toMatchObject({ state: 'applied', progress: 'finished' });
    expect(codeOf(await record(id, 'finished'))).toBe('200');
    const { body } = await api.get(
      `/audit/${place.owner.organization.id}?action=proposal.progressed`,
      place.owner.session,
    );
    expect(body.entries.map((entry: { details: { progress: string } }) => entry.details.progress)).toEqual([
      'finished',
      'changed',
      'started',
    ]);
  });

  it('is not that of another proposal', async () => {
    const { body } = await propose({ A: '1' });
    expect(codeOf(await record(body.proposal.id, 'started'))).toBe('400 invalid_request');
    const { id } = await rotation({ A: '1' });
    expect(codeOf(await record(id, 'over'))).toBe('400 invalid_request');
    await close(id, 'withdraw');
    expect(codeOf(await record(id, 'started'))).toBe('409 proposal_closed');
    expect(codeOf(await record(id, 'finished'))).toBe('409 proposal_closed');
  });

  it('takes the approvals that the environment requires before it begins', async () => {
    const [author, approver] = [await place.member('developer'), await place.member('admin')];
    await requireApprovals(1);
    const token = await createToken(api, author);
    const proposal = await rotation({ A: '1' }, token);
    const refused = await record(proposal.id, 'started', token);
    expect([codeOf(refused), refused.body.error.details]).toEqual([
      '409 approval_required',
      { approvals: 0, needed: 1 },
    ]);
    await approve(proposal, approver.session);
    expect(codeOf(await record(proposal.id, 'started', token))).toBe('200');
    // What has begun outside goes on.
    await requireApprovals(2);
    expect(codeOf(await record(proposal.id, 'changed', token))).toBe('200');
    expect(codeOf(await act(proposal.id, 'apply', token))).toBe('409 approval_required');
  });
});

describe('a rotation that has started', () => {
  it('can’t be rejected, but its author can end it', async () => {
    const admin = await place.member('admin');
    const { id } = await rotation({ A: '1' });
    await record(id, 'started');
    expect(codeOf(await act(id, 'reject', admin.session))).toBe('409 rotation_open');
    expect((await close(id, 'withdraw')).body.proposal.state).toBe('withdrawn');
    const other = await rotation({ A: '1' });
    expect((await act(other.id, 'reject', admin.session)).body.proposal.state).toBe('rejected');
  });

  it('keeps its values for years while it is open, and is listed as long as others afterwards', async () => {
    const values = { A: 'x'.repeat(60_000), B: 'y'.repeat(60_000), C: 'z'.repeat(60_000), D: 'd'.repeat(60_000) };
    const { id } = await rotation(values);
    const { parts } = await stored(id);
    expect(parts).toBeGreaterThan(1);
    const endOfParts = async () =>
      Promise.all(
        Array.from({ length: parts }, async (_, index) => {
          const part = await find(at(proposalPartRecord, place.pathOf('production'), id, index + 1));
          return part?.expiresAt ?? 0;
        }),
      );
    const inDays = (days: number) => epochSeconds(Date.now() + days * dayMs);
    expect(Math.max(...(await endOfParts()))).toBeLessThan(inDays(9));
    await record(id, 'started');
    expect(Math.min(...(await endOfParts()))).toBeGreaterThan(inDays(3600));
    const { endsAt, expiresAt } = await stored(id);
    expect(Date.parse(endsAt)).toBeGreaterThan(Date.now() + 3600 * dayMs);
    expect(expiresAt).toBeGreaterThan(inDays(3600));

    expect((await close(id, 'apply')).body.proposal.state).toBe('applied');
    expect((await stored(id)).expiresAt).toBeLessThan(inDays(100));
    expect(await place.values('production')).toEqual(values);
  });

  it('is not lost if its key moves: it is rebased, and its progress stays', async () => {
    await place.set('production', 'A', '1');
    const { id, digest } = await rotation({ A: 'new' });
    await record(id, 'changed');
    await place.set('production', 'A', 'theirs');
    expect(codeOf(await act(id, 'apply'))).toBe('409 proposal_stale');
    const rebased = (await close(id, 'rebase')).body.proposal;
    expect(rebased).toMatchObject({ progress: 'changed', updated: ['A'] });
    expect(rebased.digest).not.toBe(digest);
    expect((await close(id, 'apply')).body.proposal).toMatchObject({ state: 'applied', progress: 'changed' });
    expect(await place.values('production')).toEqual({ A: 'new' });
  });

  it('keeps all of its values when it is rebased, also those that somebody has set by hand', async () => {
    await place.importAll('production', { A: '1', B: '1' });
    const { id } = await rotation({ A: 'new a', B: 'new b' });
    await record(id, 'changed');
    await place.set('production', 'A', 'new a');
    expect((await close(id, 'rebase')).body.proposal).toMatchObject({ created: [], updated: ['A', 'B'] });
    await place.set('production', 'B', 'new b');
    expect((await close(id, 'rebase')).body.proposal).toMatchObject({ created: [], updated: ['A', 'B'] });
    const { values } = (await api.get(pathOf(id, '?values=true'), place.owner.session)).body;
    expect(values.map((one: { after: string }) => one.after)).toEqual(['new a', 'new b']);
    expect((await close(id, 'apply')).body.proposal).toMatchObject({ state: 'applied', revision: 4 });
    expect(await place.values('production')).toEqual({ A: 'new a', B: 'new b' });
  });

  it('can be rejected once its author may no longer write, so that its key can be rotated again', async () => {
    const [author, admin] = [await place.member('developer'), await place.member('admin')];
    const { id } = await rotation({ A: '1' }, author.session);
    await record(id, 'started', author.session);
    expect(codeOf(await act(id, 'reject', admin.session))).toBe('409 rotation_open');
    const members = `/members/${place.owner.organization.id}`;
    const list = (await api.get(members, place.owner.session)).body.members;
    const member = list.find(({ email }: { email: string }) => email === author.email);
    await expectStatus(api.delete(`${members}/${member.id}`, place.owner.session), 200);
    expect(codeOf(await rotate({ A: '2' }))).toBe('409 rotation_open');
    expect((await act(id, 'reject', admin.session)).body.proposal.state).toBe('rejected');
    expect(codeOf(await rotate({ A: '2' }))).toBe('201');
  });

  it('survives a rotation of the project’s key', async () => {
    const { id } = await rotation({ A: 'new' });
    await record(id, 'started');
    await place.rotateKey();
    await place.whenRotated();
    const part = await find(at(proposalPartRecord, place.pathOf('production'), id, 1));
    expect([part?.keyVersion, (part?.expiresAt ?? 0) > epochSeconds(Date.now() + 3600 * dayMs)]).toEqual([2, true]);
    expect((await close(id, 'apply')).body.proposal.state).toBe('applied');
  });
});
