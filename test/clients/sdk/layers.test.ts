import { beforeEach, describe, expect, it } from 'vitest';
import { Holdfast } from '#clients/sdk/src/index.ts';
import { shared } from '#test/support/fixtures.ts';
import { randomFrom, seed } from '#test/support/seed.ts';
import { json, pullAnswer, pullBody, type Respond, refusal, startServer } from './scripted-server.ts';

interface Held {
  revision: number;
  values: Record<string, string>;
}

/** What each environment holds, by its path, at its revision. */
let held: Map<string, Held>;
let hf: Holdfast;
/** What the service does with `layers`. An older one doesn't know it, and a proxy may remove the tag. */
let service: 'current' | 'older' | 'untagged' | 'too large';

const server = shared(() =>
  startServer((request, response) => {
    const path = request.path.replace('/v1/secrets/', '');
    const layers = request.query.get('layers');
    const respond = layers === null ? single(held.get(path)) : layered(path, layers.split(','));
    respond(request, response);
  }),
);

const single = (found: Held | undefined): Respond =>
  found === undefined ? refusal(404, 'environment_not_found') : pullAnswer(found.revision, found.values);

function layered(path: string, layers: readonly string[]): Respond {
  if (service === 'older') {
    return refusal(400, 'invalid_request', [{ path: 'layers', message: 'is not a known field' }]);
  }
  if (service === 'too large') return refusal(413, 'payload_too_large');
  const [organization = '', ...top] = path.split('/');
  const names = [...layers, top.join('/')];
  const found = names.map(name => held.get(`${organization}/${name}`));
  const missing = names.find((_, index) => found[index] === undefined);
  if (missing !== undefined) return refusal(404, 'environment_not_found', { layer: missing });
  const there = found as Held[];
  const tag = `"${there.map(({ revision }) => revision).join('.')}"`;
  return (request, response) => {
    if (request.headers['if-none-match'] === tag) return json(304, undefined, { etag: tag })(request, response);
    const keys = request.query.get('keys')?.split(',');
    const all = new Map(
      there.flatMap(({ values }, index) =>
        Object.entries(values).map(([key, value]) => [key, { value, from: names[index] as string }] as const),
      ),
    );
    const shown = [...all].filter(([key]) => keys?.includes(key) ?? true).sort(([a], [b]) => (a < b ? -1 : 1));
    const values = Object.fromEntries(shown.map(([key, { value }]) => [key, value]));
    const body = pullBody(there.at(-1)?.revision ?? 0, values);
    const secrets = body.secrets.map(secret => ({ ...secret, from: all.get(secret.key)?.from }));
    json(200, { ...body, secrets }, service === 'untagged' ? {} : { etag: tag })(request, response);
  };
}

beforeEach(async () => {
  held = new Map<string, Held>([
    ['acme/shared/production', { revision: 4, values: { A: 'shared', B: 'shared', constructor: 'shared' } }],
    ['acme/shop/production', { revision: 17, values: { B: 'shop', C: '' } }],
  ]);
  service = 'current';
  hf = new Holdfast({ url: server.url, token: 'service_tok_layers', retries: 0 });
  server.requests.length = 0;
});

const names = ['acme/shared/production', 'acme/shop/production'];
const asked = () => server.requests.map(({ path, query }) => [path.replace('/v1/secrets/', ''), query.get('layers')]);
const together = ['acme/shop/production', 'shared/production'];
const separately = [
  ['acme/shared/production', null],
  ['acme/shop/production', null],
];

