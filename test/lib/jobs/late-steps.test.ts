import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
import { type Api, createToken, startApi } from '#test/support/api.ts';
import { gate } from '#test/support/gate.ts';
import { isTableWrite } from '#test/support/inject-faults.ts';
import { type AwsCall, type Conductor, conduct } from '#test/support/observe-calls.ts';
import { type Person, seedPerson } from '#test/support/people.ts';
import { allItems, emptyTable } from '#test/support/table-dump.ts';

/*
 * A process may stall, and DynamoDB may execute a call that no one waits for any more. So every call of a step of an
 * erasure or a key rotation is delayed, and every write executed a second time, until the item it works on is erased
 * and its slug has a new owner. After that, nothing in the table may change.
 */

let api: Api;
beforeAll(async () => {
  // The test runs the steps itself, and requests are not counted, so the table does not change between two scans.
  const idle = new Set(['run-jobs', 'roll-up-metrics']);
  api = await startApi({ LOG_LEVEL: 'SILENT', WEBHOOK_ALLOW_LOOPBACK: 'true' }, async name =>
    idle.has(name.name) ? async () => ({ batchItemFailures: [] }) : loadFromFunctions(name),
  );
});
afterAll(() => api.stop());

interface Work {
  step(): Promise<void>;
  /** Erases everything that the step works on. */
  goAway(): Promise<void>;
  /** Takes the slug again and creates items under it. */
  makeAgain(): Promise<void>;
}

async function furnish({ session }: Person, organization: { id: string; slug: string }): Promise<{ id: string }> {
  const made = await api.post(`/projects/${organization.id}`, { name: 'Shop', slug: 'shop' }, session);
  expect(made.status).toBe(201);
  const { project } = made.body;
  const path = `/secrets/${organization.slug}/shop/dev`;
  await api.post(`${path}/bulk`, { secrets: { A: '1', B: '2', C: '3' } }, session);
  await api.put(path, { key: 'A', value: 'again' }, session);
  await api.post(`/templates/${organization.slug}/shop`, { key: 'A' }, session);
  const hook = { url: 'http://127.0.0.1:9/', events: ['secret.deleted'], projectId: project.id };
  const { webhook } = (await api.post(`/webhooks/${organization.id}`, hook, session)).body;
  const createdAt = new Date().toISOString();
  const delivery = { statusCode: 200, success: true, responseTimeMs: 1, error: null };
  const delivered = { id: randomUUID(), event: 'secret.deleted', createdAt, ...delivery } as const;
  await transact([put(at(deliveryRecord, webhook.id, createdAt, delivered.id), delivered)]);
  expect((await api.get(path, session)).body.secrets).toHaveLength(3);
  return project;
}

const log = openLog({});

async function deletedProject(): Promise<Work> {
  const owner = await seedPerson();
  const { organization, session } = owner;
  const project = await furnish(owner, organization);
  expect((await api.delete(`/projects/${organization.id}/shop`, session)).status).toBe(200);
  const ids = { orgSlug: organization.slug, organizationId: organization.id, projectId: project.id };
  const step = () => eraseProject({ type: 'erase-project', project: 'shop', ...ids }, log);
  return {
    step,
    goAway: () => repeatUntilGone(step, at(projectRecord, organization.slug, 'shop')),
    makeAgain: async () => {
      await furnish(owner, organization);
    },
  };
}

/** A project whose data key is being rotated. Walk 0 fences the environments. */
async function beginRotation() {
  const owner = await seedPerson();
  const { organization, session } = owner;
  const project = await furnish(owner, organization);
  const path = `/projects/${organization.id}/shop`;
  expect((await api.post(`${path}/rotate-key`, undefined, session)).status).toBe(202);
  const ids = { orgSlug: organization.slug, organizationId: organization.id, project: 'shop', projectId: project.id };
  return {
    owner,
    ids,
    item: at(projectRecord, organization.slug, 'shop'),
    walk: (number: number) => {
      const cursor = { ...firstCursor(), walk: String(number) };
      return reEncryptProject({ type: 're-encrypt-project', ...ids, toVersion: 2, cursor }, log);
    },
    remove: async () => expect((await api.delete(path, session)).status).toBe(200),
  };
}

async function rotatedProject(walkNumber: 0 | 1): Promise<Work> {
  const { owner, ids, item, walk, remove } = await beginRotation();
  const { organization } = owner;
  return {
    step: () => walk(walkNumber),
    goAway: async () => {
      await remove();
      await repeatUntilGone(() => eraseProject({ type: 'erase-project', ...ids }, log), item);
    },
    makeAgain: async () => {
      await furnish(owner, organization);
    },
  };
}

async function deletedEnvironment(): Promise<Work> {
  const owner = await seedPerson();
  const { organization, session } = owner;
  const project = await furnish(owner, organization);
  const dev = (body: { environments: { id: string; slug: string }[] }) =>
    body.environments.find(({ slug }) => slug === 'dev')?.id as string;
  const path = `/projects/${organization.id}/shop`;
  const environmentId = dev((await api.get(path, session)).body.project);
  const hook = { url: 'http://127.0.0.1:9/', events: ['secret.deleted'], environmentId };
  await api.post(`/webhooks/${organization.id}`, hook, session);
  expect((await api.delete(`${path}/environments/dev`, session)).status).toBe(200);
  const ids = { organizationId: organization.id, projectId: project.id, environmentId };
  const place = { orgSlug: organization.slug, project: 'shop', env: 'dev' };
  const step = () => eraseEnvironment({ type: 'erase-environment', ...place, ...ids }, log);
  return {
    step,
    goAway: () => repeatUntilGone(step, at(environmentRecord, organization.slug, 'shop', 'dev')),
    makeAgain: async () => {
      const again = await api.post(`${path}/environments`, { name: 'Development', slug: 'dev' }, session);
      expect(again.status).toBe(201);
      await api.post(`/webhooks/${organization.id}`, { ...hook, environmentId: again.body.environment.id }, session);
      const secrets = { A: 'new', B: 'new', C: 'new' };
      await api.post(`/secrets/${organization.slug}/shop/dev/bulk`, { secrets }, session);
    },
  };
}

