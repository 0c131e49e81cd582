import { ranges } from '#lib/table/keys.ts';
import { queryItems, type Range } from '#lib/table/read.ts';
import type { Answer, Api } from '../support/api.ts';
import { createWhenFree } from '../support/create-when-free.ts';
import { replenishRetries } from '../support/observe-calls.ts';
import { firstPersonOf, named, type Person, seedPerson, seedSession } from '../support/people.ts';
import { expectStatus, placeOf } from '../support/sample-requests.ts';
import { type OperationSample, send } from '../support/samples.ts';
import { keepSnapshots } from '../support/stale-snapshots.ts';
import { stallingIfReached } from '../support/stalling.ts';
import { emptyTable } from '../support/table-dump.ts';
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
  textOf,
  undisturbed,
} from './rows.ts';

export const stalledColumns = {
  calls: 'calls',
  cases: 'stalled',
  /** Succeeded normally, because it had already read or written everything it needed under the slug. */
  answered: 'succeeded',
  /** Applied to the caller's new project, which is the only one that the request had read. */
  landed: 'applied',
  refused: 'rejected',
};
type StalledRow = Row<keyof typeof stalledColumns>;

/** A text in the secrets, the template and the webhook of the slug's next tenant. */
const canary = 'of-the-next-tenant';

/** Holds each call until the slug has a new owner. Another tenant's data stays, a new project gets all or nothing. */
export function runStalled(api: Api, samples: readonly OperationSample[], report: Report) {
  return inBatches(samples, 16, report, async batch => {
    await background.whilePaused(emptyTable);
    const rows: StalledRow[] = [];
    const cases: Case[] = [];
    for (const sample of batch) {
      const { length: calls } = await undisturbed(api, sample);
      if (firstPersonOf(sample.name) === undefined) continue;
      const row = newRow(sample.name, stalledColumns);
      row.counts.calls = calls;
      rows.push(row);
      const handOvers = placeOf(sample.name) === undefined ? [toNextTenant] : [toNextTenant, toNextProject];
      for (const handOver of handOvers) {
        for (let position = 1; position <= calls; position += 1) {
          const name = `${sample.name}: stalled at call ${position} until ${handOver.name}`;
          cases.push({ name, row, run: () => stall(api, sample, name, position, handOver, row) });
        }
      }
    }
    await runCases(cases);
    // The last step of an erasure deletes them a minute later.
    await checkTable(rows, { ignored: 'audit entries belong to no organization' });
    return rows;
  });
}

async function stall(
  api: Api,
  sample: OperationSample,
  name: string,
  position: number,
  handOver: HandOver,
  { counts }: StalledRow,
): Promise<void> {
  const { request, works } = await named(name, () => sample.prepare(api));
  await keepSnapshots(api, name);
  const owner = firstPersonOf(name);
  if (owner === undefined) throw new Error('The sample has no organization.');
  await replenishRetries();
  let readItems: (() => Promise<string>) | undefined;
  let items = '';
  const answer = await stallingIfReached(
    call => call.position === position,
    headers => send(api, { ...request, headers: { ...request.headers, ...headers } }),
    async () => {
      counts.cases += 1;
      readItems = await named(name, () => handOver.go(api, owner));
      items = await readItems();
    },
  );
  if (readItems === undefined) return;
  const itemsAfter = await readItems();
  const isChanged = itemsAfter !== items;
  // With a new project it may succeed in another way.
  const hasWorked = works.includes(answer.status) || (handOver.belongsToCaller && answer.status < 300);
  if (isChanged && !(hasWorked && handOver.belongsToCaller))
    throw new Error(`${answer.status}, and what was there is changed, from ${items} to ${itemsAfter}`);
  if (!handOver.belongsToCaller && JSON.stringify(answer.body ?? null).includes(canary))
    throw new Error('the answer has values of the next tenant');
  if (isChanged) counts.landed += 1;
  else if (hasWorked) counts.answered += 1;
  else if (answer.status < 500 || isHonest(answer)) counts.refused += 1;
  else throw new Error(textOf(answer));
}

interface HandOver {
  name: string;
  belongsToCaller: boolean;
  /** Deletes the request's resource, recreates it once its slug is free. @returns a reader of all new items */
  go(api: Api, owner: Person): Promise<() => Promise<string>>;
}

const toNextTenant: HandOver = {
  name: 'another tenant has the slug',
  belongsToCaller: false,
  go: async (api, owner) => {
    const { id, slug } = owner.organization;
    const deleting = asOwner(owner, session => api.delete(`/orgs/${id}`, session));
    await expectStatus(deleting, 200, 404);
    const other = await seedPerson();
    const { organization } = await createWhenFree(api, '/orgs', { name: 'The next tenant', slug }, other.session);
    await fillProject(api, organization, other);
    const hook = { url: `http://127.0.0.1:9/${canary}`, events: ['secret.deleted'] };
    await expectStatus(api.post(`/webhooks/${organization.id}`, hook, other.session), 201);
    return () => read([ranges.organization(slug), ranges.audit(organization.id), ...environmentsOf(slug)]);
  },
};

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
  await createWhenFree(api, `/projects/${id}`, { name: 'Shop', slug: 'shop' }, session);
  const secrets = { KEY_0: canary, KEY_1: canary, KEY_2: canary };
  for (const env of ['dev', 'staging']) {
    await expectStatus(api.post(`/secrets/${slug}/shop/${env}/bulk`, { secrets }, session), 200);
  }
  await expectStatus(api.post(`/templates/${slug}/shop`, { key: 'KEY_1', description: canary }, session), 201);
}

function environmentsOf(slug: string) {
  return ['dev', 'staging', 'production'].map(env => ranges.environmentItems({ orgSlug: slug, project: 'shop', env }));
}

/** All items of the ranges, as text. The order of waiting writers is only a hint. */
async function read(wanted: readonly Range[]): Promise<string> {
  const items = await Promise.all(wanted.map(range => queryItems(range)));
  return JSON.stringify(items.flat().filter(({ sk }) => sk !== 'TICKETS'));
}
