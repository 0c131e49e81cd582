import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Answer } from '#test/support/api.ts';
import { expireLease, openWorkplace } from '#test/support/environments.ts';
import { shared } from '#test/support/fixtures.ts';
import { deadly, type FaultKind } from '#test/support/inject-faults.ts';
import { scanTable, violationsOf } from '#test/support/invariants.ts';
import { startObservedApi, withFault } from '#test/support/observed-api.ts';
import { seedOwner } from '#test/support/people.ts';
import { seed } from '#test/support/seed.ts';

/*
 * Two environments go through random changes, deletions, promotions, restores and key rotations, with writers that die
 * at any call, stall until their lease is taken over, or write concurrently. A model of a few lines follows along. Then
 * every revision is read back, compared with its neighbors, listed and restored.
 *
 * `npm run proof -- time-machine --full` goes through 500 revisions. `SEED` repeats a run.
 */

const length = Number(process.env.REVISIONS ?? 12);

type Env = 'dev' | 'staging';
interface Version {
  value: string | null;
  revision: number;
  destroyed?: true;
}
interface Logged {
  revision: number;
  action: string;
  message: string;
  created: string[];
  updated: string[];
  deleted: string[];
  from?: { slug: string; revision: number };
  restored?: number;
}
interface Environment {
  revision: number;
  /** The history of each key, oldest version first. */
  keys: ReadonlyMap<string, readonly Version[]>;
  log: readonly Logged[];
}
type Model = Record<Env, Environment>;

interface Secret {
  key: string;
  value: string;
}
type Change = { env: Env; message: string } & (
  | { kind: 'set'; key: string; value: string }
  | { kind: 'delete'; key: string }
  | { kind: 'import'; secrets: Secret[] }
  | { kind: 'bulk-delete'; keys: string[] }
  | { kind: 'changes'; set: Secret[]; delete: string[] }
  | { kind: 'promote'; keys: string[] | undefined; overwrite: boolean }
  | { kind: 'restore'; to: number; keys: string[] | undefined }
);
type Step =
  | { kind: 'change'; change: Change; fault: { kind: FaultKind; position: number } | undefined }
  | { kind: 'rotate' }
  /** An import that stalls before one of its calls until another writer has committed. */
  | { kind: 'sleep'; env: Env; position: number; count: number }
  /** Three concurrent sets and an import. */
  | { kind: 'race'; env: Env; count: number };

const env = fc.constantFrom<Env>('dev', 'dev', 'dev', 'staging');
const key = fc.constantFrom('A', 'B', '__proto__', 'constructor', 'a.b-c', 'K1', 'K30', 'K59');
const value = fc.constantFrom('one', 'two', '', '\u0000 "quoted" \\ 😀\r\n', 'x'.repeat(3000));
const some = fc.uniqueArray(key, { minLength: 1, maxLength: 4 });
const many = fc.constantFrom(60, 60, 110).map(count => Array.from({ length: count }, (_, i) => `K${i}`));
const keys = fc.oneof({ weight: 3, arbitrary: some }, { weight: 1, arbitrary: many });
const secretsOf = (names: fc.Arbitrary<string[]>) =>
  fc
    .tuple(names, value, value)
    .map(([all, even, odd]) => all.map((name, i) => ({ key: name, value: i % 2 ? odd : even })));
const secrets = secretsOf(keys);
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

const message = fc.nat().map(n => `because of ${n}`);
const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('set' as const), env, message, key, value }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('delete' as const), env, message, key }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('import' as const), env, message, secrets }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('bulk-delete' as const), env, message, keys }) },
  {
    weight: 4,
    arbitrary: fc
      .record({
        kind: fc.constant('changes' as const),
        env,
        message,
        set: secrets,
        delete: fc.uniqueArray(key, { maxLength: 2 }),
      })
      .map(one => ({ ...one, delete: one.delete.filter(name => !one.set.some(secret => secret.key === name)) })),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('promote' as const),
      env,
      message,
      keys: maybe(some),
      overwrite: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('restore' as const), env, message, to: fc.nat(), keys: maybe(keys) }),
  },
);
const fault = fc.record({
  kind: fc.constantFrom<FaultKind>('dies-before', 'dies-after', 'dies-before', 'dies-after', 'answer-lost', 'refused'),
  position: fc.integer({ min: 3, max: 11 }),
});
const count = fc.constantFrom(2, 60);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 16,
    arbitrary: fc.record({
      kind: fc.constant('change' as const),
      change,
      fault: fc.option(fault, { nil: undefined, freq: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('rotate' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('sleep' as const), env, position: fc.integer({ min: 3, max: 9 }), count }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('race' as const), env, count }) },
);

