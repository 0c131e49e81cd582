import { getEventListeners } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { ConnectionError, Holdfast, type HoldfastOptions, type Retry } from '#clients/sdk/src/index.ts';
import { untilEnd } from '#test/support/fixtures.ts';
import {
  halfAnswer,
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
import { failureOf } from './variables.ts';

const token = 'service_tok_verysecret';
const value = 'a-value-that-nobody-may-log';
let server: ScriptedServer;
let retries: Retry[];

async function clientOf(respond: Respond, options: Partial<HoldfastOptions> = {}): Promise<Holdfast> {
  server = await untilEnd(startServer(respond));
  retries = [];
  return new Holdfast({ url: server.url, token, onRetry: retry => retries.push(retry), ...options });
}

const pullOf = (client: Holdfast) => client.environment('acme', 'web-shop', 'dev').pull();
const setOf = (client: Holdfast) => client.environment('acme', 'web-shop', 'dev').set('A', value);
const createOf = (client: Holdfast) =>
  client.request('POST', '/v1/projects/{orgId}', { path: { orgId: 'acme' }, body: { name: 'Shop' } });
const created = json(201, { project: { slug: 'shop' } });
const limited = (seconds: number) => refusal(429, 'rate_limited', undefined, { 'retry-after': String(seconds) });

/* What both SDKs do alike is in the cases that both pass. */
describe('a read', () => {
  it('reports its retry before the pause', async () => {
    await pullOf(await clientOf(inTurn(reset, pullAnswer(3, {}))));
    const [retry, ...others] = retries;
    expect(others).toEqual([]);
    expect(retry).toMatchObject({ method: 'GET', path: '/v1/secrets/acme/web-shop/dev', attempt: 2 });
    expect(retry?.error).toMatchObject({ code: 'connection_failed', retryable: true });
  });

  it('never waits longer than waitMs in all', async () => {
    await failureOf(pullOf(await clientOf(limited(0), { waitMs: 1_000 })));
    expect(retries.reduce((sum, { delayMs }) => sum + delayMs, 0)).toBeLessThanOrEqual(1_000.001);
  });

  /** Pulls so many environments at once from a service that limits requests, until all of them wait. */
  async function pullTogether(count: number, waitMs: NonNullable<HoldfastOptions['waitMs']>) {
    const stop = new AbortController();
    const delays: number[] = [];
    const onRetry = ({ delayMs }: Retry) => {
      delays.push(delayMs);
      if (delays.length === count) stop.abort();
    };
    const client = await clientOf(limited(40), { waitMs, onRetry });
    const environments = Array.from({ length: count }, (_, n) => client.environment('acme', 'web-shop', `dev-${n}`));
    await Promise.allSettled(environments.map(environment => environment.pull(stop)));
    return { client, delays };
  }

  it('never waits longer than a budget in all calls together, where pauses at the same time count once', async () => {
    const budget = { leftMs: 60_000, pausedUntil: 0 };
    const { client, delays } = await pullTogether(2, budget);
    expect(delays).toHaveLength(2);
    expect(budget.leftMs).toBeLessThanOrEqual(20_000);
    expect(budget.leftMs).toBeGreaterThan(60_000 - delays.reduce((sum, one) => sum + one));
    // The two pauses were cut short here, but a command would have waited.
    budget.pausedUntil = 0;
    expect(await failureOf(pullOf(client))).toMatchObject({ status: 429 });
    expect(delays).toHaveLength(2);
  });

  it('spreads clients that were limited at the same moment', async () => {
    const { delays } = await pullTogether(40, 120_000);
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(40_000);
    expect(Math.max(...delays) - Math.min(...delays)).toBeGreaterThan(3_000);
  });

  it('pauses randomly between attempts, up to a limit that doubles', async () => {
    const bounds = [200, 400, 800];
    const delays: number[][] = [[], [], []];
    const client = await clientOf(reset, {
      onRetry: ({ attempt, delayMs }) => delays[attempt - 2]?.push(delayMs),
    });
    await Promise.all(
      Array.from({ length: 12 }, (_, n) => failureOf(client.environment('acme', 'shop', `e${n}`).pull())),
    );
    for (const [index, bound] of bounds.entries()) {
      const seen = delays[index] ?? [];
      expect(seen).toHaveLength(12);
      expect(Math.max(...seen)).toBeLessThan(bound);
      expect(new Set(seen).size).toBeGreaterThan(1);
    }
  });

  it('ends with its signal’s reason, and aborts the request', async () => {
    const client = await clientOf(hang);
    const controller = new AbortController();
    const pull = client.environment('acme', 'web-shop', 'dev').pull({ signal: controller.signal });
    await expect.poll(() => server.requests.length).toBe(1);
    controller.abort(new Error('enough'));
    await expect(pull).rejects.toThrow('enough');
    await expect.poll(() => server.requests[0]?.aborted).toBe(true);
  });

  it('leaves no listener on a signal that outlives it', async () => {
    const client = await clientOf(inTurn(reset, hang, pullAnswer(1, {})), { attemptTimeoutMs: 100 });
    const { signal } = new AbortController();
    await client.environment('acme', 'web-shop', 'dev').pull({ signal });
    const path = { orgSlug: 'acme', project: 'web-shop', env: 'dev' };
    await client.request('GET', '/v1/secrets/{orgSlug}/{project}/{env}', { path, signal });
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('ends a pause with its signal', async () => {
    const controller = new AbortController();
    const client = await clientOf(limited(20), { onRetry: () => controller.abort(new Error('enough')) });
    const pull = client.environment('acme', 'web-shop', 'dev').pull({ signal: controller.signal });
    await expect(pull).rejects.toThrow('enough');
    expect(server.requests).toHaveLength(1);
  });
});

describe('a write that creates something', () => {
  it.each([
    ['a reset connection', reset],
    ['half an answer', halfAnswer],
    ['503', json(503, { message: 'Service Unavailable' })],
  ])('is not retried after %s', async (_, first) => {
    const error = await failureOf(createOf(await clientOf(inTurn(first, created))));
    expect([error.outcomeUnknown, server.requests.length]).toEqual([true, 1]);
  });

  it('is retried after 429, because nothing was done', async () => {
    const client = await clientOf(inTurn(refusal(429, 'rate_limited'), created));
    expect(await createOf(client)).toMatchObject({ project: { slug: 'shop' } });
    expect(server.requests).toHaveLength(2);
  });

  it('is retried if no connection was made, because nothing was sent', async () => {
    // Nothing listens there.
    const error = await failureOf(createOf(await clientOf(created, { url: 'http://127.0.0.1:2', retries: 2 })));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ code: 'connection_failed', outcomeUnknown: false });
    expect(retries).toHaveLength(2);
  });

  const viewer = { role: 'viewer' } as const;

  it.each(['DELETE', 'PATCH'] as const)('is as careful as %s', async method => {
    const client = await clientOf(inTurn(reset, json(200, { success: true })));
    const call =
      method === 'DELETE'
        ? client.request(method, '/v1/orgs/{orgId}', { path: { orgId: 'acme' } })
        : client.request(method, '/v1/members/{orgId}/{id}', { path: { orgId: 'acme', id: 'x' }, body: viewer });
    expect(await failureOf(call)).toBeInstanceOf(ConnectionError);
    expect(server.requests).toHaveLength(1);
  });
});

describe('the credential', () => {
  it('is requested again once after a 401, even for a request that is not repeatable', async () => {
    const rejections: (string | undefined)[] = [];
    const token = (rejected?: string) => {
      rejections.push(rejected);
      return rejected === undefined ? 'service_tok_old' : 'service_tok_new';
    };
    const revoked = refusal(401, 'unauthenticated');
    await createOf(await clientOf(inTurn(revoked, json(201, {})), { token, retries: 0 }));
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer service_tok_old',
      'Bearer service_tok_new',
    ]);
    expect(rejections).toEqual([undefined, 'service_tok_old']);

    expect(await failureOf(pullOf(await clientOf(revoked, { token })))).toMatchObject({ status: 401 });
    expect(server.requests).toHaveLength(2);
  });

  it('never appears in an error, and neither does a value', async () => {
    const echo: Respond = (request, response) => json(400, { echoed: request.body })(request, response);
    const cut: Respond = (_, response) => {
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(`{"secrets": [{"key": "A", "value": "${value}`);
    };
    const others = [reset, halfAnswer, hang, json(503, { message: 'x' }), refusal(403, 'forbidden')];
    for (const respond of [echo, cut, ...others]) {
      const client = await clientOf(respond, { retries: 1, attemptTimeoutMs: 100 });
      for (const call of [pullOf, setOf, createOf]) {
        const error = await failureOf(call(client));
        const inspected = inspect(error, { depth: 20, showHidden: true, customInspect: false });
        const shown = [inspected, JSON.stringify(error), error.stack].join();
        expect(shown).not.toContain(token);
        expect(shown).not.toContain(value);
      }
    }
  });

  it('is not shown by the client or the objects it creates', async () => {
    const client = await clientOf(pullAnswer(3, { A: value }));
    const environment = client.environment('acme', 'web-shop', 'dev');
    await environment.pull();
    for (const thing of [client, environment, client.project('acme', 'web-shop')]) {
      for (const shown of [inspect(thing, { depth: 20, showHidden: true }), JSON.stringify(thing)]) {
        expect(shown).not.toContain(token);
        expect(shown).not.toContain(value);
      }
    }
  });
});

