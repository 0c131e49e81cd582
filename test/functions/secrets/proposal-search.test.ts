import fc from 'fast-check';
import { expect, it } from 'vitest';
import { at } from '#lib/table/read.ts';
import { proposalRecord } from '#lib/table/records/proposal.ts';
import { transact, update } from '#lib/table/write.ts';
import type { Answer, Caller } from '#test/support/api.ts';
import { openWorkplace, type Workplace } from '#test/support/environments.ts';
import { shared } from '#test/support/fixtures.ts';
import type { FaultKind } from '#test/support/inject-faults.ts';
import { startObservedApi, withFault } from '#test/support/observed-api.ts';
import type { Person } from '#test/support/people.ts';
import { join } from '#test/support/sample-requests.ts';

/*
 * Random sequences of everything that can happen to proposals, with a fault at a call of some of the requests. After each
 * step, whatever it returned, the environment must have changed only as its approvers saw: nothing is applied that they
 * did not approve, nothing twice, and nothing is lost.
 */

const sequences = Number(process.env.PROPOSAL_SEQUENCES ?? 3);
const steps = 14;

const api = shared(() => startObservedApi());

type Fault = { kind: FaultKind; position: number } | undefined;
const kinds: FaultKind[] = ['blip', 'answer-lost-once', 'answer-lost', 'conflict', 'dies-before', 'dies-after'];
const fault: fc.Arbitrary<Fault> = fc.oneof(
  { weight: 3, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom(...kinds), position: fc.integer({ min: 1, max: 14 }) }) },
);

const actions = [
  'propose',
  'propose',
  'approve',
  'approve',
  'approve',
  'apply',
  'rebase',
  'edit',
  'bypass',
  'rotate',
  'demote',
  'leave',
  'expire',
  'require',
  'withdraw',
] as const;

interface Step {
  action: (typeof actions)[number];
  /** Who acts, and about which proposal, counted from the latest. */
  person: number;
  proposal: number;
  key: string;
  value: string;
  approvals: number;
  isRotation: boolean;
  fault: Fault;
}

const step: fc.Arbitrary<Step> = fc.record({
  action: fc.constantFrom(...actions),
  person: fc.integer({ min: 0, max: 3 }),
  proposal: fc.integer({ min: 0, max: 2 }),
  key: fc.constantFrom('A', 'B', 'C'),
  value: fc.constantFrom('1', '2', '3'),
  approvals: fc.integer({ min: 0, max: 2 }),
  isRotation: fc.boolean(),
  fault,
});

interface Known {
  id: string;
  author: string;
  purpose: string | null;
  /** By digest: what is shown to approvers. */
  shown: Map<string, { values: Record<string, string | undefined>; versions: Record<string, number> }>;
  digest: string;
  approvedBy: Set<string>;
  isEnded: boolean;
  isApplied: boolean;
}

/** A project with four people besides its owner, and what must be true of its production environment. */
async function openWorld() {
  const place = await openWorkplace(api);
  const people = [
    await place.member('developer'),
    await place.member('admin'),
    await place.member('developer'),
    await place.member('admin'),
  ];
  return { place, people, known: [] as Known[] };
}
type World = Awaited<ReturnType<typeof openWorld>>;

const path = (place: Workplace, rest = '') => place.at('production', `/proposals${rest}`);

async function look(place: Workplace) {
  const [pulled, revisions, listed, project] = [
    await place.pull('production'),
    await api.get(place.at('production', '/revisions?limit=100'), place.owner.session),
    await api.get(path(place, '?limit=100'), place.owner.session),
    await api.get(place.projectPath, place.owner.session),
  ];
  for (const answer of [pulled, revisions, listed, project]) expect(answer.status).toBe(200);
  const secrets: { key: string; value: string; version: number }[] = pulled.body.secrets;
  const { environments } = project.body.project;
  return {
    values: Object.fromEntries(secrets.map(({ key, value }) => [key, value])),
    versions: Object.fromEntries(secrets.map(({ key, version }) => [key, version])),
    revisions: revisions.body.revisions,
    proposals: listed.body.proposals,
    needed: environments.find(({ slug }: { slug: string }) => slug === 'production').approvals as number,
  };
}

