import { createHmac, randomUUID } from 'node:crypto';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { type LoadHandler, loadFromFunctions } from '#infra/local/lambda/invoke.ts';
import { chunksOf } from '#lib/core/chunks-of.ts';
import { sqsClient } from '#lib/core/queue.ts';
import { logDelivery, logUnsent } from '#lib/deliveries/log-delivery.ts';
import type { DeliveryMessage } from '#lib/deliveries/message.ts';
import { keptPayload, textOf } from '#lib/deliveries/payload.ts';
import { queueDeliveries } from '#lib/deliveries/queue-deliveries.ts';
import { ranges } from '#lib/table/keys.ts';
import { at, queryItems, readAll } from '#lib/table/read.ts';
import { deliveryClaimRecord, payloadPieceRecord } from '#lib/table/records/webhook.ts';
import { put, transact } from '#lib/table/write.ts';
import { codeOf, createProject, startApi } from '#test/support/api.ts';
import { deliveryMessage } from '#test/support/delivery-message.ts';
import { openWorkplace } from '#test/support/environments.ts';
import { eventually } from '#test/support/eventually.ts';
import { fresh, shared, untilEnd } from '#test/support/fixtures.ts';
import { numbered } from '#test/support/numbered.ts';
import { type Received, type Receiver, startReceiver } from '#test/support/receiver.ts';

const canary = `canary-${randomUUID()}`;

/** Every message that this process queued, and every one that the queue will not deliver again; what it logged. */
const queued: string[] = [];
const handled: string[] = [];
const logged: string[] = [];

const load: LoadHandler = async functionName => {
  const handler = await loadFromFunctions(functionName);
  if (functionName.name !== 'deliver-webhooks') return handler;
  return async (event, context) => {
    const result = (await handler(event, context)) as SQSBatchResponse | undefined;
    const failed = result?.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier) ?? [];
    const succeeded = (event as SQSEvent).Records.filter(({ messageId }) => !failed.includes(messageId));
    handled.push(...succeeded.map(({ body }) => body));
    return result;
  };
};

const api = shared(async () => {
  vi.spyOn(process.stdout, 'write').mockImplementation(chunk => {
    logged.push(String(chunk));
    return true;
  });
  const started = await startApi({ LOG_LEVEL: 'DEBUG' }, load);
  sqsClient().middlewareStack.add(
    next => async args => {
      queued.push(JSON.stringify(args.input));
      return next(args);
    },
    { step: 'initialize' },
  );
  return started;
});
afterAll(() => {
  vi.restoreAllMocks();
});

const place = fresh(() => openWorkplace(api));
const person = fresh(() => place.owner);
const webhooks = () => `/webhooks/${person.organization.id}`;
const receiver = (...options: Parameters<typeof startReceiver>) => untilEnd(startReceiver(...options));
const events = ['created', 'updated', 'deleted', 'promoted', 'bulk_set', 'bulk_delete'].map(name => `secret.${name}`);

async function subscribe(url: string, more: object = {}): Promise<{ id: string; signingSecret: string }> {
  const { body } = await api.post(webhooks(), { url, events, ...more }, person.session);
  return { id: body.webhook.id, signingSecret: body.signingSecret };
}

async function subscribed(...options: Parameters<typeof startReceiver>) {
  const target = await receiver(...options);
  return { target, ...(await subscribe(target.url)) };
}

const deliveriesOf = async (id: string) => (await api.get(`${webhooks()}/${id}`, person.session)).body.deliveries;

/** The log of the webhook's deliveries, newest first, as soon as there are so many. */
const whenLogged = (id: string, count: number) =>
  eventually(async () => {
    const deliveries = await deliveriesOf(id);
    expect(deliveries).toHaveLength(count);
    return deliveries;
  });

/** Waits until the queue will deliver none of so many messages for the webhook again. */
const whenHandled = (id: string, count: number) =>
  eventually(() => expect(handled.filter(body => body.includes(id))).toHaveLength(count));
