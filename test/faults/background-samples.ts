import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Context } from 'aws-lambda';
import { type FunctionName, loadFromFunctions } from '#infra/local/lambda/invoke.ts';
import { keys } from '#lib/table/keys.ts';
import { at, find, list } from '#lib/table/read.ts';
import { routeHourRecord } from '#lib/table/records/platform.ts';
import { deliveryRecord } from '#lib/table/records/webhook.ts';
import type { Api } from '../support/api.ts';
import { type Conductor, conduct } from '../support/observe-calls.ts';
import { type Person, seedPerson } from '../support/people.ts';
import type { Receiver } from '../support/receiver.ts';
import { expectStatus } from '../support/sample-requests.ts';

/** A step of background work, ready to run. */
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

/** The job after `steps` steps. */
async function jobAfter(job: string, steps: number): Promise<string> {
  let next = job;
  for (let step = 0; step < steps; step += 1) {
    const [queued] = await runStep(next);
    if (queued === undefined) throw new Error(`The background work has no step ${step + 1}.`);
    next = queued;
  }
  return next;
}

async function projectWithSecrets(api: Api): Promise<Person & { project: { id: string } }> {
  const person = await seedPerson();
  const { id, slug } = person.organization;
  const { body } = await expectStatus(api.post(`/projects/${id}`, { name: 'Shop' }, person.session), 201);
  const secrets = { ONE: '1', TWO: '2', THREE: '3' };
  await expectStatus(api.post(`/secrets/${slug}/shop/dev/bulk`, { secrets }, person.session), 200);
  await expectStatus(api.put(`/secrets/${slug}/shop/dev`, { key: 'ONE', value: '1 again' }, person.session), 200);
  await expectStatus(api.delete(`/secrets/${slug}/shop/dev/TWO`, person.session), 200);
  await expectStatus(api.post(`/templates/${slug}/shop`, { key: 'ONE' }, person.session), 201);
  return { ...person, project: body.project };
}

async function fillProject(api: Api, orgSlug: string, session: Person['session']): Promise<void> {
  const secrets = { ONE: 'next 1', TWO: 'next 2' };
  await expectStatus(api.post(`/secrets/${orgSlug}/shop/dev/bulk`, { secrets }, session), 200);
  await expectStatus(api.post(`/templates/${orgSlug}/shop`, { key: 'ONE' }, session), 201);
}

/** @throws if the project that reuses an erased project's slug is incomplete */
async function requireFilled(
  api: Api,
  { id, slug }: { id: string; slug: string },
  session: Person['session'],
): Promise<void> {
  await expectStatus(api.get(`/projects/${id}/shop`, session), 200);
  const { secrets } = (await expectStatus(api.get(`/secrets/${slug}/shop/dev`, session), 200)).body;
  const values = secrets.map((one: { value: string }) => one.value).join();
  if (values !== 'next 1,next 2') throw new Error(`The next project under the slug has the values ${values}.`);
  const { keys: template } = (await expectStatus(api.get(`/templates/${slug}/shop`, session), 200)).body;
  if (template.length !== 1) throw new Error('The template of the next project under the slug is gone.');
}

function jobStep(job: string, requireDone: () => Promise<void>, requireStill = requireDone): Step {
  return { functionName: runJobs, event: messageEvent(job), finish: () => runToEnd(job), requireDone, requireStill };
}

function eraseProject(api: Api): BackgroundSample {
  return {
    name: 'job erase-project',
    async prepare() {
      const { session, organization, project } = await projectWithSecrets(api);
      await expectStatus(api.delete(`/projects/${organization.id}/shop`, session), 200);
      const ids = { orgSlug: organization.slug, organizationId: organization.id, projectId: project.id };
      const path = `/projects/${organization.id}`;
      return jobStep(
        JSON.stringify({ type: 'erase-project', ...ids, project: 'shop' }),
        async () => {
          // The slug is free again, and nothing of the old project is visible.
          await expectStatus(api.post(path, { name: 'Shop', slug: 'shop' }, session), 201);
          const keysLeft = await expectStatus(api.get(`/secrets/${organization.slug}/shop/dev/keys`, session), 200);
          if (keysLeft.body.keys.length > 0) throw new Error('Secrets of the erased project are left.');
          await fillProject(api, organization.slug, session);
        },
        () => requireFilled(api, organization, session),
      );
    },
  };
}

