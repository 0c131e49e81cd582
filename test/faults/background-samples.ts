import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Context } from 'aws-lambda';
import { type FunctionName, loadFromFunctions } from '#infra/local/lambda/invoke.ts';
import { keys } from '#lib/table/keys.ts';
import { at, find, list } from '#lib/table/read.ts';
import { routeHourRecord } from '#lib/table/records/platform.ts';
import { deliveryRecord } from '#lib/table/records/webhook.ts';
import type { Api } from '../support/api.ts';
import { deliveryMessage } from '../support/delivery-message.ts';
import { type Conductor, conduct } from '../support/observe-calls.ts';
import { seedPerson } from '../support/people.ts';
import type { Receiver } from '../support/receiver.ts';
import { expectStatus, makeWebhook, type Place, place, valuesIn } from '../support/sample-requests.ts';

export interface Step {
  functionName: FunctionName;
  event: unknown;
  /** Redelivers the work as its queue does, until nothing is left to do. */
  finish(): Promise<void>;
  /** Throws unless the finished work took effect exactly once. */
  requireDone(): Promise<void>;
  /** Throws if a write after all of that changed anything. Defaults to `requireDone`. */
  requireStill?(): Promise<void>;
}

export interface BackgroundSample {
  name: string;
  prepare(): Promise<Step>;
}

const runJobs: FunctionName = { area: 'workers', name: 'run-jobs' };
const deliverWebhooks: FunctionName = { area: 'workers', name: 'deliver-webhooks' };
const rollUpMetrics: FunctionName = { area: 'workers', name: 'roll-up-metrics' };

/** Invokes a background function. @throws what it throws, and if it reports a failed message */
export async function invokeStep(functionName: FunctionName, event: unknown, conductor?: Conductor): Promise<void> {
  const handler = await loadFromFunctions(functionName);
  const result = await conduct(conductor, () => handler(event, { awsRequestId: randomUUID() } as Context));
  const failures = (result as { batchItemFailures?: unknown[] } | undefined)?.batchItemFailures ?? [];
  if (failures.length > 0) throw new Error('The message is to be handed over again.');
}

function messageEvent(body: string, receiveCount = 1) {
  const attributes = { ApproximateReceiveCount: String(receiveCount), SentTimestamp: String(Date.now()) };
  return { Records: [{ messageId: randomUUID(), body, attributes }] };
}

/** Runs a job's step and keeps the jobs that it queues, instead of the queue. */
async function runStep(job: string): Promise<string[]> {
  const queued: string[] = [];
  await invokeStep(runJobs, messageEvent(job), {
    call: (call, send) => {
      if (call.service !== 'SQS') return send();
      queued.push(call.input.MessageBody);
      return Promise.resolve({ MessageId: randomUUID() });
    },
  });
  return queued;
}

async function runToEnd(job: string): Promise<void> {
  let jobs = [job];
  for (let steps = 0; jobs.length > 0; steps += 1) {
    if (steps > 20) throw new Error('The background work does not come to an end.');
    jobs = (await Promise.all(jobs.map(runStep))).flat();
    // The last step of erasing an organization checks again after a minute; once is enough here.
    if (steps > 0) jobs = jobs.filter(next => next !== job);
  }
}

async function jobAfter(job: string, steps: number): Promise<string> {
  let next = job;
  for (let step = 0; step < steps; step += 1) {
    const [queued] = await runStep(next);
    if (queued === undefined) throw new Error(`The background work has no step ${step + 1}.`);
    next = queued;
  }
  return next;
}

async function projectWithSecrets(api: Api): Promise<Place> {
  const there = await place(api);
  const { secrets, session, slug } = there;
  const values = { ONE: '1', TWO: '2', THREE: '3' };
  await expectStatus(api.post(`${secrets}/dev/bulk`, { secrets: values }, session), 200);
  await expectStatus(api.put(`${secrets}/dev`, { key: 'ONE', value: '1 again' }, session), 200);
  await expectStatus(api.delete(`${secrets}/dev/TWO`, session), 200);
  await expectStatus(api.post(`/templates/${slug}/shop`, { key: 'ONE' }, session), 201);
  return there;
}

async function requireValues(api: Api, there: Place, values: Record<string, string>): Promise<void> {
  const stored = JSON.stringify(await valuesIn(api, there));
  if (stored !== JSON.stringify(values)) throw new Error(`The values are ${stored}.`);
}

