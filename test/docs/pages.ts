import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../..');

export const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** The text of each block of code in a language, unchanged. */
export const blocksOf = (text: string, language: string): string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(match => match[1] ?? '');

/** A chapter of a page, up to the next heading of its level. */
export function chapterOf(path: string, heading: string): string {
  const [marks = ''] = heading.split(' ');
  const [, text] = read(path).split(`\n${heading}\n`);
  if (text === undefined) throw new Error(`${path} has no chapter "${heading}".`);
  return text.split(new RegExp(`\\n#{1,${marks.length}} `))[0] ?? '';
}

/** The cells of the rows of a page's tables, without the heads. */
export const rowsOf = (text: string, ...heads: string[]): string[][] =>
  [...text.matchAll(/^\| (.*) \|$/gm)]
    .map(match => (match[1] as string).split(/ \| /).map(cell => cell.trim()))
    .filter(([first = '']) => !heads.includes(first));
