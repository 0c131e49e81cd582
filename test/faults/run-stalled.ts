import { setTimeout as sleep } from 'node:timers/promises';
import { ranges } from '../../lib/table/keys.ts';
import { chunksOf, queryItems } from '../../lib/table/store.ts';
import type { Answer, Api, Person } from '../support/api.ts';
import { gate } from '../support/gate.ts';
import { scanTable, violationsOf } from '../support/invariants.ts';
import { expectStatus, firstPersonOf, named, type Sample, seededBy, seedPerson } from '../support/sample-requests.ts';
import { background, inParallel, isHonest, sendConducted, undisturbed } from './run-faults.ts';

export interface StalledRow {
  name: string;
  calls: number;
  cases: number;
  /** Answered as if nothing had happened: all that it needed of the slug it had read or written before. */
  answered: number;
  refused: number;
  problems: string[];
}

/** In the secrets of the tenant who has the slug next. */
const canary = 'of-the-next-tenant';
const width = 16;
const samplesAtOnce = 16;

/**
 * Holds back every call of every sample, until the caller's organization was deleted and another tenant has its slug,
 * with a project of the same name. The request then goes on: it must read and change nothing of theirs.
 */
export async function runStalled(
  api: Api,
  samples: readonly Sample[],
  report: (line: string) => void,
): Promise<StalledRow[]> {
  const rows: StalledRow[] = [];
  const startedAt = Date.now();
  for (const batch of chunksOf(samplesAtOnce, samples)) {
    const cases: (() => Promise<void>)[] = [];
    for (const sample of batch) {
      const { length: calls } = await named(sample.name, () => undisturbed(api, sample));
      if (firstPersonOf(sample.name) === undefined) continue;
      const row: StalledRow = { name: sample.name, calls, cases: 0, answered: 0, refused: 0, problems: [] };
      rows.push(row);
      for (let position = 1; position <= calls; position += 1) {
        const name = `${sample.name}: stalled at call ${position}`;
        cases.push(() => stall(api, sample, name, position, row));
      }
    }
    await inParallel(width, cases);
    for (const { where, what } of violationsOf(await background.whilePaused(scanTable))) {
      // The last step of an erasure looks after them in a minute.
      if (what === 'audit entries belong to no organization') continue;
      const name = seededBy(where) ?? where;
      if (rows.some(({ problems }) => problems.includes(`${name} → ${what}`))) continue;
      const row = rows.find(one => name.startsWith(`${one.name}: `)) ?? rows[0];
      row?.problems.push(`${name} → ${what}`);
    }
    const done = rows.reduce((sum, row) => sum + row.cases, 0);
    report(`${rows.length} requests, ${done} stalls, ${Math.round((Date.now() - startedAt) / 1000)} s`);
  }
  return rows;
}

async function stall(api: Api, sample: Sample, name: string, position: number, row: StalledRow): Promise<void> {
  try {
    const { request, works } = await named(name, () => sample.prepare(api));
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
    try {
      const next = await named(name, () => passOn(api, owner));
      const before = await itemsOf(owner.organization.slug, next.id);
      released.open();
      answer = await answering;
      const after = await itemsOf(owner.organization.slug, next.id);
      if (after !== before) throw new Error(`${answer.status}, and the next tenant has ${after} in place of ${before}`);
    } finally {
      released.open();
    }
    if (JSON.stringify(answer.body ?? null).includes(canary))
      throw new Error('the answer has values of the next tenant');
    if (works.includes(answer.status)) row.answered += 1;
    else if (answer.status < 500 || isHonest(answer)) row.refused += 1;
    else throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
  } catch (error) {
    row.problems.push(`${name} → ${error}`);
  }
}

/** Deletes the organization. Another person takes the slug as soon as it is free, and uses it. */
async function passOn(api: Api, { organization: { id, slug }, session }: Person): Promise<{ id: string }> {
  await expectStatus(api.delete(`/orgs/${id}`, session), 200, 404);
  const other = await seedPerson();
  const made = await whenFree(() => api.post('/orgs', { name: 'The next tenant', slug }, other.session));
  const { organization } = made.body;
  await expectStatus(api.post(`/projects/${organization.id}`, { name: 'Shop', slug: 'shop' }, other.session), 201);
  const values = { KEY_0: canary, KEY_1: canary, KEY_2: canary };
  for (const env of ['dev', 'staging']) {
    await expectStatus(api.post(`/secrets/${slug}/shop/${env}/bulk`, { secrets: values }, other.session), 200);
  }
  await expectStatus(api.post(`/templates/${slug}/shop`, { key: 'KEY_1' }, other.session), 201);
  const hook = { url: 'http://127.0.0.1:9/', events: ['secret.deleted'] };
  await expectStatus(api.post(`/webhooks/${organization.id}`, hook, other.session), 201);
  return organization;
}

async function whenFree(send: () => Promise<Answer>): Promise<Answer> {
  for (const endsAt = Date.now() + 60_000; ; await sleep(50)) {
    const answer = await send();
    if (answer.status === 201) return answer;
    if (answer.status !== 409 || Date.now() > endsAt) throw new Error(`The slug is not free: ${answer.status}`);
  }
}

/** All that a tenant has, as text: what is under the slug and under the id. The order of waiting writers is advice only. */
async function itemsOf(slug: string, id: string): Promise<string> {
  const environments = ['dev', 'staging', 'production'].map(env => ranges.environmentItems(slug, 'shop', env));
  const partitions = [ranges.organization(slug), ...environments, ranges.audit(id)];
  const items = await Promise.all(partitions.map(range => queryItems(range)));
  return JSON.stringify(items.flat().filter(({ sk }) => sk !== 'TURNS'));
}

/** The table of requests × calls as Markdown. */
export function renderStalledRows(rows: readonly StalledRow[]): string {
  const sum = (of: (row: StalledRow) => number) => rows.reduce((total, row) => total + of(row), 0);
  const cells = (name: string, of: (count: (row: StalledRow) => number) => number) =>
    `| ${[name, of(row => row.calls), of(row => row.cases), of(row => row.answered), of(row => row.refused), of(row => row.problems.length)].join(' | ')} |`;
  return [
    '| request | calls | stalled | answered | refused | broken |',
    '|---|---|---|---|---|---|',
    ...rows.map(row => cells(row.name, count => count(row))),
    cells(`**all ${rows.length}**`, sum),
  ].join('\n');
}
