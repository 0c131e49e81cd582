import { setTimeout as sleep } from 'node:timers/promises';
import { chunksOf } from '#lib/core/chunks-of.ts';
import type { Api } from '../support/api.ts';
import { injectLate, isTableWrite, type LateKind, lateKinds } from '../support/inject-faults.ts';
import { scanTable, violationsOf } from '../support/invariants.ts';
import type { AwsCall } from '../support/observe-calls.ts';
import { named, seededBy } from '../support/people.ts';
import { expectStatus, type Place, placeOf, valuesIn } from '../support/sample-requests.ts';
import { type OperationSample, send } from '../support/samples.ts';
import { keepSnapshots } from '../support/stale-snapshots.ts';
import { emptyTable } from '../support/table-dump.ts';
import type { BackgroundSample } from './background-samples.ts';
import { invokeStep } from './background-samples.ts';
import { background, countedStale, inParallel, isHonest, sendConducted, undisturbed } from './run-faults.ts';

/**
 * When DynamoDB executes an abandoned write, or executes a write again: after the response, and so after any undo by
 * the request; after the request was sent again; after another writer's change to the same data; after the project was
 * deleted and recreated under its slug.
 */
const moments = ['after the answer', 'after a repeat', 'after another change', 'made anew'] as const;
type Moment = (typeof moments)[number];

export interface LateRow {
  name: string;
  writes: number;
  cases: number;
  executed: number;
  refused: number;
  problems: string[];
}

interface Case {
  name: string;
  row: LateRow;
  /** Executes the write, and throws if a check fails. */
  run(): Promise<void>;
}

/** Samples whose changes are fenced: after a 503 they must never be applied. */
const isFenced = (name: string) =>
  /^(set|import|promote|delete|bulk-delete|restore)-secrets?|^apply-changes/.test(name);

const width = 16;
const samplesAtOnce = 8;

/** Executes every write of every sample late and twice, at each of the moments, and checks the table. */
export async function runLate(
  api: Api,
  samples: readonly OperationSample[],
  report: (line: string) => void,
): Promise<LateRow[]> {
  const rows: LateRow[] = [];
  const startedAt = Date.now();
  for (const batch of chunksOf(samplesAtOnce, samples)) {
    await background.whilePaused(emptyTable);
    rows.push(...(await runBatch(api, batch)));
    const done = rows.reduce((sum, row) => sum + row.cases, 0);
    report(
      `${rows.length} of ${samples.length} requests, ${done} late writes, ${Math.round((Date.now() - startedAt) / 1000)} s`,
    );
  }
  return rows;
}

async function runBatch(api: Api, samples: readonly OperationSample[]): Promise<LateRow[]> {
  const rows: LateRow[] = [];
  const cases: Case[] = [];
  for (const sample of samples) {
    const writes = (await named(sample.name, () => undisturbed(api, sample))).filter(isTableWrite);
    const row: LateRow = {
      name: sample.name,
      writes: writes.length,
      cases: 0,
      executed: 0,
      refused: 0,
      problems: [],
    };
    rows.push(row);
    const hasPlace = placeOf(sample.name) !== undefined;
    for (const moment of moments.filter(one => applies(one, sample, hasPlace))) {
      for (const index of writes.keys()) {
        for (const kind of lateKinds) cases.push(requestCase(api, sample, index + 1, kind, moment, row));
      }
    }
  }
  await runCases(cases, rows);
  return rows;
}

function applies(moment: Moment, { name }: OperationSample, hasPlace: boolean): boolean {
  if (moment === 'after another change') return isFenced(name);
  // A deletion removes the project anyway, and deleting an organization removes its projects.
  return moment !== 'made anew' || (hasPlace && name !== 'delete-organization');
}

