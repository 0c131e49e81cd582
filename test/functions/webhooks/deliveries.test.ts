import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { sqsClient } from '#lib/core/queue.ts';
import { logDelivery, logUnsent } from '#lib/deliveries/log-delivery.ts';
import type { DeliveryMessage } from '#lib/deliveries/message.ts';
import { keptPayload, textOf } from '#lib/deliveries/payload.ts';
import { queueDeliveries } from '#lib/deliveries/queue-deliveries.ts';
import { ranges } from '#lib/table/keys.ts';
import { at, queryItems, readAll } from '#lib/table/read.ts';
import { deliveryClaimRecord, payloadPieceRecord } from '#lib/table/records/webhook.ts';
import { put, transact } from '#lib/table/write.ts';
import { type Api, createProject, startApi } from '#test/support/api.ts';
import { eventually } from '#test/support/eventually.ts';
import { fresh } from '#test/support/fixtures.ts';
import { seedPerson } from '#test/support/people.ts';
import { type Receiver, startReceiver } from '#test/support/receiver.ts';

const canary = `canary-${randomUUID()}`;

let api: Api;
/** Everything this process queued and logged. */
const queued: string[] = [];
const logged: string[] = [];
beforeAll(async () => {
  vi.spyOn(process.stdout, 'write').mockImplementation(chunk => {
    logged.push(String(chunk));
    return true;
  });
  api = await startApi({ LOG_LEVEL: 'DEBUG' });
  sqsClient().middlewareStack.add(
    next => async args => {
      queued.push(JSON.stringify(args.input));
      return next(args);
    },
    { step: 'initialize' },
  );
});
afterAll(async () => {
  await api.stop();
  vi.restoreAllMocks();
});

let webhooks: string;
let shop: { id: string; slug: string };
let secrets: string;
const person = fresh(() => seedPerson({ name: 'Ada' }));
beforeEach(async () => {
  webhooks = `/webhooks/${person.organization.id}`;
  shop = await createProject(api, person);
  secrets = `/secrets/${person.organization.slug}/${shop.slug}`;
});

const receivers: Receiver[] = [];
afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.stop();
});

async function receiver(...options: Parameters<typeof startReceiver>): Promise<Receiver> {
  const one = await startReceiver(...options);
  receivers.push(one);
  return one;
}

const allEvents = [
  'secret.created',
  'secret.updated',
  'secret.deleted',
  'secret.promoted',
  'secret.bulk_set',
  'secret.bulk_delete',
];

async function subscribe(url: string, more: object = {}): Promise<{ id: string; signingSecret: string }> {
  const { body } = await api.post(webhooks, { url, events: allEvents, ...more }, person.session);
  return { id: body.webhook.id, signingSecret: body.signingSecret };
}

const deliveriesOf = async (id: string) => (await api.get(`${webhooks}/${id}`, person.session)).body.deliveries;

async function environment(slug: string): Promise<{ id: string; slug: string }> {
  const { body } = await api.get(`/projects/${person.organization.id}/${shop.slug}`, person.session);
  const { id } = body.project.environments.find((one: { slug: string }) => one.slug === slug);
  return { id, slug };
}

const set = (env: string, key: string, value = canary) => api.put(`${secrets}/${env}`, { key, value }, person.session);

const payloads = ({ received }: Receiver) => received.map(({ body }) => JSON.parse(body.toString('utf8')));

