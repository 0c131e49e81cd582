import { expect } from 'vitest';
import type { Taken } from './take-step.ts';
import { env, type Known, type Look, proposalPath, type ShownProposal, type World } from './world.ts';

/*
 * What must be true after a step, whatever it returned: the environment has changed only as its approvers saw, nothing
 * was applied twice, and nothing was lost.
 */

const idsOf = (people: readonly { id: string }[] = []) => people.map(({ id }) => id);

export async function check(world: World, taken: Taken, now: Look): Promise<void> {
  const { before } = world;
  const { action } = taken.step;
  const [latest] = now.revisions;
  const added = (latest?.revision ?? 0) - (before.revisions[0]?.revision ?? 0);
  expect([0, 1]).toContain(added);
  if (added === 0 || latest === undefined) expect(now.values).toEqual(before.values);
  else if (latest.action === 'proposal.applied') checkApplied(world, taken, now);
  else {
    expect(['edit', 'bypass']).toContain(action);
    if (action === 'edit') expect(before.needed).toBe(0);
    expect(now.values).toEqual({ ...before.values, [taken.step.key]: taken.step.value });
  }
  if (action !== 'require') expect(now.needed).toBe(before.needed);
  await learn(world, taken, now);
  checkAnswer(world, taken, now);
}

/** Nothing is applied that its approvers did not see, and none of them counts who may not approve. */
function checkApplied({ known, before, writers }: World, { step: { action }, actor, digest }: Taken, now: Look): void {
  const latest = now.revisions[0] as Look['revisions'][number];
  const applied = known.find(({ id }) => id === latest.proposal?.id) as Known;
  expect(['approve', 'apply']).toContain(action);
  expect(applied.state, 'the state that it was applied in').toBe('open');
  expect(applied.author).toBe(latest.createdBy.id);
  const shown = applied.shown.get(applied.digest);
  if (shown === undefined) throw new Error('A proposal was applied that nobody has seen.');

  const expected = new Map(Object.entries(before.values));
  for (const [key, { before: shownBefore, after }] of Object.entries(shown.values)) {
    expect(before.values[key], 'the value that was shown as the present one').toBe(shownBefore);
    if (after === undefined) expected.delete(key);
    else expected.set(key, after);
  }
  expect(now.values).toEqual(Object.fromEntries(expected));
  const since = before.revisions.filter(({ revision }) => revision > shown.revision);
  const moved = since.flatMap(({ created, updated, deleted }) => [...created, ...updated, ...deleted]);
  expect(
    moved.filter(key => Object.hasOwn(shown.values, key)),
    'moved since it was proposed',
  ).toEqual([]);

  const approvers = idsOf(latest.approvedBy);
  expect(new Set(approvers).size).toBe(approvers.length);
  expect(approvers.length).toBeGreaterThanOrEqual(before.needed);
  for (const id of approvers) {
    expect(writers, 'who may write').toContain(id);
    expect(id).not.toBe(applied.author);
    const isNow = action === 'approve' && id === actor && digest === applied.digest;
    expect(isNow || applied.approvedBy.has(id), 'approved this digest').toBe(true);
  }
  expect(writers, 'who may write').toContain(applied.author);
  if (applied.purpose === 'rotation') expect([action, actor]).toEqual(['apply', applied.author]);
}

const ends: Readonly<Record<string, readonly string[]>> = {
  applied: ['approve', 'apply'],
  withdrawn: ['withdraw'],
  rejected: ['reject'],
  expired: ['expire'],
};

/**
 * Records what approvers are shown now, and that no proposal was lost, ended without reason, or came back, and that
 * whoever has approved it did so with its present digest.
 */
