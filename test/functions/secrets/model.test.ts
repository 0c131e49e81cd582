import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resetProcessMemory } from '#lib/core/process-memory.ts';
import { expireLease, openWorkplace, type Workplace } from '#test/support/environments.ts';
import { shared } from '#test/support/fixtures.ts';
import { deadly, faultKinds } from '#test/support/inject-faults.ts';
import { scanTable, violationsOf } from '#test/support/invariants.ts';
import { startObservedApi, withFault } from '#test/support/observed-api.ts';
import { seedOwner } from '#test/support/people.ts';
import {
  apply,
  changesOf,
  type Env,
  emptyModel,
  type Model,
  send,
  shownAt,
  shownBy,
  withRevision,
} from './environment-model.ts';

/* Short histories, with preconditions and faults. After every change, a reader sees all of it or nothing of it. */

const precondition = fc.constantFrom(undefined, undefined, undefined, undefined, 'right', 'right', 'wrong');
/** Mostly in the middle of a large change, with no writer left to clean up. */
const fault = fc.record({
  kind: fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom(...deadly) },
    { weight: 1, arbitrary: fc.constantFrom(...faultKinds) },
  ),
  position: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 6, max: 10 }), fc.integer({ min: 6, max: 8 })),
});
const step = fc.record({
  given: changesOf(fc.constantFrom<Env>('dev', 'staging'), precondition, 3),
  fault: fc.option(fault, { nil: undefined, freq: 2 }),
});

const api = shared(startObservedApi);
const owner = shared(seedOwner);

async function requireHistory(place: Workplace, model: Model): Promise<void> {
  const { environments } = (await api.get(place.projectPath, owner.session)).body.project;
  for (const env of ['dev', 'staging'] as const) {
    for (const [name, history] of [...model[env].keys].slice(0, 6)) {
      const versions = history.map(({ value, revision }, index) => {
        return { version: index + 1, revision, deleted: value === null, ...(value !== null && { value }) };
      });
      const stored = await place.history(env, name);
      expect(stored).toMatchObject(versions.toReversed());
      expect(stored).toHaveLength(versions.length);
    }
    const { revision } = model[env];
    const shown = environments.find(({ slug }: { slug: string }) => slug === env);
    expect([shown.revision, shown.secretCount]).toEqual([revision, shownAt(model[env], revision).length]);
  }
}

describe('any sequence of changes, interrupted anywhere', () => {
  it('ends as the model says: with all of a change or nothing of it, and the next one works at once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async steps => {
        const place = await openWorkplace(api, owner);
        let model = emptyModel();
        for (const { given, fault } of steps) {
          const change = withRevision(given, model);
          const { env } = change;
          const { status, after } = apply(model, change);
          const answer = await withFault(fault, headers => send(place, model, change, headers));
          // Another process serves the next one. This one may reject it because it met missing capacity.
          resetProcessMemory('throttled-resources');
          const died = fault !== undefined && deadly.has(fault.kind);
          if (answer.status < 500 && !died) expect([change, fault, answer.status]).toEqual([change, fault, status]);
          if (fault === undefined) expect(answer.status).toBeLessThan(500);
          const pulled = await place.pull(env);
          expect(pulled.status).toBe(200);
          // A response is definite. Only without one may either state be right.
          const isAfter = (answer.status < 300 && !died) || pulled.body.revision === after[env].revision;
          if (isAfter) model = after;
          const { revision } = model[env];
          expect([pulled.body.revision, shownBy(pulled)]).toEqual([revision, shownAt(model[env], revision)]);
          await expireLease(place, env);
        }
        await requireHistory(place, model);
      }),
      { numRuns: Number(process.env.MODEL_RUNS ?? 10) },
    );
  });

  it('leaves a consistent table', async () => {
    expect(violationsOf(await scanTable())).toEqual([]);
  });
});
