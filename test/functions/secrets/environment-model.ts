import fc from 'fast-check';
import type { Answer } from '#test/support/api.ts';
import type { Workplace } from '#test/support/environments.ts';

/* Random changes of two environments, and a model of what they do: each key's history, and the log of revisions. */

export type Env = 'dev' | 'staging';
export interface Version {
  value: string | null;
  revision: number;
  destroyed?: true;
}
export interface Logged {
  revision: number;
  action: string;
  message: string;
  created: string[];
  updated: string[];
  deleted: string[];
  from?: { slug: string; revision: number };
  restored?: number;
}
export interface Environment {
  revision: number;
  /** The history of each key, oldest version first. */
  keys: ReadonlyMap<string, readonly Version[]>;
  log: readonly Logged[];
}
export type Model = Record<Env, Environment>;

export const emptyModel = (): Model => ({
  dev: { revision: 0, keys: new Map(), log: [] },
  staging: { revision: 0, keys: new Map(), log: [] },
});

interface Secret {
  key: string;
  value: string;
}
type Precondition = 'right' | 'wrong' | undefined;
export type Change = { env: Env; message: string; ifMatch?: Precondition } & (
  | { kind: 'set'; key: string; value: string; expected?: Precondition }
  | { kind: 'delete'; key: string }
  | { kind: 'import'; secrets: Secret[] }
  | { kind: 'bulk-delete'; keys: string[] }
  | { kind: 'changes'; set: Secret[]; delete: string[] }
  | { kind: 'promote'; keys: string[] | undefined; overwrite: boolean }
  | { kind: 'restore'; to: number; keys: string[] | undefined }
);

const key = fc.constantFrom('A', 'B', '__proto__', 'constructor', 'a.b-c', 'K1', 'K30', 'K59');
const value = fc.constantFrom('one', 'two', '', '\u0000 "quoted" \\ 😀\r\n', 'x'.repeat(3000));
const some = fc.uniqueArray(key, { minLength: 1, maxLength: 4 });
/** Too many keys for one transaction. */
const many = fc.constantFrom(60, 60, 110).map(count => Array.from({ length: count }, (_, i) => `K${i}`));
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const constant = <const T>(content: T) => fc.constant(content);

/**
 * @param env the environments, as often as they are changed
 * @param largeWeight how often a change has many keys; 3 is half of the time
 */
export function changesOf(
  env: fc.Arbitrary<Env>,
  precondition: fc.Arbitrary<Precondition>,
  largeWeight: number,
): fc.Arbitrary<Change> {
  const keys = fc.oneof({ weight: 3, arbitrary: some }, { weight: largeWeight, arbitrary: many });
  const secrets = fc
    .tuple(keys, value, value)
    .map(([names, even, odd]) => names.map((name, i) => ({ key: name, value: i % 2 ? odd : even })));
  const base = { env, message: fc.nat().map(n => `because of ${n}`), ifMatch: precondition };
  const weighted = <T>(weight: number, arbitrary: fc.Arbitrary<T>) => ({ weight, arbitrary });
  const changes = fc.record({
    ...base,
    kind: constant('changes'),
    set: secrets,
    delete: fc.uniqueArray(key, { maxLength: 2 }),
  });
  return fc.oneof(
    weighted(4, fc.record({ ...base, kind: constant('set'), key, value, expected: precondition })),
    weighted(3, fc.record({ ...base, kind: constant('delete'), key })),
    weighted(4, fc.record({ ...base, kind: constant('import'), secrets })),
    weighted(2, fc.record({ ...base, kind: constant('bulk-delete'), keys })),
    weighted(
      4,
      changes.map(one => ({ ...one, delete: one.delete.filter(name => !one.set.some(secret => secret.key === name)) })),
    ),
    weighted(3, fc.record({ ...base, kind: constant('promote'), keys: maybe(some), overwrite: fc.boolean() })),
    weighted(3, fc.record({ ...base, kind: constant('restore'), to: fc.nat(), keys: maybe(keys) })),
  );
}

/** The change with a revision to restore that exists, or is the next one. */
export function withRevision(change: Change, model: Model): Change {
  return change.kind === 'restore' ? { ...change, to: change.to % (model[change.env].revision + 2) } : change;
}

export interface Shown extends Secret {
  version: number;
  destroyed?: true;
}

/** The secrets of an environment at a revision, in key order. */
export function moment({ keys: all }: Environment, revision: number): Map<string, Shown> {
  const shown = [...all].flatMap(([name, history]) => {
    const version = history.findLastIndex(entry => entry.revision <= revision) + 1;
    const { value: newest = null, destroyed } = history[version - 1] ?? {};
    return newest === null ? [] : [{ key: name, value: newest, version, ...(destroyed && { destroyed }) }];
  });
  return new Map(shown.toSorted((a, b) => (a.key < b.key ? -1 : 1)).map(secret => [secret.key, secret]));
}