const nextValues = { ONE: 'next 1', TWO: 'next 2' };

async function fillProject(api: Api, { slug, session, secrets }: Place): Promise<void> {
  await expectStatus(api.post(`${secrets}/dev/bulk`, { secrets: nextValues }, session), 200);
  await expectStatus(api.post(`/templates/${slug}/shop`, { key: 'ONE' }, session), 201);
}

async function requireFilled(api: Api, there: Place, organizationId: string): Promise<void> {
  const { slug, session } = there;
  await expectStatus(api.get(`/projects/${organizationId}/shop`, session), 200);
  await requireValues(api, there, nextValues);
  const { keys: template } = (await expectStatus(api.get(`/templates/${slug}/shop`, session), 200)).body;
  if (template.length !== 1) throw new Error('The template of the next project under the slug is gone.');
}

function jobStep(job: object, requireDone: () => Promise<void>, requireStill = requireDone): Step {
  const body = JSON.stringify(job);
  return { functionName: runJobs, event: messageEvent(body), finish: () => runToEnd(body), requireDone, requireStill };
}

const idsOf = ({ organization, project }: Place) => ({
  orgSlug: organization.slug,
  organizationId: organization.id,
  project: 'shop',
  projectId: project.id,
});

async function eraseProject(api: Api): Promise<Step> {
  const there = await projectWithSecrets(api);
  const { session, organization, secrets } = there;
  const path = `/projects/${organization.id}`;
  await expectStatus(api.delete(`${path}/shop`, session), 200);
  return jobStep(
    { type: 'erase-project', ...idsOf(there) },
    async () => {
      // The slug is free again, and nothing of the old project is visible.
      await expectStatus(api.post(path, { name: 'Shop', slug: 'shop' }, session), 201);
      const { keys: left } = (await expectStatus(api.get(`${secrets}/dev/keys`, session), 200)).body;
      if (left.length > 0) throw new Error('Secrets of the erased project are left.');
      await fillProject(api, there);
    },
    () => requireFilled(api, there, organization.id),
  );
}

async function eraseEnvironment(api: Api): Promise<Step> {
  const there = await projectWithSecrets(api);
  const { session, organization } = there;
  const path = `/projects/${organization.id}/shop`;
  const { environments } = (await expectStatus(api.get(path, session), 200)).body.project;
  const { id } = environments.find(({ slug }: { slug: string }) => slug === 'dev');
  const hook = { url: 'http://127.0.0.1:9/', events: ['secret.created'], environmentId: id };
  await expectStatus(api.post(`/webhooks/${organization.id}`, hook, session), 201);
  await expectStatus(api.delete(`${path}/environments/dev`, session), 200);
  const dev = `${there.secrets}/dev`;
  return jobStep(
    { type: 'erase-environment', ...idsOf(there), env: 'dev', environmentId: id },
    async () => {
      // The slug is free again, nothing of the old environment is visible, and its webhook is gone.
      await expectStatus(api.post(`${path}/environments`, { name: 'Development', slug: 'dev' }, session), 201);
      const { keys: left } = (await expectStatus(api.get(`${dev}/keys`, session), 200)).body;
      if (left.length > 0) throw new Error('Secrets of the erased environment are left.');
      const billing = await expectStatus(api.get(`/billing/${organization.id}`, session), 200);
      if (billing.body.usage.webhooks !== 0) throw new Error('Its webhook still counts.');
      await expectStatus(api.put(dev, { key: 'KEY', value: 'of the new one' }, session), 201);
    },
    async () => {
      await requireValues(api, there, { KEY: 'of the new one' });
      await expectStatus(api.put(dev, { key: 'NEXT', value: 'next' }, session), 201);
    },
  );
}