function eraseEnvironment(api: Api): BackgroundSample {
  return {
    name: 'job erase-environment',
    async prepare() {
      const { session, organization, project } = await projectWithSecrets(api);
      const path = `/projects/${organization.id}/shop`;
      const found = await expectStatus(api.get(path, session), 200);
      const { id } = found.body.project.environments.find(({ slug }: { slug: string }) => slug === 'dev');
      const hook = { url: 'http://127.0.0.1:9/', events: ['secret.created'], environmentId: id };
      await expectStatus(api.post(`/webhooks/${organization.id}`, hook, session), 201);
      await expectStatus(api.delete(`${path}/environments/dev`, session), 200);
      const ids = { organizationId: organization.id, projectId: project.id, environmentId: id };
      const job = { type: 'erase-environment', orgSlug: organization.slug, project: 'shop', env: 'dev', ...ids };
      const dev = `/secrets/${organization.slug}/shop/dev`;
      return jobStep(
        JSON.stringify(job),
        async () => {
          // The slug is free again, nothing of the old environment is visible, and its webhook is gone.
          await expectStatus(api.post(`${path}/environments`, { name: 'Development', slug: 'dev' }, session), 201);
          const keysLeft = await expectStatus(api.get(`${dev}/keys`, session), 200);
          if (keysLeft.body.keys.length > 0) throw new Error('Secrets of the erased environment are left.');
          const billing = await expectStatus(api.get(`/billing/${organization.id}`, session), 200);
          if (billing.body.usage.webhooks !== 0) throw new Error('Its webhook still counts.');
          await expectStatus(api.put(dev, { key: 'KEY', value: 'of the new one' }, session), 201);
        },
        async () => {
          const { secrets } = (await expectStatus(api.get(dev, session), 200)).body;
          const values = secrets.map((one: { value: string }) => one.value).join();
          if (values !== 'of the new one') throw new Error(`The new environment has the values ${values}.`);
          await expectStatus(api.put(dev, { key: 'NEXT', value: 'next' }, session), 201);
        },
      );
    },
  };
}

function eraseOrganization(api: Api): BackgroundSample {
  return {
    name: 'job erase-organization',
    async prepare() {
      const { session, organization } = await projectWithSecrets(api);
      const { id, slug } = organization;
      await expectStatus(api.post(`/members/${id}/invite`, { email: 'a@example.com', role: 'viewer' }, session), 201);
      await expectStatus(api.post('/auth/token', { name: 'cli', organizationId: id }, session), 201);
      await expectStatus(
        api.post(`/webhooks/${id}`, { url: 'http://127.0.0.1:9/', events: ['secret.created'] }, session),
        201,
      );
      await expectStatus(api.delete(`/orgs/${id}`, session), 200);
      return jobStep(
        JSON.stringify({ type: 'erase-organization', orgSlug: slug, organizationId: id }),
        async () => {
          const next = (await expectStatus(api.post('/orgs', { name: 'Next', slug }, session), 201)).body.organization;
          const { tokens } = (await expectStatus(api.get('/auth/tokens', session), 200)).body;
          if (tokens.length > 0) throw new Error('A token of the erased organization is left.');
          await expectStatus(api.post(`/projects/${next.id}`, { name: 'Shop', slug: 'shop' }, session), 201);
          await fillProject(api, slug, session);
        },
        async () => {
          const { organizations } = (await expectStatus(api.get('/auth/me', session), 200)).body;
          const next = organizations.find((one: { slug: string }) => one.slug === slug);
          if (next === undefined) throw new Error('The next organization under the slug is gone.');
          await requireFilled(api, next, session);
        },
      );
    },
  };
}