describe.each([
  ['a service that knows them', 'current', [together]],
  ['a service that is older', 'older', [together, ...separately]],
  ['a proxy that removes the tag', 'untagged', [together, ...separately]],
  ['too much for one response', 'too large', [together, ...separately]],
] as const)('layers with %s', (_, is, requests) => {
  beforeEach(() => {
    service = is;
  });

  it('are one snapshot, in which the last layer that has a key wins', async () => {
    const snapshot = await hf.layers(['acme/shared/production', hf.environment('acme', 'shop', 'production')]);
    expect(snapshot.toObject()).toEqual({ A: 'shared', B: 'shop', C: '', constructor: 'shared' });
    expect(snapshot.keys()).toEqual(['A', 'B', 'C', 'constructor']);
    expect(['A', 'B', 'C', 'toString'].map(key => snapshot.sourceOf(key))).toEqual([
      'acme/shared/production',
      'acme/shop/production',
      'acme/shop/production',
      undefined,
    ]);
    expect(snapshot.layers).toEqual([
      { name: 'acme/shared/production', revision: 4 },
      { name: 'acme/shop/production', revision: 17 },
    ]);
    expect([snapshot.revision, snapshot.stale]).toEqual([17, false]);
    expect(JSON.stringify(snapshot)).not.toMatch(/"shared"|"shop"/);
    expect(asked().slice(0, 1)).toEqual([together]);
    expect(asked().toSorted()).toEqual([...requests].toSorted());
  });

  it('are nothing if one of them is refused', async () => {
    held.delete('acme/shared/production');
    await expect(hf.layers(names)).rejects.toMatchObject({ status: 404, code: 'environment_not_found' });
  });

  it('may be only some keys, all of which have to exist', async () => {
    const snapshot = await hf.layers(names, { keys: ['C', 'A'] });
    expect(snapshot.toObject()).toEqual({ A: 'shared', C: '' });
    expect(snapshot.sourceOf('B')).toBeUndefined();
  });

  it('are watched together: each new revision of any of them is yielded once', async () => {
    const stop = new AbortController();
    const seen: string[] = [];
    for await (const snapshot of hf.watchLayers(names, { intervalMs: 5, signal: stop.signal })) {
      seen.push(`${snapshot.layers.map(({ revision }) => revision).join()} ${snapshot.get('A')}`);
      if (seen.length === 1) held.set('acme/shared/production', { revision: 5, values: { A: 'new' } });
      if (seen.length === 2) held.set('acme/shop/production', { revision: 18, values: { A: 'newer' } });
      if (seen.length === 3) stop.abort();
    }
    expect(seen).toEqual(['4,17 shared', '5,17 new', '5,18 newer']);
  });

  it('agree with a plain merge for 1,000 random stacks, or 100 if that is only another way to the same requests', async () => {
    const stacks = is === 'current' || is === 'older' ? 1000 : 100;
    const fraction = randomFrom(seed);
    const random = (below: number) => Math.floor(fraction() * below);
    const keys = Array.from({ length: 12 }, (_, index) => `KEY_${index}`);
    for (let stack = 0; stack < stacks; stack += 1) {
      held.clear();
      const chosen = Array.from({ length: 1 + random(5) }, (_, index) => `acme/p${random(4)}/e${index}`);
      const expected: Record<string, string> = {};
      const sources: Record<string, string> = {};
      for (const name of chosen) {
        const picked = keys.filter(() => random(3) === 0);
        const values = Object.fromEntries(picked.map(key => [key, `${name} ${key} ${random(1000)}`]));
        held.set(name, { revision: 1 + random(100), values });
        Object.assign(expected, values);
        for (const key of picked) sources[key] = name;
      }
      // A new client for each stack: earlier answers must not be told from these by their revision alone.
      const client = new Holdfast({ url: server.url, token: 'service_tok_layers', retries: 0 });
      const snapshot = await client.layers(chosen);
      expect(snapshot.toObject()).toEqual(expected);
      expect(Object.fromEntries(snapshot.keys().map(key => [key, snapshot.sourceOf(key)]))).toEqual(sources);
    }
  });
});

describe('layers', () => {
  it.each([[[]], [['dev']], [['acme/shop']], [['acme/shop/dev/more']], [['acme//dev']], [['acme/shop/']]])(
    'are refused without a request if they are named %j',
    async wrong => {
      await expect(hf.layers(wrong)).rejects.toThrow(TypeError);
      expect(server.requests).toEqual([]);
    },
  );

  it('take requests of their own unless all are of one organization and one client, at most six, without duplicates', async () => {
    held.set('other/shop/production', { revision: 1, values: { A: 'other' } });
    for (let index = 0; index < 6; index += 1) held.set(`acme/p/e${index}`, { revision: 1, values: {} });
    const other = new Holdfast({ url: server.url, token: 'service_tok_other', retries: 0 });
    const seven = Array.from({ length: 6 }, (_, index) => `acme/p/e${index}`);
    for (const [layers, count] of [
      [[...names, 'other/shop/production'], 3],
      [[names[0], names[0]], 1],
      [[names[0], other.environment('acme', 'shop', 'production')], 2],
      [['acme/shared/production', ...seven], 7],
      [['acme/shop/production'], 1],
    ] as const) {
      server.requests.length = 0;
      await hf.layers(layers as readonly string[]);
      expect([server.requests.length, asked().some(([, below]) => below !== null)]).toEqual([count, false]);
    }
    server.requests.length = 0;
    await hf.layers(seven);
    expect(asked()).toEqual([['acme/p/e5', 'p/e0,p/e1,p/e2,p/e3,p/e4']]);
  });

  it('are asked for with the last tag, and what is unchanged stays; an outage may be bridged', async () => {
    const options = { staleIfErrorMs: 60_000 };
    const first = await hf.layers(names, options);
    const second = await hf.layers(names, options);
    expect(server.requests.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"4.17"']);
    expect(second).toBe(first);
    const young = await hf.layers(names, { maxAgeMs: 60_000 });
    expect([young, server.requests.length]).toEqual([first, 2]);
  });

  it('refuse an answer that names another source than the layers', async () => {
    held.set('acme/shared/production', { revision: 4, values: { A: 'x' } });
    const wrong = startServer((request, response) => {
      const body = pullBody(17, { A: 'x' });
      const secrets = body.secrets.map(secret => ({ ...secret, from: 'elsewhere/production' }));
      json(200, { ...body, secrets }, { etag: '"4.17"' })(request, response);
    });
    const { url, stop } = await wrong;
    const client = new Holdfast({ url, token: 'service_tok_layers', retries: 0 });
    await expect(client.layers(names)).rejects.toMatchObject({ code: 'gateway_error' });
    await stop();
  });
});