async function learn(world: World, { step: { action }, actor, digest }: Taken, now: Look): Promise<void> {
  const { known } = world;
  for (const proposal of now.proposals.toReversed()) {
    let entry = known.find(({ id }) => id === proposal.id);
    if (entry === undefined) {
      expect([action, proposal.state]).toEqual(['propose', 'open']);
      entry = newlyKnown(proposal);
      known.push(entry);
    }
    if (proposal.digest !== entry.digest) {
      expect([action, proposal.approvals]).toEqual(['rebase', []]);
      entry.digest = proposal.digest;
      entry.approvedBy.clear();
    }
    if (proposal.state !== entry.state) {
      expect(entry.state).toBe('open');
      expect(ends[proposal.state]).toContain(action);
      entry.state = proposal.state;
    }
    if (proposal.state !== 'open') continue;
    for (const id of idsOf(proposal.approvals)) {
      if (!entry.approvedBy.has(id)) expect([action, actor, digest]).toEqual(['approve', id, proposal.digest]);
      entry.approvedBy.add(id);
    }
    if (!entry.shown.has(proposal.digest)) await lookAt(world, entry, now);
  }
  expect(new Set(idsOf(now.proposals))).toEqual(new Set(idsOf(known)));
  const appliedIds = now.revisions.flatMap(({ proposal }) => proposal?.id ?? []);
  expect(appliedIds.toSorted()).toEqual(idsOf(known.filter(({ state }) => state === 'applied')).toSorted());
}

function newlyKnown({ id, createdBy, purpose, digest, state }: ShownProposal): Known {
  return { id, author: createdBy.id, purpose, digest, state, shown: new Map(), approvedBy: new Set() };
}

async function valuesOf({ api, place }: World, { id }: Known) {
  const { status, body } = await api.get(proposalPath(place, `/${id}?values=true`), place.owner.session);
  expect(status, JSON.stringify(body)).toBe(200);
  const shown: { key: string; before?: string; after?: string }[] = body.values;
  return { stale: body.stale, values: Object.fromEntries(shown.map(({ key, ...values }) => [key, values])) };
}

async function lookAt(world: World, entry: Known, now: Look): Promise<void> {
  const { stale, values } = await valuesOf(world, entry);
  expect(stale).toEqual([]);
  for (const [key, { before }] of Object.entries(values)) expect(now.values[key]).toBe(before);
  entry.shown.set(entry.digest, { values, revision: now.revisions[0]?.revision ?? 0 });
}

/** What a request says that it has done is done. */
function checkAnswer({ known }: World, { step, actor, proposal, answer }: Taken, now: Look): void {
  if (answer === undefined || answer.status >= 300) return;
  const { body } = answer;
  const { action, key, value, approvals } = step;
  if (action === 'propose') expect(idsOf(known)).toContain(body.proposal.id);
  if (action === 'rebase') expect(proposal?.digest).toBe(body.proposal.digest);
  if (action === 'withdraw') expect(proposal?.state).toBe('withdrawn');
  if (action === 'reject') expect(proposal?.state).toBe('rejected');
  if (action === 'apply' || body.proposal?.state === 'applied') expect(proposal?.state).toBe('applied');
  if (action === 'edit' || action === 'bypass') expect(now.values[key]).toBe(value);
  if (action === 'require') expect(now.needed).toBe(approvals);
  // Whoever lost the right meanwhile doesn't count.
  if (action === 'approve' && step.meanwhile === undefined && proposal?.state === 'open') {
    expect(proposal.approvedBy).toContain(actor);
  }
}

/** After the key rotations of a sequence: no proposed value was lost. */
export async function checkKept(world: World): Promise<void> {
  const { api, place, known, before } = world;
  const { rotation } = (await api.get(place.projectPath, place.owner.session)).body.project;
  if (rotation !== null && rotation !== undefined) expect(rotation.status).toBe('completed');
  expect(await place.values(env)).toEqual(before.values);
  for (const entry of known.filter(({ state }) => state === 'open')) {
    const shown = entry.shown.get(entry.digest);
    const { values } = await valuesOf(world, entry);
    expect(values).toEqual(shown?.values);
  }
}
