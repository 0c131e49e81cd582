import type { Api } from '../support/api.ts';
import { createWhenFree } from '../support/create-when-free.ts';
import { injectLate, isTableWrite, type LateFault, type LateKind, lateKinds } from '../support/inject-faults.ts';
import { named } from '../support/people.ts';
import { expectStatus, type Place, placeOf, valuesIn } from '../support/sample-requests.ts';
import { type OperationSample, send } from '../support/samples.ts';
import { keepSnapshots } from '../support/stale-snapshots.ts';
import { emptyTable } from '../support/table-dump.ts';
import { type BackgroundSample, invokeStep } from './background-samples.ts';
import {
  background,
  type Case,
  checkTable,
  inBatches,
  isHonest,
  newRow,
  type Report,
  type Row,
  runCases,
  sendConducted,
  textOf,
  undisturbed,
  undisturbedStep,
} from './rows.ts';

/** When DynamoDB executes an abandoned write, or a write again; `made anew` means the project, under its old slug. */
const moments = ['after the answer', 'after a repeat', 'after another change', 'made anew'] as const;
type Moment = (typeof moments)[number];

export const lateColumns = { writes: 'writes', cases: 'late or twice', executed: 'executed', refused: 'rejected' };
type LateRow = Row<keyof typeof lateColumns>;

/** Samples whose changes are fenced: after a 503 they must never be applied. */
export const isFenced = (name: string) =>
  /^(set|import|promote|delete|bulk-delete|restore)-secrets?|^apply-changes/.test(name);

/** Executes every write of every sample late and twice, at each of the moments, and checks the table. */
export function runLate(api: Api, samples: readonly OperationSample[], report: Report) {
  return inBatches(samples, 8, report, async batch => {
    await background.whilePaused(emptyTable);
    const rows: LateRow[] = [];
    const cases: Case[] = [];
    for (const sample of batch) {
      const row = newRow(sample.name, lateColumns);
      rows.push(row);
      row.counts.writes = (await undisturbed(api, sample)).filter(isTableWrite).length;
      const hasPlace = placeOf(sample.name) !== undefined;
      for (const moment of moments.filter(one => applies(one, sample, hasPlace))) {
        cases.push(...casesOf(row, `, ${moment}`, (...write) => executeAt(api, sample, moment, row, ...write)));
      }
    }
    await runCases(cases);
    await checkTable(rows);
    return rows;
  });
}

function casesOf(row: LateRow, when: string, run: (name: string, kind: LateKind, nth: number) => Promise<void>) {
  const nths = Array.from({ length: row.counts.writes }, (_, index) => index + 1);
  const cases = nths.flatMap(nth =>
    lateKinds.map((kind): Case => {
      const name = `${row.name}: write ${nth} ${kind}${when}`;
      return { name, row, run: () => run(name, kind, nth) };
    }),
  );
  row.counts.cases += cases.length;
  return cases;
}

function applies(moment: Moment, { name }: OperationSample, hasPlace: boolean): boolean {
  if (moment === 'after another change') return isFenced(name);
  // A deletion removes the project anyway, and deleting an organization removes its projects.
  return moment !== 'made anew' || (hasPlace && name !== 'delete-organization');
}

async function execute(fault: LateFault, { counts }: LateRow): Promise<void> {
  counts[(await fault.executeLate()) === 'done' ? 'executed' : 'refused'] += 1;
}

