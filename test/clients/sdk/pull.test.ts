import { format, inspect } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  type CacheOptions,
  type Environment,
  Holdfast,
  HoldfastError,
  type Snapshot,
  type WatchOptions,
} from '#clients/sdk/src/index.ts';
import { untilEnd } from '#test/support/fixtures.ts';
import {
  hang,
  inTurn,
  json,
  pullAnswer,
  type Respond,
  refusal,
  reset,
  type ScriptedServer,
  startServer,
} from './scripted-server.ts';

const value = 'a-value-that-nobody-may-log';
let server: ScriptedServer;
let client: Holdfast;

async function environmentOf(
  respond: Respond,
  options: CacheOptions & { timeoutMs?: number } = {},
): Promise<Environment> {
  server = await untilEnd(startServer(respond));
  client = new Holdfast({ url: server.url, token: 'service_tok_x', retries: 0, ...options });
  return client.environment('acme', 'web-shop', 'dev');
}

/** An environment of a server whose values the test changes. */
async function changing(options: Parameters<typeof environmentOf>[1] = {}) {
  const state: { revision: number; values: Record<string, string>; respond?: Respond | undefined } = {
    revision: 1,
    values: { A: '1' },
  };
  const respond: Respond = (request, response) => {
    const { revision, values } = state;
    const answer =
      request.method === 'GET' ? pullAnswer(revision, values) : json(200, { secret: {}, changed: true, revision });
    (state.respond ?? answer)(request, response);
  };
  return { state, environment: await environmentOf(respond, options) };
}

const tags = () => server.requests.map(({ headers }) => headers['if-none-match']);

describe('a snapshot', () => {
  it('shows its revision and keys, but no value, to JSON, inspect, string and spread', async () => {
    const snapshot = await (await environmentOf(pullAnswer(17, { A: value, B: `${value}-2` }))).pull();
    expect(JSON.stringify(snapshot)).toBe('{"revision":17,"keys":["A","B"]}');
    expect(inspect(snapshot)).toBe("{ revision: 17, keys: [ 'A', 'B' ] }");
    const shown = [
      inspect(snapshot, { customInspect: false, showHidden: true, depth: 20 }),
      inspect({ nested: [snapshot] }, { depth: 20 }),
      format('%s %o %O %j', snapshot, snapshot, snapshot, snapshot),
      JSON.stringify({ ...snapshot }),
      JSON.stringify(structuredClone({ ...snapshot })),
    ];
    for (const text of shown) expect(text).not.toContain(value);
  });

  it('returns values by name', async () => {
    const snapshot = await (await environmentOf(pullAnswer(17, { A: value, EMPTY: '' }))).pull();
    expect(snapshot.get('A')).toBe(value);
    expect(snapshot.require('EMPTY')).toBe('');
    expect(snapshot.has('B')).toBe(false);
    expect(snapshot.get('B')).toBeUndefined();
    expect(() => snapshot.require('B')).toThrow(HoldfastError);
    expect(() => snapshot.require('B')).toThrow('B is not set at revision 17.');
    expect(snapshot.stale).toBe(false);
  });

  it('is frozen, and its object is a copy', async () => {
    const snapshot = await (await environmentOf(pullAnswer(17, { A: value }))).pull();
    expect(Object.isFrozen(snapshot)).toBe(true);
    expect(() => Object.assign(snapshot, { revision: 18 })).toThrow(TypeError);
    snapshot.toObject().A = 'changed';
    expect(snapshot.toObject().A).toBe(value);
  });

  it('supports keys that every object inherits', async () => {
    const names = ['__proto__', 'constructor', 'hasOwnProperty', 'toString'];
    const values = Object.fromEntries(names.map(name => [name, `${name}-value`]));
    const snapshot = await (await environmentOf(pullAnswer(17, values))).pull();
    expect(Object.entries(snapshot.toObject())).toEqual(names.map(name => [name, `${name}-value`]));
    const empty = await (await environmentOf(pullAnswer(1, {}))).pull();
    for (const name of names) {
      expect(empty.has(name)).toBe(false);
      expect(empty.get(name)).toBeUndefined();
      expect(empty.toObject()[name]).toBeUndefined();
    }
  });
});

