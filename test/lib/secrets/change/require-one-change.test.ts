import { expect, it } from 'vitest';
import { maxKeysPerChange } from '#lib/contracts/fields/secret-rules.ts';
import { changeUnits, maximumChangeUnits, requireOneChange } from '#lib/secrets/change/require-one-change.ts';
import { maxEnvironmentBytes, secretSizeBytes } from '#lib/secrets/engine/secret-size.ts';
import { fitsOneTransaction } from '#lib/secrets/engine/write-change.ts';
import type { HeadRecord } from '#lib/table/records/secret.ts';

const author = { email: 'someone@example.com' };
const puts = (count: number, value: string, key = 'K') =>
  Array.from({ length: count }, (_, index) => ({ key: `${key}${index}`, value }));
const check = (count: number, value: string) =>
  requireOneChange({ puts: puts(count, value), deletions: [] }, new Map(), author);

const sealedHead = (bytes: number) => ({ sealed: new Uint8Array(bytes) }) as HeadRecord;

it('a change of up to some 4,300 small keys may be made at once, and a larger one is rejected with what fits', () => {
  check(4300, 'value');
  const count = Math.floor(maxEnvironmentBytes / secretSizeBytes('K0000', ''));
  expect(count).toBeGreaterThan(15_000);
  expect(() => check(count, '')).toThrow(
    expect.objectContaining({
      code: 'payload_too_large',
      details: expect.objectContaining({ keyCount: count, maximumWriteUnits: maximumChangeUnits }),
    }),
  );
});

it('any change that may name its keys fits if its values are small', () => {
  check(maxKeysPerChange, 'x'.repeat(2000));
  const keys = puts(maxKeysPerChange, 'value', 'K'.repeat(250));
  requireOneChange({ puts: keys, deletions: [] }, new Map(), author);
});

it('any change that fits in one transaction is small enough', () => {
  const head: HeadRecord = { ...sealedHead(65_536 + 28), key: 'K' };
  const heads = Array.from({ length: 45 }, () => head);
  const fitting = heads.slice(
    0,
    heads.findLastIndex((_, index) => fitsOneTransaction(heads.slice(0, index))),
  );
  expect(fitting.length).toBeGreaterThan(20);
  check(fitting.length, 'x'.repeat(65_536));
});

it('a small value that replaces a large one, and a deletion, cost as much as what they replace', () => {
  const before = new Map([['K0', sealedHead(65_536)]]);
  const none = changeUnits({ puts: puts(1, 'value'), deletions: [] }, new Map(), author);
  const replaced = changeUnits({ puts: puts(1, 'value'), deletions: [] }, before, author);
  expect([none, replaced, changeUnits({ puts: [], deletions: ['K0'] }, before, author)]).toEqual([6, 134, 134]);
});
