import { expect, it } from 'vitest';
import { digestOf } from '#lib/secrets/engine/digest.ts';
import { secretSizeBytes } from '#lib/secrets/engine/secret-size.ts';
import { contentAfter, fitsOneTransaction } from '#lib/secrets/engine/write-change.ts';
import type { EnvironmentState } from '#lib/table/records/environment.ts';
import type { HeadRecord } from '#lib/table/records/secret.ts';
import { headWith } from '#test/support/head-with.ts';

const stored = [
  { key: 'A', version: 3, fence: 2 },
  { key: 'B', version: 1, fence: 2 },
];
const state = { secretCount: 2, sizeBytes: 700, digest: digestOf(stored) } as EnvironmentState;

function head(key: string, version: number, sizeBytes: number | undefined, sealedBytes = 100): HeadRecord {
  const sealed = new Uint8Array(sealedBytes);
  return headWith({ key, version, fence: 2, ...(sizeBytes === undefined ? { deleted: true } : { sizeBytes, sealed }) });
}

it('the content of an environment after a change counts creations, replacements, deletions and keys set again after a deletion', () => {
  const before = new Map([
    ['A', head('A', 3, 400)],
    ['B', head('B', 1, 300)],
    ['GONE', head('GONE', 2, undefined)],
  ]);
  const heads = [head('A', 4, 500), head('B', 2, undefined), head('GONE', 3, 350), head('NEW', 1, 360)];
  expect(contentAfter({ state, before, heads })).toEqual({
    secretCount: 3,
    sizeBytes: 500 + 350 + 360,
    digest: digestOf(heads.filter(({ key }) => key !== 'B')),
  });
});

it('what fits in one transaction is limited by the number of keys and by their bytes', () => {
  const heads = (count: number, sealedBytes: number) =>
    Array.from({ length: count }, (_, i) => head(`K${i}`, 1, 300, sealedBytes));
  expect(fitsOneTransaction(heads(45, 200))).toBe(true);
  expect(fitsOneTransaction(heads(46, 200))).toBe(false);
  const deletions = (count: number) => Array.from({ length: count }, (_, i) => head(`K${i}`, 2, undefined));
  expect(fitsOneTransaction(deletions(30))).toBe(true);
  expect(fitsOneTransaction(deletions(31))).toBe(false);
  expect(fitsOneTransaction(heads(26, 65_564))).toBe(true);
  expect(fitsOneTransaction(heads(27, 65_564))).toBe(false);
});

it('the size of a secret is that of key and value as JSON, plus a constant for the rest', () => {
  expect(secretSizeBytes('KEY', 'value')).toBe(5 + 7 + 256);
  expect(secretSizeBytes('KEY', '')).toBe(5 + 2 + 256);
  expect(secretSizeBytes('K', '\u0000"ü')).toBe(3 + 2 + 6 + 2 + 2 + 256);
});
