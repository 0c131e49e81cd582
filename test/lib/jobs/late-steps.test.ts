import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { loadFromFunctions } from '#infra/local/lambda/invoke.ts';
import { openLog } from '#lib/core/logger.ts';
import { eraseOrganization } from '#lib/jobs/erase-organization.ts';
import { eraseEnvironment, eraseProject } from '#lib/jobs/erase-project.ts';
import { firstCursor, reEncryptProject } from '#lib/projects/re-encrypt-project.ts';
import { at, find, type Read } from '#lib/table/read.ts';
import { environmentRecord } from '#lib/table/records/environment.ts';
import { organizationRecord } from '#lib/table/records/organization.ts';
import { projectRecord } from '#lib/table/records/project.ts';
import { deliveryRecord } from '#lib/table/records/webhook.ts';
import { put, transact } from '#lib/table/write.ts';
import { createProject, createToken, startApi, useApi } from '#test/support/api.ts';
import { gate } from '#test/support/gate.ts';
import { isTableWrite } from '#test/support/inject-faults.ts';
import { type AwsCall, type Conductor, conduct } from '#test/support/observe-calls.ts';
import { type Person, seedPerson } from '#test/support/people.ts';
import { expectStatus } from '#test/support/sample-requests.ts';
import { changesBetween, snapshotOf } from '#test/support/table-diff.ts';
import { allItems, emptyTable } from '#test/support/table-dump.ts';

/* Every call of a step is delayed, or its write repeated, until the slug has a new owner: then nothing may change. */

// The test runs the steps itself, and requests are not counted, so the table does not change between two scans.
const idle = new Set(['run-jobs', 'roll-up-metrics']);
const api = useApi(() =>
  startApi({ LOG_LEVEL: 'SILENT', WEBHOOK_ALLOW_LOOPBACK: 'true' }, async name =>
    idle.has(name.name) ? async () => ({ batchItemFailures: [] }) : loadFromFunctions(name),
  ),
);

interface Work {
  step(): Promise<void>;
  goAway(): Promise<void>;
  makeAgain(): Promise<unknown>;
}

const log = openLog({});
const hookAt = (limit: object) => ({ url: 'http://127.0.0.1:9/', events: ['secret.deleted'], ...limit });

async function furnish(owner: Person) {
  const { organization, session } = owner;
  const project = await createProject(api, owner);
  const path = `/secrets/${organization.slug}/shop/dev`;
  await api.post(`${path}/bulk`, { secrets: { A: '1', B: '2', C: '3' } }, session);
  await api.put(path, { key: 'A', value: 'again' }, session);
  await api.post(`/templates/${organization.slug}/shop`, { key: 'A' }, session);
  const { webhook } = (await api.post(`/webhooks/${organization.id}`, hookAt({ projectId: project.id }), session)).body;
  const createdAt = new Date().toISOString();
  const delivery = { statusCode: 200, success: true, responseTimeMs: 1, error: null };
  const delivered = { id: randomUUID(), event: 'secret.deleted', createdAt, ...delivery } as const;
  await transact([put(at(deliveryRecord, webhook.id, createdAt, delivered.id), delivered)]);
  expect((await api.get(path, session)).body.secrets).toHaveLength(3);
  const ids = { orgSlug: organization.slug, organizationId: organization.id, project: 'shop', projectId: project.id };
  return {
    project,
    ids,
    webhookId: webhook.id as string,
    path: `/projects/${organization.id}/shop`,
    item: at(projectRecord, organization.slug, 'shop'),
    erase: () => eraseProject({ type: 'erase-project', ...ids }, log),
  };
}

async function deletedProject() {
  const owner = await seedPerson();
  const { path, item, erase, webhookId } = await furnish(owner);
  await expectStatus(api.delete(path, owner.session), 200);
  return {
    owner,
    webhookId,
    step: erase,
    goAway: () => repeatUntilGone(erase, item),
    makeAgain: () => furnish(owner),
  };
}

