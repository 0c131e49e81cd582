import { secretKeyPattern, secretKeyRule, valueProblem } from './secret-rules.ts';

// Why not the package `dotenv`: it skips a line that it does not understand without a word, lets the last duplicate win,
// takes `#` for a comment anywhere in an unquoted value, lets single quotes span lines, does not know \" \\ \$ and reports
// no line numbers. For secrets, text that was not understood has to be an error.

/** A problem of dotenv text. The message never quotes the text: a misplaced line may be part of a secret. */
export interface DotenvProblem {
  line: number;
  message: string;
}

export interface DotenvResult {
  entries: { key: string; value: string; line: number }[];
  problems: DotenvProblem[];
}

/** Text with more problems than this is not dotenv text; the rest is not looked at. */
const maxProblems = 100;

const blankOrComment = /[ \t\v\f\r]*(?:#[^\n]*)?(?:\n|$)/y;
const assignment = /[ \t\v\f]*(?:export[ \t]+)?([^\s=#'"]+)[ \t\v\f]*=/y;
const opening = /[ \t\v\f]*(['"])/y;
const afterQuote = /(?:[ \t\v\f\r]*|[ \t\v\f\r]+#[^\n]*)(?:\n|$)/y;
const restOfLine = /[^\n]*(?:\n|$)/y;
const unquoted = /([^\n]*)(?:\n|$)/y;
const singleQuoted = /([^'\n]*)'/y;
const comment = /[ \t\v\f\r]#/;

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\', $: '$' };

/**
 * Reads dotenv text: blank and comment lines, `KEY=value` with an optional `export`, unquoted values (trimmed, a comment
 * begins at `#` after white space), 'literal' and "escaped" ones; only the latter span lines. No interpolation. An escape
 * that is not known stays as it stands. Line ends of CRLF are read as LF, inside a value as well: they belong to the file.
 * Every problem is reported with the number of its line, beginning with 1; reading goes on behind it.
 */
export function parseDotenv(source: string): DotenvResult {
  // A byte order mark is what Windows editors put before the first line.
  const text = source.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const entries: DotenvResult['entries'] = [];
  const problems: DotenvProblem[] = [];
  const firstLines = new Map<string, number>();
  let position = 0;
  let line = 1;

  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = position;
    const match = pattern.exec(text);
    if (match === null) return null;
    for (let at = match[0].indexOf('\n'); at !== -1; at = match[0].indexOf('\n', at + 1)) line += 1;
    position += match[0].length;
    return match;
  };

  const takeDoubleQuoted = (): string | undefined => {
    // A loop and not an expression: over megabytes the backtracking of one would exhaust its stack.
    let end = position;
    while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
    if (end >= text.length) return undefined;
    const quoted = text.slice(position, end);
    for (let at = quoted.indexOf('\n'); at !== -1; at = quoted.indexOf('\n', at + 1)) line += 1;
    position = end + 1;
    return quoted;
  };

  while (position < text.length && problems.length < maxProblems) {
    if (take(blankOrComment)) continue;
    const start = line;
    const report = (message: string) => problems.push({ line: start, message });

    const key = take(assignment)?.[1];
    if (key === undefined) {
      report('is neither KEY=value, a comment nor blank');
      take(restOfLine);
      continue;
    }

    let value: string | undefined;
    const quote = take(opening)?.[1];
    if (quote === undefined) {
      const raw = take(unquoted)?.[1] ?? '';
      const commentAt = raw.search(comment);
      value = trim(commentAt === -1 ? raw : raw.slice(0, commentAt));
    } else {
      const quoted = quote === "'" ? take(singleQuoted)?.[1] : takeDoubleQuoted();
      if (quoted === undefined) {
        report(
          quote === "'"
            ? 'has a single quote that is not closed on its line'
            : 'has a double quote that is never closed',
        );
        take(restOfLine);
        continue;
      }
      value = quote === "'" ? quoted : quoted.replace(/\\([\s\S])/g, (whole, c: string) => escapes[c] ?? whole);
      if (!take(afterQuote)) {
        report('has text after the closing quote');
        take(restOfLine);
        continue;
      }
    }

    if (!secretKeyPattern.test(key)) {
      report(`has a key that is not valid: it ${secretKeyRule}`);
      continue;
    }
    const firstLine = firstLines.get(key);
    if (firstLine !== undefined) {
      report(`sets ${key} again, after line ${firstLine}`);
      continue;
    }
    firstLines.set(key, start);
    const problem = valueProblem(value);
    if (problem === undefined) entries.push({ key, value, line: start });
    else report(`has a value for ${key} that ${problem}`);
  }
  return { entries, problems };
}

/** ASCII white space only: any other character is part of the value. A loop, for `/\s+$/` takes quadratic time. */
function trim(value: string): string {
  const blank = (at: number) => ' \t\v\f\r'.includes(value.charAt(at));
  let start = 0;
  let end = value.length;
  while (start < end && blank(start)) start += 1;
  while (end > start && blank(end - 1)) end -= 1;
  return value.slice(start, end);
}