async function runCases(cases: readonly Case[], rows: readonly LateRow[]): Promise<void> {
  await inParallel(
    width,
    cases.map(({ name, row, run }) => async () => {
      row.cases += 1;
      try {
        await run();
      } catch (error) {
        row.problems.push(`${name} → ${error}`);
      }
    }),
  );
  const items = await background.whilePaused(scanTable);
  for (const { where, what } of [...violationsOf(items), ...countedStale(items)]) {
    const name = seededBy(where) ?? where;
    // An error stays in the table.
    if (rows.some(({ problems }) => problems.includes(`${name} → ${what}`))) continue;
    const row = rows.find(one => name.startsWith(`${one.name}: `)) ?? rows[0];
    row?.problems.push(`${name} → ${what}`);
  }
}

function requestCase(
  api: Api,
  sample: OperationSample,
  nth: number,
  kind: LateKind,
  moment: Moment,
  row: LateRow,
): Case {
  const name = `${sample.name}: write ${nth} ${kind}, ${moment}`;
  const run = async () => {
    const { request, works, repeats = [], isDone } = await named(name, () => sample.prepare(api));
    await keepSnapshots(api, name);
    const fault = injectLate(kind, nth);
    const answer = await sendConducted(api, request, fault);
    const worked = works.includes(answer.status);
    if (!fault.hit()) return;
    if (!worked && !isHonest(answer)) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
    const executeLate = async () => {
      if ((await fault.executeLate()) === 'done') row.executed += 1;
      else row.refused += 1;
    };
    const again = async (isMade: boolean) => {
      const repeated = await send(api, request);
      if (!(isMade ? [...works, ...repeats] : works).includes(repeated.status)) {
        throw new Error(`sent again: ${repeated.status} ${JSON.stringify(repeated.body)}`);
      }
    };
    switch (moment) {
      case 'after the answer': {
        const wasDone = await isDone();
        await executeLate();
        const isMade = await isDone();
        if (worked && !isMade) throw new Error('what was done is gone');
        if (isFenced(sample.name) && isMade !== wasDone) throw new Error('what was refused is done');
        await again(isMade);
        if (!(await isDone())) throw new Error('sent again: nothing was done');
        return;
      }
      case 'after a repeat':
        await again(await isDone());
        await executeLate();
        if (!(await isDone())) throw new Error('what was done is gone');
        return;
      case 'after another change': {
        const there = placeFor(name);
        const changes = { KEY_1: 'of another writer', ADDED: 'as well' };
        const environments = sample.name.startsWith('promote') ? ['staging'] : ['dev'];
        for (const env of environments) {
          await expectStatus(api.post(`${there.secrets}/${env}/bulk`, { secrets: changes }, there.session), 200);
          const before = await valuesIn(api, there, env);
          await executeLate();
          const after = await valuesIn(api, there, env);
          if (JSON.stringify(after) !== JSON.stringify(before)) throw new Error('the other change is not what it was');
          await expectStatus(api.put(`${there.secrets}/${env}`, { key: 'NEXT', value: 'next' }, there.session), 201);
        }
        return;
      }
      case 'made anew': {
        const there = placeFor(name);
        await makeAnew(api, there);
        await executeLate();
        await requireNew(api, there);
      }
    }
  };
  return { name, row, run };
}

function placeFor(name: string): Place {
  const there = placeOf(name);
  if (there === undefined) throw new Error('The sample has no project.');
  return there;
}

/** Deletes the project, and creates another one as soon as the slug is free. */
async function makeAnew(api: Api, { organization, session }: Place): Promise<void> {
  const path = `/projects/${organization.id}`;
  await expectStatus(api.delete(`${path}/shop`, session), 200, 404);
  for (const endsAt = Date.now() + 60_000; ; await sleep(100)) {
    const made = await api.post(path, { name: 'Shop', slug: 'shop' }, session);
    if (made.status === 201) return;
    if (made.status !== 409 || Date.now() > endsAt) throw new Error(`The slug is not free again: ${made.status}`);
  }
}