const queuedFor = (id: string) => queued.join().split(`webhookId\\":\\"${id}`).length - 1;
const deactivate = (id: string) => api.patch(`${webhooks()}/${id}`, { active: false }, person.session);
const ping = async (id: string) => (await api.post(`${webhooks()}/${id}/test`, {}, person.session)).body.deliveryId;
const set = (env: string, key: string, value = canary) => place.set(env, key, value);
const messageFor = (id: string, ...more: [createdAt?: string]) => deliveryMessage(person.organization, id, ...more);
const environment = (slug: string) => ({ id: place.environmentId(slug), slug });
const payloads = ({ received }: Receiver) => received.map(({ body }) => JSON.parse(body.toString('utf8')));
const idsIn = (received: readonly Received[]) => received.map(({ headers }) => headers['x-service-delivery']);
const signatureOf = (signingSecret: string, body: Uint8Array = new Uint8Array()) =>
  `sha256=${createHmac('sha256', signingSecret).update(body).digest('hex')}`;

function expectSameBodies({ received }: Receiver, count: number): void {
  expect(received).toHaveLength(count);
  for (const { body } of received) expect(body.equals(received[0]?.body ?? Buffer.alloc(0))).toBe(true);
}

describe('a delivery', () => {
  it('has exactly the specified headers and body, and a signature over its bytes', async () => {
    const target = await receiver();
    const { id, signingSecret } = await subscribe(`${target.url}/hook?x=1`);
    await set('dev', 'DATABASE_URL');
    const [delivery] = await whenLogged(id, 1);
    const [got] = target.received;
    expect(got).toMatchObject({ method: 'POST', path: '/hook?x=1' });
    expect(got?.headers).toMatchObject({
      'content-type': 'application/json',
      'x-service-event': 'secret.created',
      'x-service-signature': signatureOf(signingSecret, got?.body),
    });
    const payload = JSON.parse(String(got?.body));
    expect(payload).toEqual({
      event: 'secret.created',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      org: { id: person.organization.id },
      project: { id: place.project.id, slug: place.project.slug },
      environment: environment('dev'),
      key: 'DATABASE_URL',
      actor: { id: person.user.id, email: person.email },
      metadata: { version: 1, revision: 1 },
    });
    expect(delivery).toEqual({
      id: got?.headers['x-service-delivery'],
      event: 'secret.created',
      statusCode: 204,
      success: true,
      responseTimeMs: expect.any(Number),
      error: null,
      createdAt: payload.timestamp,
    });
  });

  it('is one signed sentence in the format for Slack, in which no name becomes a mention, and never holds a value', async () => {
    const target = await receiver();
    const { id, signingSecret } = await subscribe(target.url, { format: 'slack' });
    const where = `${place.project.slug}/dev`;
    await place.set('dev', 'DATABASE_URL', canary, {
      body: { message: '<!channel> & @everyone: a [new](https://db.example) database' },
    });
    await whenLogged(id, 1);
    await place.importAll('dev', numbered(12, canary));
    await whenLogged(id, 2);
    await ping(id);
    const [last] = await whenLogged(id, 3);
    await api.post(`${webhooks()}/${id}/deliveries/${last.id}/redeliver`, undefined, person.session);
    await whenLogged(id, 4);

    const [created, set, pinged, again] = target.received;
    for (const { body, headers } of target.received) {
      expect(headers['x-service-signature']).toBe(signatureOf(signingSecret, body));
      expect(body.toString()).not.toContain(canary);
    }
    expect(payloads(target).slice(0, 3)).toEqual([
      {
        text:
          `${person.email} created DATABASE_URL in ${where}: ` +
          '“&lt;!channel&gt; &amp; @\u200Beveryone: a [new]\u200B(https://db.example) database”',
      },
      { text: expect.stringMatching(/ set 12 secrets \(K0, .* and 2 more\) in .*\/dev\.$/) },
      { text: `${person.email} sent this test message from Holdfast.` },
    ]);
    expect(created?.headers['x-service-event']).toBe('secret.created');
    expect(set?.headers['x-service-event']).toBe('secret.bulk_set');
    expect(again?.body.equals(pinged?.body ?? Buffer.alloc(0))).toBe(true);
  });

  it('is made only if subscription, scope and status match', async () => {
    const target = await receiver();
    const other = await createProject(api, person, 'Other');
    const environmentId = place.environmentId('staging');
    const { id: projectId } = place.project;
    const limits: [name: string, limits: object, expected: string[]][] = [
      ['all', {}, ['IN_DEV', 'IN_STAGING']],
      ['updates', { events: ['secret.updated'] }, []],
      ['other', { projectId: other.id }, []],
      ['project', { projectId }, ['IN_DEV', 'IN_STAGING']],
      ['staging', { environmentId }, ['IN_STAGING']],
      ['both', { projectId, environmentId }, ['IN_STAGING']],
      ['off', {}, []],
    ];
    const hooks: [id: string, expected: string[]][] = [];
    for (const [name, limit, expected] of limits) {
      const { id } = await subscribe(`${target.url}/${name}`, limit);
      hooks.push([id, expected.map(key => `/${name} ${key}`)]);
      if (name === 'off') await deactivate(id);
    }
    await set('dev', 'IN_DEV');
    await set('staging', 'IN_STAGING');
    for (const [id, expected] of hooks) {
      expect(queuedFor(id)).toBe(expected.length);
      await whenHandled(id, expected.length);
    }
    const seen = target.received.map(({ path, body }) => `${path} ${JSON.parse(String(body)).key}`);
    expect(seen.toSorted()).toEqual(hooks.flatMap(([, expected]) => expected).toSorted());
  });

  it('to a receiver that never answers is logged as failed after 5 s, is not retried, and delays no other', async () => {
    const slow = await subscribed(() => undefined);
    const quick = await subscribed();
    await set('dev', 'A');
    // The request was answered, and the other delivery made, before this one has ended.
    await eventually(() => expect(quick.target.received).toHaveLength(1));
    expect(await deliveriesOf(slow.id)).toEqual([]);
    const [delivery] = await whenLogged(slow.id, 1);
    expect(delivery).toMatchObject({ statusCode: null, success: false, error: 'timed out after 5 s' });
    expect(delivery.responseTimeMs).toBeGreaterThanOrEqual(4900);
    await whenHandled(slow.id, 1);
    expect(slow.target.received).toHaveLength(1);
    expect(await deliveriesOf(slow.id)).toHaveLength(1);
  });

  it('that gets an error response is logged with its status and not retried', async () => {
    const { target, id } = await subscribed(response => response.writeHead(500).end('out of order'));
    await set('dev', 'A');
    expect(await whenLogged(id, 1)).toMatchObject([{ statusCode: 500, success: false, error: 'answered 500' }]);
    await whenHandled(id, 1);
    expect(target.received).toHaveLength(1);
  });
});

