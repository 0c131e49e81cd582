import { expect, it } from 'vitest';
import { endOfScan } from '#lib/audit/cursor.ts';
import type { StoredEntry } from '#lib/audit/scan.ts';

/* Where a reader of a part of the log continues. The scan ended at an entry of another part. */
const readTo = '2026-01-31T09:26:53.589Z#5e8c2f90-7d41-4a3b-8c6e-19b4d7f0a825';
const seen = { createdAt: '2026-01-31T09:26:12.000Z', id: 'd3a91c57-4e06-4f8b-9b2d-71c5e8a0f364' } as StoredEntry;
const none = { last: undefined, from: '2026-01-01T00:00:00.000Z' };

it('continues after the last entry of the part', () => {
  expect(endOfScan(readTo, { ...none, last: seen })).toBe(`${seen.createdAt}#${seen.id}`);
});

it('continues from the minute if the part had no entry, without leaving one out', () => {
  expect(endOfScan(readTo, none)).toBe('2026-01-31T09:26:00.000Z');
  const newestFirst = { last: undefined, from: '2026-02-01T00:00:00.000Z', newestFirst: true };
  expect(endOfScan(readTo, newestFirst)).toBe('2026-01-31T09:27:00.000Z');
  // Entries of exactly this time, with lower ids, have not been read.
  expect(endOfScan(readTo.replace('53.589', '00.000'), newestFirst)).toBe('2026-01-31T09:27:00.000Z');
});

it('makes progress within one minute', () => {
  expect(endOfScan(readTo, { ...none, from: '2026-01-31T09:26:00.000Z' })).toBe(readTo);
  expect(endOfScan(readTo, { last: undefined, from: '2026-01-31T09:27:00.000Z', newestFirst: true })).toBe(readTo);
});