interface Shown {
  value: string;
  version: number;
  destroyed?: true;
}

/** The values of an environment at a revision, with their versions, in key order. */
function moment({ keys: all }: Environment, revision: number): Map<string, Shown> {
  const shown = [...all].flatMap(([name, history]) => {
    const version = history.findLastIndex(entry => entry.revision <= revision) + 1;
    const { value: newest = null, destroyed } = history[version - 1] ?? {};
    return newest === null ? [] : [[name, { value: newest, version, ...(destroyed && { destroyed }) }] as const];
  });
  return new Map(shown.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** The result of a change. Pure. */
function apply(model: Model, change: Change): { status: number; after: Model } {
  const target = model[change.env];
  const now = moment(target, target.revision);
  const other: Env = change.env === 'dev' ? 'staging' : 'dev';
  const source = moment(model[other], model[other].revision);
  const refused = (status: number) => ({ status, after: model });
  const entries = new Map<string, string | null>();
  let status = 200;
  let action: string;
  switch (change.kind) {
    case 'set':
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
      for (const one of change.secrets) entries.set(one.key, one.value);
      action = 'secret.bulk_set';
      break;
    case 'bulk-delete':
      for (const name of change.keys) if (now.has(name)) entries.set(name, null);
      action = 'secret.bulk_delete';
      break;
    case 'changes':
      if (change.delete.some(name => !now.has(name))) return refused(404);
      for (const one of change.set) entries.set(one.key, one.value);
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

const api = shared(() => startObservedApi({ REQUESTS_PER_MINUTE: '-1', STEP_UP_FRESH_SECONDS: '36000' }));
const owner = shared(seedOwner);
const place = shared(() => openWorkplace(api, owner));

function send(change: Change, headers: Record<string, string> = {}): Promise<Answer> {
  const { env: to, message: why } = change;
  const post = (rest: string, body: object) =>
    api.post(place.at(to, rest), { ...body, message: why }, owner.session, headers);
  switch (change.kind) {
    case 'set': {
      const body = { key: change.key, value: change.value, message: why };
      return api.put(place.at(to), body, owner.session, headers);
    }
    case 'delete':
      return api.delete(place.at(to, `/${change.key}?message=${encodeURIComponent(why)}`), owner.session, headers);
    case 'import':
      return post('/bulk', { secrets: change.secrets });
    case 'bulk-delete':
      return post('/bulk-delete', { keys: change.keys });
    case 'changes':
      return post('/changes', { set: change.set, delete: change.delete });
    case 'restore':
      return post('/restore', { revision: change.to, keys: change.keys });
    case 'promote': {
      const from = to === 'dev' ? 'staging' : 'dev';
      const body = { from, to, keys: change.keys, overwrite: change.overwrite, message: why };
      const path = `/secrets/${owner.organization.slug}/${place.project.slug}/promote`;
      return api.post(path, body, owner.session, headers);
    }
  }
}

let model: Model = {
  dev: { revision: 0, keys: new Map(), log: [] },
  staging: { revision: 0, keys: new Map(), log: [] },
};
/** The responses of pulls, byte for byte, by environment and revision. */
const pulled = new Map<string, string>();
const done: Record<string, number> = {};
const tally = (name: string) => {
  done[name] = (done[name] ?? 0) + 1;
};

const shownOf = (all: ReadonlyMap<string, Shown>) =>
  [...all].map(([name, { value: content, version }]) => ({ key: name, value: content, version }));

/** If a response needs destroyed values, it must be an error that names their keys. @returns whether it is one */
function isRefusedFor(gone: ReadonlySet<string>, told: string, { status, body }: Answer): boolean {
  if (gone.size === 0) return false;
  const expected = [told, 409, 'version_destroyed', [...gone].toSorted()];
  expect([told, status, body.error?.code, body.error?.details?.keys]).toEqual(expected);
  tally('refused, because values were destroyed');
  return true;
}

const goneOf = (all: ReadonlyMap<string, Shown>) =>
  [...all].filter(([, { destroyed }]) => destroyed).map(([name]) => name);

/** Compares a response with the model at a revision, and with the pull from when that revision was current. */
function requireMoment(where: Env, revision: number, answer: Answer): void {
  const told = `${where} at ${revision}`;
  if (isRefusedFor(new Set(goneOf(moment(model[where], revision))), told, answer)) return;
  const { status, body } = answer;
  expect([told, status, body.revision]).toEqual([told, 200, revision]);
  const shown = body.secrets.map(({ key: name, value: content, version }: Secret & { version: number }) => {
    return { key: name, value: content, version };
  });
  expect([told, shown]).toEqual([told, shownOf(moment(model[where], revision))]);
  const bytes = JSON.stringify(body);
  const before = pulled.get(told) ?? bytes;
  pulled.set(told, before);
  expect([told, bytes]).toEqual([told, before]);
}

async function requireNow(where: Env): Promise<void> {
  requireMoment(where, model[where].revision, await place.pull(where));
}

/** Makes a change, with or without a fault, and applies it to the model. */
async function makeChange(given: Change, hit: { kind: FaultKind; position: number } | undefined): Promise<void> {
  const to = given.kind === 'restore' ? given.to % (model[given.env].revision + 2) : 0;
  const wanted: Change = given.kind === 'restore' ? { ...given, to } : given;
  const { status, after } = apply(model, wanted);
  const answer = await withFault(hit, headers => send(wanted, headers));
  const died = hit !== undefined && deadly.has(hit.kind);
  if (hit === undefined || (answer.status < 500 && !died)) expect([wanted, answer.status]).toEqual([wanted, status]);
  tally(`${wanted.kind}${died && answer.status >= 500 ? ', its writer died' : ''}`);
  const seen = (await place.pull(wanted.env)).body.revision;
  const isAfter = (answer.status < 300 && !died) || seen === after[wanted.env].revision;
  if (isAfter) model = after;
  await expireLease(place, wanted.env);
}

let unique = 0;
function uniqueImport(where: Env, size: number): Change {
  unique += 1;
  const names = Array.from({ length: size }, (_, i) => `K${i}`);
  const content = `unique ${unique}`;
  return { kind: 'import', env: where, message: content, secrets: names.map(name => ({ key: name, value: content })) };
}
function uniqueSet(where: Env, name: string): Change {
  unique += 1;
  return { kind: 'set', env: where, message: `unique ${unique}`, key: name, value: `unique ${unique}` };
}

/** Applies concurrent changes to the model, in the order of their revisions. */
function follow(changes: readonly Change[], answers: readonly Answer[]): void {
  const order = changes
    .map((one, index) => ({ one, status: answers[index]?.status, revision: answers[index]?.body.revision }))
    .toSorted((a, b) => a.revision - b.revision);
  for (const { one, status, revision } of order) {
    const { status: expected, after } = apply(model, one);
    expect([one, status, revision]).toEqual([one, expected, after[one.env].revision]);
    model = after;
  }
}

async function sleepAndBeTakenOver({ env: where, position, count: size }: Step & { kind: 'sleep' }): Promise<void> {
  const slow = uniqueImport(where, size);
  const quick = uniqueSet(where, 'K1');
  let first: Answer | undefined;
  const conductor = {
    call: async (call: { position: number }, proceed: () => Promise<unknown>) => {
      if (call.position === position) {
        await expireLease(place, where);
        first = await send(quick);
      }
      return proceed();
    },
  };
  const second = await withFault({ conductor }, headers => send(slow, headers));
  first ??= await send(quick);
  follow([quick, slow], [first, second]);
}

async function race({ env: where, count: size }: Step & { kind: 'race' }): Promise<void> {
  const changes = [...['A', 'K1', 'a.b-c'].map(name => uniqueSet(where, name)), uniqueImport(where, size)];
  follow(changes, await Promise.all(changes.map(one => send(one))));
}

async function rotateKey({ toTheEnd }: { toTheEnd: boolean }): Promise<void> {
  const path = `/projects/${owner.organization.id}/${place.project.slug}`;
  const rotation = async () => (await api.get(path, owner.session)).body.project.rotation;
  const wait = async () => {
    while ((await rotation())?.status === 'in_progress') await sleep(50);
  };
  if (toTheEnd) await wait();
  const { status } = await api.post(`${path}/rotate-key`, undefined, owner.session);
  // 409: the last one is not complete yet.
  expect(toTheEnd ? [200, 202] : [200, 202, 409]).toContain(status);
  if (toTheEnd) await wait();
}

async function take(one: Step): Promise<void> {
  if (one.kind === 'change') await makeChange(one.change, one.fault);
  else {
    tally(one.kind);
    if (one.kind === 'rotate') await rotateKey({ toTheEnd: false });
    else if (one.kind === 'sleep') await sleepAndBeTakenOver(one);
    else await race(one);
  }
  await requireNow(one.kind === 'change' ? one.change.env : one.kind === 'rotate' ? 'dev' : one.env);
}

function differences(where: Env, from: number, to: number) {
  const before = moment(model[where], from);
  const after = moment(model[where], to);
  const all = [...new Set([...before.keys(), ...after.keys()])].toSorted();
  return {
    created: all.filter(name => !before.has(name)).map(name => ({ key: name, after: after.get(name)?.value })),
    updated: all
      .filter(name => before.has(name) && after.has(name) && before.get(name)?.value !== after.get(name)?.value)
      .map(name => ({ key: name, before: before.get(name)?.value, after: after.get(name)?.value })),
    deleted: all.filter(name => !after.has(name)).map(name => ({ key: name, before: before.get(name)?.value })),
  };
}

/** The keys whose version differs between two revisions, and is destroyed at one of them. */
function goneBetween(where: Env, from: number, to: number): Set<string> {
  const [before, after] = [moment(model[where], from), moment(model[where], to)];
  const isSame = (name: string) => before.get(name)?.version === after.get(name)?.version;
  return new Set([...goneOf(before), ...goneOf(after)].filter(name => !isSame(name)));
}

async function requireDiff(where: Env, from: number, to: number): Promise<void> {
  const answer = await place.pull(where, `/diff?from=${from}&to=${to}&values=true`);
  const told = `${where} from ${from} to ${to}`;
  if (isRefusedFor(goneBetween(where, from, to), told, answer)) return;
  const { status, body } = answer;
  expect([told, status, body]).toEqual([told, 200, { from, to, ...differences(where, from, to) }]);
}

/** Reads every revision back, and its differences from the previous one and, backwards, from another one. */
async function readAllBack(): Promise<void> {
  for (const where of ['dev', 'staging'] as const) {
    const { revision: current } = model[where];
    for (let revision = 0; revision <= current; revision += 1) {
      requireMoment(where, revision, await place.pull(where, `?revision=${revision}`));
      if (revision > 0) await requireDiff(where, revision - 1, revision);
      await requireDiff(where, revision, (revision * 7919) % (current + 1));
    }
    await requireList(where);
  }
}

async function requireList(where: Env): Promise<void> {
  const listed: Logged[] = [];
  let before: number | null | undefined;
  while (before !== null) {
    const query: string = before === undefined ? '' : `&before=${before}`;
    const { body } = await place.pull(where, `/revisions?limit=7${query}`);
    listed.push(...body.revisions);
    before = body.next;
  }
  const author = { id: owner.user.id, email: owner.email };
  const expected = model[where].log.toReversed().map(one => ({ ...one, createdBy: author }));
  expect(listed.map(one => ({ ...one, createdAt: undefined }))).toEqual(
    expected.map(one => ({ ...one, createdAt: undefined })),
  );
}

/**
 * Destroys the older half of the history of every third key. Some calls fail or their process dies, so it is sent
 * again.
 */
async function destroySome(where: Env): Promise<void> {
  const chosen = [...model[where].keys].filter((_, index) => index % 3 === 0);
  for (const [index, [name, history]] of chosen.entries()) {
    const before = Math.ceil(history.length / 2);
    if (before < 2) continue;
    const gone = history.flatMap(({ value: content }, i) => (i + 1 < before && content !== null ? [i + 1] : []));
    const destroy = (headers = {}) =>
      api.post(place.at(where, `/versions/${name}/destroy`), { before }, owner.session, headers);
    const hit = [undefined, 'dies-after', 'answer-lost', 'dies-before', 'overtaken'][index % 5] as
      | FaultKind
      | undefined;
    const first = await withFault(hit && { kind: hit, position: 5 }, destroy);
    const second = await destroy();
    expect([name, second.status]).toEqual([name, 200]);
    if (first.status === 200) expect([name, first.body.destroyed, second.body.destroyed]).toEqual([name, gone, []]);
    // One transaction holds 90; some of the first may already be done.
    else expect(gone.slice(gone.length - second.body.destroyed.length)).toEqual(second.body.destroyed);
    const after = history.map((version, i) =>
      gone.includes(i + 1) ? { ...version, destroyed: true as const } : version,
    );
    const { keys: all, ...same } = model[where];
    model = { ...model, [where]: { ...same, keys: new Map([...all, [name, after]]) } };
    tally(`destroy${hit === undefined ? '' : `, ${hit}`}`);
  }
}

/** A revision with destroyed values is not restored, but its other keys are. */
async function restoreAround(where: Env, to: number): Promise<void> {
  const then = moment(model[where], to);
  const gone = goneOf(then);
  const restore = (wanted?: string[]) =>
    makeChange({ kind: 'restore', env: where, message: `restore ${to} again`, to, keys: wanted }, undefined);
  if (gone.length > 0) {
    const refused = await api.post(place.at(where, '/restore'), { revision: to }, owner.session);
    isRefusedFor(new Set(gone), `restore ${to}`, refused);
  }
  const others = [...then.keys()].filter(name => !gone.includes(name));
  if (others.length > 0) await restore(others);
  await requireNow(where);
}

it(`every revision is read back as it was, compared, listed and restored (SEED=${seed})`, {
  timeout: 120_000 + length * 5000,
}, async () => {
  const startedAt = performance.now();
  const report = (line: string) => {
    if (process.env.REVISIONS === undefined) return;
    writeSync(2, `${Math.round((performance.now() - startedAt) / 1000)} s: ${line}\n`);
  };
  report(`SEED=${seed}`);
  const steps = fc.sample(step, { numRuns: 20 * length });
  for (const one of steps) {
    if (model.dev.revision >= length) break;
    await take(one);
  }
  expect(model.dev.revision).toBeGreaterThanOrEqual(length);
  report(`${model.dev.revision} and ${model.staging.revision} revisions by ${JSON.stringify(done)}`);
  await readAllBack();
  report('every revision was read back, byte for byte, compared with its neighbour and listed');

  const made = model.dev.revision;
  for (let revision = 0; revision <= made; revision += 1) {
    await makeChange(
      { kind: 'restore', env: 'dev', message: `restore ${revision}`, to: revision, keys: undefined },
      undefined,
    );
    await requireNow('dev');
    const shown = shownOf(moment(model.dev, model.dev.revision)).map(({ key: name, value: content }) => [
      name,
      content,
    ]);
    const then = shownOf(moment(model.dev, revision)).map(({ key: name, value: content }) => [name, content]);
    expect([revision, shown]).toEqual([revision, then]);
  }
  report(`each of ${made + 1} revisions was restored, up to revision ${model.dev.revision}`);

  await makeChange({ kind: 'promote', env: 'dev', message: 'promoted', keys: undefined, overwrite: true }, undefined);
  await rotateKey({ toTheEnd: true });
  await makeChange(
    { kind: 'promote', env: 'staging', message: 'promoted', keys: undefined, overwrite: true },
    undefined,
  );
  await readAllBack();
  report(
    `after a key rotation and promotions, all ${model.dev.revision + model.staging.revision} revisions still read the same`,
  );

  for (const where of ['dev', 'staging'] as const) await destroySome(where);
  await readAllBack();
  for (let revision = 1; revision <= made; revision += 7) await restoreAround('dev', revision);
  report(`after values were destroyed, the others still read the same: ${JSON.stringify(done)}`);
  expect(violationsOf(await scanTable())).toEqual([]);
});