/** A project whose data key is being rotated. Walk 0 fences the environments. */
async function beginRotation() {
  const owner = await seedPerson();
  const { path, ids, ...project } = await furnish(owner);
  await expectStatus(api.post(`${path}/rotate-key`, undefined, owner.session), 202);
  return {
    ...project,
    owner,
    walk: (number: number) => {
      const cursor = { ...firstCursor(), walk: String(number) };
      return reEncryptProject({ type: 're-encrypt-project', ...ids, toVersion: 2, cursor }, log);
    },
    remove: () => expectStatus(api.delete(path, owner.session), 200),
  };
}

async function rotatedProject(walkNumber: 0 | 1): Promise<Work> {
  const { owner, item, erase, walk, remove } = await beginRotation();
  return {
    step: () => walk(walkNumber),
    goAway: async () => {
      await remove();
      await repeatUntilGone(erase, item);
    },
    makeAgain: () => furnish(owner),
  };
}

async function deletedEnvironment(): Promise<Work> {
  const owner = await seedPerson();
  const { organization, session } = owner;
  const { project, path, ids } = await furnish(owner);
  const environmentId = project.environments.find(({ slug }) => slug === 'dev')?.id as string;
  await api.post(`/webhooks/${organization.id}`, hookAt({ environmentId }), session);
  await expectStatus(api.delete(`${path}/environments/dev`, session), 200);
  const step = () => eraseEnvironment({ type: 'erase-environment', ...ids, env: 'dev', environmentId }, log);
  return {
    step,
    goAway: () => repeatUntilGone(step, at(environmentRecord, organization.slug, 'shop', 'dev')),
    makeAgain: async () => {
      const body = { name: 'Development', slug: 'dev' };
      const { environment } = (await expectStatus(api.post(`${path}/environments`, body, session), 201)).body;
      await api.post(`/webhooks/${organization.id}`, hookAt({ environmentId: environment.id }), session);
      const secrets = { A: 'new', B: 'new', C: 'new' };
      await api.post(`/secrets/${organization.slug}/shop/dev/bulk`, { secrets }, session);
    },
  };
}

async function deletedOrganization(): Promise<Work> {
  const slug = `org-${randomUUID().slice(0, 8)}`;
  const invitation = { email: `${randomUUID()}@example.com`, role: 'viewer' };
  const openOrganization = async (name: string) => {
    const person = await seedPerson();
    const { organization } = (await expectStatus(api.post('/orgs', { name, slug }, person.session), 201)).body;
    await furnish({ ...person, organization });
    await api.post(`/members/${organization.id}/invite`, invitation, person.session);
    return { ...person, organization };
  };
  const owner = await openOrganization('Acme');
  const { id: organizationId } = owner.organization;
  await createToken(api, owner, { organizationId });
  await expectStatus(api.delete(`/orgs/${organizationId}`, owner.session), 200);
  const step = () => eraseOrganization({ type: 'erase-organization', orgSlug: slug, organizationId }, log);
  return {
    step,
    goAway: () => repeatUntilGone(step, at(organizationRecord, slug)),
    makeAgain: () => openOrganization('Another tenant'),
  };
}

/** Intercepts only the call at `position` (1 = first) among a step's matching calls. */
function atCall(
  position: number,
  isMeant: (call: AwsCall) => boolean,
  around: (send: () => Promise<unknown>) => Promise<unknown>,
): Conductor {
  let calls = 0;
  return {
    call: (call, send) => {
      if (isMeant(call)) calls += 1;
      return isMeant(call) && calls === position ? around(send) : send();
    },
  };
}

async function repeatUntilGone(step: () => Promise<void>, item: Read<unknown>): Promise<void> {
  while ((await find(item)) !== undefined) await step();
}

async function expectNoChange(work: () => Promise<unknown>, message: string): Promise<void> {
  const items = await snapshotOf([]);
  await work();
  expect(changesBetween(items, await snapshotOf([])), message).toEqual([]);
}

