import { expect, it } from 'vitest';
import { startApi, useApi } from '#test/support/api.ts';
import { shared } from '#test/support/fixtures.ts';
import { sharedNameServer } from '#test/support/name-server.ts';
import { moveNames, runSequence } from './ways-in.ts';
import { buildWorld, stolenThings } from './world.ts';

/* Random sequences: a thief gets no more than the stolen thing gives. WAYS_IN_SEED repeats one sequence. */

const sequences = Number(process.env.WAYS_IN ?? 20);
const seed = process.env.WAYS_IN_SEED;
/** From here on, every move works somewhere. */
const reasonableSize = 1000;

const unlimited = {
  REGISTER_LIMIT_PER_HOUR: '-1',
  PASSWORD_RESET_LIMIT_PER_HOUR: '-1',
  INVITATION_LIMIT_PER_DAY: '-1',
};
const settings = { ...unlimited, REQUESTS_PER_MINUTE: '-1', ADMIN_FACTOR_REQUIRED: 'true' };
const api = useApi(() => startApi(settings));
const world = shared(async () => buildWorld(api, await sharedNameServer()));

it('a thief has no more than the stolen thing gives, and the person gets back in', {
  timeout: 4 * 3_600_000,
}, async () => {
  const first = Math.floor(Math.random() * 2 ** 31);
  const seeds = seed === undefined ? Array.from({ length: sequences }, (_, index) => first + index) : [Number(seed)];
  const opened = new Set<string>();
  const succeeded = new Set<string>();
  for (const next of seeds) {
    const result = await runSequence(world, next);
    if (result.violations.length > 0) expect.fail(`\n${result.story}`);
    for (const door of result.opened) opened.add(door);
    for (const name of result.succeeded) succeeded.add(name);
  }
  if (seed !== undefined) return;
  expect(opened.size).toBeGreaterThan(0);
  if (seeds.length < reasonableSize) return;
  // No guess and no foreign passkey ever works.
  const never = ['the thief guesses the password', 'the thief presents a passkey'];
  expect(moveNames.filter(name => !succeeded.has(name))).toEqual(never);
  const opening = stolenThings.filter(thing => [...opened].some(door => door.startsWith(`${thing}: `)));
  expect(opening).toEqual(stolenThings.filter(thing => thing !== 'app'));
});