describe('the options', () => {
  it('accept an address with or without /v1, with a prefix or a slash', async () => {
    await clientOf(pullAnswer(1, {}));
    for (const suffix of ['', '/', '/v1', '/v1/', '/edge', '/edge/v1']) {
      await pullOf(new Holdfast({ url: server.url + suffix, token }));
    }
    expect(server.requests.map(({ path }) => path)).toEqual(
      ['', '', '', '', '/edge', '/edge'].map(prefix => `${prefix}/v1/secrets/acme/web-shop/dev`),
    );
  });

  it('reject nonsense', async () => {
    await clientOf(pullAnswer(1, {}));
    for (const url of ['', 'holdfast.example', 'ftp://x', 'https://ada:pw@x', 'https://x?y=1', 'https://x#y']) {
      expect(() => new Holdfast({ url, token })).toThrow(TypeError);
    }
    const infinite = { timeoutMs: Number.POSITIVE_INFINITY };
    for (const bad of [{ timeoutMs: 0 }, infinite, { attemptTimeoutMs: Number.NaN }, { retries: -1 }]) {
      expect(() => new Holdfast({ url: server.url, token, ...bad })).toThrow(RangeError);
    }
    const client = new Holdfast({ url: server.url, token });
    for (const bad of ['', '.', '..']) expect(() => client.environment('acme', bad, 'dev')).toThrow(TypeError);
    expect(server.requests).toHaveLength(0);
  });

  it('come from HOLDFAST_URL and HOLDFAST_TOKEN, with an error for the missing one', async () => {
    await clientOf(pullAnswer(1, {}));
    vi.stubEnv('HOLDFAST_URL', server.url);
    vi.stubEnv('HOLDFAST_TOKEN', undefined);
    expect(() => Holdfast.fromEnvironment()).toThrow('HOLDFAST_TOKEN');
    vi.stubEnv('HOLDFAST_TOKEN', token);
    await pullOf(Holdfast.fromEnvironment());
    vi.unstubAllEnvs();
    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${token}`);
  });

  it('identify the SDK and its version as the user agent, or the program that uses it', async () => {
    await pullOf(await clientOf(pullAnswer(1, {})));
    await pullOf(new Holdfast({ url: server.url, token, userAgent: 'shop-worker/2' }));
    const manifest = readFileSync(join(import.meta.dirname, '../../../clients/sdk/package.json'), 'utf8');
    const { version } = JSON.parse(manifest);
    expect(server.requests.map(({ headers }) => headers['user-agent'])).toEqual([
      `holdfast-sdk/${version}`,
      'shop-worker/2',
    ]);
  });

  it('can replace fetch', async () => {
    const requested: string[] = [];
    const recording: typeof fetch = (input, init) => {
      requested.push(new Request(input).url);
      return fetch(input, init);
    };
    await pullOf(await clientOf(pullAnswer(1, {}), { fetch: recording }));
    expect(requested).toEqual([`${server.url}/v1/secrets/acme/web-shop/dev`]);
  });

  it('keep a path parameter within its segment', async () => {
    const client = await clientOf(json(200, { success: true, revision: 1 }));
    await client.environment('acme', 'web-shop', 'dev').history('A/../B?x#y');
    expect(server.requests[0]?.path).toBe('/v1/secrets/acme/web-shop/dev/versions/A%2F..%2FB%3Fx%23y');
  });
});
