import { isatty } from 'node:tty';
import { styleText } from 'node:util';
import { age } from './ago.ts';
import { columnLines, fittingColumns } from './columns.ts';
import { page } from './pager.ts';
import { forTerminal, printable } from './printable.ts';
import { writeAll } from './write-all.ts';

type Style = Parameters<typeof styleText>[0];
type Row = readonly string[];

export interface Output {
  readonly json: boolean;
  readonly quiet: boolean;
  /** Whether stdout is a terminal. */
  readonly isTerminal: boolean;
  /** Writes to stdout: unchanged to a file or pipe, without control characters to a terminal. */
  data(text: string): void;
  /** Writes one JSON document to stdout. */
  document(value: unknown): void;
  /**
   * Prints rows: in columns with a header on a terminal, elsewhere tab-separated without one.
   * @param empty shown to people if there are no rows
   * @param optional headers of columns to leave out, in this order, on a terminal that is too narrow
   */
  table(header: Row, rows: readonly Row[], empty?: string, optional?: readonly string[]): void;
  /** Like `table`, for rows that come little by little. */
  rows(header: Row, rows: readonly Row[], isFirst: boolean, optional: readonly string[]): void;
  /** Like `data`; long text goes through a pager on a terminal. */
  listing(text: string): void;
  /** Formats a time: on a terminal in the local time zone, elsewhere as given. */
  time(iso: string, stream?: 1 | 2): string;
  /** Formats a past time: on a terminal by its age (`2 minutes ago`), elsewhere as given. */
  ago(iso: string): string;
  /** A line on a terminal that the next one replaces, to show how far something has come; an empty one ends it. */
  progress(line: string): void;
  /** A line for people, on stderr; silent with --quiet and with --json. */
  note(line: string): void;
  /** A line on stderr, even with --quiet or --json. */
  warn(line: string): void;
  paint(style: Style, text: string, stream?: 1 | 2): string;
}

/**
 * Nothing here but `inColumns` uses `process.stdout` or `process.stderr`: Node makes their descriptors non-blocking, and a
 * command that replaces this process would inherit that.
 */
export function createOutput({ json = false, quiet = false }: { json?: boolean; quiet?: boolean }): Output {
  const isTerminal = isatty(1);
  const hasColor = (stream: 1 | 2) => isatty(stream) && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
  const paint: Output['paint'] = (style, text, stream = 1) =>
    // `hasColor` has checked the stream. Node's own check differs between versions.
    hasColor(stream) ? styleText(style, text, { validateStream: false } as object) : text;
  const data = (text: string): void => writeAll(1, isTerminal ? forTerminal(text) : text);
  const listing = (text: string): void => {
    const safe = isTerminal ? forTerminal(text) : text;
    if (!isTerminal || json || !page(safe)) writeAll(1, safe);
  };
  const warn = (line: string): void => writeAll(2, `${forTerminal(line)}\n`);
  const note = (line: string): void => {
    if (!quiet && !json) warn(line);
  };
  const inColumns = (header: Row, rows: readonly Row[], optional: readonly string[] = []): string => {
    // Only here, because nothing that inherits the descriptor is started afterwards but the pager, for which Node makes it
    // blocking again. A terminal without a size fits everything.
    const width = process.stdout.columns || Number.POSITIVE_INFINITY;
    const fitting = fittingColumns([header, ...rows.map(row => row.map(printable))], width, optional);
    const [first = [], ...rest] = columnLines(fitting, width);
    return `${[...first.map(line => paint('dim', line)), ...rest.flat()].join('\n')}\n`;
  };
  let shown = '';
  return {
    json,
    quiet,
    isTerminal,
    paint,
    data,
    listing,
    document: value => data(`${JSON.stringify(value, null, 2)}\n`),
    table: (header, rows, empty, optional) => {
      if (rows.length === 0 && empty !== undefined) note(empty);
      else if (isTerminal) listing(inColumns(header, rows, optional));
      else writeAll(1, tabbed(rows));
    },
    rows: (header, rows, isFirst, optional) => {
      if (rows.length === 0) return;
      const lines = isTerminal ? inColumns(header, rows, optional) : tabbed(rows);
      data(isTerminal && !isFirst ? lines.slice(lines.indexOf('\n') + 1) : lines);
    },
    progress: line => {
      if (!isatty(2) || quiet || line === shown) return;
      shown = line;
      // Clears the line that is there.
      writeAll(2, `\r\u001b[K${forTerminal(line)}`);
    },
    time: (iso, stream = 1) => (isatty(stream) ? localTime(new Date(iso)) : iso),
    ago: iso => (isTerminal ? age(new Date(iso), localTime) : iso),
    note,
    warn,
  };
}

const tabbed = (rows: readonly Row[]): string => rows.map(row => `${row.map(printable).join('\t')}\n`).join('');

/** Like `2026-01-31 09:26:53`. */
function localTime(date: Date): string {
  const two = (number: number) => String(number).padStart(2, '0');
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')}`;
}
