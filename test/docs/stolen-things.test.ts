import { describe, expect, it } from 'vitest';
import { chapterOf, read, rowsOf } from './pages.ts';

const text = chapterOf('docs/security.md', '## What a thief gains');
const rows = rowsOf(text, 'Stolen');
/** A list item continues in indented lines. */
const proofs = [...text.replaceAll(/\n +/g, ' ').matchAll(/^(\d+)\. `([^`]+)`: (.+)$/gm)].map(
  ([, number = '', path = '', title = '']) => ({ number, path, title }),
);
const numbersOf = (row: string[]) => (row[4] ?? '').split(', ');

describe('the table of what a thief gains', () => {
  it('says for each thing what it grants, for how long and how it ends, and refers to a test', () => {
    expect(rows.length).toBeGreaterThanOrEqual(24);
    for (const row of rows) {
      expect(row).toHaveLength(5);
      expect(row.filter(cell => cell.trim() === '')).toEqual([]);
    }
    expect(new Set(rows.map(([thing]) => thing)).size).toBe(rows.length);
  });

  it('lists exactly the tests that its rows refer to', () => {
    expect([...new Set(rows.flatMap(numbersOf))].toSorted()).toEqual(proofs.map(({ number }) => number).toSorted());
  });

  it.each(proofs)('refers to an existing test: $title', ({ path, title }) => {
    const tests = [
      ...read(path).matchAll(/\b(?:it|test|describe)(\.\w+)?(?:\([^'\n]*\))?\(\s*'([^'\n]+)'|\)\(\s*'([^'\n]+)'/g),
    ];
    const found = tests.filter(([, , plain, each]) => (plain ?? each) === title);
    expect(found).not.toEqual([]);
    // A skipped test proves nothing.
    for (const [, how = '.each'] of found) expect(how).toBe('.each');
  });
});
