import { setTimeout as sleep } from 'node:timers/promises';
import { chunksOf } from '#lib/core/chunks-of.ts';
import { ranges } from '#lib/table/keys.ts';
import { queryItems, type Range } from '#lib/table/read.ts';
import type { Answer, Api } from '../support/api.ts';
import { gate } from '../support/gate.ts';
import { scanTable, violationsOf } from '../support/invariants.ts';
import { firstPersonOf, named, type Person, seededBy, seedPerson, seedSession } from '../support/people.ts';
import { expectStatus, placeOf } from '../support/sample-requests.ts';
import type { OperationSample } from '../support/samples.ts';
import { keepSnapshots } from '../support/stale-snapshots.ts';
import { emptyTable } from '../support/table-dump.ts';
import { background, countedStale, inParallel, isHonest, sendConducted, undisturbed } from './run-faults.ts';

export interface StalledRow {
  name: string;
  calls: number;
  cases: number;
  /** Succeeded normally, because it had already read or written everything it needed under the slug. */
  answered: number;
  /** Applied to the caller's new project, which is the only one that the request had read. */
  landed: number;
  refused: number;
  problems: string[];
}

/** A text in the secrets, the template and the webhook of the slug's next tenant. */
const canary = 'of-the-next-tenant';
const width = 16;
const samplesAtOnce = 16;

/**
 * Holds every call of every sample until the caller's organization has been deleted and another tenant has its slug,
 * with a project of the same name, or until the project has been deleted and recreated. The request then continues: it
 * must not read or change another tenant's data, and in a new project it must do all or nothing.
 */
export async function runStalled(
  api: Api,
  samples: readonly OperationSample[],
  report: (line: string) => void,
): Promise<StalledRow[]> {
  const rows: StalledRow[] = [];
  const startedAt = Date.now();
  for (const batch of chunksOf(samplesAtOnce, samples)) {
    await background.whilePaused(emptyTable);
    rows.push(...(await runBatch(api, batch)));
    const done = rows.reduce((sum, row) => sum + row.cases, 0);
    report(`${rows.length} requests, ${done} stalls, ${Math.round((Date.now() - startedAt) / 1000)} s`);
  }
  return rows;
}

async function runBatch(api: Api, samples: readonly OperationSample[]): Promise<StalledRow[]> {
  const rows: StalledRow[] = [];
  const cases: (() => Promise<void>)[] = [];
  for (const sample of samples) {
    const { length: calls } = await named(sample.name, () => undisturbed(api, sample));
    if (firstPersonOf(sample.name) === undefined) continue;
    const row: StalledRow = { name: sample.name, calls, cases: 0, answered: 0, landed: 0, refused: 0, problems: [] };
    rows.push(row);
    const handOvers = placeOf(sample.name) === undefined ? [toNextTenant] : [toNextTenant, toNextProject];
    for (const handOver of handOvers) {
      for (let position = 1; position <= calls; position += 1) {
        const name = `${sample.name}: stalled at call ${position} until ${handOver.name}`;
        cases.push(() => stall(api, sample, name, position, handOver, row));
      }
    }
  }
  await inParallel(width, cases);
  const items = await background.whilePaused(scanTable);
  for (const { where, what } of [...violationsOf(items), ...countedStale(items)]) {
    // The last step of an erasure deletes them a minute later.
    if (what === 'audit entries belong to no organization') continue;
    const name = seededBy(where) ?? where;
    const row = rows.find(one => name.startsWith(`${one.name}: `)) ?? rows[0];
    row?.problems.push(`${name} → ${what}`);
  }
  return rows;
}

async function stall(
  api: Api,
  sample: OperationSample,
  name: string,
  position: number,
  handOver: HandOver,
  row: StalledRow,
): Promise<void> {
  try {
    const { request, works } = await named(name, () => sample.prepare(api));
    await keepSnapshots(api, name);
    const owner = firstPersonOf(name);
    if (owner === undefined) throw new Error('The sample has no organization.');
    const arrived = gate();
    const released = gate();
    let isStalled = false;
    const answering = sendConducted(api, request, {
      call: async (call, proceed) => {
        if (call.position === position) {
          isStalled = true;
          arrived.open();
          await released.opened;
        }
        return proceed();
      },
    });
    await Promise.race([arrived.opened, answering]);
    if (!isStalled) return;
    row.cases += 1;
    let answer: Answer;
    let changed: string | undefined;
    try {
      const itemsOf = await named(name, () => handOver.go(api, owner));
      const before = await itemsOf();
      released.open();
      answer = await answering;
      const after = await itemsOf();
      if (after !== before) changed = `${answer.status}, and what was there is changed, from ${before} to ${after}`;
    } finally {
      released.open();
    }
    // With a new project it may succeed in another way.
    const hasWorked = works.includes(answer.status) || (handOver.belongsToCaller && answer.status < 300);
    if (changed !== undefined && !(hasWorked && handOver.belongsToCaller)) throw new Error(changed);
    if (!handOver.belongsToCaller && JSON.stringify(answer.body ?? null).includes(canary)) {
      throw new Error('the answer has values of the next tenant');
    }
    if (changed !== undefined) row.landed += 1;
    else if (hasWorked) row.answered += 1;
    else if (answer.status < 500 || isHonest(answer)) row.refused += 1;
    else throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
  } catch (error) {
    row.problems.push(`${name} → ${error}`);
  }
}

