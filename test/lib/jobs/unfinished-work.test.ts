import { randomUUID } from 'node:crypto';
import type { SQSEvent } from 'aws-lambda';
import { beforeEach, describe, expect, it } from 'vitest';
import { handler as lookForWork } from '#functions/workers/queue-unfinished-work.ts';
import { handler as runJobs } from '#functions/workers/run-jobs.ts';
import { loadFromFunctions } from '#infra/local/lambda/invoke.ts';
import { chunksOf } from '#lib/core/chunks-of.ts';
import { openLog } from '#lib/core/logger.ts';
import { queueUnfinishedWork } from '#lib/jobs/queue-unfinished-work.ts';
import { keys } from '#lib/table/keys.ts';
import { at, find } from '#lib/table/read.ts';
import { noteWork, unfinishedWorkRecord } from '#lib/table/records/unfinished-work.ts';
import { transact } from '#lib/table/write.ts';
import { type Answer, createProject } from '#test/support/api.ts';
import { shared } from '#test/support/fixtures.ts';
import { scanTable, violationsOf } from '#test/support/invariants.ts';
import { type AwsCall, type Conductor, conduct } from '#test/support/observe-calls.ts';
import { startObservedApi } from '#test/support/observed-api.ts';
import { type Person, seedPerson } from '#test/support/people.ts';
import { recordCalls } from '#test/support/record-calls.ts';
import { expectStatus } from '#test/support/sample-requests.ts';
import { stalling } from '#test/support/stalling.ts';
import { emptyTable } from '#test/support/table-dump.ts';

/* A job gives up when its change takes over a minute to commit. Here it does, with the worker run by hand. */

/** What the queue has delivered and no worker has processed. */
let delivered: string[] = [];
let person: Person;

const api = shared(() =>
  startObservedApi({}, async name => {
    if (name.name !== 'run-jobs') return loadFromFunctions(name);
    return event => {
      delivered.push(...(event as SQSEvent).Records.map(({ body }) => body));
      return { batchItemFailures: [] };
    };
  }),
);

beforeEach(async () => {
  await emptyTable();
  delivered = [];
  person = await seedPerson();
});

const minuteMs = 60_000;

/** Passes a delivered message to the worker, as if it had been queued some minutes ago. */
async function attempt(body: string, minutesAgo = 0): Promise<number> {
  const job = JSON.parse(body);
  const sentMs = Date.now() - minutesAgo * minuteMs;
  if (job.cursor?.queuedAtMs !== undefined && minutesAgo > 0) job.cursor.queuedAtMs = String(sentMs);
  const attributes = { ApproximateReceiveCount: '1', SentTimestamp: String(sentMs) };
  const record = { messageId: randomUUID(), body: JSON.stringify(job), attributes };
  return (await runJobs({ Records: [record] } as unknown as SQSEvent)).batchItemFailures.length;
}
const work = async (...message: Parameters<typeof attempt>) => expect(await attempt(...message)).toBe(0);
const nextDelivery = () => expect.poll(() => delivered.length).toBeGreaterThan(0);

async function workUntil(isOver: () => Promise<boolean>): Promise<void> {
  while (!(await isOver())) {
    await nextDelivery();
    for (const body of delivered.splice(0)) await work(body);
  }
}

/** Looks for unfinished work as the schedule does, some minutes from now. @returns how many jobs it queued */
const look = (minutesFromNow: number, options = {}) =>
  queueUnfinishedWork(openLog({}), { nowMs: Date.now() + minutesFromNow * minuteMs, ...options });

const isMark = ({ operation, input }: AwsCall) =>
  operation === 'TransactWriteItems' && JSON.stringify(input).includes('"UNFINISHED"');

/** Sends a request whose change commits after its job has given up. */
async function commitLate(send: (headers: Record<string, string>) => Promise<Answer>, status: number): Promise<void> {
  const answer = await stalling(isMark, send, async () => {
    await nextDelivery();
    for (const body of delivered.splice(0)) await work(body, 2);
    expect(delivered).toEqual([]);
  });
  expect(answer.status).toBe(status);
}

const projects = () => `/projects/${person.organization.id}`;
const projectPath = () => `${projects()}/shop`;

async function openOrganization() {
  const slug = `org-${randomUUID().slice(0, 8)}`;
  const { organization } = (await expectStatus(api.post('/orgs', { name: 'Acme', slug }, person.session), 201)).body;
  return { ...person, organization };
}

/** What leaves work unfinished, and whether it is done, from a user's point of view. */
interface Leftover {
  leave(): Promise<void>;
  isDone(): Promise<boolean>;
}

const deletion = (path: string, { slug, siblings }: { slug: string; siblings: string }): Leftover => ({
  leave: () => commitLate(headers => api.delete(path, person.session, headers), 200),
  isDone: async () => (await api.post(siblings, { name: 'Again', slug }, person.session)).status === 201,
});