describe('a pull', () => {
  it('sends the previous tag, and returns the same snapshot for a 304', async () => {
    const { state, environment } = await changing();
    const first = await environment.pull();
    expect(await environment.pull()).toEqual(first);
    state.revision = 2;
    state.values = { A: '2' };
    expect([first.get('A'), (await environment.pull()).get('A')]).toEqual(['1', '2']);
    expect(tags()).toEqual([undefined, '"1"', '"1"']);
  });

  it('sends the tag as received, in any form', async () => {
    const environment = await environmentOf(json(200, { secrets: [], revision: 1 }, { etag: 'W/"1-f00"' }));
    await environment.pull();
    await environment.pull();
    expect(tags()).toEqual([undefined, 'W/"1-f00"']);
  });

  it('shares a request with concurrent ones, even for an equal object', async () => {
    const environment = await environmentOf(pullAnswer(1, { A: value }));
    const again = client.environment('acme', 'web-shop', 'dev');
    const snapshots = await Promise.all([environment.pull(), environment.pull(), again.pull()]);
    expect(snapshots.map(snapshot => snapshot.get('A'))).toEqual([value, value, value]);
    expect(server.requests).toHaveLength(1);
    await environment.pull();
    expect(server.requests).toHaveLength(2);
  });

  it('shares nothing between environments or revisions', async () => {
    const environment = await environmentOf(pullAnswer(1, {}));
    await Promise.all([
      environment.pull(),
      environment.pull({ revision: 1 }),
      environment.pull({ revision: 1 }),
      environment.pull({ keys: ['A', 'B'] }),
      client.environment('acme', 'web-shop', 'staging').pull(),
    ]);
    expect(server.requests.map(({ path, query }) => `${path.split('/').at(-1)}?${query}`).toSorted()).toEqual([
      'dev?',
      'dev?keys=A%2CB',
      'dev?revision=1',
      'staging?',
    ]);
  });

  it('continues for the others when one of them aborts, and ends when all have aborted', async () => {
    const waiting: (() => void)[] = [];
    const environment = await environmentOf((request, response) => {
      waiting.push(() => pullAnswer(1, { A: value })(request, response));
    });
    const [one, two, three] = [new AbortController(), new AbortController(), new AbortController()];
    const leaves = environment.pull({ signal: one.signal });
    const stays = environment.pull();
    await expect.poll(() => waiting.length).toBe(1);
    one.abort(new Error('one leaves'));
    await expect(leaves).rejects.toThrow('one leaves');
    waiting[0]?.();
    expect((await stays).get('A')).toBe(value);

    const second = environment.pull({ signal: two.signal });
    const third = environment.pull({ signal: three.signal });
    await expect.poll(() => waiting.length).toBe(2);
    two.abort(new Error('two leaves'));
    three.abort(new Error('three leaves'));
    await expect(second).rejects.toThrow('two leaves');
    await expect(third).rejects.toThrow('three leaves');
    await expect.poll(() => server.requests[1]?.aborted).toBe(true);
    const fourth = environment.pull();
    await expect.poll(() => waiting.length).toBe(3);
    waiting[2]?.();
    expect((await fourth).get('A')).toBe(value);
  });

  it('does not join a request that started before this client’s write', async () => {
    const { state, environment } = await changing();
    const slow: (() => void)[] = [];
    state.respond = (...request) => slow.push(() => pullAnswer(1, { A: '1' })(...request));
    const earlier = environment.pull();
    await expect.poll(() => slow.length).toBe(1);
    Object.assign(state, { revision: 2, values: { A: '2' }, respond: undefined });
    await environment.set('A', '2');
    expect((await environment.pull()).get('A')).toBe('2');
    slow[0]?.();
    expect((await earlier).get('A')).toBe('1');
    // The older response came last and is not kept.
    expect((await environment.pull()).get('A')).toBe('2');
    expect(tags().at(-1)).toBe('"2"');
  });

  it('of a revision or of some keys does not affect the cached response', async () => {
    const environment = await environmentOf((request, response) => {
      const past = request.query.get('revision');
      pullAnswer(past === null ? 5 : Number(past), { A: value })(request, response);
    });
    await environment.pull();
    expect((await environment.pull({ revision: 3 })).revision).toBe(3);
    await environment.pull();
    expect(tags()).toEqual([undefined, undefined, '"5"']);
  });

  it('caches the environments used last, and no more', async () => {
    const environment = await environmentOf(pullAnswer(1, {}));
    await environment.pull();
    for (let n = 0; n < 99; n += 1) client.environment('acme', 'web-shop', `other-${n}`);
    expect(client.environment('acme', 'web-shop', 'dev')).toBe(environment);
    for (let n = 0; n < 99; n += 1) client.environment('acme', 'web-shop', `others-${n}`);
    expect(client.environment('acme', 'web-shop', 'dev')).toBe(environment);
    for (let n = 0; n < 100; n += 1) client.environment('acme', 'web-shop', `more-${n}`);
    expect(client.environment('acme', 'web-shop', 'dev')).not.toBe(environment);
  });
});

