import fc from 'fast-check';
import { expect, it } from 'vitest';
import { columnLines } from '#clients/cli/src/columns.ts';
import { widthOf } from '#clients/cli/src/printable.ts';

const rows = [
  ['REVISION', 'KEYS', 'WHY'],
  ['2', '+KEY_1 +KEY_10 +KEY_11 and 27 more', 'thirty keys'],
  ['1', '+A', '日本語 の 理由'],
];

it('aligns columns, and does not wrap what fits', () => {
  expect(columnLines(rows, 120).flat()).toEqual([
    'REVISION  KEYS                                WHY',
    '2         +KEY_1 +KEY_10 +KEY_11 and 27 more  thirty keys',
    '1         +A                                  日本語 の 理由',
  ]);
});

it('wraps the widest column at spaces if the terminal is narrower', () => {
  expect(columnLines(rows, 44)).toEqual([
    ['REVISION  KEYS                WHY'],
    ['2         +KEY_1 +KEY_10      thirty keys', '          +KEY_11 and 27', '          more'],
    ['1         +A                  日本語 の 理由'],
  ]);
});

it('fits the terminal, whatever the rows, and keeps every word unless the longest words alone do not fit', () => {
  const cell = fc
    .array(fc.string({ minLength: 1, maxLength: 9 }).map(text => text.replaceAll(/\s/g, 'x')))
    .map(words => words.join(' '));
  const tables = fc
    .integer({ min: 1, max: 4 })
    .chain(columns =>
      fc.array(fc.array(cell, { minLength: columns, maxLength: columns }), { minLength: 1, maxLength: 6 }),
    );
  fc.assert(
    fc.property(tables, fc.integer({ min: 1, max: 100 }), (table, width) => {
      const lines = columnLines(table, width);
      const least = (table[0] ?? []).map((_, column) =>
        Math.max(
          ...table.flatMap(row => {
            const text = row[column] ?? '';
            return widthOf(text) <= 16 ? [widthOf(text)] : text.split(' ').map(widthOf);
          }),
        ),
      );
      const longestWords = least.reduce((sum, one) => sum + one, 2 * (least.length - 1));
      // No column is cut below six letters.
      const narrowest = least.reduce((sum, one) => sum + Math.min(one, 6), 2 * (least.length - 1));
      for (const line of lines.flat()) expect(widthOf(line)).toBeLessThanOrEqual(Math.max(width, narrowest));
      if (longestWords > width) return;
      const wordsOf = (texts: readonly string[]) =>
        texts
          .flatMap(text => text.split(' '))
          .filter(Boolean)
          .toSorted();
      expect(lines.map(wordsOf)).toEqual(table.map(wordsOf));
    }),
  );
});

it('never cuts a slug or a key, which people copy', () => {
  const table = [
    ['SLUG', 'ENVIRONMENTS'],
    ['a-slug-that-is-much-longer', 'development-and-more'],
  ];
  expect(columnLines(table, 22).flat()[1]).toBe('a-slug-that-is-much-longer  devel…');
});

it('cuts long words if the terminal is too narrow for them', () => {
  const table = [
    ['WHAT', 'BY'],
    ['SEARCH_INDEX_ENDPOINT', 'ada.lovelace@example.com'],
    ['日本語日本語日本語', 'ada'],
  ];
  expect(columnLines(table, 22).flat()).toEqual(['WHAT        BY', 'SEARCH_IN…  ada.lovel…', '日本語日…   ada']);
});
