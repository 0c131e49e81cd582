import { interpolate } from './compose-template.ts';
import { goSpace } from './docker.ts';
import {
  afterLine,
  assign,
  cEscapes,
  lineCounter,
  neverClosed,
  notAssignment,
  type Reading,
  skip,
  trimmedEnd,
  Unreadable,
  Variables,
} from './reading.ts';

const exported = /export[\t\n\f\r ]+/y;
/** White space that doesn't end a line. */
const blank = /[\t\v\f\r \x85\xa0]/;
const keyCharacter = /[\p{L}\p{N}_.[\]-]/u;

/** The template reads `$$` as a dollar sign. */
const escapes: Readonly<Record<string, string>> = { ...cEscapes, $: '$$' };

/** `env_file` of Docker Compose (compose-go 2, package dotenv). Several assignments may share a line. */
export function readAsCompose(source: string): Reading[] {
  const text = source.replace(/^\uFEFF/, '');
  const lineAt = lineCounter(text);
  const variables = new Variables();
  const readings: Reading[] = [];
  for (let at = skip(text, 0, goSpace); at < text.length; at = skip(text, at, goSpace)) {
    if (text[at] === '#') {
      at = afterLine(text, at);
      continue;
    }
    const line = lineAt(at);
    try {
      const { key, start } = readKey(text, at);
      const { value, isLiteral, end } = readValue(text, start);
      readings.push(assign(variables, line, key, () => (isLiteral ? value : interpolate(value, variables))));
      at = end;
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      readings.push({ line, problem: error.message });
      at = afterLine(text, at);
    }
  }
  return readings;
}

/** The key, and where its value begins. */
function readKey(text: string, statement: number): { key: string; start: number } {
  exported.lastIndex = statement;
  const from = exported.test(text) ? skip(text, statement + 'export'.length, blank) : statement;
  for (let at = from; at < text.length; ) {
    const char = String.fromCodePoint(text.codePointAt(at) ?? 0);
    if (char === '\n') break;
    if (char === '=' || char === ':') {
      const key = trimmedEnd(text.slice(from, at), goSpace);
      if (key.includes(' ')) break;
      return { key, start: skip(text, at + 1, blank) };
    }
    if (!blank.test(char) && !keyCharacter.test(char)) break;
    at += char.length;
  }
  throw new Unreadable(notAssignment);
}

function readValue(text: string, start: number): { value: string; isLiteral: boolean; end: number } {
  const quote = text.charAt(start);
  if (quote !== "'" && quote !== '"') {
    const end = afterLine(text, start);
    const [value = ''] = text.slice(start, end).split(' #', 1);
    return { value: trimmedEnd(value, goSpace), isLiteral: false, end };
  }
  let end = start + 1;
  while (end < text.length && text[end] !== quote) end += text[end] === '\\' ? 2 : 1;
  if (end >= text.length) throw new Unreadable(neverClosed);
  const quoted = text.slice(start + 1, end).replaceAll(`\\${quote}`, quote);
  const isLiteral = quote === "'";
  return { value: isLiteral ? quoted : unescaped(quoted), isLiteral, end: end + 1 };
}

/** Octal escapes have a leading zero and then three digits; a wrong one only loses that zero. */
function unescaped(text: string): string {
  return text.replace(/\\(?:([abcfnrtv$"\\])|0(\d{0,3}))/g, (whole, letter: string | undefined, digits: string) => {
    if (letter !== undefined) return escapes[letter] ?? whole;
    const code = /^[0-7]{3}$/.test(digits) ? Number.parseInt(digits, 8) : Number.POSITIVE_INFINITY;
    return code <= 255 ? String.fromCharCode(code) : `\\${digits}`;
  });
}