it('30 quick changes make 30 deliveries, once each; the last 20 are listed, newest first', async () => {
  const { target, id } = await subscribed();
  const keys = Array.from({ length: 30 }, (_, index) => `KEY_${index}`);
  // On a busy machine, thirty at once would wait for each other for longer than a request may.
  for (const few of chunksOf(5, keys)) {
    const answers = await Promise.all(few.map(key => set('dev', key)));
    expect(answers.map(codeOf)).toEqual(few.map(() => '201 ok'));
  }
  expect(queuedFor(id)).toBe(30);
  await whenHandled(id, 30);
  expect(new Set(idsIn(target.received)).size).toBe(30);
  const seen = payloads(target).map(({ key }) => key);
  expect(seen.toSorted()).toEqual(keys.toSorted());
  const times = (await whenLogged(id, 20)).map(({ createdAt }: { createdAt: string }) => createdAt);
  expect(times).toEqual(times.toSorted().reverse());
  // They never expire, so nothing else may be stored.
  await eventually(async () => expect(await queryItems(ranges.deliveries(id))).toHaveLength(20));
  expect((await queryItems(ranges.deliveries(id))).every(item => item.expiresAt === undefined)).toBe(true);
  await api.delete(`${webhooks()}/${id}`, person.session);
  expect(await queryItems(ranges.deliveries(id))).toEqual([]);
});

