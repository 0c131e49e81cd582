import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Answer } from '#test/support/api.ts';
import { expireLease, openWorkplace, type Workplace } from '#test/support/environments.ts';
import { shared } from '#test/support/fixtures.ts';
import { deadly, faultKinds } from '#test/support/inject-faults.ts';
import { scanTable, violationsOf } from '#test/support/invariants.ts';
import { startObservedApi, withFault } from '#test/support/observed-api.ts';
import { seedOwner } from '#test/support/people.ts';

/*
 * Random changes of two environments, with and without matching preconditions and faults at any AWS call, compared with
 * a model of a few lines. After every change, a reader must see all of it or nothing of it.
 */

type Env = 'dev' | 'staging';
interface Entry {
  value: string | null;
  revision: number;
}
/** The model of an environment: the history of every key, oldest version first. */
interface Environment {
  revision: number;
  keys: Record<string, Entry[]>;
}
type Model = Record<Env, Environment>;

interface Precondition {
  ifMatch: 'none' | 'right' | 'wrong';
}
type Change = Precondition &
  (
    | { kind: 'set'; env: Env; key: string; value: string; expected: 'none' | 'right' | 'wrong' }
    | { kind: 'delete'; env: Env; key: string }
    | { kind: 'import'; env: Env; secrets: Record<string, string> }
    | { kind: 'bulk-delete'; env: Env; keys: string[] }
    | { kind: 'promote'; env: Env; keys: string[] | undefined; overwrite: boolean }
  );
interface Step {
  change: Change;
  fault: { kind: (typeof faultKinds)[number]; position: number } | undefined;
}

const env = fc.constantFrom<Env>('dev', 'staging');
const key = fc.constantFrom('A', 'B', 'K1', 'K30', 'K59');
const value = fc.constantFrom('one', 'two', '');
const ifMatch = fc.constantFrom(...(['none', 'none', 'none', 'none', 'right', 'right', 'wrong'] as const));
/** Too many keys for one transaction, or a few. */
const manyKeys = fc.constantFrom(60, 60, 110).map(count => Array.from({ length: count }, (_, i) => `K${i}`));
const someKeys = fc.uniqueArray(key, { minLength: 1, maxLength: 4 });
const secrets = fc
  .tuple(fc.oneof(manyKeys, someKeys), value, value)
  .map(([keys, even, odd]) => Object.fromEntries(keys.map((name, i) => [name, i % 2 === 0 ? even : odd])));

const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('set' as const), env, key, value, ifMatch, expected: ifMatch }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), env, key, ifMatch }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('import' as const), env, secrets, ifMatch }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('bulk-delete' as const),
      env,
      keys: fc.oneof(manyKeys, someKeys),
      ifMatch,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('promote' as const),
      env,
      keys: fc.option(someKeys, { nil: undefined }),
      overwrite: fc.boolean(),
      ifMatch,
    }),
  },
);
/** Mostly in the middle of a large change, with no writer left to clean up. */
const fault = fc.record({
  kind: fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom(...deadly) },
    { weight: 1, arbitrary: fc.constantFrom(...faultKinds) },
  ),
  position: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 6, max: 10 }), fc.integer({ min: 6, max: 8 })),
});
const step: fc.Arbitrary<Step> = fc.record({ change, fault: fc.option(fault, { nil: undefined, freq: 2 }) });

/** The model of the whole service: the result of a change, and the environment afterwards. Pure. */
function apply(model: Model, change: Change): { status: number; after: Model } {
  const target = model[change.env];
  const newest = (environment: Environment, name: string) => environment.keys[name]?.at(-1)?.value ?? null;
  const refused = (status: number) => ({ status, after: model });
  const source = model[change.env === 'dev' ? 'staging' : 'dev'];
  const live = Object.keys(source.keys).filter(name => newest(source, name) !== null);
  if (change.ifMatch === 'wrong') return refused(412);
  if (change.kind === 'promote' && change.keys?.some(name => !live.includes(name))) return refused(404);

  let entries: Record<string, string | null> = {};
  let status = 200;
  if (change.kind === 'set') {
    if (change.expected === 'wrong') return refused(412);
    entries = { [change.key]: change.value };
    if (newest(target, change.key) === null) status = 201;
  } else if (change.kind === 'delete') {
    if (newest(target, change.key) === null) return refused(404);
    entries = { [change.key]: null };
  } else if (change.kind === 'import') entries = change.secrets;
  else if (change.kind === 'bulk-delete') entries = Object.fromEntries(change.keys.map(name => [name, null]));
  else {
    const names = (change.keys ?? live).filter(name => change.overwrite || newest(target, name) === null);
    entries = Object.fromEntries(names.map(name => [name, newest(source, name)]));
  }

  const different = Object.entries(entries).filter(([name, content]) => newest(target, name) !== content);
  if (different.length === 0) return { status, after: model };
  const revision = target.revision + 1;
  const keys = { ...target.keys };
  for (const [name, content] of different) keys[name] = [...(keys[name] ?? []), { value: content, revision }];
  return { status, after: { ...model, [change.env]: { revision, keys } } };
}