describe('a delivery', () => {
  it('has exactly the specified headers and body, and a signature over its bytes', async () => {
    const target = await receiver();
    const { id, signingSecret } = await subscribe(`${target.url}/hook?x=1`);
    await set('dev', 'DATABASE_URL');
    await eventually(async () => expect(await deliveriesOf(id)).toHaveLength(1));
    const [got] = target.received;
    expect(got).toMatchObject({ method: 'POST', path: '/hook?x=1' });
    expect(got?.headers).toMatchObject({
      'content-type': 'application/json',
      'x-service-event': 'secret.created',
      'x-service-signature': `sha256=${createHmac('sha256', signingSecret)
        .update(got?.body ?? '')
        .digest('hex')}`,
    });
    const payload = JSON.parse(String(got?.body));
    expect(payload).toEqual({
      event: 'secret.created',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      org: { id: person.organization.id },
      project: { id: shop.id, slug: shop.slug },
      environment: await environment('dev'),
      key: 'DATABASE_URL',
      actor: { id: person.user.id, email: person.email },
      metadata: { version: 1, revision: 1 },
    });
    expect(await deliveriesOf(id)).toEqual([
      {
        id: got?.headers['x-service-delivery'],
        event: 'secret.created',
        statusCode: 204,
        success: true,
        responseTimeMs: expect.any(Number),
        error: null,
        createdAt: payload.timestamp,
      },
    ]);
  });

  it('is made once per event, even for many keys', async () => {
    const target = await receiver();
    const { id } = await subscribe(target.url);
    await set('dev', 'A');
    await set('dev', 'A', 'changed');
    await set('dev', 'A', 'changed');
    await api.post(`${secrets}/dev/bulk`, { secrets: { B: canary, C: canary } }, person.session);
    await api.post(`${secrets}/promote`, { from: 'dev', to: 'staging' }, person.session);
    await api.post(`${secrets}/dev/bulk-delete`, { keys: ['B', 'C'] }, person.session);
    await api.delete(`${secrets}/dev/A`, person.session);
    await eventually(async () => expect(await deliveriesOf(id)).toHaveLength(6));
    const [dev, staging] = [await environment('dev'), await environment('staging')];
    const seen = payloads(target)
      .sort((a, b) => (a.timestamp < b.timestamp ? -1 : 1))
      .map(({ event, key, metadata, environment }) => ({ event, key, metadata, environment }));
    expect(seen).toEqual([
      { event: 'secret.created', key: 'A', metadata: { version: 1, revision: 1 }, environment: dev },
      { event: 'secret.updated', key: 'A', metadata: { version: 2, revision: 2 }, environment: dev },
      { event: 'secret.bulk_set', key: '*', metadata: { revision: 3, keys: ['B', 'C'] }, environment: dev },
      {
        event: 'secret.promoted',
        key: '*',
        metadata: { revision: 1, keys: ['A', 'B', 'C'], from: dev },
        environment: staging,
      },
      { event: 'secret.bulk_delete', key: '*', metadata: { revision: 4, keys: ['B', 'C'] }, environment: dev },
      { event: 'secret.deleted', key: 'A', metadata: { version: 3, revision: 5 }, environment: dev },
    ]);
    const newestFirst = (await deliveriesOf(id)).map(({ createdAt }: { createdAt: string }) => createdAt);
    expect(newestFirst).toEqual([...newestFirst].sort().reverse());
  });

  it('is made only if subscription, scope and status match', async () => {
    const target = await receiver();
    const other = await createProject(api, person, 'Other');
    const staging = await environment('staging');
    const hooks = {
      all: await subscribe(`${target.url}/all`),
      updates: await subscribe(`${target.url}/updates`, { events: ['secret.updated'] }),
      other: await subscribe(`${target.url}/other`, { projectId: other.id }),
      project: await subscribe(`${target.url}/project`, { projectId: shop.id }),
      staging: await subscribe(`${target.url}/staging`, { environmentId: staging.id }),
      both: await subscribe(`${target.url}/both`, { projectId: shop.id, environmentId: staging.id }),
      off: await subscribe(`${target.url}/off`),
    };
    await api.patch(`${webhooks}/${hooks.off.id}`, { active: false }, person.session);
    await set('dev', 'IN_DEV');
    await set('staging', 'IN_STAGING');
    await eventually(() => expect(target.received).toHaveLength(6));
    await sleep(500);
    const seen = target.received.map(({ path, body }) => `${path} ${JSON.parse(String(body)).key}`).sort();
    expect(seen).toEqual([
      '/all IN_DEV',
      '/all IN_STAGING',
      '/both IN_STAGING',
      '/project IN_DEV',
      '/project IN_STAGING',
      '/staging IN_STAGING',
    ]);
  });

  it('to a receiver that takes 7 s is logged as failed after 5 s, is not retried, and delays no other', async () => {
    const slow = await receiver(async response => {
      await sleep(7000);
      response.writeHead(200).end();
    });
    const quick = await receiver();
    const { id } = await subscribe(slow.url);
    await subscribe(quick.url);
    const startedAt = Date.now();
    await set('dev', 'A');
    const answeredAt = Date.now();
    await eventually(() => expect(quick.received).toHaveLength(1));
    expect(answeredAt - startedAt).toBeLessThan(4000);
    await eventually(async () => expect(await deliveriesOf(id)).toHaveLength(1));
    const [delivery] = await deliveriesOf(id);
    expect(delivery).toMatchObject({ statusCode: null, success: false, error: 'timed out after 5 s' });
    expect(delivery.responseTimeMs).toBeGreaterThanOrEqual(4900);
    expect(delivery.responseTimeMs).toBeLessThan(7000);
    await sleep(3000);
    expect(slow.received).toHaveLength(1);
    expect(await deliveriesOf(id)).toHaveLength(1);
  });

  it('that gets an error response is logged with its status and not retried', async () => {
    const target = await receiver(response => response.writeHead(500).end('out of order'));
    const { id } = await subscribe(target.url);
    await set('dev', 'A');
    await eventually(async () => expect(await deliveriesOf(id)).toHaveLength(1));
    expect(await deliveriesOf(id)).toMatchObject([{ statusCode: 500, success: false, error: 'answered 500' }]);
    await sleep(1000);
    expect(target.received).toHaveLength(1);
  });
});

