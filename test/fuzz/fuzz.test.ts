import { readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { startApi, useApi } from '../support/api.ts';
import { shared } from '../support/fixtures.ts';
import { inParallel } from '../support/in-parallel.ts';
import type { Prepared } from '../support/sample-requests.ts';
import { type OperationSample, samples } from '../support/samples.ts';
import { seed } from '../support/seed.ts';
import { operations } from './openapi.ts';
import { fixedRecipes, type Recipe, recipes } from './recipes.ts';
import { answerProblem, closeConnections, fuzz, seedStrangers, sendRaw } from './send-fuzzed.ts';

/* FUZZ: requests per operation. SEED repeats a run. Earlier findings are in corpus.json: a sample and its changes. */
const runs = Number(process.env.FUZZ ?? 8);
/** Hashing a password takes a third of a second. */
const slow = new Set(['register', 'log-in', 'change-password', 'reset-password', 'request-password-reset']);

const corpus: { sample: string; recipe: Recipe; why: string }[] = JSON.parse(
  readFileSync(join(import.meta.dirname, 'corpus.json'), 'utf8'),
);

const api = useApi(() => startApi({ PASSWORD_RESET_LIMIT_PER_HOUR: '-1' }));
const strangers = shared(() => seedStrangers(api));
afterAll(closeConnections);

/** Sends variations of a sample, and prepares it again once it took effect. */
function variations(sample: OperationSample) {
  const operation = operations.get(sample.operationId);
  if (operation === undefined) throw new Error(`${sample.operationId} is not in openapi.json.`);
  let prepared: Prepared | undefined;
  const statuses = new Map<number, number>();
  const attempt = async (recipe: Recipe) => {
    prepared ??= await sample.prepare(api);
    const sent = fuzz(operation, prepared.request, recipe, strangers);
    const received = await sendRaw(api, sent);
    statuses.set(received.status, (statuses.get(received.status) ?? 0) + 1);
    if (operation.method !== 'GET' && received.status < 300) prepared = undefined;
    return answerProblem(operation, sent, received);
  };
  return { operation, attempt, statuses };
}

describe('for every request', () => {
  it(
    'every operation returns what its description declares, and never a 5xx',
    async () => {
      writeSync(2, `fuzz: seed ${seed}, ${runs} requests for each of ${samples.length} samples\n`);
      const problems: string[] = [];
      const totals = new Map<number, number>();
      let done = 0;
      await inParallel(
        8,
        samples.map(sample => async () => {
          const { operation, attempt, statuses } = variations(sample);
          const property = fc.asyncProperty(recipes(operation), async recipe => {
            const problem = await attempt(recipe);
            if (problem !== undefined) throw new Error(problem);
          });
          const isSlow = slow.has(sample.operationId);
          const fixed = isSlow ? [] : fixedRecipes(operation);
          const result = await fc.check(property, {
            seed,
            numRuns: fixed.length + (isSlow ? Math.ceil(runs / 4) : runs),
            examples: fixed.map(recipe => [recipe]),
            endOnFailure: process.env.FUZZ === undefined,
          });
          if (result.failed) {
            const [recipe] = result.counterexample ?? [];
            problems.push(`${sample.name} (seed ${seed}): ${JSON.stringify(recipe)} → ${result.errorInstance}`);
          }
          for (const [status, count] of statuses) totals.set(status, (totals.get(status) ?? 0) + count);
          done += 1;
          if (done % 15 === 0) writeSync(2, `fuzz: ${done} of ${samples.length} samples\n`);
        }),
      );
      const list = [...totals].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
      writeSync(1, `fuzz: answers by status: ${list.join(', ')}\n`);
      expect(problems).toEqual([]);
      // Requests that never pass the first check test nothing.
      expect([...totals.keys()]).toEqual(expect.arrayContaining([200, 201, 400, 401, 403, 404, 415]));
    },
    Math.max(900_000, runs * 10_000),
  );

  it('every earlier problem stays fixed', async () => {
    const problems: string[] = [];
    for (const { sample: name, recipe } of corpus) {
      const sample = samples.find(some => some.name === name);
      if (sample === undefined) throw new Error(`corpus.json names the unknown sample ${name}.`);
      const problem = await variations(sample).attempt(recipe);
      if (problem !== undefined) problems.push(`${name}: ${JSON.stringify(recipe)} → ${problem}`);
    }
    expect(problems).toEqual([]);
  });
});
