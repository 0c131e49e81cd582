import { describe, expect, it } from 'vitest';
import { historyFrom, historyOfEntries, type KeyVersion, originsOf, versionAt } from '#lib/exposure/key-history.ts';
import { auditEntry } from '#test/support/seed-audit.ts';

const at = (revision: number, more: Partial<KeyVersion> = {}): KeyVersion => {
  return { version: revision, revision, createdAt: '2026-01-01T00:00:00.000Z', hasValue: true, ...more };
};

it('the version that a key had at a revision is the last one written until then, if it has a value', () => {
  const versions = [at(2), at(5, { hasValue: false }), at(9)];
  const versionsAt = (...revisions: number[]) => revisions.map(revision => versionAt(versions, revision)?.version);
  expect(versionsAt(0, 1)).toEqual([undefined, undefined]);
  expect(versionsAt(2, 4)).toEqual([2, 2]);
  expect(versionsAt(5, 8)).toEqual([undefined, undefined]);
  expect(versionsAt(9, 100)).toEqual([9, 9]);
});

describe('the origin of a version', () => {
  it('is where its value first appeared, through restorations of restorations', () => {
    const versions = [at(1), at(2), at(3, { restored: 1 }), at(4), at(5, { restored: 3 }), at(6, { restored: 2 })];
    expect(Object.fromEntries(originsOf(versions))).toEqual({ 1: 1, 2: 2, 3: 1, 4: 4, 5: 1, 6: 2 });
  });

  it('is the version itself if nothing is known of what it restores', () => {
    const versions = [at(1, { hasValue: false }), at(2, { restored: 1 }), at(3, { restored: 0 })];
    expect([...originsOf(versions).values()]).toEqual([1, 2, 3]);
  });

  it('is found in a history that goes back and forth ten thousand times', () => {
    const versions = Array.from({ length: 10_000 }, (_, n) => at(n + 1, n < 2 ? {} : { restored: n - 1 }));
    const origins = originsOf(versions);
    expect([origins.get(9_999), origins.get(10_000)]).toEqual([1, 2]);
  });
});

describe('the history of keys', () => {
  it('begins with what a key had before the first change that was read', () => {
    const change: Parameters<typeof historyFrom>[1][number] = {
      revision: 8,
      action: 'secret.changed',
      createdAt: '2026-01-01T00:00:00.000Z',
      createdBy: { id: 'ada', email: 'ada@example.com' },
      created: Object.entries({ NEW: 1, BACK: 3 }),
      updated: [['OLD', 5]],
      deleted: [['GONE', 2]],
    };
    const history = historyFrom([{ key: 'SAME', version: 4 }], [change]);
    const shown = ([key, versions]: [string, readonly KeyVersion[]]) => [
      key,
      versions.map(({ version, hasValue }) => `${version} ${hasValue ? 'with' : 'without'} a value`).join(', '),
    ];
    expect(Object.fromEntries([...history].map(shown))).toEqual({
      NEW: '1 with a value',
      BACK: '2 without a value, 3 with a value',
      OLD: '4 with a value, 5 with a value',
      GONE: '1 with a value, 2 without a value',
      SAME: '4 with a value',
    });
  });

  it('of an erased environment does not name versions if its oldest changes are not known', () => {
    const entries = [
      auditEntry('secret.updated', 0, { keys: ['A'], revision: 7 }),
      auditEntry('secret.deleted', 1, { keys: ['A'], revision: 9 }),
    ];
    const versions = (isWhole: boolean) => {
      const known = historyOfEntries(entries, isWhole).get('A') ?? [];
      return [3, 7, 9].map(revision => versionAt(known, revision)?.version);
    };
    expect(versions(true)).toEqual([undefined, 1, undefined]);
    expect(versions(false)).toEqual([undefined, 0, undefined]);
  });
});
