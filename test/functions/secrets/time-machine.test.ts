import { writeSync } from 'node:fs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Answer } from '#test/support/api.ts';
import { expireLease, openWorkplace } from '#test/support/environments.ts';
import { eventually } from '#test/support/eventually.ts';
import { shared } from '#test/support/fixtures.ts';
import { deadly, type FaultKind } from '#test/support/inject-faults.ts';
import { scanTable, violationsOf } from '#test/support/invariants.ts';
import { startObservedApi, withFault } from '#test/support/observed-api.ts';
import { seedOwner } from '#test/support/people.ts';
import { seed } from '#test/support/seed.ts';
import {
  apply,
  type Change,
  changesOf,
  type Env,
  emptyModel,
  type Logged,
  moment,
  type Shown,
  send,
  shownAt,
  shownBy,
  withRevision,
} from './environment-model.ts';

/*
 * Two environments go through random changes, with writers that die, stall or write concurrently, and a model follows.
 * Then every revision is read back, compared with its neighbors, listed and restored. `SEED` repeats a run.
 */

const length = Number(process.env.REVISIONS ?? 12);

type Step =
  | { kind: 'change'; change: Change; fault: { kind: FaultKind; position: number } | undefined }
  | { kind: 'rotate' }
  /** An import that stalls before one of its calls until another writer has committed. */
  | { kind: 'sleep'; env: Env; position: number; count: number }
  /** Three concurrent sets and an import. */
  | { kind: 'race'; env: Env; count: number };

const env = fc.constantFrom<Env>('dev', 'dev', 'dev', 'staging');
const change = changesOf(env, fc.constant(undefined), 1);
const fault = fc.record({
  kind: fc.constantFrom<FaultKind>('dies-before', 'dies-after', 'dies-before', 'dies-after', 'answer-lost', 'refused'),
  position: fc.integer({ min: 3, max: 11 }),
});
const count = fc.constantFrom(2, 60);
const constant = <const T>(content: T) => fc.constant(content);
const maybeFault = fc.option(fault, { nil: undefined, freq: 4 });
const position = fc.integer({ min: 3, max: 9 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 16, arbitrary: fc.record({ kind: constant('change'), change, fault: maybeFault }) },
  { weight: 1, arbitrary: fc.record({ kind: constant('rotate') }) },
  { weight: 1, arbitrary: fc.record({ kind: constant('sleep'), env, position, count }) },
  { weight: 1, arbitrary: fc.record({ kind: constant('race'), env, count }) },
);

const api = shared(() => startObservedApi({ REQUESTS_PER_MINUTE: '-1', STEP_UP_FRESH_SECONDS: '36000' }));
const owner = shared(seedOwner);
const place = shared(() => openWorkplace(api, owner));
let model = emptyModel();
/** The responses of pulls, byte for byte, by environment and revision. */
const pulled = new Map<string, string>();
const done: Record<string, number> = {};
const tally = (name: string) => {
  done[name] = (done[name] ?? 0) + 1;
};

/** If a response needs destroyed values, it must be an error that names their keys. @returns whether it is one */
function isRefusedFor(gone: ReadonlySet<string>, label: string, { status, body }: Answer): boolean {
  if (gone.size === 0) return false;
  const expected = [label, 409, 'version_destroyed', [...gone].toSorted()];
  expect([label, status, body.error?.code, body.error?.details?.keys]).toEqual(expected);
  tally('refused, because values were destroyed');
  return true;
}

const goneOf = (secrets: ReadonlyMap<string, Shown>) =>
  [...secrets.values()].filter(({ destroyed }) => destroyed).map(({ key }) => key);

/** Compares a response with the model at a revision, and with the pull from when that revision was current. */
function requireMoment(where: Env, revision: number, answer: Answer): void {
  const label = `${where} at ${revision}`;
  if (isRefusedFor(new Set(goneOf(moment(model[where], revision))), label, answer)) return;
  const { status, body } = answer;
  expect([label, status, body.revision]).toEqual([label, 200, revision]);
  expect([label, shownBy(answer)]).toEqual([label, shownAt(model[where], revision)]);
  const bytes = JSON.stringify(body);
  const before = pulled.get(label) ?? bytes;
  pulled.set(label, before);
  expect([label, bytes]).toEqual([label, before]);
}