/** 0 fences, 1 walks, 2 walks again and completes. */
function reEncrypt(api: Api, steps: number): BackgroundSample {
  return {
    name: `job re-encrypt-project step ${steps}`,
    async prepare() {
      const { session, organization, project } = await projectWithSecrets(api);
      await expectStatus(api.post(`/projects/${organization.id}/shop/rotate-key`, undefined, session), 202);
      const ids = { orgSlug: organization.slug, organizationId: organization.id, projectId: project.id };
      const first = JSON.stringify({ type: 're-encrypt-project', ...ids, project: 'shop', toVersion: 2 });
      return jobStep(await jobAfter(first, steps), async () => {
        const { body } = await expectStatus(api.get(`/projects/${organization.id}/shop`, session), 200);
        const { status, reencrypted, total } = body.project.rotation;
        if (status !== 'completed' || reencrypted !== total) throw new Error(JSON.stringify(body.project.rotation));
        const pulled = await expectStatus(api.get(`/secrets/${organization.slug}/shop/dev`, session), 200);
        const values = pulled.body.secrets.map((one: { value: string }) => one.value).join();
        if (values !== '1 again,3') throw new Error(`After re-encryption the values are ${values}.`);
      });
    },
  };
}

function deliver(api: Api, receiver: Receiver): BackgroundSample {
  return {
    name: 'webhook delivery',
    async prepare() {
      const { session, organization } = await seedPerson();
      const deliveryId = randomUUID();
      const url = `${receiver.url}/${deliveryId}`;
      const created = await expectStatus(
        api.post(`/webhooks/${organization.id}`, { url, events: ['secret.created'] }, session),
        201,
      );
      const webhookId = created.body.webhook.id;
      const place = { id: randomUUID(), slug: 'shop' };
      const createdAt = new Date().toISOString();
      const content = {
        event: 'secret.created',
        timestamp: createdAt,
        org: { id: organization.id },
        project: place,
        environment: { ...place, slug: 'dev' },
        key: 'ONE',
        actor: { id: randomUUID(), email: 'a@example.com' },
        metadata: { version: 1, revision: 1 },
      };
      const message = JSON.stringify({
        deliveryId,
        event: content.event,
        createdAt,
        orgSlug: organization.slug,
        webhookId,
        payload: { kind: 'whole', content },
      });
      return {
        functionName: deliverWebhooks,
        event: messageEvent(message),
        finish: () => invokeStep(deliverWebhooks, messageEvent(message, 2)),
        requireDone: async () => {
          const hits = receiver.received.filter(({ path }) => path === `/${deliveryId}`).length;
          const log = await list(deliveryRecord, { pk: keys.delivery(webhookId, '', '').pk });
          if (hits > 1) throw new Error(`The delivery was made ${hits} times.`);
          if (log.length !== 1) throw new Error(`The delivery has ${log.length} log entries.`);
          if (hits === 0 && log[0]?.success === true) throw new Error('The log has a delivery that was never made.');
        },
      };
    },
  };
}

let day = 0;

function rollUp(): BackgroundSample {
  return {
    name: 'metrics roll-up',
    async prepare() {
      day += 1;
      // Each gets its own day, long ago.
      const receivedAt = Date.UTC(2020, 0, day, 12);
      const record = {
        requestTimeEpoch: String(receivedAt),
        routeKey: 'GET /v1/auth/me',
        status: '200',
        responseLatency: '7',
      };
      const message = {
        messageType: 'DATA_MESSAGE',
        logEvents: [1, 2].map(() => ({ id: randomUUID(), timestamp: receivedAt, message: JSON.stringify(record) })),
      };
      const event = { awslogs: { data: gzipSync(JSON.stringify(message)).toString('base64') } };
      return {
        functionName: rollUpMetrics,
        event,
        finish: () => invokeStep(rollUpMetrics, event),
        requireDone: async () => {
          const date = new Date(receivedAt).toISOString().slice(0, 10);
          const counted = await find(at(routeHourRecord, date, '12', 'GET /v1/auth/me'));
          if (counted?.requests !== 2) throw new Error(`Two requests were counted as ${counted?.requests}.`);
        },
      };
    },
  };
}

export function backgroundSamples(api: Api, receiver: Receiver): BackgroundSample[] {
  return [
    eraseProject(api),
    eraseEnvironment(api),
    eraseOrganization(api),
    reEncrypt(api, 0),
    reEncrypt(api, 1),
    reEncrypt(api, 2),
    deliver(api, receiver),
    rollUp(),
  ];
}