type Look = Awaited<ReturnType<typeof look>>;

async function act({ place, people, known }: World, taken: Step): Promise<void> {
  const { action, key, value, approvals, isRotation } = taken;
  const person = people[taken.person] as Person;
  const proposal = known.at(-1 - taken.proposal);
  const as: Caller = person.session;
  const send = (call: (headers: Record<string, string>) => Promise<Answer>) => withFault(taken.fault, call);
  const post = (rest: string, body?: object) => send(headers => api.post(path(place, rest), body, as, headers));
  const memberPath = async () => {
    const { members } = (await api.get(`/members/${place.owner.organization.id}`, place.owner.session)).body;
    const found = members.find(({ userId }: { userId: string }) => userId === person.user.id);
    return found && `/members/${place.owner.organization.id}/${found.id}`;
  };
  switch (action) {
    case 'propose':
      await post('', { set: [{ key, value }], ...(isRotation && { purpose: 'rotation' }) });
      return;
    case 'approve':
      // Sometimes what was shown before a rebase.
      if (proposal !== undefined) {
        const digest = taken.isRotation ? proposal.digest : ([...proposal.shown.keys()][0] as string);
        await post(`/${proposal.id}/approve`, { digest });
      }
      return;
    case 'apply':
    case 'rebase':
    case 'withdraw':
      if (proposal !== undefined) await post(`/${proposal.id}/${action}`);
      return;
    case 'edit':
      await send(headers => place.set('production', key, value, { as, headers }));
      return;
    case 'bypass':
      await send(headers => place.set('production', key, value, { headers, query: '?bypass=search' }));
      return;
    case 'rotate':
      if ((await place.rotateKey()).status < 300) await place.whenRotated();
      return;
    case 'demote': {
      const member = await memberPath();
      if (member === undefined) return;
      const projectRoles = [{ projectId: place.project.id, role: 'viewer' }];
      // In the organization, or only in the project.
      if (taken.isRotation) await api.patch(member, { role: 'viewer' }, place.owner.session);
      else await api.put(`${member}/projects`, { limited: false, projectRoles }, place.owner.session);
      return;
    }
    case 'leave': {
      const member = await memberPath();
      // Whoever joins again has not approved.
      for (const one of known) one.approvedBy.delete(person.user.id);
      if (member !== undefined) await api.delete(member, place.owner.session);
      else await join(api, place.owner, person, 'developer');
      return;
    }
    case 'expire':
      if (proposal !== undefined && taken.value === '1') {
        const item = at(proposalRecord, place.pathOf('production'), proposal.id);
        await transact([update(item, { set: { endsAt: new Date(0).toISOString() } })]);
      }
      return;
    case 'require':
      await send(headers =>
        api.patch(`${place.projectPath}/environments/production`, { approvals }, place.owner.session, headers),
      );
      return;
  }
}

interface Member {
  userId: string;
  role: string;
  projectRoles: { role: string }[];
}

/** Those who may write to production now. */
async function writersNow({ place }: World): Promise<Set<string>> {
  const { members } = (await api.get(`/members/${place.owner.organization.id}`, place.owner.session)).body;
  const writers = members.filter(({ role, projectRoles }: Member) => (projectRoles[0]?.role ?? role) !== 'viewer');
  return new Set(writers.map(({ userId }: Member) => userId));
}

