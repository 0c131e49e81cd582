import { notAssignment, type Reading, skip } from './reading.ts';

/** Go's `unicode.IsSpace`. */
export const goSpace = /[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

/** The line length, in bytes, at which Go's scanner gives up. */
const maxLineBytes = 65_535;

/** `--env-file` of docker 28 (pkg/kvfile): everything after the equals sign is the value, quotes and comments included. */
export function readAsDocker(source: string): Reading[] {
  return source
    .replace(/^\uFEFF/, '')
    .split('\n')
    .flatMap((raw, index) => readLine(raw.endsWith('\r') ? raw.slice(0, -1) : raw, index + 1));
}

function readLine(raw: string, line: number): Reading[] {
  const start = skip(raw, 0, goSpace);
  if (start === raw.length || raw[start] === '#') return [];
  const equals = raw.indexOf('=', start);
  if (equals === -1) return [{ line, problem: 'has no value, so docker takes one from its environment' }];
  const key = raw.slice(start, equals);
  if (key === '') return [{ line, problem: notAssignment }];
  if (/[ \t]/.test(key)) return [{ line, problem: 'has white space in its key' }];
  if (isTooLong(raw)) return [{ line, problem: `has more than ${maxLineBytes} bytes` }];
  return [{ line, key, value: raw.slice(equals + 1) }];
}

/** A UTF-16 unit takes one to three bytes, so most lines don't have to be counted. */
function isTooLong(line: string): boolean {
  return line.length * 3 > maxLineBytes && new TextEncoder().encode(line).length > maxLineBytes;
}