describe('maxAgeMs', () => {
  it('saves the request while the response is fresh', async () => {
    const environment = await environmentOf(pullAnswer(1, { A: value }), { maxAgeMs: 60_000 });
    const first = await environment.pull();
    expect(await environment.pull()).toBe(first);
    expect(server.requests).toHaveLength(1);
    await environment.pull({ maxAgeMs: 0 });
    expect(server.requests).toHaveLength(2);
  });

  it('is disabled by default', async () => {
    const environment = await environmentOf(pullAnswer(1, {}));
    await environment.pull();
    await environment.pull();
    expect(server.requests).toHaveLength(2);
  });

  it('never hides this client’s own write', async () => {
    const { state, environment } = await changing({ maxAgeMs: 60_000 });
    await environment.pull();
    Object.assign(state, { revision: 2, values: { A: '2' } });
    await environment.set('A', '2');
    expect((await environment.pull()).get('A')).toBe('2');
  });
});

describe('staleIfErrorMs', () => {
  it.each([
    ['no connection', reset],
    ['a timeout', hang],
    ['500', refusal(500, 'internal_error')],
    ['503 of the gateway', json(503, { message: 'Service Unavailable' })],
    ['429', refusal(429, 'rate_limited')],
  ])('returns the last response, marked as stale, after %s', async (_, outage) => {
    const { state, environment } = await changing({ staleIfErrorMs: 60_000, timeoutMs: 200 });
    const fresh = await environment.pull();
    state.respond = outage;
    const stale = await environment.pull();
    expect([fresh.stale, stale.stale]).toEqual([false, true]);
    expect([stale.revision, stale.get('A')]).toEqual([1, '1']);
    expect(JSON.stringify(stale)).toBe('{"revision":1,"keys":["A"]}');
    await expect(environment.pull({ staleIfErrorMs: 0 })).rejects.toThrow(HoldfastError);
    state.respond = undefined;
    expect((await environment.pull()).stale).toBe(false);
  });

  it.each([
    [401, 'unauthenticated'],
    [403, 'insufficient_scope'],
    [404, 'environment_not_found'],
  ])('never does so after %s, nor in an outage that follows', async (status, code) => {
    const { state, environment } = await changing({ staleIfErrorMs: 60_000, maxAgeMs: 60_000 });
    await environment.pull();
    state.respond = refusal(status, code);
    await expect(environment.pull({ maxAgeMs: 0 })).rejects.toMatchObject({ status, code });
    await expect(environment.pull()).rejects.toMatchObject({ status, code });
    state.respond = reset;
    await expect(environment.pull()).rejects.toMatchObject({ code: 'connection_failed' });
    expect(tags().slice(2)).toEqual([undefined, undefined]);
  });

  it('never does so after any other rejection', async () => {
    const { state, environment } = await changing({ staleIfErrorMs: 60_000 });
    await environment.pull();
    state.respond = refusal(413, 'payload_too_large');
    await expect(environment.pull()).rejects.toMatchObject({ status: 413 });
  });

  it('is disabled by default, and expires', async () => {
    const { state, environment } = await changing();
    await environment.pull();
    state.respond = reset;
    await expect(environment.pull()).rejects.toThrow(HoldfastError);
    expect((await environment.pull({ staleIfErrorMs: 60_000 })).stale).toBe(true);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 });
    onTestFinished(() => void vi.useRealTimers());
    await expect(environment.pull({ staleIfErrorMs: 60_000 })).rejects.toThrow(HoldfastError);
  });
});

