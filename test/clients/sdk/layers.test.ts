import { beforeEach, describe, expect, it } from 'vitest';
import { Holdfast } from '#clients/sdk/src/index.ts';
import { shared } from '#test/support/fixtures.ts';
import { randomFrom, seed } from '#test/support/seed.ts';
import { environmentsIn } from '../cases/answers.ts';
import type { LayersService, PulledEnvironment } from '../cases/case.ts';
import { startServer } from './scripted-server.ts';

/** What each environment holds, by its name. */
let held: Record<string, PulledEnvironment>;
let hf: Holdfast;
let service: LayersService;

const server = shared(() => startServer((request, response) => environmentsIn(held, service)(request, response)));

const clientOf = (token: string) => new Holdfast({ url: server.url, token, retries: 0 });

beforeEach(() => {
  held = {
    'acme/shared/production': { revision: 4, values: { A: 'shared', B: 'shared', constructor: 'shared' } },
    'acme/shop/production': { revision: 17, values: { B: 'shop', C: '' } },
  };
  service = 'current';
  hf = clientOf('service_tok_layers');
  server.requests.length = 0;
});

const names = ['acme/shared/production', 'acme/shop/production'];

/* What both SDKs do is in the table of cases. */
describe('layers', () => {
  it.each([
    ['current', 1000],
    ['older', 1000],
    // These are only other ways to the same requests.
    ['untagged', 100],
    ['too-large', 100],
  ] as const)('of a service that is %s agree with a plain merge for %d random stacks', async (is, stacks) => {
    service = is;
    const fraction = randomFrom(seed);
    const random = (below: number) => Math.floor(fraction() * below);
    const keys = Array.from({ length: 12 }, (_, index) => `KEY_${index}`);
    for (let stack = 0; stack < stacks; stack += 1) {
      held = {};
      const chosen = Array.from({ length: 1 + random(5) }, (_, index) => `acme/p${random(4)}/e${index}`);
      const expected: Record<string, string> = {};
      const sources: Record<string, string> = {};
      for (const name of chosen) {
        const picked = keys.filter(() => random(3) === 0);
        const values = Object.fromEntries(picked.map(key => [key, `${name} ${key} ${random(1000)}`]));
        held[name] = { revision: 1 + random(100), values };
        Object.assign(expected, values);
        for (const key of picked) sources[key] = name;
      }
      // A new client for each stack: earlier answers must not be told from these by their revision alone.
      const snapshot = await clientOf('service_tok_layers').layers(chosen);
      expect(snapshot.toObject()).toEqual(expected);
      expect(Object.fromEntries(snapshot.keys().map(key => [key, snapshot.sourceOf(key)]))).toEqual(sources);
    }
  });

  it('may be environments instead of names; those of another client are pulled with its token', async () => {
    const other = clientOf('service_tok_other');
    const [bottom, top] = names as [string, string];
    await hf.layers([bottom, hf.environment('acme', 'shop', 'production')]);
    expect(server.requests).toHaveLength(1);
    await hf.layers([bottom, other.environment('acme', 'shop', 'production')]);
    const sent = server.requests.slice(1).map(({ path, headers }) => `${path.slice(12)} ${headers.authorization}`);
    expect(sent.toSorted()).toEqual([`${bottom} Bearer service_tok_layers`, `${top} Bearer service_tok_other`]);
  });

  it('that have not changed are the same snapshot, which shows no value', async () => {
    const first = await hf.layers(names);
    expect(await hf.layers(names)).toBe(first);
    expect(await hf.layers(names, { maxAgeMs: 60_000 })).toBe(first);
    expect(server.requests).toHaveLength(2);
    expect(JSON.stringify(first)).not.toMatch(/"shared"|"shop"/);
  });
});
