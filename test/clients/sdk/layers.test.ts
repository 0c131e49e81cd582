import { beforeEach, describe, expect, it } from 'vitest';
import { Holdfast } from '#clients/sdk/src/index.ts';
import { shared } from '#test/support/fixtures.ts';
import { randomFrom, seed } from '#test/support/seed.ts';
import { pullAnswer, refusal, startServer } from './scripted-server.ts';

/** What each environment holds, by its path, at its revision. */
let held: Map<string, { revision: number; values: Record<string, string> }>;
let hf: Holdfast;

const server = shared(() =>
  startServer((request, response) => {
    const found = held.get(request.path.replace('/v1/secrets/', ''));
    if (found !== undefined) return pullAnswer(found.revision, found.values)(request, response);
    return refusal(404, 'environment_not_found')(request, response);
  }),
);
beforeEach(() => {
  held = new Map<string, { revision: number; values: Record<string, string> }>([
    ['acme/shared/production', { revision: 4, values: { A: 'shared', B: 'shared', constructor: 'shared' } }],
    ['acme/shop/production', { revision: 17, values: { B: 'shop', C: '' } }],
  ]);
  hf = new Holdfast({ url: server.url, token: 'service_tok_layers', retries: 0 });
  server.requests.length = 0;
});

const names = ['acme/shared/production', 'acme/shop/production'];

describe('layers', () => {
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
    expect(server.requests.map(({ path }) => path).toSorted()).toEqual(names.map(name => `/v1/secrets/${name}`));
  });

  it('agree with a plain merge for 1,000 random stacks', async () => {
    const fraction = randomFrom(seed);
    const random = (below: number) => Math.floor(fraction() * below);
    const keys = Array.from({ length: 12 }, (_, index) => `KEY_${index}`);
    for (let stack = 0; stack < 1000; stack += 1) {
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