/** Runs a step whose call at `position` among the matching ones stalls until `release` is called. */
function stall(step: () => Promise<void>, isMeant: (call: AwsCall) => boolean, position = 1) {
  const [arrived, released] = [gate(), gate()];
  const conductor = atCall(position, isMeant, async send => {
    arrived.open();
    await released.opened;
    return send();
  });
  const ended = conduct(conductor, step);
  const release = () => {
    released.open();
    return ended;
  };
  return { stalls: Promise.race([arrived.opened.then(() => true), ended.then(() => false)]), release };
}

/** @returns false if a step makes fewer calls than `position` */
async function stallAt(position: number, work: Work): Promise<boolean> {
  const { stalls, release } = stall(work.step, ({ service }) => service.startsWith('DynamoDB'), position);
  if (!(await stalls)) return false;
  await work.goAway();
  await work.makeAgain();
  await expectNoChange(release, `call ${position}, late`);
  return true;
}

/** @returns false if a step makes fewer writes than `position` */
async function repeatAt(position: number, work: Work): Promise<boolean> {
  let repeat: (() => Promise<unknown>) | undefined;
  const conductor = atCall(position, isTableWrite, send => {
    repeat = send;
    return send();
  });
  await conduct(conductor, () => work.step());
  if (repeat === undefined) return false;
  await work.goAway();
  await work.makeAgain();
  const isRefused = (error: Error) => expect(error.name).toMatch(/^(?:TransactionCanceled|ConditionalCheckFailed)/);
  await expectNoChange(async () => repeat?.().catch(isRefused), `write ${position}, twice`);
  return true;
}

describe.each([
  // The webhook, the few items and the description are one write each.
  ['deleted environment', deletedEnvironment, 3],
  ['deleted project', deletedProject, 6],
  ['deleted organization', deletedOrganization, 6],
  ['rotated project, fencing', () => rotatedProject(0), 3],
  // One transaction has all values, the other write is the progress.
  ['rotated project, walking', () => rotatedProject(1), 2],
])('each call of a step of background work: %s', (_, prepare, least) => {
  it.each([
    ['executed late', stallAt],
    ['executed twice', repeatAt],
  ])('%s does not touch the slug’s next owner', { timeout: 900_000 }, async (__, disturb) => {
    let calls = 0;
    // A scan of the whole table takes longer the more it contains.
    const begin = () => emptyTable().then(prepare);
    while (await disturb(calls + 1, await begin())) calls += 1;

    expect(calls).toBeGreaterThanOrEqual(least);
  });
});

/** Runs a step whose first write stalls until `meanwhile` is over. */
async function stallUntil(step: () => Promise<void>, meanwhile: () => Promise<unknown>): Promise<void> {
  const { stalls, release } = stall(step, isTableWrite);
  expect(await stalls).toBe(true);
  await meanwhile();
  await release();
}

describe('a late step', () => {
  it('that completes a rotation does not restore a deleted project’s data key', async () => {
    const { item, walk, remove } = await beginRotation();
    await walk(0);
    await walk(1);

    await stallUntil(() => walk(2), remove);

    const found = await find(item);
    expect([found?.status, found?.wrappedKeys]).toEqual(['deleting', {}]);
  });

  it('of an erasure keeps a webhook whose limit was removed', async () => {
    const { owner, webhookId, step } = await deletedProject();
    const { organization, session } = owner;
    const path = `/webhooks/${organization.id}`;

    await stallUntil(step, () => expectStatus(api.patch(`${path}/${webhookId}`, { projectId: null }, session), 200));

    expect((await api.get(path, session)).body.webhooks).toMatchObject([{ id: webhookId, projectId: null }]);
    expect((await api.get(`${path}/${webhookId}`, session)).body.deliveries).toHaveLength(1);
  });

  it('of an erasure leaves no log of a webhook that it removes', async () => {
    const { webhookId, step } = await deletedProject();

    await step();

    expect((await allItems()).filter(({ pk }) => String(pk).includes(webhookId))).toEqual([]);
  });
});