const api = shared(startObservedApi);
const owner = shared(seedOwner);

function send(place: Workplace, model: Model, change: Change, conducted: Record<string, string>): Promise<Answer> {
  const target = model[change.env];
  const headers = {
    ...conducted,
    ...(change.ifMatch === 'none' ? {} : { 'if-match': `"${target.revision + (change.ifMatch === 'right' ? 0 : 7)}"` }),
  };
  const as = owner.session;
  switch (change.kind) {
    case 'set': {
      const history = target.keys[change.key] ?? [];
      const version = history.at(-1)?.value == null ? 0 : history.length;
      const expectedVersion = change.expected === 'right' ? version : version + 7;
      const { key, value } = change;
      const body = { key, value, ...(change.expected === 'none' ? {} : { expectedVersion }) };
      return api.put(place.at(change.env), body, as, headers);
    }
    case 'delete':
      return api.delete(place.at(change.env, `/${change.key}`), as, headers);
    case 'import':
      return api.post(place.at(change.env, '/bulk'), { secrets: change.secrets }, as, headers);
    case 'bulk-delete':
      return api.post(place.at(change.env, '/bulk-delete'), { keys: change.keys }, as, headers);
    case 'promote': {
      const { keys, overwrite, env: to } = change;
      const body = { from: to === 'dev' ? 'staging' : 'dev', to, overwrite, ...(keys === undefined ? {} : { keys }) };
      const path = `/secrets/${owner.organization.slug}/${place.project.slug}/promote`;
      return api.post(path, body, as, headers);
    }
  }
}

/** What a reader must see in an environment. */
function pictureOf({ revision, keys }: Environment) {
  const shown = Object.entries(keys).flatMap(([key, history]) => {
    const newest = history.at(-1)?.value ?? null;
    return newest === null ? [] : [{ key, value: newest, version: history.length }];
  });
  return { revision, secrets: shown.toSorted((a, b) => (a.key < b.key ? -1 : 1)) };
}

async function picture(place: Workplace, env: Env) {
  const { status, body } = await place.pull(env);
  expect(status).toBe(200);
  const secrets = body.secrets.map((s: Record<string, unknown>) => ({
    key: s.key,
    value: s.value,
    version: s.version,
  }));
  return { revision: body.revision, secrets };
}

async function letClaimsAge(place: Workplace): Promise<void> {
  for (const env of ['dev', 'staging']) await expireLease(place, env);
}

async function requireHistory(place: Workplace, model: Model): Promise<void> {
  for (const env of ['dev', 'staging'] as const) {
    for (const name of Object.keys(model[env].keys).slice(0, 6)) {
      const { body } = await place.pull(env, `/versions/${name}?values=true`);
      const history = (model[env].keys[name] ?? []).map(({ value, revision }, index) => ({
        version: index + 1,
        revision,
        deleted: value === null,
        ...(value === null ? {} : { value }),
      }));
      expect(body.versions).toMatchObject(history.toReversed());
      expect(body.versions).toHaveLength(history.length);
    }
    const path = `/projects/${owner.organization.id}/${place.project.slug}`;
    const { environments } = (await api.get(path, owner.session)).body.project;
    const shown = environments.find(({ slug }: { slug: string }) => slug === env);
    const { revision, secrets } = pictureOf(model[env]);
    expect([shown.revision, shown.secretCount]).toEqual([revision, secrets.length]);
  }
}

describe('any sequence of changes, interrupted anywhere', () => {
  it('ends as the model says: with all of a change or nothing of it, and the next one works at once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async steps => {
        const place = await openWorkplace(api, owner);
        let model: Model = { dev: { revision: 0, keys: {} }, staging: { revision: 0, keys: {} } };
        for (const one of steps) {
          const { status, after } = apply(model, one.change);
          const answer = await withFault(one.fault, headers => send(place, model, one.change, headers));
          const died = one.fault !== undefined && deadly.has(one.fault.kind);
          if (answer.status < 500 && !died) expect([one, answer.status]).toEqual([one, status]);
          if (one.fault === undefined) expect(answer.status).toBeLessThan(500);
          const { env } = one.change;
          const seen = await picture(place, env);
          // A response is definite. Only without one may either state be right.
          const isAfter = (answer.status < 300 && !died) || seen.revision === after[env].revision;
          expect(seen).toEqual(pictureOf((isAfter ? after : model)[env]));
          if (isAfter) model = after;
          await letClaimsAge(place);
        }
        await requireHistory(place, model);
      }),
      { numRuns: Number(process.env.MODEL_RUNS ?? 10) },
    );
  }, 300_000);

  it('leaves a consistent table', async () => {
    expect(violationsOf(await scanTable())).toEqual([]);
  });
});
