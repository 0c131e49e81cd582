import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sumOf } from '#lib/audit/count-entries.ts';
import { withinAnswer } from '#lib/audit/entry-view.ts';
import { keysThatFit } from '#lib/audit/keys-that-fit.ts';
import { expiryOf } from '#lib/audit/retention.ts';
import { auditEntry } from '#test/support/seed-audit.ts';

const daySeconds = 86_400;

describe('expiryOf', () => {
  it('is the end of a day, at least the retention away and less than a day more', () => {
    const instants = fc.integer({ min: 0, max: 4_000_000_000_000 });
    fc.assert(
      fc.property(instants, fc.integer({ min: 1, max: 10_000 }), (nowMs, days) => {
        const expiry = expiryOf(nowMs, days);
        const keptSeconds = expiry - nowMs / 1000;
        return expiry % daySeconds === 0 && keptSeconds >= days * daySeconds && keptSeconds <= (days + 1) * daySeconds;
      }),
    );
  });

  it('is in the past if nothing is retained', () => {
    expect(expiryOf(Date.UTC(2026, 0, 31, 12), 0)).toBe(Date.UTC(2026, 0, 31) / 1000);
  });
});

it('sumOf omits expired entries, starting with the second in which they expire', () => {
  const days = { '100': 1, '101': 10, '102': 100, never: 1000 };
  expect(sumOf(days, 101 * daySeconds - 1)).toBe(1110);
  expect(sumOf(days, 101 * daySeconds)).toBe(1100);
  expect(sumOf({}, 0)).toBe(0);
});

it('keysThatFit keeps all if they fit, else the first ones, and reports how many are missing', () => {
  expect(keysThatFit(['AB', 'CD'], 10)).toEqual({ keys: ['AB', 'CD'], keysOmitted: 0 });
  expect(keysThatFit(['AB', 'CD', 'EF'], 10)).toEqual({ keys: ['AB', 'CD'], keysOmitted: 1 });
  expect(keysThatFit([], 0)).toEqual({ keys: [], keysOmitted: 0 });
});

describe('withinAnswer', () => {
  const keys = Array.from({ length: 1000 }, (_, index) => `K${index}_`.padEnd(256, 'x'));
  const entry = auditEntry('secret.bulk_set', 0, { keys });

  it('leaves an ordinary page unchanged', () => {
    expect(withinAnswer([entry, entry])).toEqual([entry, entry]);
  });

  it('shortens lists of keys if the page would not fit in the response', () => {
    const small = auditEntry('secret.updated', 0, { keys: ['A'] });
    const page = withinAnswer([...Array(499).fill(entry), small]);
    expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(4.5 * 1024 * 1024);
    expect([page.length, page[499]]).toEqual([500, small]);
    for (const shortened of page.slice(0, 499)) {
      expect(shortened.keys?.length).toBeGreaterThan(0);
      expect((shortened.keys?.length ?? 0) + (shortened.keysOmitted ?? 0)).toBe(1000);
    }
  });

  it('shortens what a change left unchanged, and says which entries lack their details', () => {
    const change = auditEntry('secret.bulk_set', 0, { keys: ['A'], unchanged: keys });
    const details = { from: 'x'.repeat(100_000) };
    const page = withinAnswer([...Array(99).fill(change), auditEntry('template_key.added', 0, { details })]);
    expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(4.5 * 1024 * 1024);
    for (const { keys: written, unchanged = [], keysOmitted = 0 } of page.slice(0, 99)) {
      expect([written, unchanged.length > 0, unchanged.length + keysOmitted]).toEqual([['A'], true, 1000]);
    }
    expect(page[99]).toMatchObject({ detailsOmitted: true });
    expect(page[99]).not.toHaveProperty('details');
  });
});