async function executeAt(
  api: Api,
  sample: OperationSample,
  moment: Moment,
  row: LateRow,
  name: string,
  kind: LateKind,
  nth: number,
): Promise<void> {
  const { request, works, repeats = [], isDone } = await named(name, () => sample.prepare(api));
  await keepSnapshots(api, name);
  const fault = injectLate(kind, nth);
  const answer = await sendConducted(api, request, fault);
  const worked = works.includes(answer.status);
  if (!fault.hit()) return;
  if (!worked && !isHonest(answer)) throw new Error(textOf(answer));
  const sendAgain = async (isApplied: boolean) => {
    const repeated = await send(api, request);
    if (!(isApplied ? [...works, ...repeats] : works).includes(repeated.status))
      throw new Error(`sent again: ${textOf(repeated)}`);
  };
  switch (moment) {
    case 'after the answer': {
      const wasDone = await isDone();
      await execute(fault, row);
      const isApplied = await isDone();
      if (worked && !isApplied) throw new Error('what was done is gone');
      if (isFenced(sample.name) && isApplied !== wasDone) throw new Error('what was refused is done');
      await sendAgain(isApplied);
      if (!(await isDone())) throw new Error('sent again: nothing was done');
      return;
    }
    case 'after a repeat':
      await sendAgain(await isDone());
      await execute(fault, row);
      if (!(await isDone())) throw new Error('what was done is gone');
      return;
    case 'after another change': {
      const place = requirePlace(name);
      const path = `${place.secrets}/${sample.name.startsWith('promote') ? 'staging' : 'dev'}`;
      const secrets = { KEY_1: 'of another writer', ADDED: 'as well' };
      await expectStatus(api.post(`${path}/bulk`, { secrets }, place.session), 200);
      const read = async () => JSON.stringify((await expectStatus(api.get(path, place.session), 200)).body.secrets);
      const values = await read();
      await execute(fault, row);
      if ((await read()) !== values) throw new Error('the other change is not what it was');
      await expectStatus(api.put(path, { key: 'NEXT', value: 'next' }, place.session), 201);
      return;
    }
    case 'made anew': {
      const place = requirePlace(name);
      const path = `/projects/${place.organization.id}`;
      await expectStatus(api.delete(`${path}/shop`, place.session), 200, 404);
      await createWhenFree(api, path, { name: 'Shop', slug: 'shop' }, place.session);
      await execute(fault, row);
      await requireNew(api, place);
    }
  }
}

function requirePlace(name: string): Place {
  const place = placeOf(name);
  if (place === undefined) throw new Error('The sample has no project.');
  return place;
}

/** @throws if the project is not like a new one, or does not work */
async function requireNew(api: Api, place: Place): Promise<void> {
  const { organization, session, slug } = place;
  const { project } = (await expectStatus(api.get(`/projects/${organization.id}/shop`, session), 200)).body;
  const environments: { slug: string; revision: number; secretCount: number }[] = project.environments;
  const shown = environments.map(({ slug, revision, secretCount }) => `${slug} ${revision} ${secretCount}`);
  // Environments under reused slugs start at a revision above all earlier ones.
  const [first] = environments;
  const expected = ['dev', 'production', 'staging'].map(slug => `${slug} ${first?.revision} 0`);
  if (shown.toSorted().join() !== expected.join()) throw new Error(`The new environments are ${shown}.`);
  const templates = await expectStatus(api.get(`/templates/${slug}/shop`, session), 200);
  if (templates.body.keys.length > 0) throw new Error('The new project has template keys.');
  for (const env of ['dev', 'staging', 'production']) {
    if (JSON.stringify(await valuesIn(api, place, env)) !== '{}') throw new Error(`The new ${env} is not empty.`);
    await expectStatus(api.put(`${place.secrets}/${env}`, { key: 'KEY_1', value: 'new' }, session), 201);
    if (JSON.stringify(await valuesIn(api, place, env)) !== '{"KEY_1":"new"}') throw new Error(`${env} is not new.`);
  }
}

/** Like `runLate` for steps of background work: each write is executed again, or late, once all work is done. */
export function runBackgroundLate(samples: readonly BackgroundSample[], report: Report) {
  return inBatches(samples, 1, report, async batch => {
    const rows: LateRow[] = [];
    const cases: Case[] = [];
    for (const sample of batch) {
      const row = newRow(sample.name, lateColumns);
      rows.push(row);
      row.counts.writes = (await undisturbedStep(sample)).filter(isTableWrite).length;
      const run = async (name: string, kind: LateKind, nth: number) => {
        const step = await named(name, () => sample.prepare());
        const fault = injectLate(kind, nth);
        // It may fail, or may not need the response.
        await invokeStep(step.functionName, step.event, fault).catch(() => undefined);
        if (!fault.hit()) return;
        await step.finish();
        await step.requireDone();
        await execute(fault, row);
        await (step.requireStill ?? step.requireDone)();
      };
      cases.push(...casesOf(row, '', run));
    }
    await runCases(cases);
    await checkTable(rows);
    return rows;
  });
}