/** @throws if the project is not like a new one, or does not work */
async function requireNew(api: Api, there: Place): Promise<void> {
  const { organization, session, slug } = there;
  const { project } = (await expectStatus(api.get(`/projects/${organization.id}/shop`, session), 200)).body;
  const environments: { slug: string; revision: number; secretCount: number }[] = project.environments;
  const found = environments.map(({ slug, revision, secretCount }) => `${slug} ${revision} ${secretCount}`);
  // Environments under reused slugs start at a revision above all earlier ones.
  const [first] = environments;
  const expected = ['dev', 'production', 'staging'].map(slug => `${slug} ${first?.revision} 0`);
  if (found.toSorted().join() !== expected.join()) throw new Error(`The new environments are ${found}.`);
  const templates = await expectStatus(api.get(`/templates/${slug}/shop`, session), 200);
  if (templates.body.keys.length > 0) throw new Error('The new project has template keys.');
  for (const env of ['dev', 'staging', 'production']) {
    if (JSON.stringify(await valuesIn(api, there, env)) !== '{}') throw new Error(`The new ${env} is not empty.`);
    await expectStatus(api.put(`${there.secrets}/${env}`, { key: 'KEY_1', value: 'new' }, session), 201);
    if (JSON.stringify(await valuesIn(api, there, env)) !== '{"KEY_1":"new"}') throw new Error(`${env} is not new.`);
  }
}

/** Like `runLate` for steps of background work: each write is executed again, or late, once all work is done. */
export async function runBackgroundLate(
  samples: readonly BackgroundSample[],
  report: (line: string) => void,
): Promise<LateRow[]> {
  const rows: LateRow[] = [];
  const startedAt = Date.now();
  for (const sample of samples) {
    const calls: AwsCall[] = [];
    const step = await named(sample.name, () => sample.prepare());
    await invokeStep(step.functionName, step.event, {
      call: (call, proceed) => {
        calls.push(call);
        return proceed();
      },
    });
    await step.finish();
    await step.requireDone();
    const writes = calls.filter(isTableWrite);
    const row: LateRow = { name: sample.name, writes: writes.length, cases: 0, executed: 0, refused: 0, problems: [] };
    rows.push(row);
    const cases = writes.flatMap((_, index) =>
      lateKinds.map((kind): Case => {
        const nth = index + 1;
        const name = `${sample.name}: write ${nth} ${kind}`;
        const run = async () => {
          const prepared = await named(name, () => sample.prepare());
          const fault = injectLate(kind, nth);
          // It may fail, or may not need the response.
          await invokeStep(prepared.functionName, prepared.event, fault).catch(() => undefined);
          if (!fault.hit()) return;
          await prepared.finish();
          await prepared.requireDone();
          if ((await fault.executeLate()) === 'done') row.executed += 1;
          else row.refused += 1;
          await (prepared.requireStill ?? prepared.requireDone)();
        };
        return { name, row, run };
      }),
    );
    await runCases(cases, rows);
    report(`${rows.length} of ${samples.length} steps, ${Math.round((Date.now() - startedAt) / 1000)} s`);
  }
  return rows;
}

/** The table of requests × writes × moments as Markdown. */
export function renderLateRows(rows: readonly LateRow[]): string {
  const cells = ({ name, writes, cases, executed, refused, problems }: LateRow) =>
    `| ${[name, writes, cases, executed, refused, problems.length].join(' | ')} |`;
  const sum = (of: (row: LateRow) => number) => rows.reduce((total, row) => total + of(row), 0);
  const total = [
    `**all ${rows.length}**`,
    sum(row => row.writes),
    sum(row => row.cases),
    sum(row => row.executed),
    sum(row => row.refused),
    sum(row => row.problems.length),
  ];
  return [
    '| request | writes | late or twice | executed | rejected | broken |',
    '|---|---|---|---|---|---|',
    ...rows.map(cells),
    `| ${total.join(' | ')} |`,
  ].join('\n');
}
