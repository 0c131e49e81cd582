import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expansionOf, type StoredValue } from '#lib/contracts/fields/references.ts';
import { ApiError } from '#lib/core/errors.ts';
import type { Target } from '#lib/secrets/change/change-request.ts';
import { boundsOf, dependingOn, depthsOf, graphOf, orderOf, sizesOf } from '#lib/secrets/change/reference-graph.ts';
import { requireReferences } from '#lib/secrets/change/require-references.ts';
import { expandsOf } from '#lib/secrets/engine/references.ts';
import { secretSizeBytes } from '#lib/secrets/engine/secret-size.ts';
import { headWith } from '#test/support/head-with.ts';
import { brokenIn, expanded, namesIn, referenceTo } from '#test/support/reference-rules.ts';

/* Random environments, each judged by a slow reading of the rules that shares no code with the service. */

const environments = Number(process.env.REFERENCE_ENVIRONMENTS ?? 200);

type Values = Readonly<Record<string, StoredValue>>;

const open = '\u0024{';
const nameOf = (index: number) => `K_${index}`;

const target = {
  project: { keyVersion: 1, wrappedKeys: { 1: new Uint8Array(32) } },
  state: { id: 'e', revision: 1, sizeBytes: 0 },
} as unknown as Pick<Target, 'project' | 'state'>;

/** What the rules say about an environment: the error's code, or the expanded values. */
function judge(values: Values): string | Record<string, string> {
  const templates = new Map(Object.entries(values));
  const broken = brokenIn(templates);
  if (broken !== undefined) return broken.problem === 'dangling' ? 'reference_not_found' : broken.problem;
  const results = expanded(templates, 70_000);
  if ([...results.values()].some(text => Buffer.byteLength(text) > 65_536)) return 'payload_too_large';
  return Object.fromEntries(results);
}

const headsOf = (values: Values) =>
  Object.entries(values).map(([key, { value, expand }]) =>
    headWith({
      key,
      sealed: new Uint8Array(Buffer.byteLength(value) + 28),
      sizeBytes: secretSizeBytes(key, value),
      ...(expand && { expands: expandsOf(value) }),
    }),
  );

const byKey = (values: Values) => new Map(headsOf(values).map(head => [head.key, head]));

function codeOf(check: () => void): string {
  try {
    check();
    return 'ok';
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
}

const fragment = (count: number) =>
  fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 0, max: count - 1 }).map(index => referenceTo(nameOf(index))) },
    { weight: 4, arbitrary: fc.constantFrom('x', 'é€', '\u0000"\\', '$', '}', '🙂', open, `${open}}`, `${open}a b}`) },
    { weight: 2, arbitrary: fc.constantFrom(`$${open}`, `$$${open}K_0}`, `${open}K_0`, `${open}${'k'.repeat(257)}}`) },
    { weight: 1, arbitrary: fc.constantFrom('x'.repeat(30_000), 'é'.repeat(20_000), referenceTo('NOWHERE')) },
  );

/** Mostly keys that name later ones, so that many environments are valid and some are deep. */
const environment = fc.integer({ min: 1, max: 14 }).chain(count =>
  fc
    .tuple(
      fc.array(fc.record({ parts: fc.array(fragment(count), { maxLength: 6 }), expand: fc.boolean() }), {
        minLength: count,
        maxLength: count,
      }),
      fc.constantFrom('any', 'later', 'chain'),
    )
    .map(([values, shape]): Values => {
      const entries = values.map(({ parts, expand }, index): [string, StoredValue] => {
        const isBackward = (part: string) => {
          const number = /^\$\{K_(\d+)\}$/.exec(part)?.[1];
          return number !== undefined && Number(number) <= index;
        };
        const kept = shape === 'any' ? parts : parts.filter(part => !isBackward(part) && !part.includes('NOWHERE'));
        const next = shape === 'chain' && index + 1 < count ? [referenceTo(nameOf(index + 1))] : [];
        return [nameOf(index), { value: [...next, ...kept].join(''), expand: expand || next.length > 0 }];
      });
      return Object.fromEntries(entries.filter(([, { value }]) => Buffer.byteLength(value) <= 65_536));
    }),
);

