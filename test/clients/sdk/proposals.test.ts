import { expect, test } from 'vitest';
import { ApprovalRequired, Holdfast, type Proposals, proposals, RevisionMismatch } from '#clients/sdk/src/index.ts';
import { createToken, startApi } from '#test/support/api.ts';
import { openWorkplace } from '#test/support/environments.ts';
import { fresh, shared } from '#test/support/fixtures.ts';
import { expectStatus } from '#test/support/sample-requests.ts';
import { failureOf } from './variables.ts';

const api = shared(startApi);
const place = fresh(() => openWorkplace(api));
const client = fresh(async () => new Holdfast({ url: api.url, ...(await createToken(api, place.owner)) }));
const environment = () => client.environment(place.owner.organization.slug, place.project.slug, 'production');
const own = (): Proposals => proposals(client, environment());
const requireApprovals = (approvals: number) =>
  expectStatus(api.patch(`${place.projectPath}/environments/production`, { approvals }, place.owner.session), 200);

test('a change that needs approval is an error with the path for proposals', async () => {
  await requireApprovals(1);
  const error = await failureOf(environment().set('A', '1'));
  expect(error).toBeInstanceOf(ApprovalRequired);
  expect(error).toMatchObject({ code: 'approval_required', status: 409, outcomeUnknown: false });
  expect((error as ApprovalRequired).propose).toBe(`/v1${place.at('production', '/proposals')}`);
  const plan = await environment().plan({ set: { A: '1' } });
  await expect(plan.apply()).rejects.toBeInstanceOf(ApprovalRequired);
});

test('a proposal is listed, read and applied by the approval of somebody else', async () => {
  await environment().import({ A: 'old', GONE: 'x' });
  await requireApprovals(1);
  const options = { message: 'Move', expiresInDays: 3, ifRevision: 1 };
  const { proposal } = await own().propose({ set: { A: 'new', B: 'b' }, delete: ['GONE'] }, options);
  const keys = { created: ['B'], updated: ['A'], deleted: ['GONE'] };
  expect(proposal).toMatchObject({ state: 'open', needed: 1, approvals: [], message: 'Move', ...keys });
  const days = (Date.parse(proposal.expiresAt) - Date.parse(proposal.createdAt)) / (24 * 3600 * 1000);
  expect(days).toBe(3);

  expect(await own().get(proposal.id)).toEqual({ proposal, stale: [] });
  expect((await own().get(proposal.id, { values: true })).values).toEqual([
    { key: 'A', before: 'old', after: 'new' },
    { key: 'B', after: 'b' },
    { key: 'GONE', before: 'x' },
  ]);
  await expect(own().apply(proposal.id)).rejects.toMatchObject({ status: 403, code: 'insufficient_scope' });

  const admin = await place.member('admin');
  const approval = place.at('production', `/proposals/${proposal.id}/approve`);
  await expectStatus(api.post(approval, { digest: proposal.digest }, admin.session), 200);
  expect((await own().get(proposal.id)).proposal).toMatchObject({ state: 'applied', revision: 2 });
  expect(await place.values('production')).toEqual({ A: 'new', B: 'b' });
  await expect(own().withdraw(proposal.id)).rejects.toMatchObject({ code: 'proposal_closed' });
});

test('a proposed value can name other keys', async () => {
  await environment().set('HOST', 'db');
  const value = 'http://\u0024{HOST}/';
  const { proposal } = await own().propose({ set: { URL: { value, expand: true }, PLAIN: value } });
  expect([proposal.created, proposal.expand]).toEqual([['PLAIN', 'URL'], ['URL']]);
});

test('a proposal is for the revision that it names', async () => {
  await environment().set('A', '1');
  const error = await failureOf(own().propose({ set: { A: '2' } }, { ifRevision: 0 }));
  expect(error).toBeInstanceOf(RevisionMismatch);
  expect(error).toMatchObject({ currentRevision: 1 });
  expect((await own().list()).proposals).toEqual([]);
});

test('a stale proposal is rebased and applied; another one is withdrawn', async () => {
  await environment().set('A', '1');
  const { proposal } = await own().propose({ set: { A: '2' } });
  await environment().set('A', 'theirs');
  expect((await own().get(proposal.id)).stale).toEqual(['A']);
  await expect(own().apply(proposal.id)).rejects.toMatchObject({ code: 'proposal_stale', details: { keys: ['A'] } });
  const rebased = (await own().rebase(proposal.id)).proposal;
  expect([rebased.id, rebased.baseRevision]).toEqual([proposal.id, 2]);
  expect(rebased.digest).not.toBe(proposal.digest);
  expect((await own().apply(proposal.id)).proposal).toMatchObject({ state: 'applied', revision: 3 });
  const other = (await own().propose({ delete: ['A'] })).proposal;
  expect((await own().withdraw(other.id)).proposal.state).toBe('withdrawn');
  expect(await place.values('production')).toEqual({ A: '2' });
});

test('promotions and restores are proposed, and all pages are listed, newest first', async () => {
  await place.set('dev', 'A', 'dev');
  await environment().set('B', '1');
  const promoted = (await own().propose({ promote: { from: 'dev', keys: ['A'], overwrite: false } })).proposal;
  expect(promoted).toMatchObject({ holds: 'promotion', created: ['A'], from: { slug: 'dev', revision: 1 } });
  const restored = (await own().propose({ restore: { revision: 0 } })).proposal;
  expect(restored).toMatchObject({ holds: 'restore', deleted: ['B'], restored: 0 });
  const rotation = (await own().propose({ set: { B: '2' } }, { purpose: 'rotation' })).proposal;
  expect(rotation.purpose).toBe('rotation');
  const ids: string[] = [];
  for await (const { id } of own().list({ limit: 1 })) ids.push(id);
  expect(ids).toEqual([rotation.id, restored.id, promoted.id]);
  expect((await own().record(rotation.id, 'started')).proposal).toMatchObject({ state: 'open', progress: 'started' });
  await own().withdraw(rotation.id);
  expect((await own().list({ state: 'withdrawn' })).proposals.map(({ id }) => id)).toEqual([rotation.id]);
});

test('a value that is no string is refused before anything is sent', async () => {
  await expect(own().propose({ set: { A: 7 as unknown as string } })).rejects.toThrow(
    'The value of A must be a string.',
  );
});