describe('a queued message', () => {
  it('is sent once, even if it is delivered several times in parallel', async () => {
    const { target, id } = await subscribed();
    const messages = Array.from({ length: 30 }, () => messageFor(id));
    // On a busy machine, thirty at once could take longer than a delivery may.
    for (const some of chunksOf(10, messages)) {
      const before = target.received.length;
      await Promise.all([queueDeliveries(some), queueDeliveries(some)]);
      await eventually(() => expect(target.received.length).toBeGreaterThanOrEqual(before + some.length));
    }
    await queueDeliveries(messages);
    await whenHandled(id, 90);
    expect(idsIn(target.received).toSorted()).toEqual(messages.map(({ deliveryId }) => deliveryId).toSorted());
    const shown = await whenLogged(id, 20);
    for (const delivery of shown) expect(delivery).toMatchObject({ statusCode: 204, success: true, error: null });
  });

  it('whose result is logged late, after newer ones replaced it, is not shown and is deleted again', async () => {
    const { id } = await subscribed();
    const messages = Array.from({ length: 22 }, (_, index) =>
      messageFor(id, new Date(Date.now() - (60 - index) * 1000).toISOString()),
    );
    const ids = messages.map(({ deliveryId }) => deliveryId);
    const oldest = ids.slice(0, 2);
    const storedIds = async () => (await queryItems(ranges.deliveries(id))).map(item => item.id);
    await queueDeliveries(messages);
    // Each has deleted older entries, which could include a late one.
    await whenHandled(id, 22);
    expect(await storedIds()).toEqual(ids.slice(2));
    const [sent, unsent] = messages as [DeliveryMessage, DeliveryMessage];

    const payload = await keptPayload(sent.payload);
    await logDelivery({ ...sent, payload }, { statusCode: 204, responseTimeMs: 1, error: null });
    await logUnsent(unsent, 'the sender stopped before it got a response');

    expect((await storedIds()).slice(0, 2)).toEqual(oldest);
    const shown = (await deliveriesOf(id)).map((delivery: { id: string }) => delivery.id);
    expect(shown).toEqual(ids.slice(2).reverse());
    const next = messageFor(id);
    await queueDeliveries([next]);
    await eventually(async () => expect(await storedIds()).toEqual([...ids.slice(3), next.deliveryId]));
  });

  it('is logged as failed and not sent if its sender crashed halfway', async () => {
    const { target, id } = await subscribed();
    const message = messageFor(id);
    const expiresAt = Math.ceil(Date.now() / 1000) + 1000;
    const claim = { webhookId: id, claimedAt: message.createdAt, nonce: randomUUID(), expiresAt };
    await transact([put(at(deliveryClaimRecord, message.deliveryId), claim)]);
    await queueDeliveries([message]);
    expect(await whenLogged(id, 1)).toEqual([
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
    const { target, id } = await subscribed();
    sqsClient().middlewareStack.add(
      next => async args => {
        await next(args);
        await whenLogged(id, 1);
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
    await deactivate(off.id);
    await api.delete(`${webhooks()}/${gone.id}`, person.session);
    await queueDeliveries([messageFor(off.id), messageFor(gone.id)]);
    for (const { id } of [off, gone]) await whenHandled(id, 1);
    expect(target.connections()).toBe(0);
    expect(await deliveriesOf(off.id)).toEqual([]);
  });

  it('can have a payload of any length', async () => {
    const { target, id } = await subscribed();
    const keys = Array.from({ length: 8000 }, (_, index) => `K${index}_`.padEnd(256, 'x'));
    const message = deliveryMessage(person.organization, id, undefined, { revision: 1, keys });
    expect(await queueDeliveries([message])).toEqual([]);
    expect(await whenLogged(id, 1)).toMatchObject([{ statusCode: 204 }]);
    expect(payloads(target)).toMatchObject([{ event: 'secret.updated', metadata: { keys } }]);
  });
});

describe('a test ping', () => {
  it('is sent like every delivery, even for an inactive webhook', async () => {
    const { target, id, signingSecret } = await subscribed();
    await deactivate(id);
    const answer = await api.post(`${webhooks()}/${id}/test`, {}, person.session);
    expect(answer.status).toBe(202);
    const log = await whenLogged(id, 1);
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
    expect(got?.headers).toMatchObject({
      'x-service-event': 'webhook.ping',
      'x-service-delivery': answer.body.deliveryId,
      'x-service-signature': signatureOf(signingSecret, got?.body),
    });
    expect(log).toMatchObject([{ id: answer.body.deliveryId, event: 'webhook.ping', statusCode: 204, success: true }]);
  });

  it('names the project and environment that the webhook is limited to', async () => {
    const target = await receiver();
    const dev = environment('dev');
    const { id } = await subscribe(target.url, { environmentId: dev.id });
    await ping(id);
    await eventually(() => expect(target.received).toHaveLength(1));
    const { id: projectId, slug } = place.project;
    expect(payloads(target)).toMatchObject([{ project: { id: projectId, slug }, environment: dev }]);
  });
});

it('the value of a secret appears in no delivery, audit entry, queue message or log line', async () => {
  const { target, id, signingSecret } = await subscribed();
  await set('dev', 'A');
  await set('dev', 'A', `${canary}-again`);
  await place.importAll('dev', `B=${canary}\nC="${canary}"`);
  await place.importAll('dev', [{ key: 'bad key', value: canary }]);
  await place.pull('dev');
  await place.history('dev', 'A');
  await place.promote({ from: 'dev', to: 'production' });
  await place.remove('dev', 'A');
  const log = await whenLogged(id, 5);
  const audit = await api.get(`/audit/${person.organization.id}?limit=500`, person.session);
  expect(audit.body.entries.length).toBeGreaterThanOrEqual(8);
  const delivered = target.received.map(({ headers, body }) => `${JSON.stringify(headers)} ${body}`);
  expect(queued.some(message => message.includes('secret.promoted'))).toBe(true);
  expect(logged.some(line => line.includes('made a webhook delivery'))).toBe(true);
  for (const text of [...delivered, JSON.stringify(audit.body), JSON.stringify(log), ...queued, ...logged]) {
    expect(text).not.toContain(canary);
    expect(text).not.toContain(signingSecret);
  }
});

describe('a delivery that is sent again on request', () => {
  const redeliver = (id: string, deliveryId: string) =>
    api.post(`${webhooks()}/${id}/deliveries/${deliveryId}/redeliver`, {}, person.session);
  const redeliveries = async () => {
    const log = `/audit/${person.organization.id}?action=webhook.redelivered`;
    const { entries } = (await api.get(log, person.session)).body;
    return entries.map(({ details }: { details: unknown }) => details);
  };

  it('has the same body, byte for byte, a new id, and names the original', async () => {
    const { target, id, signingSecret } = await subscribed();
    await place.change('dev', { set: [{ key: 'B', value: canary }], delete: [], message: 'žluťoučký “reason”' });
    const [first] = await whenLogged(id, 1);

    const answer = await redeliver(id, first.id);
    expect(answer.status).toBe(202);
    expect(answer.body.delivery).toEqual({
      id: expect.not.stringContaining(first.id),
      event: first.event,
      createdAt: expect.any(String),
      redeliveryOf: first.id,
    });
    const [newest, oldest] = await whenLogged(id, 2);

    expectSameBodies(target, 2);
    const [original, again] = target.received;
    expect(again?.headers).toMatchObject({
      'x-service-delivery': answer.body.delivery.id,
      'x-service-redelivery-of': first.id,
      'x-service-event': first.event,
      'x-service-signature': signatureOf(signingSecret, original?.body),
    });
    expect(original?.headers['x-service-redelivery-of']).toBeUndefined();
    expect(newest).toMatchObject({ id: answer.body.delivery.id, redeliveryOf: first.id, success: true });
    expect(oldest).toEqual(first);
  });

  it('goes to the webhook’s current address, and names the first delivery when it is sent a third time', async () => {
    const { target: former, id } = await subscribed();
    await set('dev', 'A');
    const [first] = await whenLogged(id, 1);
    const target = await receiver();
    await api.patch(`${webhooks()}/${id}`, { url: target.url }, person.session);
    const second = (await redeliver(id, first.id)).body.delivery;
    await whenLogged(id, 2);
    const third = (await redeliver(id, second.id)).body.delivery;
    expect(third.redeliveryOf).toBe(first.id);
    await whenLogged(id, 3);
    expect([former.received.length, target.received.length]).toEqual([1, 2]);
    expect(await redeliveries()).toEqual([
      { deliveryId: third.id, redeliveryOf: first.id },
      { deliveryId: second.id, redeliveryOf: first.id },
    ]);
  });

  it('may have a body that is too long for the log', async () => {
    const { target, id } = await subscribed();
    await place.importAll('dev', numbered(900, 'v', 'LONG_NAME_'.repeat(20)));
    const [first] = await whenLogged(id, 1);
    expect((await redeliver(id, first.id)).status).toBe(202);
    await whenLogged(id, 2);
    expect(target.received[0]?.body.length).toBeGreaterThan(100_000);
    expectSameBodies(target, 2);
  });

  it('is the same after its environment was deleted, and reaches the receiver once for each of two requests', async () => {
    const { target, id } = await subscribed();
    const path = `${place.projectPath}/environments`;
    await api.post(path, { name: 'QA', slug: 'qa', type: 'development' }, person.session);
    await set('qa', 'A');
    const [first] = await whenLogged(id, 1);
    await api.delete(`${path}/qa`, person.session);
    const answers = await Promise.all([redeliver(id, first.id), redeliver(id, first.id)]);
    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
    await whenLogged(id, 3);
    expectSameBodies(target, 3);
    const sentAgain = new Set(idsIn(target.received.slice(1)));
    expect(sentAgain).toEqual(new Set(answers.map(({ body }) => body.delivery.id)));
  });

  it('may be a ping, and is 404 once the webhook is deleted', async () => {
    const { target, id } = await subscribed();
    const deliveryId = await ping(id);
    await whenLogged(id, 1);
    const { delivery } = (await redeliver(id, deliveryId)).body;
    expect(delivery).toMatchObject({ event: 'webhook.ping', redeliveryOf: deliveryId });
    await whenLogged(id, 2);
    expectSameBodies(target, 2);
    await api.delete(`${webhooks()}/${id}`, person.session);
    expect(codeOf(await redeliver(id, deliveryId))).toBe('404 webhook_not_found');
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
    const { target, id } = await subscribed();
    await set('dev', 'A');
    const [first] = await whenLogged(id, 1);
    const other = await subscribe(target.url);
    expect(codeOf(await redeliver(id, randomUUID()))).toBe('404 delivery_not_found');
    expect(codeOf(await redeliver(other.id, first.id))).toBe('404 delivery_not_found');
    await deactivate(id);
    expect(codeOf(await redeliver(id, first.id))).toBe('409 webhook_inactive');
    expect([await redeliveries(), target.received.length]).toEqual([[], 1]);
  });

  it('is refused if its body is no longer known', async () => {
    const { id } = await subscribed();
    const message = messageFor(id);
    const payload = { kind: 'stored', payloadId: randomUUID(), pieces: 1 } as const;
    await logDelivery({ ...message, payload }, { statusCode: 204, responseTimeMs: 1, error: null });
    expect(codeOf(await redeliver(id, message.deliveryId))).toBe('409 not_redeliverable');
  });
});