describe('the references of an environment', () => {
  it('are accepted or refused, and expanded, as a slow reading of the rules says', () => {
    const seen = new Set<string>();
    const property = fc.property(environment, values => {
      const expected = judge(values);
      const puts = Object.entries(values).map(([key, value]) => ({ key, ...value }));
      const change = { ...target, before: new Map(), heads: headsOf(values), puts, mayRead: true };
      const code = codeOf(() => requireReferences(change));
      seen.add(code);
      expect(code).toBe(typeof expected === 'string' ? expected : 'ok');
      if (typeof expected === 'string') return;
      const textOf = expansionOf(new Map(Object.entries(values)));
      expect(Object.fromEntries(Object.keys(values).map(key => [key, textOf(key)]))).toEqual(expected);
    });
    fc.assert(property, { numRuns: environments });
    if (environments >= 200) expect([...seen].sort()).toContain('reference_cycle');
  });

  it('keep a key from being deleted exactly as long as another names it', () => {
    const property = fc.property(environment, fc.nat(), (values, chosen) => {
      fc.pre(typeof judge(values) !== 'string');
      const keys = Object.keys(values);
      fc.pre(keys.length > 0);
      const key = keys[chosen % keys.length] as string;
      const isNamed = Object.entries(values).some(([other, value]) => other !== key && namesIn(value).includes(key));
      const heads = [headWith({ key, version: 2, deleted: true })];
      const change = { ...target, before: byKey(values), heads, puts: [], mayRead: true };
      expect(codeOf(() => requireReferences(change))).toBe(isNamed ? 'key_referenced' : 'ok');
    });
    fc.assert(property, { numRuns: environments });
  });

  it('are checked for a writer who may not read without any answer that depends on the size of a value', () => {
    const text = fc.integer({ min: 0, max: 65_536 }).map(length => 'x'.repeat(length));
    const property = fc.property(text, fc.array(fragment(1), { maxLength: 3 }), (value, parts) => {
      const template = { key: 'T', value: parts.filter(part => !part.includes('NOWHERE')).join(''), expand: true };
      fc.pre(Buffer.byteLength(template.value) <= 65_536);
      const codeWith = (hidden: string) => {
        const values = { K_0: { value: hidden, expand: false } };
        const heads = headsOf({ T: template });
        const change = { ...target, before: byKey(values), heads, puts: [template], mayRead: false };
        return codeOf(() => requireReferences(change));
      };
      expect(codeWith(value)).toBe(codeWith(''));
    });
    fc.assert(property, { numRuns: environments });
  });

  it('cost no more than what they name, however often that doubles', () => {
    const doubling = Object.fromEntries(
      Array.from({ length: 10 }, (_, index) => [
        nameOf(index),
        { value: referenceTo(nameOf(index + 1)).repeat(7000), expand: true },
      ]),
    );
    const values = { ...doubling, [nameOf(10)]: { value: 'x', expand: false } };
    const puts = Object.entries(values).map(([key, value]) => ({ key, ...value }));
    const change = { ...target, before: new Map(), heads: headsOf(values), puts, mayRead: true };
    expect(codeOf(() => requireReferences(change))).toBe('payload_too_large');
  });

  it('are checked and expanded by looking at each key and name a few times, although ten billion paths lead down', () => {
    const layers = 10;
    const keysOf = (layer: number) => Array.from({ length: 10 }, (_, index) => `L${layer}_${index}`);
    const below = (layer: number): StoredValue => {
      const names = layer === 0 ? [] : keysOf(layer - 1).map(referenceTo);
      return { value: names.join(''), expand: layer > 0 };
    };
    const all = Array.from({ length: layers + 1 }, (_, layer) =>
      keysOf(layer).map(key => [key, below(layer)] as const),
    );
    const values = new Map(all.flat());
    const keyCount = values.size;
    const nameCount = layers * 100;

    const graph = new CountedMap(graphOf(headsOf(Object.fromEntries(values))), 10 * (keyCount + nameCount));
    const ordered = orderOf(graph);
    const order = 'order' in ordered ? ordered.order : [];
    expect(order).toHaveLength(keyCount);
    expect(depthsOf(graph, order).get('L10_0')).toBe(layers);
    expect(sizesOf(graph, order).get('L10_0')?.bytes).toBe(0);
    expect(boundsOf(graph, order).get('L10_0')).toBeGreaterThan(10 ** layers);
    expect(dependingOn(graph, order, new Set(['L0_0'])).size).toBe(keyCount - 9);

    const stored = new CountedMap(values, keyCount);
    const textOf = expansionOf(stored);
    expect([...values.keys()].map(textOf).join('')).toBe('');
  });
});

/** Says no after a number of look-ups. */
class CountedMap<K, V> extends Map<K, V> {
  #left = Number.POSITIVE_INFINITY;

  constructor(entries: Iterable<readonly [K, V]>, allowed: number) {
    super(entries);
    this.#left = allowed;
  }

  override get(key: K): V | undefined {
    this.#left -= 1;
    if (this.#left < 0) throw new Error('Looked up too often.');
    return super.get(key);
  }
}