it('30 quick changes make 30 deliveries, once each; the last 20 are listed', async () => {
  const target = await receiver();
  const { id } = await subscribe(target.url);
  const answers = await Promise.all(Array.from({ length: 30 }, (_, index) => set('dev', `KEY_${index}`)));
  expect(answers.every(({ status }) => status === 201)).toBe(true);
  await eventually(() => expect(target.received.length).toBeGreaterThanOrEqual(30));
  await sleep(500);
  expect(new Set(target.received.map(({ headers }) => headers['x-service-delivery'])).size).toBe(30);
  expect(
    payloads(target)
      .map(({ key }) => key)
      .sort(),
  ).toEqual(Array.from({ length: 30 }, (_, index) => `KEY_${index}`).sort());
  await eventually(async () => expect(await deliveriesOf(id)).toHaveLength(20));
  // They never expire, so nothing else may be stored.
  await eventually(async () => expect(await queryItems(ranges.deliveries(id))).toHaveLength(20));
  expect((await queryItems(ranges.deliveries(id))).every(item => item.expiresAt === undefined)).toBe(true);
  await api.delete(`${webhooks}/${id}`, person.session);
  expect(await queryItems(ranges.deliveries(id))).toEqual([]);
});

const messageFor = (webhookId: string, createdAt = new Date().toISOString()): DeliveryMessage => ({
  deliveryId: randomUUID(),
  event: 'secret.updated',
  createdAt,
  orgSlug: person.organization.slug,
  webhookId,
  payload: {
    kind: 'whole',
    content: {
      event: 'secret.updated',
      timestamp: createdAt,
      org: { id: person.organization.id },
      project: shop,
      environment: { id: shop.id, slug: 'dev' },
      key: 'A',
      actor: { id: person.user.id, email: person.email },
      metadata: { version: 1, revision: 1 },
    },
  },
});
describe('a queued message', () => {
  it('is sent once, even if it is delivered several times in parallel', async () => {
    const target = await receiver();
    const { id } = await subscribe(target.url);
    const messages = Array.from({ length: 30 }, () => messageFor(id));
    await Promise.all([queueDeliveries(messages), queueDeliveries(messages)]);
    await eventually(() => expect(target.received.length).toBeGreaterThanOrEqual(30));
    await queueDeliveries(messages);
    await sleep(2000);
    expect(target.received.map(({ headers }) => headers['x-service-delivery']).sort()).toEqual(
      messages.map(({ deliveryId }) => deliveryId).sort(),
    );
    const shown = await deliveriesOf(id);
    expect(shown).toHaveLength(20);
    for (const delivery of shown) expect(delivery).toMatchObject({ statusCode: 204, success: true, error: null });
  });

  it('whose result is logged late, after newer ones replaced it, is not shown and is deleted again', async () => {
    const target = await receiver();
    const { id } = await subscribe(target.url);
    const messages = Array.from({ length: 22 }, (_, index) =>
      messageFor(id, new Date(Date.now() - (60 - index) * 1000).toISOString()),
    );
    const ids = messages.map(({ deliveryId }) => deliveryId);
    const oldest = ids.slice(0, 2);
    const storedIds = async () => (await queryItems(ranges.deliveries(id))).map(item => item.id);
    await queueDeliveries(messages);
    // A sender logs this line last, after it has deleted older entries, which could include a late one.
    const made = () => logged.filter(line => line.includes('made a webhook delivery') && line.includes(id));
    await eventually(() => expect(made()).toHaveLength(22));
    expect(await storedIds()).toEqual(ids.slice(2));
    const [sent, unsent] = messages as [DeliveryMessage, DeliveryMessage];

    await logDelivery(
      { ...sent, payload: await keptPayload(sent.payload) },
      { statusCode: 204, responseTimeMs: 1, error: null },
    );
    await logUnsent(unsent, 'the sender stopped before it got a response');

    expect((await storedIds()).slice(0, 2)).toEqual(oldest);
    const shown = (await deliveriesOf(id)).map((delivery: { id: string }) => delivery.id);
    expect(shown).toEqual(ids.slice(2).reverse());
    const next = messageFor(id);
    await queueDeliveries([next]);
    await eventually(async () => expect(await storedIds()).toContain(next.deliveryId));
    await eventually(async () => expect(await storedIds()).toHaveLength(20));
    for (const deliveryId of oldest) expect(await storedIds()).not.toContain(deliveryId);
  });

  it('is logged as failed and not sent if its sender crashed halfway', async () => {
    const target = await receiver();
    const { id } = await subscribe(target.url);
    const message = messageFor(id);
    const claim = {
      webhookId: id,
      claimedAt: message.createdAt,
      nonce: randomUUID(),
      expiresAt: Math.ceil(Date.now() / 1000) + 1000,
    };
    await transact([put(at(deliveryClaimRecord, message.deliveryId), claim)]);
    await queueDeliveries([message]);
    await eventually(async () => expect(await deliveriesOf(id)).toHaveLength(1));
    expect(await deliveriesOf(id)).toEqual([
      {
        id: message.deliveryId,
        event: 'secret.updated',
        statusCode: null,
        success: false,
        responseTimeMs: null,
        error: 'the sender stopped before it got a response',
        createdAt: message.createdAt,
      },
    ]);
    expect(target.connections()).toBe(0);
  });

  it('keeps the sender’s result in the log if the queue’s response is lost', async () => {
    const target = await receiver();
    const { id } = await subscribe(target.url);
    sqsClient().middlewareStack.add(
      next => async args => {
        await next(args);
        await eventually(async () => expect(await deliveriesOf(id)).toHaveLength(1));
        throw new Error('socket hang up');
      },
      { step: 'initialize', name: 'loseAnswer' },
    );
    try {
      expect((await set('dev', 'A')).status).toBe(201);
    } finally {
      sqsClient().middlewareStack.remove('loseAnswer');
    }
    expect(target.received).toHaveLength(1);
    expect(await deliveriesOf(id)).toMatchObject([{ success: true, statusCode: 204, error: null }]);
  });

  it('is dropped if the webhook was deactivated or deleted in the meantime', async () => {
    const target = await receiver();
    const [off, gone] = [await subscribe(target.url), await subscribe(target.url)];
    await api.patch(`${webhooks}/${off.id}`, { active: false }, person.session);
    await api.delete(`${webhooks}/${gone.id}`, person.session);
    await queueDeliveries([messageFor(off.id), messageFor(gone.id)]);
    await sleep(1500);
    expect(target.connections()).toBe(0);
    expect(await deliveriesOf(off.id)).toEqual([]);
  });

  it('can have a payload of any length', async () => {
    const target = await receiver();
    const { id } = await subscribe(target.url);
    const message = messageFor(id);
    const keys = Array.from({ length: 8000 }, (_, index) => `K${index}_`.padEnd(256, 'x'));
    if (message.payload.kind === 'whole') message.payload.content.metadata = { revision: 1, keys };
    expect(await queueDeliveries([message])).toEqual([]);
    await eventually(async () => expect(await deliveriesOf(id)).toMatchObject([{ statusCode: 204 }]));
    expect(payloads(target)).toMatchObject([{ event: 'secret.updated', metadata: { keys } }]);
  });
});

