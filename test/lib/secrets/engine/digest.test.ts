import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changedDigest, digestOf, emptyDigest } from '#lib/secrets/engine/digest.ts';

const heads = fc.uniqueArray(
  fc.record({
    key: fc.stringMatching(/^[A-Z]{1,3}$/),
    version: fc.integer({ min: 1, max: 1e9 }),
    fence: fc.integer({ min: 1, max: 1e9 }),
  }),
  { selector: ({ key }) => key, maxLength: 20 },
);

describe('the digest of an environment’s heads', () => {
  it('does not depend on their order', () => {
    fc.assert(
      fc.property(heads, some => {
        expect(digestOf(some.toReversed())).toBe(digestOf(some));
      }),
    );
  });

  it('follows replacements without knowing the other heads', () => {
    fc.assert(
      fc.property(heads, heads, (before, changed) => {
        const replaced = before.filter(({ key }) => changed.some(one => one.key === key));
        const kept = before.filter(({ key }) => !changed.some(one => one.key === key));
        const digest = changedDigest(digestOf(before), replaced, changed);
        expect(digest).toBe(digestOf([...kept, ...changed]));
        expect(changedDigest(digest, [...kept, ...changed], [])).toBe(emptyDigest);
      }),
    );
  });

  it('differs by key, by version and by the change that wrote them', () => {
    const head = (key: string, version: number, fence = 1) => ({ key, version, fence });
    const digests = [
      emptyDigest,
      ...[head('A', 1), head('A', 1, 2), head('A', 2), head('B', 1)].map(only => digestOf([only])),
      digestOf([head('A', 1), head('B', 2)]),
      digestOf([head('A', 2), head('B', 1)]),
    ];
    expect(new Set(digests).size).toBe(digests.length);
    expect(digests.every(digest => /^[0-9a-f]{32}$/.test(digest))).toBe(true);
  });
});
