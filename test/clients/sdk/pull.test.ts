import { format, inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  type CacheOptions,
  type Environment,
  Holdfast,
  HoldfastError,
  type Snapshot,
  type WatchOptions,
} from '#clients/sdk/src/index.ts';
import { untilEnd } from '#test/support/fixtures.ts';
import { hang, inTurn, json, pullAnswer, type Respond, type ScriptedServer, startServer } from './scripted-server.ts';

const value = 'a-value-that-nobody-may-log';
let server: ScriptedServer;
let client: Holdfast;

async function environmentOf(respond: Respond, options: CacheOptions = {}): Promise<Environment> {
  server = await untilEnd(startServer(respond));
  client = new Holdfast({ url: server.url, token: 'service_tok_x', retries: 0, ...options });
  return client.environment('acme', 'web-shop', 'dev');
}

/** An environment of a server whose values the test changes. */
async function changing(options: CacheOptions = {}) {
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
});

describe('a pull', () => {
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
