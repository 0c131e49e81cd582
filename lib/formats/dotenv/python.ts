import {
  assign,
  cEscapes,
  lineCounter,
  neverClosed,
  nextIndex,
  notAssignment,
  type Reading,
  trimmedEnd,
  Unreadable,
  Variables,
} from './reading.ts';

/** Python's `\s` without line breaks; that of JavaScript differs. */
const blankCharacters = String.raw`\t\v\f\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000`;
const space = new RegExp(`[${blankCharacters}\r\n]`);
const spaces = new RegExp(`[${blankCharacters}\r\n]*`, 'y');
const blanks = new RegExp(`[${blankCharacters}]*`, 'y');
const exported = new RegExp(`(?:export[${blankCharacters}]+)?`, 'y');
const quotedKey = /'([^']+)'/y;
const plainKey = new RegExp(`([^=#${blankCharacters}\r\n]+)`, 'y');
/** Python opens the file with universal line breaks. */
const lineBreak = /\r\n?/g;
const rest = /[^\r\n]*/y;
const spaceAndHash = new RegExp(`[${blankCharacters}]#`);

/** `dotenv_values` of python-dotenv 1.2 for a file. A byte order mark stays in the first key. */
export function readAsPython(text: string): Reading[] {
  const lineAt = lineCounter(text);
  const variables = new Variables();
  const readings: Reading[] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match !== null) at = pattern.lastIndex;
    return match;
  };
  const takeQuoted = (pattern: RegExp): string => {
    const close = closingQuote(text, at);
    if (close === -1) throw new Unreadable(neverClosed);
    const quoted = text.slice(at + 1, close).replace(lineBreak, '\n');
    at = close + 1;
    return quoted.replace(pattern, (_whole, escaped: string) => cEscapes[escaped] ?? escaped);
  };
  const takeValue = (): string => {
    if (text[at] === "'") return takeQuoted(/\\([\\'])/g);
    if (text[at] === '"') return takeQuoted(/\\([\\'"abfnrtv])/g);
    const plain = take(rest)?.[0] ?? '';
    const comment = plain.search(spaceAndHash);
    return trimmedEnd(comment === -1 ? plain : plain.slice(0, comment), space);
  };
  const readBinding = (line: number): Reading | undefined => {
    take(exported);
    const written = text[at] === '#' ? undefined : take(text[at] === "'" ? quotedKey : plainKey)?.[1];
    const key = written?.replace(lineBreak, '\n');
    if (key === undefined && text[at] !== '#') throw new Unreadable(notAssignment);
    take(blanks);
    let value: string | undefined;
    if (text[at] === '=') {
      at += 1;
      take(blanks);
      value = takeValue();
    }
    take(blanks);
    if (text[at] === '#') take(rest);
    if (at < text.length && text[at] !== '\n' && text[at] !== '\r') {
      throw new Unreadable('has text after the closing quote');
    }
    if (key === undefined) return undefined;
    if (value === undefined) throw new Unreadable(notAssignment);
    const raw = value;
    return assign(variables, line, key, () => interpolated(raw, variables));
  };
  for (take(spaces); at < text.length; take(spaces)) {
    const line = lineAt(at);
    try {
      const reading = readBinding(line);
      if (reading !== undefined) readings.push(reading);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      readings.push({ line, problem: error.message });
      take(rest);
    }
  }
  return readings;
}

/** The first quote without a backslash before it; if there is none, the last quote of the text. */
function closingQuote(text: string, opening: number): number {
  const quote = text.charAt(opening);
  let last = -1;
  for (let at = text.indexOf(quote, opening + 1); at !== -1; at = text.indexOf(quote, at + 1)) {
    if (text[at - 1] !== '\\') return at;
    last = at;
  }
  return last;
}

/** `${NAME}` and `${NAME:-default}`; the empty name, which nothing can set, always gives the default. */
function interpolated(value: string, variables: Variables): string {
  const nextColon = nextIndex(value, ':');
  const nextClose = nextIndex(value, '}');
  let result = '';
  let copied = 0;
  for (let at = value.indexOf('${'); at !== -1; at = value.indexOf('${', at)) {
    const close = nextClose(at);
    const nameEnd = Math.min(nextColon(at), close);
    if (close === value.length) break;
    if (nameEnd < close && value[nameEnd + 1] !== '-') {
      at += 1;
      continue;
    }
    const name = value.slice(at + 2, nameEnd);
    result += value.slice(copied, at);
    result += name === '' ? value.slice(nameEnd + 2, close) : variables.get(name);
    copied = close + 1;
    at = copied;
  }
  return result + value.slice(copied);
}