async function deletedOrganization(): Promise<Work> {
  const [owner, other] = await Promise.all([seedPerson(), seedPerson()]);
  const slug = `org-${randomUUID().slice(0, 8)}`;
  const { organization } = (await api.post('/orgs', { name: 'Acme', slug }, owner.session)).body;
  await furnish(owner, organization);
  const invitation = { email: `${randomUUID()}@example.com`, role: 'viewer' };
  await api.post(`/members/${organization.id}/invite`, invitation, owner.session);
  await createToken(api, owner, { organizationId: organization.id });
  expect((await api.delete(`/orgs/${organization.id}`, owner.session)).status).toBe(200);
  const job = { type: 'erase-organization', orgSlug: slug, organizationId: organization.id } as const;
  const step = () => eraseOrganization(job, log);
  return {
    step,
    goAway: () => repeatUntilGone(step, at(organizationRecord, slug)),
    makeAgain: async () => {
      const again = await api.post('/orgs', { name: 'Another tenant', slug }, other.session);
      expect(again.status).toBe(201);
      await furnish(other, again.body.organization);
      await api.post(`/members/${again.body.organization.id}/invite`, invitation, other.session);
    },
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

/** @returns the items that have changed, with their previous content */
async function changesOf(work: () => Promise<unknown>): Promise<unknown[]> {
  const read = async () => new Map((await allItems()).map(item => [`${item.pk} ${item.sk}`, item]));
  const before = await read();
  await work();
  const after = await read();
  const keys = new Set([...before.keys(), ...after.keys()]);
  return [...keys].flatMap(key => {
    const [was, is] = [before.get(key), after.get(key)];
    return isDeepStrictEqual(was, is) ? [] : [{ was, is }];
  });
}

/** @returns false if a step makes fewer calls than `position` */
async function stallAt(position: number, work: Work): Promise<boolean> {
  const arrived = gate();
  const released = gate();
  const isOfTable = ({ service }: AwsCall) => service.startsWith('DynamoDB');
  const conductor = atCall(position, isOfTable, async send => {
    arrived.open();
    await released.opened;
    return send();
  });
  const stalled = conduct(conductor, () => work.step());
  const outcome = await Promise.race([arrived.opened.then(() => 'stalls'), stalled.then(() => 'ended')]);
  if (outcome === 'ended') return false;
  await work.goAway();
  await work.makeAgain();
  const changes = await changesOf(async () => {
    released.open();
    await stalled;
  });
  expect(changes, `call ${position}, late`).toEqual([]);
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
  const changes = await changesOf(() => repeat?.().catch(isRefused) ?? Promise.resolve());
  expect(changes, `write ${position}, twice`).toEqual([]);
  return true;
}

describe.each([
  // The webhook, the few items and the description are one write each.
  ['deleted environment', deletedEnvironment, 3],
  ['deleted project', deletedProject, 6],
  ['deleted organization', deletedOrganization, 6],
  ['rotated project, fencing', () => rotatedProject(0), 3],
  ['rotated project, walking', () => rotatedProject(1), 3],
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

/** Runs a step whose first such write stalls until `meanwhile` is over. */
async function stallUntil(step: () => Promise<void>, meanwhile: () => Promise<void>): Promise<void> {
  const arrived = gate();
  const released = gate();
  const conductor = atCall(1, isTableWrite, async send => {
    arrived.open();
    await released.opened;
    return send();
  });
  const stalled = conduct(conductor, step);
  await arrived.opened;
  await meanwhile();
  released.open();
  await stalled;
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
    const owner = await seedPerson();
    const { organization, session } = owner;
    const project = await furnish(owner, organization);
    expect((await api.delete(`/projects/${organization.id}/shop`, session)).status).toBe(200);
    const path = `/webhooks/${organization.id}`;
    const [webhook] = (await api.get(path, session)).body.webhooks;
    const ids = { orgSlug: organization.slug, organizationId: organization.id, projectId: project.id };

    await stallUntil(
      () => eraseProject({ type: 'erase-project', project: 'shop', ...ids }, log),
      async () => expect((await api.patch(`${path}/${webhook.id}`, { projectId: null }, session)).status).toBe(200),
    );

    expect((await api.get(path, session)).body.webhooks).toMatchObject([{ id: webhook.id, projectId: null }]);
    expect((await api.get(`${path}/${webhook.id}`, session)).body.deliveries).toHaveLength(1);
  });

  it('of an erasure leaves no log of a webhook that it removes', async () => {
    const owner = await seedPerson();
    const { organization, session } = owner;
    const project = await furnish(owner, organization);
    const [webhook] = (await api.get(`/webhooks/${organization.id}`, session)).body.webhooks;
    expect((await api.delete(`/projects/${organization.id}/shop`, session)).status).toBe(200);
    const ids = { orgSlug: organization.slug, organizationId: organization.id, projectId: project.id };

    await eraseProject({ type: 'erase-project', project: 'shop', ...ids }, log);

    expect((await allItems()).filter(({ pk }) => String(pk).includes(webhook.id))).toEqual([]);
  });
});
