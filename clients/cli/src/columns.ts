import { widthOf } from './printable.ts';

type Row = readonly string[];

const gap = 2;

/** Such as an age. Broken up, it would be harder to read than a line that the terminal breaks. */
const maxUnwrapped = 16;

/** A column is not cut below this. */
const minCut = 6;

/** These are copied into commands, so their cells are never cut. */
const uncut = ['SLUG', 'KEY', 'ID'];

/**
 * Rows as lines in aligned columns. If they are wider than the terminal, the widest columns wrap at spaces. If that is not
 * enough, long words are cut.
 */
export function columnLines(rows: readonly Row[], terminalWidth: number): string[][] {
  const { widths: wrapping, least } = wrappingWidths(rows, terminalWidth);
  const fits = totalOf(wrapping) <= terminalWidth;
  const widths = fits
    ? wrapping
    : shrunk(least, terminalWidth, column => (uncut.includes(rows[0]?.[column] ?? '') ? (least[column] ?? 0) : minCut));
  return rows.map(row => {
    const cells = row.map((cell, column) => wrapped(cell, widths[column] ?? 0));
    const height = Math.max(...cells.map(({ length }) => length));
    return Array.from({ length: height }, (_, line) =>
      cells
        .map((parts, column) => padded(parts[line] ?? '', widths[column] ?? 0))
        .join(' '.repeat(gap))
        .trimEnd(),
    );
  });
}

/**
 * The columns that are shown: if all are wider than the terminal even where they wrap, some are left out.
 * @param optional headers of such columns, in this order
 */
export function fittingColumns(rows: readonly Row[], terminalWidth: number, optional: readonly string[]): Row[] {
  const [name, ...others] = optional;
  const column = (rows[0] ?? []).indexOf(name ?? '');
  if (column < 0 || totalOf(wrappingWidths(rows, terminalWidth).widths) <= terminalWidth) return [...rows];
  return fittingColumns(
    rows.map(row => row.toSpliced(column, 1)),
    terminalWidth,
    others,
  );
}

/** The widths of columns that only wrap, and the least that they need for that. */
function wrappingWidths(rows: readonly Row[], terminalWidth: number): { widths: number[]; least: number[] } {
  const widestOf = (textsOf: (cell: string) => readonly string[]) =>
    (rows[0] ?? []).map((_, column) =>
      // A spread of the rows of a long log would be more arguments than a call may have.
      rows
        .flatMap(row => textsOf(row[column] ?? '').map(widthOf))
        .reduce((widest, width) => Math.max(widest, width), 0),
    );
  const natural = widestOf(cell => [cell]);
  const least = widestOf(cell => (widthOf(cell) <= maxUnwrapped ? [cell] : cell.split(' ')));
  return { widths: shrunk(natural, terminalWidth, column => least[column] ?? 0), least };
}

/** The widest column shrinks first. */
function shrunk(natural: readonly number[], terminalWidth: number, leastOf: (column: number) => number): number[] {
  const widths = [...natural];
  let excess = totalOf(widths) - terminalWidth;
  for (; excess > 0; excess -= 1) {
    const shrinkable = widths.map((width, column) => (width > leastOf(column) ? width : 0));
    const widest = Math.max(...shrinkable);
    if (widest === 0) return widths;
    widths[shrinkable.indexOf(widest)] = widest - 1;
  }
  return widths;
}

const totalOf = (widths: readonly number[]): number =>
  widths.reduce((sum, width) => sum + width, gap * (widths.length - 1));

function wrapped(cell: string, width: number): string[] {
  const lines: string[] = [];
  for (const long of cell.split(' ')) {
    const word = cut(long, width);
    const extended = `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && widthOf(extended) <= width) lines[lines.length - 1] = extended;
    else lines.push(word);
  }
  return lines;
}

function cut(word: string, width: number): string {
  if (widthOf(word) <= width) return word;
  let start = '';
  for (const character of word) {
    if (widthOf(start + character) >= width) break;
    start += character;
  }
  return `${start}…`;
}

const padded = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)));
