import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadFromFunctions } from '../../../infra/local/lambda/invoke.ts';
import { openLog } from '../../../lib/core/logger.ts';
import { eraseOrganization } from '../../../lib/jobs/erase-organization.ts';
import { eraseEnvironment, eraseProject } from '../../../lib/jobs/erase-project.ts';
import { deliveryRecord } from '../../../lib/table/records/delivery.ts';
import { environmentRecord } from '../../../lib/table/records/environment.ts';
import { organizationRecord } from '../../../lib/table/records/organization.ts';
import { projectRecord } from '../../../lib/table/records/project.ts';
import { at, find, put, transact } from '../../../lib/table/store.ts';
import { type Api, createToken, type Person, startApi } from '../../support/api.ts';
import { gate } from '../../support/gate.ts';
import { isTableWrite } from '../../support/inject-faults.ts';
import { type AwsCall, type Conductor, conduct } from '../../support/observe-calls.ts';
import { seedPerson } from '../../support/sample-requests.ts';
import { allItems } from '../../support/table-dump.ts';

/*
 * A process may stall, and DynamoDB may execute a call that nobody waits for any more. So every call of every step of an
 * erasure is held back, and every write executed a second time, until another step has finished the erasure and the slug
 * has a new owner. Nothing in the table may change then.
 */

let api: Api;
beforeAll(async () => {
  // The test runs the steps itself; and requests are not counted, so that the table stands still between two looks.
  const idle = new Set(['run-jobs', 'roll-up-metrics']);
  api = await startApi({ LOG_LEVEL: 'SILENT', WEBHOOK_ALLOW_LOOPBACK: 'true' }, async name =>
    idle.has(name.name) ? async () => ({ batchItemFailures: [] }) : loadFromFunctions(name),
  );
});
afterAll(() => api.stop());

interface Erasure {
  step(): Promise<void>;
  isOver(): Promise<boolean>;
  /** Takes the slug again and fills what is made under it. */
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

async function deletedProject(): Promise<Erasure> {
  const owner = await seedPerson();
  const { organization, session } = owner;
  const project = await furnish(owner, organization);
  expect((await api.delete(`/projects/${organization.id}/shop`, session)).status).toBe(200);
  const ids = { orgSlug: organization.slug, organizationId: organization.id, projectId: project.id };
  return {
    step: () => eraseProject({ type: 'erase-project', project: 'shop', ...ids }, log),
    isOver: async () => (await find(at(projectRecord, organization.slug, 'shop'))) === undefined,
    makeAgain: async () => {
      await furnish(owner, organization);
    },
  };
}

async function deletedEnvironment(): Promise<Erasure> {
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
  return {
    step: () =>
      eraseEnvironment(
        { type: 'erase-environment', orgSlug: organization.slug, project: 'shop', env: 'dev', ...ids },
        log,
      ),
    isOver: async () => (await find(at(environmentRecord, organization.slug, 'shop', 'dev'))) === undefined,
    makeAgain: async () => {
      const again = await api.post(`${path}/environments`, { name: 'Development', slug: 'dev' }, session);
      expect(again.status).toBe(201);
      await api.post(`/webhooks/${organization.id}`, { ...hook, environmentId: again.body.environment.id }, session);
      const secrets = { A: 'new', B: 'new', C: 'new' };
      await api.post(`/secrets/${organization.slug}/shop/dev/bulk`, { secrets }, session);
    },
  };
}

async function deletedOrganization(): Promise<Erasure> {
  const [owner, other] = await Promise.all([seedPerson(), seedPerson()]);
  const slug = `org-${randomUUID().slice(0, 8)}`;
  const { organization } = (await api.post('/orgs', { name: 'Acme', slug }, owner.session)).body;
  await furnish(owner, organization);
  const invitation = { email: `${randomUUID()}@example.com`, role: 'viewer' };
  await api.post(`/members/${organization.id}/invite`, invitation, owner.session);
  await createToken(api, owner, { organizationId: organization.id });
  expect((await api.delete(`/orgs/${organization.id}`, owner.session)).status).toBe(200);
  const job = { type: 'erase-organization', orgSlug: slug, organizationId: organization.id } as const;
  return {
    step: () => eraseOrganization(job, log),
    isOver: async () => (await find(at(organizationRecord, slug))) === undefined,
    makeAgain: async () => {
      const again = await api.post('/orgs', { name: 'Another tenant', slug }, other.session);
      expect(again.status).toBe(201);
      await furnish(other, again.body.organization);
      await api.post(`/members/${again.body.organization.id}/invite`, invitation, other.session);
    },
  };
}

/** Conducts only the call at `position` (1 = first) of a step, of those that are meant. */
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

async function finish({ step, isOver }: Erasure): Promise<void> {
  while (!(await isOver())) await step();
}

async function sortedItems(): Promise<unknown[]> {
  const items = await allItems();
  return items.toSorted((a, b) => (`${a.pk} ${a.sk}` < `${b.pk} ${b.sk}` ? -1 : 1));
}

/** @returns false where a step makes fewer calls than `position` */
async function stallAt(position: number, erasure: Erasure): Promise<boolean> {
  const arrived = gate();
  const released = gate();
  const isOfTable = ({ service }: AwsCall) => service.startsWith('DynamoDB');
  const conductor = atCall(position, isOfTable, async send => {
    arrived.open();
    await released.opened;
    return send();
  });
  const stalled = conduct(conductor, () => erasure.step());
  const outcome = await Promise.race([arrived.opened.then(() => 'stalls'), stalled.then(() => 'ended')]);
  if (outcome === 'ended') return false;
  await finish(erasure);
  await erasure.makeAgain();
  const before = await sortedItems();
  released.open();
  await stalled;
  expect(await sortedItems(), `call ${position}, late`).toEqual(before);
  return true;
}

/** @returns false where a step makes fewer writes than `position` */
async function repeatAt(position: number, erasure: Erasure): Promise<boolean> {
  let repeat: (() => Promise<unknown>) | undefined;
  const conductor = atCall(position, isTableWrite, send => {
    repeat = send;
    return send();
  });
  await conduct(conductor, () => erasure.step());
  if (repeat === undefined) return false;
  await finish(erasure);
  await erasure.makeAgain();
  const before = await sortedItems();
  await repeat().catch((error: Error) => expect(error.name).toMatch(/^(?:TransactionCanceled|ConditionalCheckFailed)/));
  expect(await sortedItems(), `write ${position}, twice`).toEqual(before);
  return true;
}

describe.each([
  // The webhook, the few items and the description are one write each.
  ['environment', deletedEnvironment, 3],
  ['project', deletedProject, 6],
  ['organization', deletedOrganization, 6],
])('each call of the erasure of a deleted %s', (_, prepare, least) => {
  it.each([
    ['executed late', stallAt],
    ['executed twice', repeatAt],
  ])('%s leaves alone what has the slug by then', { timeout: 300_000 }, async (__, disturb) => {
    let calls = 0;
    while (await disturb(calls + 1, await prepare())) calls += 1;

    expect(calls).toBeGreaterThanOrEqual(least);
  });
});
