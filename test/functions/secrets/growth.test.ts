import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import { expect, it } from 'vitest';
import { Job } from '#lib/core/job.ts';
import { openLog } from '#lib/core/logger.ts';
import { reEncryptProject } from '#lib/projects/re-encrypt-project.ts';
import { changeUnits, maximumChangeUnits } from '#lib/secrets/change/require-one-change.ts';
import { at, find } from '#lib/table/read.ts';
import { environmentStateRecord } from '#lib/table/records/environment.ts';
import { organizationRecord } from '#lib/table/records/organization.ts';
import { transact, update } from '#lib/table/write.ts';
import { type Answer, codeOf } from '#test/support/api.ts';
import { openWorkplace } from '#test/support/environments.ts';
import { eventually } from '#test/support/eventually.ts';
import { shared } from '#test/support/fixtures.ts';
import { numbered } from '#test/support/numbered.ts';
import { type AwsCall, conduct } from '#test/support/observe-calls.ts';
import { recordRequest, startObservedApi, withFault } from '#test/support/observed-api.ts';
import { type Counts, countsOf } from '#test/support/record-calls.ts';

/* What large environments cost, counted. The times that follow for AWS are computed. */

const api = shared(startObservedApi);
const place = shared(() => openWorkplace(api));
const keysEach = 1000;
const thousands = Number(process.env.GROWTH_THOUSANDS ?? 1);
const some = (thousand: number) => numbered(keysEach, 'v', `K${thousand}_`);

/** What a partition takes a second (Developer Guide, "Designing partition keys"), and a slow round trip. */
const partition = { readUnits: 3000, writeUnits: 1000, roundTripSeconds: 0.02 };
/** When a request stops retrying (`lib/table/retry.ts`). */
const deadlineSeconds = 22;

function report(counts: object): void {
  if (process.env.GROWTH_THOUSANDS !== undefined) writeSync(1, `${JSON.stringify(counts)}\n`);
}

/** How long a change of `keys` takes on AWS, if one of `keysEach` takes these counts. */
function secondsOf(keys: number, { readUnits, writeUnits, roundTrips }: Counts): number {
  const seconds = readUnits / partition.readUnits + writeUnits / partition.writeUnits;
  return (keys / keysEach) * (seconds + roundTrips * partition.roundTripSeconds);
}

/** A deletion moves the heads of its keys afterwards; on a busy machine, later changes move the rest. */
async function moveDeadHeads(env: string): Promise<void> {
  await eventually(async () => {
    expect((await place.set(env, 'LAST', randomUUID())).status).toBeLessThan(300);
    expect((await find(at(environmentStateRecord, place.pathOf(env))))?.deadHeadsUpTo).toBeUndefined();
  });
}

async function countChange(send: (headers: Record<string, string>) => Promise<Answer>): Promise<Counts> {
  const { answer, calls } = await recordRequest(send);
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  return countsOf(calls);
}

it('the largest promotion and restore end before their deadline', async () => {
  const organization = at(organizationRecord, place.owner.organization.slug);
  await transact([update(organization, { set: { limitOverrides: { maxSecretsPerEnvironment: -1 } } })]);
  for (let thousand = 0; thousand < thousands; thousand += 1) {
    expect((await place.importAll('dev', some(thousand))).status).toBe(200);
  }
  const keys = Object.keys(some(0));
  const promoted = await countChange(headers => place.promote({ from: 'dev', to: 'staging', keys }, { headers }));
  expect((await place.bulkDelete('staging', keys)).status).toBe(200);
  await moveDeadHeads('staging');
  const restored = await countChange(headers => place.restore('staging', { revision: 1, keys }, { headers }));

  const puts = keys.map(key => ({ key, value: 'v' }));
  const expected = changeUnits({ puts, deletions: [] }, new Map(), { email: 'someone@example.com' });
  const mostKeys = Math.floor((keysEach * maximumChangeUnits) / expected);
  expect(mostKeys).toBe(4327);
  for (const counts of [promoted, restored]) {
    // The rest is the state, the audit entry and the copies of the fencing token.
    expect(counts.writeUnits).toBeGreaterThanOrEqual(4 * keysEach);
    expect(counts.writeUnits / expected).toBeLessThan(1.05);
    expect(secondsOf(mostKeys, counts)).toBeLessThan(deadlineSeconds);
  }
  report({ promoted: { ...promoted, seconds: secondsOf(mostKeys, promoted) } });
  report({ restored: { ...restored, seconds: secondsOf(mostKeys, restored) } });
  if (thousands * keysEach <= mostKeys) return;
  const { answer, calls } = await recordRequest(headers =>
    place.promote({ from: 'dev', to: 'production' }, { headers }),
  );
  expect([codeOf(answer), answer.body.error.details]).toMatchObject([
    '413 payload_too_large',
    { keyCount: thousands * keysEach },
  ]);
  expect(countsOf(calls).writeUnits).toBe(0);
});

