import { writeSync } from 'node:fs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { shared } from '#test/support/fixtures.ts';
import { inParallel } from '#test/support/in-parallel.ts';
import { replenishRetries } from '#test/support/observe-calls.ts';
import { startObservedApi } from '#test/support/observed-api.ts';
import { check, checkKept } from './check-step.ts';
import { writesReached, writesWithoutCrash } from './conduct-step.ts';
import { type Step, sequence } from './steps.ts';
import { runAllJobs, take } from './take-step.ts';
import { type Group, look, openGroup, openWorld, type World, writersNow } from './world.ts';

/*
 * Random sequences of everything that can happen to proposals, with faults at the writes of requests and of key
 * rotations, and with steps that happen when another one has decided and not yet committed. After each step, whatever
 * it returned, the environment must have changed only as its approvers saw: nothing is applied that they did not
 * approve, nothing twice, and nothing is lost.
 */

const sequences = Number(process.env.PROPOSAL_SEQUENCES ?? 3);
const seed = Number(process.env.PROPOSAL_SEED ?? Date.now() % 1_000_000_000);
const atOnce = 4;
/** Their sessions must stay fresh. */
const sequencesOfGroup = 10;
const all = fc.sample(sequence(16), { numRuns: sequences, seed });

const api = shared(() => startObservedApi());

async function takeAndCheck(world: World, step: Step): Promise<void> {
  // Mostly about the same proposal.
  const meanwhile = step.meanwhile && { ...step.meanwhile, proposal: step.proposal };
  const inBetween = meanwhile && (() => takeAndCheck(world, meanwhile));
  const taken = await take(world, step, inBetween);
  const changesPeople = ['demote', 'leave'].includes(step.action);
  if (changesPeople) world.writers = await writersNow(world);
  const now = await look(world.api, world.place, changesPeople ? undefined : world.before);
  await check(world, taken, now);
  world.before = now;
}

async function search(group: Group, index: number): Promise<World> {
  const { approvals, steps } = all[index] as (typeof all)[number];
  const world = await openWorld(api, group, approvals);
  let at = 0;
  try {
    for (const step of steps) {
      at += 1;
      await takeAndCheck(world, step);
    }
    await runAllJobs(world);
    await checkKept(world);
  } catch (error) {
    const taken = JSON.stringify(steps.slice(0, at), undefined, 1);
    writeSync(2, `PROPOSAL_SEED=${seed}, sequence ${index}, ${approvals} approvals, step ${at} of:\n${taken}\n`);
    throw error;
  }
  return world;
}

it('applies nothing that its approvers did not see, nothing twice, and loses nothing', async () => {
  let applied = 0;
  let done = 0;
  const groups = Array.from({ length: Math.ceil(sequences / sequencesOfGroup) }, (_, index) => async () => {
    const group = await openGroup(api);
    const first = index * sequencesOfGroup;
    for (let next = first; next < Math.min(sequences, first + sequencesOfGroup); next += 1) {
      const { known } = await search(group, next);
      applied += known.filter(({ state }) => state === 'applied').length;
      done += 1;
      await replenishRetries();
    }
    if (sequences >= 100) writeSync(2, `proposals: ${done} of ${sequences} sequences, ${applied} applied\n`);
  });
  await inParallel(atOnce, groups);
  expect(done).toBe(sequences);
  // A few sequences may happen to apply none.
  if (sequences >= 100) expect(applied).toBeGreaterThan(sequences / 4);
  if (sequences >= 100) writeSync(2, `${writesReached()}\n`);
  if (sequences >= 1000) expect(writesWithoutCrash(100)).toEqual([]);
}, 7_200_000);