describe('a test ping', () => {
  it('is sent like every delivery, even for an inactive webhook', async () => {
    const target = await receiver();
    const { id, signingSecret } = await subscribe(target.url);
    await api.patch(`${webhooks}/${id}`, { active: false }, person.session);
    const answer = await api.post(`${webhooks}/${id}/test`, {}, person.session);
    expect(answer.status).toBe(202);
    await eventually(async () => expect(await deliveriesOf(id)).toHaveLength(1));
    const [got] = target.received;
    const nowhere = { id: '00000000-0000-0000-0000-000000000000', slug: 'ping' };
    expect(payloads(target)).toEqual([
      {
        event: 'webhook.ping',
        timestamp: expect.any(String),
        org: { id: person.organization.id },
        project: nowhere,
        environment: nowhere,
        key: '*',
        actor: { id: person.user.id, email: person.email },
        metadata: {},
      },
    ]);
    const digest = createHmac('sha256', signingSecret).update(String(got?.body)).digest('hex');
    expect(got?.headers).toMatchObject({
      'x-service-event': 'webhook.ping',
      'x-service-delivery': answer.body.deliveryId,
      'x-service-signature': `sha256=${digest}`,
    });
    expect(await deliveriesOf(id)).toMatchObject([
      { id: answer.body.deliveryId, event: 'webhook.ping', statusCode: 204, success: true },
    ]);
  });

  it('names the project and environment that the webhook is limited to', async () => {
    const target = await receiver();
    const dev = await environment('dev');
    const { id } = await subscribe(target.url, { environmentId: dev.id });
    await api.post(`${webhooks}/${id}/test`, undefined, person.session);
    await eventually(() => expect(target.received).toHaveLength(1));
    expect(payloads(target)).toMatchObject([{ project: { id: shop.id, slug: shop.slug }, environment: dev }]);
  });
});