/** The owner of the slugs when the request continues. */
interface HandOver {
  name: string;
  belongsToCaller: boolean;
  /**
   * Deletes the resource of the request, and recreates it as soon as its slug is free. @returns a reader of all new
   * items
   */
  go(api: Api, owner: Person): Promise<() => Promise<string>>;
}

/** Deletes the organization; another user takes its slug. */
const toNextTenant: HandOver = {
  name: 'another tenant has the slug',
  belongsToCaller: false,
  go: async (api, owner) => {
    const { id, slug } = owner.organization;
    await expectStatus(
      asOwner(owner, session => api.delete(`/orgs/${id}`, session)),
      200,
      404,
    );
    const other = await seedPerson();
    const made = await whenFree(() => api.post('/orgs', { name: 'The next tenant', slug }, other.session));
    const { organization } = made.body;
    await fillProject(api, organization, other);
    const hook = { url: `http://127.0.0.1:9/${canary}`, events: ['secret.deleted'] };
    await expectStatus(api.post(`/webhooks/${organization.id}`, hook, other.session), 201);
    return () => read([ranges.organization(slug), ranges.audit(organization.id), ...environmentsOf(slug)]);
  },
};

/** Deletes the project; its owner creates another one under its slug. */
const toNextProject: HandOver = {
  name: 'the project is made anew',
  belongsToCaller: true,
  go: async (api, owner) => {
    const { id, slug } = owner.organization;
    await expectStatus(api.delete(`/projects/${id}/shop`, owner.session), 200, 404);
    await fillProject(api, owner.organization, owner);
    const below = ['PROJECT#', 'ENV#', 'TEMPLATE#'].map(beginsWith => ({ ...ranges.organization(slug), beginsWith }));
    return () => read([...below, ...environmentsOf(slug)]);
  },
};

/** With a session of its own: the stalled request may have ended the person's, and may be ending others. */
async function asOwner(owner: Person, send: (session: Person['session']) => Promise<Answer>): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    const answer = await send(await seedSession(owner));
    if (answer.status !== 401 || tries === 5) return answer;
  }
}

async function fillProject(api: Api, { id, slug }: Person['organization'], { session }: Person): Promise<void> {
  await whenFree(() => api.post(`/projects/${id}`, { name: 'Shop', slug: 'shop' }, session));
  const secrets = { KEY_0: canary, KEY_1: canary, KEY_2: canary };
  for (const env of ['dev', 'staging']) {
    await expectStatus(api.post(`/secrets/${slug}/shop/${env}/bulk`, { secrets }, session), 200);
  }
  await expectStatus(api.post(`/templates/${slug}/shop`, { key: 'KEY_1', description: canary }, session), 201);
}

async function whenFree(send: () => Promise<Answer>): Promise<Answer> {
  for (const endsAt = Date.now() + 60_000; ; await sleep(50)) {
    const answer = await send();
    if (answer.status === 201) return answer;
    if (answer.status !== 409 || Date.now() > endsAt) throw new Error(`The slug is not free: ${answer.status}`);
  }
}

function environmentsOf(slug: string) {
  return ['dev', 'staging', 'production'].map(env => ranges.environmentItems({ orgSlug: slug, project: 'shop', env }));
}

/** All items of the ranges, as text. The order of waiting writers is only a hint. */
async function read(wanted: readonly Range[]): Promise<string> {
  const items = await Promise.all(wanted.map(range => queryItems(range)));
  return JSON.stringify(items.flat().filter(({ sk }) => sk !== 'TICKETS'));
}

/** The table of requests × calls as Markdown. */
export function renderStalledRows(rows: readonly StalledRow[]): string {
  const sum = (of: (row: StalledRow) => number) => rows.reduce((total, row) => total + of(row), 0);
  const cells = (name: string, of: (count: (row: StalledRow) => number) => number) =>
    `| ${[name, of(row => row.calls), of(row => row.cases), of(row => row.answered), of(row => row.landed), of(row => row.refused), of(row => row.problems.length)].join(' | ')} |`;
  return [
    '| request | calls | stalled | succeeded | applied | rejected | broken |',
    '|---|---|---|---|---|---|---|',
    ...rows.map(row => cells(row.name, count => count(row))),
    cells(`**all ${rows.length}**`, sum),
  ].join('\n');
}
