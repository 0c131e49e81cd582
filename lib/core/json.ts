import type { Problem } from '../contracts/error-codes.ts';

/**
 * Parses JSON. Problems never quote the text, which may contain a secret. A duplicate member is one of them: RFC 8259
 * leaves its meaning open, and JSON.parse would silently drop a value.
 */
export function parseJson(text: string): { value: unknown; problems: readonly Problem[] } {
  const malformed = (message: string) => ({ value: undefined, problems: [{ path: '', message }] });
  if (nestsTooDeep(text)) return malformed(`the body nests arrays and objects deeper than ${maximumDepth} levels`);
  try {
    return { value: JSON.parse(text), problems: repeatedMembers(text) };
  } catch (error) {
    // V8 quotes the text in its message, so only the position is passed on.
    const position = error instanceof Error ? / at position (\d+)/.exec(error.message)?.[1] : undefined;
    const where = position === undefined ? '' : ` (at position ${position})`;
    return malformed(`the body is not valid JSON${where}`);
  }
}

/** Bodies of the API nest four levels deep. Five megabytes of brackets would keep the parser busy for seconds. */
const maximumDepth = 20;

const code = (character: string) => character.charCodeAt(0);
const quote = code('"');
const backslash = code('\\');
const opening: ReadonlySet<number> = new Set([code('['), code('{')]);
const closing: ReadonlySet<number> = new Set([code(']'), code('}')]);

/** Whether a text, valid JSON or not, nests deeper than any body needs. Linear; stops at the limit. */
function nestsTooDeep(text: string): boolean {
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charCodeAt(index);
    if (character === quote) index = endOfString(text, index);
    else if (opening.has(character)) depth += 1;
    else if (closing.has(character)) depth -= 1;
    if (depth > maximumDepth) return true;
  }
  return false;
}

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === backslash) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}

const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g;
const maximumProblems = 100;

/** Duplicate members in a valid JSON text. Iterative, so deep nesting can't overflow the stack. */
function repeatedMembers(text: string): Problem[] {
  const problems: Problem[] = [];
  /** The open objects (with the names seen so far) and arrays (with the current index), outermost first. */
  const open: ({ names: Set<string>; at: string } | { index: number })[] = [];
  let expectsName = false;
  for (const [token] of text.matchAll(tokens)) {
    const current = open.at(-1);
    if (token === '{') {
      open.push({ names: new Set(), at: '' });
      expectsName = true;
    } else if (token === '[') {
      open.push({ index: 0 });
      expectsName = false;
    } else if (token === '}' || token === ']') {
      open.pop();
      expectsName = false;
    } else if (token === ',') {
      if (current !== undefined && 'names' in current) expectsName = true;
      else if (current !== undefined) current.index += 1;
    } else if (token !== ':' && expectsName && current !== undefined && 'names' in current) {
      const name = JSON.parse(token) as string;
      current.at = name;
      if (current.names.has(name) && problems.length < maximumProblems) {
        const path = open.map(level => ('names' in level ? level.at : String(level.index))).join('.');
        problems.push({ path, message: 'appears twice in the same object' });
      }
      current.names.add(name);
      expectsName = false;
    }
  }
  return problems;
}