it('the value of a secret appears in no delivery, audit entry, queue message or log line', async () => {
  const target = await receiver();
  const { id, signingSecret } = await subscribe(target.url);
  await set('dev', 'A');
  await set('dev', 'A', `${canary}-again`);
  await api.post(`${secrets}/dev/bulk`, { dotenv: `B=${canary}\nC="${canary}"` }, person.session);
  await api.post(`${secrets}/dev/bulk`, { secrets: [{ key: 'bad key', value: canary }] }, person.session);
  await api.get(`${secrets}/dev`, person.session);
  await api.get(`${secrets}/dev/versions/A?values=true`, person.session);
  await api.post(`${secrets}/promote`, { from: 'dev', to: 'production' }, person.session);
  await api.delete(`${secrets}/dev/A`, person.session);
  await eventually(async () => expect((await deliveriesOf(id)).length).toBe(5));
  const audit = await api.get(`/audit/${person.organization.id}?limit=500`, person.session);
  expect(audit.body.entries.length).toBeGreaterThanOrEqual(8);
  const delivered = target.received.map(({ headers, body }) => `${JSON.stringify(headers)} ${body}`);
  const shown = [JSON.stringify(audit.body), JSON.stringify(await deliveriesOf(id))];
  const searched = [...delivered, ...shown, ...queued, ...logged];
  expect(queued.some(message => message.includes('secret.promoted'))).toBe(true);
  expect(logged.some(line => line.includes('made a webhook delivery'))).toBe(true);
  for (const text of searched) {
    expect(text).not.toContain(canary);
    expect(text).not.toContain(signingSecret);
  }
});

