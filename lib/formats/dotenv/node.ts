import { afterLine, lineCounter, notAssignment, type Reading, skip, trimmed, trimmedEnd } from './reading.ts';

const blank = /[ \t\n]/;
const equalsOrBreak = /[=\n]/g;

/**
 * `util.parseEnv` and `--env-file` of Node 24 (src/node_dotenv.cc). It drops every CR, takes the next line for the value
 * if only blanks follow the equals sign, and keeps `export` in the key of an empty value.
 */
export function readAsNode(source: string): Reading[] {
  const text = trimmedEnd(source.replaceAll('\r', ''), blank);
  const lineAt = lineCounter(text);
  const readings: Reading[] = [];
  let at = skip(text, 0, blank);
  while (at < text.length) {
    if (text[at] === '\n' || text[at] === '#') {
      at = afterLine(text, at);
      continue;
    }
    const line = lineAt(at);
    equalsOrBreak.lastIndex = at;
    const stop = equalsOrBreak.exec(text)?.index ?? text.length;
    if (text[stop] !== '=') {
      if (text.slice(at, stop).trim() !== '') readings.push({ line, problem: notAssignment });
      at = skip(text, stop + 1, blank);
      continue;
    }
    let key = trimmed(text.slice(at, stop), blank);
    at = stop + 1;
    if (at >= text.length || text[at] === '\n') {
      readings.push(reading(line, key, ''));
      continue;
    }
    at = skip(text, at, blank);
    if (key === '') {
      readings.push({ line, problem: notAssignment });
      continue;
    }
    if (key.startsWith('export ')) key = trimmed(key.slice(7), blank);
    const { value, end, differs } = readValue(text, at);
    readings.push({ ...reading(line, key, value), differs });
    at = end;
  }
  return readings;
}

function reading(line: number, key: string, value: string): Reading {
  return key === '__proto__' ? { line, problem: 'sets __proto__, which Node drops' } : { line, key, value };
}

function readValue(text: string, start: number): { value: string; end: number; differs?: boolean } {
  const quote = text.charAt(start);
  const isQuoted = quote === '"' || quote === "'" || quote === '`';
  const close = isQuoted ? text.indexOf(quote, start + 1) : -1;
  if (close !== -1) {
    const quoted = text.slice(start + 1, close);
    const value = quote === '"' ? quoted.replaceAll('\\n', '\n') : quoted;
    return { value, end: afterLine(text, close + 1) };
  }
  const end = afterLine(text, start);
  const line = text.slice(start, text[end - 1] === '\n' ? end - 1 : end);
  const next = skip(text, end, blank);
  // After a quote that is never closed, npm's dotenv takes a # for the start of a comment.
  if (isQuoted) return { value: line, end: next, differs: line.includes('#') };
  const [bare = ''] = line.split('#', 1);
  return { value: trimmed(bare, blank), end: next };
}