async function requireNow(where: Env): Promise<void> {
  requireMoment(where, model[where].revision, await place.pull(where));
}

/** Makes a change, with or without a fault, and applies it to the model. */
async function makeChange(given: Change, fault?: { kind: FaultKind; position: number }): Promise<void> {
  const change = withRevision(given, model);
  const { status, after } = apply(model, change);
  const answer = await withFault(fault, headers => send(place, model, change, headers));
  const died = fault !== undefined && deadly.has(fault.kind);
  if (fault === undefined || (answer.status < 500 && !died)) expect([change, answer.status]).toEqual([change, status]);
  tally(`${change.kind}${died && answer.status >= 500 ? ', its writer died' : ''}`);
  const { revision } = (await place.pull(change.env)).body;
  if ((answer.status < 300 && !died) || revision === after[change.env].revision) model = after;
  await expireLease(place, change.env);
}

/** A restore, or a promotion of everything from the other environment. */
const restoring = (env: Env, to: number, keys?: string[]) =>
  makeChange({ kind: 'restore', env, message: `restore ${to}`, to, keys });
const promoting = (env: Env) =>
  makeChange({ kind: 'promote', env, message: 'promoted', keys: undefined, overwrite: true });

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
        first = await send(place, model, quick);
      }
      return proceed();
    },
  };
  const second = await withFault({ conductor }, headers => send(place, model, slow, headers));
  first ??= await send(place, model, quick);
  follow([quick, slow], [first, second]);
}

async function race({ env: where, count: size }: Step & { kind: 'race' }): Promise<void> {
  const changes = [...['A', 'K1', 'a.b-c'].map(name => uniqueSet(where, name)), uniqueImport(where, size)];
  follow(changes, await Promise.all(changes.map(one => send(place, model, one))));
}

const waitForRotation = () =>
  eventually(async () => {
    const { rotation } = (await api.get(place.projectPath, owner.session)).body.project;
    expect(rotation?.status).not.toBe('in_progress');
  });

async function rotateKey({ toTheEnd }: { toTheEnd: boolean }): Promise<void> {
  if (toTheEnd) await waitForRotation();
  const { status } = await place.rotateKey();
  // 409: the last one is not complete yet.
  expect(toTheEnd ? [200, 202] : [200, 202, 409]).toContain(status);
  if (toTheEnd) await waitForRotation();
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
  const label = `${where} from ${from} to ${to}`;
  if (isRefusedFor(goneBetween(where, from, to), label, answer)) return;
  const { status, body } = answer;
  expect([label, status, body]).toEqual([label, 200, { from, to, ...differences(where, from, to) }]);
}

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
  const fixed = { createdBy: { id: owner.user.id, email: owner.email }, createdAt: undefined };
  const expected = model[where].log.toReversed().map(one => ({ ...one, ...fixed }));
  expect(listed.map(one => ({ ...one, createdAt: undefined }))).toEqual(expected);
}

/** Destroys the older half of every third key's history. Some calls fail or their process dies, so it is sent again. */
async function destroySome(where: Env): Promise<void> {
  const chosen = [...model[where].keys].filter((_, index) => index % 3 === 0);
  for (const [index, [name, history]] of chosen.entries()) {
    const before = Math.ceil(history.length / 2);
    if (before < 2) continue;
    const gone = history.flatMap(({ value: content }, i) => (i + 1 < before && content !== null ? [i + 1] : []));
    const destroy = (headers = {}) => place.destroy(where, name, { before }, { headers });
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
  if (gone.length > 0) isRefusedFor(new Set(gone), `restore ${to}`, await place.restore(where, { revision: to }));
  const others = [...then.keys()].filter(name => !gone.includes(name));
  if (others.length > 0) await restoring(where, to, others);
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
    await restoring('dev', revision);
    await requireNow('dev');
    const valuesAt = (at: number) => shownAt(model.dev, at).map(({ key, value }) => [key, value]);
    expect([revision, valuesAt(model.dev.revision)]).toEqual([revision, valuesAt(revision)]);
  }
  report(`each of ${made + 1} revisions was restored, up to revision ${model.dev.revision}`);

  await promoting('dev');
  await rotateKey({ toTheEnd: true });
  await promoting('staging');
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
