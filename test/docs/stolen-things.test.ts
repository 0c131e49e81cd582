import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const read = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');

const [, chapter = ''] = read('docs/security.md').split('\n## What a thief gains\n');
const [text = ''] = chapter.split('\n## ');
const rows = [...text.matchAll(/^\| (.*) \|$/gm)]
  .map(match => (match[1] as string).split(' | '))
  .filter(([thing]) => thing !== 'Stolen');
/** An item of the list goes on in indented lines. */
const proofs = [...text.replaceAll(/\n +/g, ' ').matchAll(/^(\d+)\. `([^`]+)`: (.+)$/gm)].map(
  ([, number = '', path = '', title = '']) => ({ number, path, title }),
);
const numbersOf = (row: string[]) => (row[4] ?? '').split(', ');

describe('the table of what a thief gains', () => {
  it('says of each thing what it gives, for how long and how it ends, and names a test', () => {
    expect(rows.length).toBeGreaterThanOrEqual(24);
    for (const row of rows) {
      expect(row).toHaveLength(5);
      expect(row.filter(cell => cell.trim() === '')).toEqual([]);
    }
    expect(new Set(rows.map(([thing]) => thing)).size).toBe(rows.length);
  });

  it('names each test in a row, and in no row a test that is not listed', () => {
    expect([...new Set(rows.flatMap(numbersOf))].toSorted()).toEqual(proofs.map(({ number }) => number).toSorted());
  });

  it.each(proofs)('names a test that there is: $title', ({ path, title }) => {
    const tests = [
      ...read(path).matchAll(/\b(?:it|describe)(\.\w+)?(?:\([^'\n]*\))?\(\s*'([^'\n]+)'|\)\(\s*'([^'\n]+)'/g),
    ];
    const found = tests.filter(([, , plain, each]) => (plain ?? each) === title);
    expect(found).not.toEqual([]);
    // A test that is left out proves nothing.
    for (const [, how = '.each'] of found) expect(how).toBe('.each');
  });
});