export function shownAt(environment: Environment, revision: number) {
  return [...moment(environment, revision).values()].map(({ key, value, version }) => ({ key, value, version }));
}

/** The secrets of a response, as `shownAt` has them. */
export const shownBy = ({ body }: Answer): ReturnType<typeof shownAt> =>
  body.secrets.map(({ key, value, version }: Shown) => ({ key, value, version }));

/** The result of a change. Pure. */
export function apply(model: Model, change: Change): { status: number; after: Model } {
  const target = model[change.env];
  const now = moment(target, target.revision);
  const other: Env = change.env === 'dev' ? 'staging' : 'dev';
  const source = moment(model[other], model[other].revision);
  const refused = (status: number) => ({ status, after: model });
  const entries = new Map<string, string | null>();
  let status = 200;
  let action: string;
  if (change.ifMatch === 'wrong') return refused(412);
  switch (change.kind) {
    case 'set':
      if (change.expected === 'wrong') return refused(412);
      entries.set(change.key, change.value);
      action = now.has(change.key) ? 'secret.updated' : 'secret.created';
      status = now.has(change.key) ? 200 : 201;
      break;
    case 'delete':
      if (!now.has(change.key)) return refused(404);
      entries.set(change.key, null);
      action = 'secret.deleted';
      break;
    case 'import':
      for (const secret of change.secrets) entries.set(secret.key, secret.value);
      action = 'secret.bulk_set';
      break;
    case 'bulk-delete':
      for (const name of change.keys) if (now.has(name)) entries.set(name, null);
      action = 'secret.bulk_delete';
      break;
    case 'changes':
      if (change.delete.some(name => !now.has(name))) return refused(404);
      for (const secret of change.set) entries.set(secret.key, secret.value);
      for (const name of change.delete) entries.set(name, null);
      action = 'secret.changed';
      break;
    case 'promote':
      if (change.keys?.some(name => !source.has(name))) return refused(404);
      for (const [name, secret] of source) {
        if (!(change.keys?.includes(name) ?? true) || (!change.overwrite && now.has(name))) continue;
        entries.set(name, secret.value);
      }
      action = 'secret.promoted';
      break;
    case 'restore': {
      if (change.to > target.revision) return refused(404);
      const then = moment(target, change.to);
      for (const name of new Set([...now.keys(), ...then.keys()])) {
        if (change.keys?.includes(name) ?? true) entries.set(name, then.get(name)?.value ?? null);
      }
      action = 'secret.restored';
      break;
    }
  }
  const different = [...entries].filter(([name, content]) => (now.get(name)?.value ?? null) !== content);
  if (different.length === 0) return { status, after: model };
  const revision = target.revision + 1;
  const all = new Map(target.keys);
  for (const [name, content] of different) all.set(name, [...(all.get(name) ?? []), { value: content, revision }]);
  const namesWhere = (isSo: (name: string, content: string | null) => boolean) =>
    different
      .filter(([name, content]) => isSo(name, content))
      .map(([name]) => name)
      .toSorted();
  const logged: Logged = {
    revision,
    action,
    message: change.message,
    created: namesWhere((name, content) => content !== null && !now.has(name)),
    updated: namesWhere((name, content) => content !== null && now.has(name)),
    deleted: namesWhere((_, content) => content === null),
    ...(change.kind === 'promote' ? { from: { slug: other, revision: model[other].revision } } : {}),
    ...(change.kind === 'restore' ? { restored: change.to } : {}),
  };
  return { status, after: { ...model, [change.env]: { revision, keys: all, log: [...target.log, logged] } } };
}

/** Sends a change, whose preconditions refer to the model. */
export function send(place: Workplace, model: Model, change: Change, conducted = {}): Promise<Answer> {
  const { env, message, ifMatch } = change;
  const { revision, keys: all } = model[env];
  const condition = ifMatch && { 'if-match': `"${ifMatch === 'right' ? revision : revision + 7}"` };
  const options = { headers: { ...conducted, ...condition } };
  switch (change.kind) {
    case 'set': {
      const history = all.get(change.key) ?? [];
      const version = history.at(-1)?.value == null ? 0 : history.length;
      const expectedVersion = change.expected && version + (change.expected === 'right' ? 0 : 7);
      return place.set(env, change.key, change.value, { ...options, body: { message, expectedVersion } });
    }
    case 'delete':
      return place.remove(env, change.key, { ...options, query: `?message=${encodeURIComponent(message)}` });
    case 'import':
      return place.importAll(env, change.secrets, { ...options, body: { message } });
    case 'bulk-delete':
      return place.bulkDelete(env, change.keys, { ...options, body: { message } });
    case 'changes':
      return place.change(env, { set: change.set, delete: change.delete, message }, options);
    case 'restore':
      return place.restore(env, { revision: change.to, keys: change.keys, message }, options);
    case 'promote': {
      const { keys: names, overwrite } = change;
      const from = env === 'dev' ? 'staging' : 'dev';
      return place.promote({ from, to: env, keys: names, overwrite, message }, options);
    }
  }
}