describe('a watch', () => {
  async function watch(environment: Environment, options: WatchOptions, use: (snapshot: Snapshot) => void) {
    for await (const snapshot of environment.watch(options)) use(snapshot);
  }

  it('yields each new revision once, at the cost of a 304 between them', async () => {
    const { state, environment } = await changing({ maxAgeMs: 60_000 });
    const controller = new AbortController();
    const yielded: string[] = [];
    const done = watch(environment, { intervalMs: 10, signal: controller.signal }, snapshot => {
      yielded.push(`${snapshot.revision}=${snapshot.get('A')}`);
      // No request is on its way now, so the next one would be a poll.
      if (snapshot.revision === 3) controller.abort();
    });
    await expect.poll(() => server.requests.length).toBeGreaterThan(3);
    for (const revision of [2, 3]) {
      Object.assign(state, { revision, values: { A: `${revision}` } });
      const until = server.requests.length + 3;
      if (revision < 3) await expect.poll(() => server.requests.length).toBeGreaterThan(until);
    }
    await done;
    expect(yielded).toEqual(['1=1', '2=2', '3=3']);
    expect(new Set(tags().slice(1))).toEqual(new Set(['"1"', '"2"']));
    const polls = server.requests.length;
    await new Promise(resolve => setTimeout(resolve, 50));
    expect(server.requests).toHaveLength(polls);
  });

  it('yields a lower revision too: the environment may be a new one', async () => {
    const { state, environment } = await changing();
    state.revision = 9;
    const seen: number[] = [];
    for await (const { revision } of environment.watch({ intervalMs: 5 })) {
      seen.push(revision);
      state.revision = 2;
      if (seen.length === 2) break;
    }
    expect(seen).toEqual([9, 2]);
  });

  it('survives an outage, reports it, and never yields a stale response', async () => {
    const { state, environment } = await changing({ staleIfErrorMs: 60_000 });
    const errors: HoldfastError[] = [];
    const seen: Snapshot[] = [];
    const controller = new AbortController();
    const onError = (error: HoldfastError) => errors.push(error);
    const options = { intervalMs: 5, signal: controller.signal, onError };
    const done = watch(environment, options, snapshot => seen.push(snapshot));
    await expect.poll(() => seen.length).toBe(1);
    state.respond = reset;
    await expect.poll(() => errors.length).toBeGreaterThan(1);
    state.respond = undefined;
    state.revision = 2;
    await expect.poll(() => seen.length).toBe(2);
    controller.abort();
    await done;
    expect(errors.every(({ code }) => code === 'connection_failed')).toBe(true);
    expect(seen.map(({ stale }) => stale)).toEqual([false, false]);
  });

  it('ends with a permanent error, and with any error of its first pull', async () => {
    const { state, environment } = await changing();
    const done = watch(environment, { intervalMs: 5 }, () => {
      state.respond = refusal(401, 'unauthenticated');
    });
    await expect(done).rejects.toMatchObject({ code: 'unauthenticated' });
    state.respond = reset;
    await expect(watch(environment, {}, () => {})).rejects.toMatchObject({ code: 'connection_failed' });
    await expect(watch(environment, { intervalMs: 0 }, () => {})).rejects.toThrow(RangeError);
  });

  it('honors Retry-After', async () => {
    const { state, environment } = await changing({ timeoutMs: 500 });
    const controller = new AbortController();
    const done = watch(environment, { intervalMs: 5, signal: controller.signal }, () => {
      state.respond = refusal(429, 'rate_limited', undefined, { 'retry-after': '60' });
    });
    await expect.poll(() => server.requests.length).toBe(2);
    await new Promise(resolve => setTimeout(resolve, 100));
    expect(server.requests).toHaveLength(2);
    controller.abort();
    await done;
  });

  it('ends the first pull quietly with its signal', async () => {
    const environment = await environmentOf(inTurn(hang));
    const controller = new AbortController();
    const done = watch(environment, { signal: controller.signal }, () => {});
    await expect.poll(() => server.requests.length).toBe(1);
    controller.abort();
    await done;
    await expect.poll(() => server.requests[0]?.aborted).toBe(true);
  });
});