async function eraseOrganization(api: Api): Promise<Step> {
  const there = await projectWithSecrets(api);
  const { session, organization, slug } = there;
  const { id } = organization;
  await expectStatus(api.post(`/members/${id}/invite`, { email: 'a@example.com', role: 'viewer' }, session), 201);
  await expectStatus(api.post('/auth/token', { name: 'cli', organizationId: id }, session), 201);
  await makeWebhook(api, there);
  await expectStatus(api.delete(`/orgs/${id}`, session), 200);
  return jobStep(
    { type: 'erase-organization', orgSlug: slug, organizationId: id },
    async () => {
      const next = (await expectStatus(api.post('/orgs', { name: 'Next', slug }, session), 201)).body.organization;
      const { tokens } = (await expectStatus(api.get('/auth/tokens', session), 200)).body;
      if (tokens.length > 0) throw new Error('A token of the erased organization is left.');
      await expectStatus(api.post(`/projects/${next.id}`, { name: 'Shop', slug: 'shop' }, session), 201);
      await fillProject(api, there);
    },
    async () => {
      const { organizations } = (await expectStatus(api.get('/auth/me', session), 200)).body;
      const next = organizations.find((one: { slug: string }) => one.slug === slug);
      if (next === undefined) throw new Error('The next organization under the slug is gone.');
      await requireFilled(api, there, next.id);
    },
  );
}

/** Step 0 fences, 1 walks, 2 walks again and completes. */
async function reEncrypt(api: Api, steps: number): Promise<Step> {
  const there = await projectWithSecrets(api);
  const { session, organization } = there;
  const path = `/projects/${organization.id}/shop`;
  await expectStatus(api.post(`${path}/rotate-key`, undefined, session), 202);
  const first = JSON.stringify({ type: 're-encrypt-project', ...idsOf(there), toVersion: 2 });
  return jobStep(JSON.parse(await jobAfter(first, steps)), async () => {
    const { rotation } = (await expectStatus(api.get(path, session), 200)).body.project;
    if (rotation.status !== 'completed' || rotation.reencrypted !== rotation.total)
      throw new Error(JSON.stringify(rotation));
    await requireValues(api, there, { ONE: '1 again', THREE: '3' });
  });
}

async function deliver(api: Api, receiver: Receiver): Promise<Step> {
  const person = await seedPerson();
  const { organization } = person;
  const path = `/${randomUUID()}`;
  const { id: webhookId } = await makeWebhook(api, person, `${receiver.url}${path}`);
  const message = JSON.stringify(deliveryMessage(organization, webhookId));
  return {
    functionName: deliverWebhooks,
    event: messageEvent(message),
    finish: () => invokeStep(deliverWebhooks, messageEvent(message, 2)),
    requireDone: async () => {
      const hits = receiver.received.filter(received => received.path === path).length;
      const log = await list(deliveryRecord, { pk: keys.delivery(webhookId, '', '').pk });
      if (hits > 1) throw new Error(`The delivery was made ${hits} times.`);
      if (log.length !== 1) throw new Error(`The delivery has ${log.length} log entries.`);
      if (hits === 0 && log[0]?.success === true) throw new Error('The log has a delivery that was never made.');
    },
  };
}

let day = 0;

async function rollUp(): Promise<Step> {
  day += 1;
  // Each gets its own day, long ago.
  const timestamp = Date.UTC(2020, 0, day, 12);
  const routeKey = 'GET /v1/auth/me';
  const record = { requestTimeEpoch: String(timestamp), routeKey, status: '200', responseLatency: '7' };
  const message = JSON.stringify(record);
  const logEvents = [1, 2].map(() => ({ id: randomUUID(), timestamp, message }));
  const logs = { messageType: 'DATA_MESSAGE', logEvents };
  const event = { awslogs: { data: gzipSync(JSON.stringify(logs)).toString('base64') } };
  return {
    functionName: rollUpMetrics,
    event,
    finish: () => invokeStep(rollUpMetrics, event),
    requireDone: async () => {
      const date = new Date(timestamp).toISOString().slice(0, 10);
      const counted = await find(at(routeHourRecord, date, '12', routeKey));
      if (counted?.requests !== 2) throw new Error(`Two requests were counted as ${counted?.requests}.`);
    },
  };
}

export const backgroundSamples = (api: Api, receiver: Receiver): BackgroundSample[] => [
  { name: 'job erase-project', prepare: () => eraseProject(api) },
  { name: 'job erase-environment', prepare: () => eraseEnvironment(api) },
  { name: 'job erase-organization', prepare: () => eraseOrganization(api) },
  ...[0, 1, 2].map(steps => ({
    name: `job re-encrypt-project step ${steps}`,
    prepare: () => reEncrypt(api, steps),
  })),
  { name: 'webhook delivery', prepare: () => deliver(api, receiver) },
  { name: 'metrics roll-up', prepare: rollUp },
];
