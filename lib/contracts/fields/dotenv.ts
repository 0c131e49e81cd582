import { secretKeyPattern, secretKeyRule, valueProblem } from './secret-rules.ts';

// The package `dotenv` silently skips lines it can't parse, lets the last duplicate win, treats `#` anywhere in an
// unquoted value as a comment, and reports no line numbers. For secrets, text that can't be parsed must be an error.

export interface DotenvResult {
  entries: { key: string; value: string; line: number }[];
  /** The message never quotes the text: a misplaced line may be part of a secret. */
  problems: { line: number; message: string }[];
}

/** Text with more problems than this isn't dotenv text, so parsing stops. */
export const maxProblems = 100;

const blankOrComment = /[ \t\v\f\r]*(?:#[^\n]*)?(?:\n|$)/y;
const assignment = /[ \t\v\f]*(?:export[ \t]+)?([^\s=#'"]+)[ \t\v\f]*=/y;
const opening = /[ \t\v\f]*(['"])/y;
const afterQuote = /(?:[ \t\v\f\r]*|[ \t\v\f\r]+#[^\n]*)(?:\n|$)/y;
const restOfLine = /[^\n]*(?:\n|$)/y;
const unquoted = /([^\n]*)(?:\n|$)/y;
const singleQuoted = /([^'\n]*)'/y;
const comment = /[ \t\v\f\r]#/;

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\', $: '$' };

interface Reading {
  readonly text: string;
  position: number;
  line: number;
}

/**
 * Parses dotenv text: blank and comment lines, `KEY=value` with an optional `export`, unquoted values (trimmed; a
 * comment begins at `#` after white space), 'literal' and "escaped" values, of which only the latter may span lines. No
 * interpolation. Unknown escapes stay as they are. CRLF is read as LF, even inside values. Lines are counted from 1.
 */
export function parseDotenv(source: string): DotenvResult {
  // Windows editors put a byte order mark before the first line.
  const text = source.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const reading: Reading = { text, position: 0, line: 1 };
  const entries: DotenvResult['entries'] = [];
  const problems: DotenvResult['problems'] = [];
  const firstLines = new Map<string, number>();
  while (reading.position < text.length && problems.length < maxProblems) {
    if (take(reading, blankOrComment)) continue;
    const { line } = reading;
    const read = readAssignment(reading);
    if ('problem' in read) {
      problems.push({ line, message: read.problem });
      take(reading, restOfLine);
      continue;
    }
    const problem = problemOf(read, firstLines.get(read.key));
    if (problem === undefined) entries.push({ ...read, line });
    else problems.push({ line, message: problem });
    if (!firstLines.has(read.key)) firstLines.set(read.key, line);
  }
  return { entries, problems };
}

function readAssignment(reading: Reading): { key: string; value: string } | { problem: string } {
  const key = take(reading, assignment)?.[1];
  if (key === undefined) return { problem: 'is neither KEY=value, a comment nor blank' };
  const quote = take(reading, opening)?.[1];
  if (quote === undefined) return { key, value: readUnquoted(reading) };
  const value = quote === "'" ? take(reading, singleQuoted)?.[1] : readDoubleQuoted(reading);
  if (value === undefined && quote === "'") return { problem: 'has a single quote that is not closed on its line' };
  if (value === undefined) return { problem: 'has a double quote that is never closed' };
  return take(reading, afterQuote) ? { key, value } : { problem: 'has text after the closing quote' };
}

function readUnquoted(reading: Reading): string {
  const raw = take(reading, unquoted)?.[1] ?? '';
  const commentAt = raw.search(comment);
  return trim(commentAt === -1 ? raw : raw.slice(0, commentAt));
}

/** A loop rather than a regular expression, whose backtracking would exhaust the stack on megabytes of text. */
function readDoubleQuoted(reading: Reading): string | undefined {
  const { text, position } = reading;
  let end = position;
  while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
  if (end >= text.length) return undefined;
  advance(reading, end + 1 - position);
  return text.slice(position, end).replace(/\\([\s\S])/g, (whole, escaped: string) => escapes[escaped] ?? whole);
}

function take(reading: Reading, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = reading.position;
  const match = pattern.exec(reading.text);
  if (match !== null) advance(reading, match[0].length);
  return match;
}

function advance(reading: Reading, length: number): void {
  const end = reading.position + length;
  for (let at = reading.text.indexOf('\n', reading.position); at !== -1 && at < end; ) {
    reading.line += 1;
    at = reading.text.indexOf('\n', at + 1);
  }
  reading.position = end;
}

/** The problem with a well-formed assignment, if any. */
export function problemOf({ key, value }: { key: string; value: string }, firstLine?: number): string | undefined {
  if (!secretKeyPattern.test(key)) return `has an invalid key: it ${secretKeyRule}`;
  if (firstLine !== undefined) return `sets ${key} again, after line ${firstLine}`;
  const problem = valueProblem(value);
  return problem === undefined ? undefined : `has a value for ${key} that ${problem}`;
}

/** ASCII white space only: any other character is part of the value. A loop, because `/\s+$/` takes quadratic time. */
function trim(value: string): string {
  const blank = (at: number) => ' \t\v\f\r'.includes(value.charAt(at));
  let start = 0;
  let end = value.length;
  while (start < end && blank(start)) start += 1;
  while (end > start && blank(end - 1)) end -= 1;
  return value.slice(start, end);
}