describe('a delivery that is sent again on request', () => {
  const redeliver = (id: string, deliveryId: string) =>
    api.post(`${webhooks}/${id}/deliveries/${deliveryId}/redeliver`, {}, person.session);

  it('has the same body, byte for byte, a new id, and names the original', async () => {
    const target = await receiver();
    const { id, signingSecret } = await subscribe(target.url);
    await api.post(
      `${secrets}/dev/changes`,
      { set: [{ key: 'B', value: canary }], delete: [], message: 'žluťoučký “reason”' },
      person.session,
    );
    await eventually(async () => expect(await deliveriesOf(id)).toHaveLength(1));
    const [first] = await deliveriesOf(id);

    const answer = await redeliver(id, first.id);
    expect(answer.status).toBe(202);
    expect(answer.body.delivery).toEqual({
      id: expect.not.stringContaining(first.id),
      event: first.event,
      createdAt: expect.any(String),
      redeliveryOf: first.id,
    });
    await eventually(async () => expect(await deliveriesOf(id)).toHaveLength(2));

    const [original, again] = target.received;
    expect(again?.body.equals(original?.body ?? Buffer.alloc(0))).toBe(true);
    expect(again?.headers).toMatchObject({
      'x-service-delivery': answer.body.delivery.id,
      'x-service-redelivery-of': first.id,
      'x-service-event': first.event,
      'x-service-signature': `sha256=${createHmac('sha256', signingSecret)
        .update(original?.body ?? '')
        .digest('hex')}`,
    });
    expect(original?.headers['x-service-redelivery-of']).toBeUndefined();
    const [newest, oldest] = await deliveriesOf(id);
    expect(newest).toMatchObject({ id: answer.body.delivery.id, redeliveryOf: first.id, success: true });
    expect(oldest).toEqual(first);
  });

  it('goes to the webhook’s current address, and names the first delivery when it is sent a third time', async () => {
    const gone = await receiver();
    const { id } = await subscribe(gone.url);
    await set('dev', 'A');
    await eventually(async () => expect(await deliveriesOf(id)).toHaveLength(1));
    const target = await receiver();
    await api.patch(`${webhooks}/${id}`, { url: target.url }, person.session);
    const [first] = await deliveriesOf(id);
    const second = (await redeliver(id, first.id)).body.delivery;
    await eventually(async () => expect(await deliveriesOf(id)).toHaveLength(2));
    const third = (await redeliver(id, second.id)).body.delivery;
    expect(third.redeliveryOf).toBe(first.id);
    await eventually(async () => expect(await deliveriesOf(id)).toHaveLength(3));
    expect([gone.received.length, target.received.length]).toEqual([1, 2]);
    const { entries } = (await api.get(`/audit/${person.organization.id}?action=webhook.redelivered`, person.session))
      .body;
    expect(entries.map(({ details }: { details: unknown }) => details)).toEqual([
      { deliveryId: third.id, redeliveryOf: first.id },
      { deliveryId: second.id, redeliveryOf: first.id },
    ]);
  });

  it('may have a body that is too long for the log', async () => {
    const target = await receiver();
    const { id } = await subscribe(target.url);
    const keys = Array.from({ length: 900 }, (_, index) => `${'LONG_NAME_'.repeat(20)}${index}`);
    await api.post(`${secrets}/dev/bulk`, { secrets: keys.map(key => ({ key, value: 'v' })) }, person.session);
    await eventually(async () => expect(await deliveriesOf(id)).toHaveLength(1));
    const [first] = await deliveriesOf(id);
    expect((await redeliver(id, first.id)).status).toBe(202);
    await eventually(async () => expect(await deliveriesOf(id)).toHaveLength(2));
    const [original, again] = target.received;
    expect(original?.body.length).toBeGreaterThan(100_000);
    expect(again?.body.equals(original?.body ?? Buffer.alloc(0))).toBe(true);
  });

  it('is the same after its environment was deleted, and reaches the receiver once for each of two requests', async () => {
    const target = await receiver();
    const { id } = await subscribe(target.url);
    const path = `/projects/${person.organization.id}/${shop.slug}/environments`;
    await api.post(path, { name: 'QA', slug: 'qa', type: 'development' }, person.session);
    await set('qa', 'A');
    await eventually(async () => expect(await deliveriesOf(id)).toHaveLength(1));
    const [first] = await deliveriesOf(id);
    await api.delete(`${path}/qa`, person.session);
    const answers = await Promise.all([redeliver(id, first.id), redeliver(id, first.id)]);
    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
    await eventually(async () => expect(await deliveriesOf(id)).toHaveLength(3));
    const [original, ...again] = target.received;
    for (const { body } of again) expect(body.equals(original?.body ?? Buffer.alloc(0))).toBe(true);
    expect(new Set(again.map(({ headers }) => headers['x-service-delivery']))).toEqual(
      new Set(answers.map(({ body }) => body.delivery.id)),
    );
  });

  it('may be a ping, and is 404 once the webhook is deleted', async () => {
    const target = await receiver();
    const { id } = await subscribe(target.url);
    const { deliveryId } = (await api.post(`${webhooks}/${id}/test`, undefined, person.session)).body;
    await eventually(async () => expect(await deliveriesOf(id)).toHaveLength(1));
    expect((await redeliver(id, deliveryId)).body.delivery).toMatchObject({
      event: 'webhook.ping',
      redeliveryOf: deliveryId,
    });
    await eventually(async () => expect(await deliveriesOf(id)).toHaveLength(2));
    const [original, again] = target.received;
    expect(again?.body.equals(original?.body ?? Buffer.alloc(0))).toBe(true);
    await api.delete(`${webhooks}/${id}`, person.session);
    const gone = await redeliver(id, deliveryId);
    expect([gone.status, gone.body.error.code]).toEqual([404, 'webhook_not_found']);
  });

  it.each([0, 1])('may have a character of two code units where its pieces meet, shifted by %i', async shift => {
    const content = {
      event: 'secret.promoted' as const,
      timestamp: new Date().toISOString(),
      org: { id: randomUUID() },
      project: { id: randomUUID(), slug: 'shop' },
      environment: { id: randomUUID(), slug: 'dev' },
      key: '*' as const,
      actor: { id: randomUUID(), email: 'ada@example.com' },
      metadata: { keys: ['K'.repeat(290_000 + shift)], revision: 2, message: '🦊'.repeat(10_000) },
    };
    const payload = { kind: 'whole' as const, content };
    const kept = await keptPayload(payload);
    if (kept.kind !== 'stored') throw new Error('The payload is not stored.');
    const pieces = await readAll([0, 1].map(index => at(payloadPieceRecord, kept.payloadId, index)));
    expect(pieces.map(piece => piece?.text.isWellFormed())).toEqual([true, true]);
    expect(JSON.parse((await textOf(kept)) ?? '')).toEqual(content);
  });

  it('is refused if the webhook is inactive or the log has no such delivery, and then leaves nothing', async () => {
    const target = await receiver();
    const { id } = await subscribe(target.url);
    await set('dev', 'A');
    await eventually(async () => expect(await deliveriesOf(id)).toHaveLength(1));
    const [first] = await deliveriesOf(id);
    const missing = await redeliver(id, randomUUID());
    expect([missing.status, missing.body.error.code]).toEqual([404, 'delivery_not_found']);
    const other = await subscribe(target.url);
    expect((await redeliver(other.id, first.id)).body.error.code).toBe('delivery_not_found');
    await api.patch(`${webhooks}/${id}`, { active: false }, person.session);
    const inactive = await redeliver(id, first.id);
    expect([inactive.status, inactive.body.error.code]).toEqual([409, 'webhook_inactive']);
    const { entries } = (await api.get(`/audit/${person.organization.id}?action=webhook.redelivered`, person.session))
      .body;
    expect([entries, target.received.length]).toEqual([[], 1]);
  });

  it('is refused if its body is no longer known', async () => {
    const target = await receiver();
    const { id } = await subscribe(target.url);
    const message = messageFor(id);
    const lost = { kind: 'stored', payloadId: randomUUID(), pieces: 1 } as const;
    const outcome = { statusCode: 204, responseTimeMs: 1, error: null };
    await logDelivery({ ...message, payload: lost }, outcome);
    const answer = await redeliver(id, message.deliveryId);
    expect([answer.status, answer.body.error.code]).toEqual([409, 'not_redeliverable']);
  });
});