/** Whether a change was rejected with the numbers, before it wrote anything. */
async function expectRefused(send: (headers: Record<string, string>) => Promise<Answer>): Promise<void> {
  const { answer, calls } = await recordRequest(send);
  expect(codeOf(answer)).toBe('413 payload_too_large');
  const { keyCount, maximumKeyCount, writeUnits, maximumWriteUnits } = answer.body.error.details;
  expect([keyCount, maximumWriteUnits]).toEqual([1002, maximumChangeUnits]);
  expect(writeUnits).toBeGreaterThan(maximumChangeUnits);
  expect(maximumKeyCount).toBeLessThan(1000);
  expect(maximumKeyCount).toBeGreaterThan(800);
  expect(answer.body.error.message).toContain(`about ${maximumKeyCount} of this size fit`);
  expect(calls.filter(({ writeUnits }) => writeUnits > 0)).toEqual([]);
}

it('a change that is too large is rejected before its first write, also as a dry run, and is possible in parts', async () => {
  const place = await openWorkplace(api);
  const organization = at(organizationRecord, place.owner.organization.slug);
  await transact([update(organization, { set: { limitOverrides: { maxSecretsPerEnvironment: -1 } } })]);
  const parts = ['A', 'B', 'C'].map(prefix => numbered(334, 'x'.repeat(3700), prefix));
  for (const part of parts) expect((await place.importAll('dev', part)).status).toBe(200);
  const all = { from: 'dev', to: 'staging' };
  for (const query of ['?dryRun=true', '']) {
    await expectRefused(headers => place.promote(all, { headers, query }));
  }
  expect((await place.promote({ ...all, keys: ['A0', 'B0'] })).body).toMatchObject({ promoted: ['A0', 'B0'] });

  for (const part of parts) expect((await place.bulkDelete('dev', Object.keys(part))).status).toBe(200);
  for (const query of ['?dryRun=true', '']) {
    await expectRefused(headers => place.restore('dev', { revision: 3 }, { headers, query }));
  }
  const restored = await place.restore('dev', { revision: 3, keys: ['A0', 'B0'] });
  expect(restored.body).toMatchObject({ created: ['A0', 'B0'], revision: 7 });
});

it('re-encrypting takes a transaction for a hundred values, and in each of two walks a message for 4,000 items', async () => {
  const queue: Extract<Job, { type: 're-encrypt-project' }>[] = [];
  const count = { messages: 0, transactions: 0, reads: 0 };
  const conductor = {
    call: async ({ operation, input }: AwsCall, send: () => Promise<unknown>) => {
      if (operation.startsWith('TransactWrite')) count.transactions += 1;
      if (['GetItem', 'Query'].some(name => operation.startsWith(name))) count.reads += 1;
      if (operation !== 'SendMessage') return send();
      const job = Job.parse(JSON.parse(input.MessageBody));
      if (job.type !== 're-encrypt-project') throw new Error(`A job ${job.type} was queued.`);
      queue.push(job);
      count.messages += 1;
      return { output: {}, response: {} };
    },
  };
  expect((await withFault({ conductor }, headers => place.rotateKey({ headers }))).status).toBe(202);
  Object.assign(count, { messages: 0, transactions: 0, reads: 0 });
  const noLimit = { itemsPerPage: 1000, pages: 4, timeMs: 3_600_000 };
  for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
    const step = job;
    await conduct(conductor, () => reEncryptProject(step, openLog({}), noLimit));
  }
  const { rotation } = (await api.get(place.projectPath, place.owner.session)).body.project;
  expect(rotation.reencrypted).toBe(rotation.total);
  // A head or a deletion for each version at most, and a tombstone for each deletion. Each environment ends a page.
  const values: number = rotation.total;
  const pages = Math.ceil((2 * values + 2 * keysEach) / 1000) + 3;
  const steps = Math.ceil(pages / 4);
  expect(values).toBeGreaterThanOrEqual((thousands + 2) * keysEach);
  expect(rotation.status).toBe('completed');
  expect(count.transactions).toBeLessThanOrEqual((2 * values) / 100 + pages + 3 + steps + 1);
  expect(count.messages).toBeLessThanOrEqual(2 * steps + 1);
  // The state and the page; in each step also the project and its environments.
  expect(count.reads).toBeLessThanOrEqual(2 * (2 * pages + 2 * steps) + 3 + 4);
  report({ values, ...count });
});