const leftovers: Record<string, () => Promise<Leftover>> = {
  'a rotation': async () => {
    await createProject(api, person);
    const secrets = `/secrets/${person.organization.slug}/shop/dev`;
    await expectStatus(api.put(secrets, { key: 'A', value: 'kept' }, person.session), 201);
    const rotate = (headers: object) =>
      api.post(`${projectPath()}/rotate-key`, undefined, person.session, { ...headers });
    return {
      leave: () => commitLate(rotate, 202),
      isDone: async () => {
        const { rotation } = (await api.get(projectPath(), person.session)).body.project;
        expect((await api.get(secrets, person.session)).body.secrets[0].value).toBe('kept');
        return rotation.status === 'completed';
      },
    };
  },
  'the deletion of a project': async () => {
    await createProject(api, person);
    return deletion(projectPath(), { slug: 'shop', siblings: projects() });
  },
  'the deletion of an environment': async () => {
    await createProject(api, person);
    const siblings = `${projectPath()}/environments`;
    return deletion(`${siblings}/dev`, { slug: 'dev', siblings });
  },
  'the deletion of an organization': async () => {
    const owner = await openOrganization();
    await createProject(api, owner);
    return deletion(`/orgs/${owner.organization.id}`, { slug: owner.organization.slug, siblings: '/orgs' });
  },
};

describe.each(Object.entries(leftovers))('%s that commits after its job gave up', (_, prepare) => {
  it('stays unfinished by itself, and is finished by the next run', { timeout: 60_000 }, async () => {
    const { leave, isDone } = await prepare();
    await leave();

    // Nothing is queued, and a run right away assumes that the job is on its way.
    expect(await look(0)).toBe(0);
    expect(delivered).toEqual([]);
    expect(await isDone()).toBe(false);
    expect(violationsOf(await scanTable())).toEqual([]);

    expect(await look(6)).toBe(1);
    // The job is on its way now.
    expect(await look(6)).toBe(0);
    await workUntil(isDone);

    expect(violationsOf(await scanTable())).toEqual([]);
  });
});

describe('work that has started', () => {
  it('is not queued again while the queue may still have its job, but is once the job must be lost', {
    timeout: 60_000,
  }, async () => {
    await createProject(api, person);
    await expectStatus(api.delete(projectPath(), person.session), 200);
    await nextDelivery();
    // Its first step is attempted and fails; the queue would deliver it for an hour.
    const [body = ''] = delivered.splice(0);
    expect(await conduct(failingAt('Query'), () => attempt(body))).toBe(1);

    expect(await look(60)).toBe(0);
    expect(await look(80)).toBe(1);
    await workUntil(async () => (await find(at(unfinishedWorkRecord, JSON.parse(body).projectId))) === undefined);

    expect(violationsOf(await scanTable(), { settled: true })).toEqual([]);
  });

  it('leaves no record once an organization is erased with everything in it', { timeout: 60_000 }, async () => {
    const owner = await openOrganization();
    const { id, slug } = owner.organization;
    for (const name of ['Shop', 'Rotated', 'Deleted']) await createProject(api, owner, name);
    const path = `/projects/${id}`;
    await expectStatus(api.put(`/secrets/${slug}/rotated/dev`, { key: 'A', value: 'a' }, person.session), 201);
    await expectStatus(api.delete(`${path}/shop/environments/dev`, person.session), 200);
    await expectStatus(api.post(`${path}/rotated/rotate-key`, undefined, person.session), 202);
    await expectStatus(api.delete(`${path}/deleted`, person.session), 200);
    await expectStatus(api.delete(`/orgs/${id}`, person.session), 200);
    const marks = async () => (await scanTable()).filter(({ pk }) => pk === 'UNFINISHED').map(({ job }) => job);
    expect(await marks()).toHaveLength(4);
    // Jobs of earlier tests may be delivered late.
    const ownJobs = () => delivered.filter(body => body.includes(id));
    await expect.poll(() => ownJobs().length).toBe(4);
    const jobs = ownJobs().filter(body => body.includes('erase-organization'));
    delivered.splice(0);

    for (const body of jobs) await work(body);

    expect(await marks()).toEqual([]);
  });
});

describe('the scheduled run', () => {
  it('costs one read unit when there is nothing to do', async () => {
    const { calls } = await recordCalls(() => lookForWork({}));
    expect(calls.map(({ operation }) => operation)).toEqual(['Query', 'Query']);
    for (const { input } of calls) expect(input.ConsistentRead).toBe(false);
  });

  it('reads a limited number of pages, and the rest from another start', { timeout: 60_000 }, async () => {
    const ids = Array.from({ length: 600 }, () => randomUUID()).toSorted();
    const jobOf = (id: string) =>
      ({ type: 'erase-project', orgSlug: 'acme', organizationId: 'o', project: 'p', projectId: id }) as const;
    for (const some of chunksOf(100, ids)) await transact(some.map(id => noteWork(jobOf(id))));

    expect(await look(6, { pages: 1, from: '0' })).toBe(250);
    expect(await look(6, { pages: 1, from: ids[250] })).toBe(250);
    expect(await look(6, { from: ids[400] })).toBe(100);
    expect(await look(6)).toBe(0);
  });

  it('does not forget work if it dies before it has recorded the job', async () => {
    const id = randomUUID();
    await transact([noteWork({ type: 'erase-organization', orgSlug: 'acme', organizationId: id })]);
    await expect(conduct(failingAt('TransactWriteItems'), () => look(6))).rejects.toThrow();

    expect(await look(6)).toBe(1);
    expect(await find({ entity: unfinishedWorkRecord, key: keys.unfinishedWork(id) })).toBeDefined();
  });
});

function failingAt(operation: string): Conductor {
  return {
    call: (call, send) => (call.operation === operation ? Promise.reject(new Error('The process is dead.')) : send()),
  };
}