async function check(world: World, taken: Step, before: Look, now: Look, writers: Set<string>): Promise<void> {
  const added = now.revisions.length - before.revisions.length;
  expect(added).toBeLessThanOrEqual(1);
  const [latest] = now.revisions;
  const actor = world.people[taken.person]?.user.id as string;
  if (added === 0) expect(now.values).toEqual(before.values);
  else if (latest.action === 'proposal.applied') {
    const applied = world.known.find(({ id }) => id === latest.proposal.id) as Known;
    expect(['approve', 'apply']).toContain(taken.action);
    expect([applied.isApplied, applied.isEnded]).toEqual([false, false]);
    const shown = applied.shown.get(applied.digest);
    const differing = Object.entries(now.values).filter(([key, value]) => before.values[key] !== value);
    expect(shown?.values).toMatchObject(Object.fromEntries(differing));
    for (const key of Object.keys(shown?.values ?? {})) {
      expect(now.values[key]).toBe(shown?.values[key]);
      expect(before.versions[key] ?? 0, 'the version that was proposed against').toBe(shown?.versions[key]);
    }
    const approvers: string[] = latest.approvedBy.map(({ id }: { id: string }) => id);
    expect(new Set(approvers).size).toBeGreaterThanOrEqual(before.needed);
    for (const id of approvers) {
      expect(writers).toContain(id);
      expect(id).not.toBe(applied.author);
      const isNow = taken.action === 'approve' && id === actor;
      expect(isNow || applied.approvedBy.has(id), 'approved this digest').toBe(true);
    }
    expect(writers).toContain(applied.author);
    applied.isApplied = true;
  } else {
    expect(['edit', 'bypass']).toContain(taken.action);
    if (taken.action === 'edit') expect(before.needed).toBe(0);
    expect(now.values).toEqual({ ...before.values, [taken.key]: taken.value });
  }
  await learn(world, taken, now);
}

/** Records what approvers are shown now, and that nothing was lost. */
async function learn({ place, known }: World, { action }: Step, now: Look): Promise<void> {
  for (const proposal of now.proposals) {
    let entry = known.find(({ id }) => id === proposal.id);
    if (entry === undefined) {
      expect(action).toBe('propose');
      const { createdBy, purpose, digest } = proposal;
      const empty = { shown: new Map(), approvedBy: new Set<string>(), isEnded: false, isApplied: false };
      entry = { id: proposal.id, author: createdBy.id, purpose, digest, ...empty };
      known.push(entry);
    }
    expect(proposal.state === 'applied').toBe(entry.isApplied);
    if (proposal.digest !== entry.digest) {
      expect(action).toBe('rebase');
      expect(proposal.approvals).toEqual([]);
      entry.digest = proposal.digest;
      entry.approvedBy.clear();
    }
    if (proposal.state !== 'open') {
      entry.isEnded = true;
      continue;
    }
    expect(entry.isEnded).toBe(false);
    for (const { id } of proposal.approvals) entry.approvedBy.add(id);
    if (!entry.shown.has(proposal.digest)) {
      const { body } = await api.get(path(place, `/${proposal.id}?values=true`), place.owner.session);
      const values = Object.fromEntries(
        body.values.map((one: { key: string; after?: string }) => [one.key, one.after]),
      );
      // Keys are never deleted here, so their versions are those of a pull.
      const versions = Object.fromEntries(Object.keys(values).map(key => [key, now.versions[key] ?? 0]));
      expect(body.stale).toEqual([]);
      entry.shown.set(proposal.digest, { values, versions });
    }
  }
  for (const { id } of known) expect(now.proposals.map((one: { id: string }) => one.id)).toContain(id);
  const appliedIds = now.revisions.flatMap(({ proposal }: { proposal?: { id: string } }) => proposal?.id ?? []);
  expect(new Set(appliedIds).size).toBe(appliedIds.length);
}

it('applies nothing that its approvers did not see, nothing twice, and loses nothing', async () => {
  const sequence = fc.array(step, { minLength: steps, maxLength: steps });
  let appliedCount = 0;
  await fc.assert(
    fc.asyncProperty(sequence, async all => {
      const world = await openWorld();
      let before = await look(world.place);
      for (const taken of all) {
        const writers = await writersNow(world);
        await act(world, taken);
        const now = await look(world.place);
        await check(world, taken, before, now, writers);
        before = now;
      }
      appliedCount += world.known.filter(({ isApplied }) => isApplied).length;
    }),
    { numRuns: sequences, endOnFailure: true, seed: Number(process.env.PROPOSAL_SEED ?? Date.now() % 1_000_000_000) },
  );
  // A few sequences may happen to apply none.
  if (sequences >= 100) expect(appliedCount).toBeGreaterThan(0);
}, 3_600_000);
