import { nextIndex, Unreadable, type Variables } from './reading.ts';

/** Case-insensitive as in compose-go. */
const name = /[_a-z][_a-z0-9]*/iuy;
const operator = /:?[-+?]/y;

/** Deeper than anybody nests defaults; each level costs a pass over the text. */
const maxDepth = 16;

/**
 * compose-go's template package: `$$`, `$NAME`, `${NAME}` and, on one line, `${NAME:-…}` with its relatives. Any other
 * `${` is an error, any other `$` an ordinary character.
 */
export function interpolate(value: string, variables: Variables, depth = 0): string {
  if (depth > maxDepth) throw new Unreadable('nests its defaults too deeply');
  const nextBreak = nextIndex(value, '\n');
  let lastClose = -1;
  let result = '';
  let copied = 0;
  for (let at = value.indexOf('$'); at !== -1; at = value.indexOf('$', at)) {
    result += value.slice(copied, at);
    const next = value.charAt(at + 1);
    const isBraced = next === '{';
    const variable = match(name, value, isBraced ? at + 2 : at + 1);
    if (next === '$') {
      result += '$';
      at += 2;
    } else if (!isBraced) {
      result += variable === '' ? '$' : variables.get(variable);
      at += 1 + variable.length;
    } else {
      if (lastClose < at) lastClose = value.lastIndexOf('}', nextBreak(at));
      const reference = readReference(value, at, variable, lastClose);
      result += resolve(reference, variables, depth);
      at = reference.end;
    }
    copied = at;
  }
  return result + value.slice(copied);
}

interface Reference {
  variable: string;
  operator: string;
  argument: string;
  end: number;
}

/** @param lastClose the last closing brace of the line, without which there is no reference */
function readReference(value: string, start: number, variable: string, lastClose: number): Reference {
  const nameEnd = start + 2 + variable.length;
  if (variable !== '' && value[nameEnd] === '}') return { variable, operator: '', argument: '', end: nameEnd + 1 };
  const used = match(operator, value, nameEnd);
  const argumentStart = nameEnd + used.length;
  if (variable === '' || used === '' || lastClose < argumentStart) {
    throw new Unreadable('has a ${ that compose can’t read');
  }
  const close = closingBrace(value, start, lastClose);
  return { variable, operator: used, argument: value.slice(argumentStart, close), end: close + 1 };
}

/** As compose-go counts braces: it passes over the character after each opening one. */
function closingBrace(value: string, start: number, lastClose: number): number {
  let open = 0;
  for (let at = start; at <= lastClose; at += 1) {
    if (value[at] === '}') {
      open -= 1;
      if (open === 0) return at;
    }
    if (value[at] === '{') {
      open += 1;
      at += 1;
    }
  }
  return lastClose;
}

function resolve({ variable, operator: used, argument }: Reference, variables: Variables, depth: number): string {
  const value = variables.get(variable);
  const isPresent = !used.startsWith(':') || value !== '';
  const expanded = () => interpolate(argument, variables, depth + 1);
  if (used.endsWith('+')) return isPresent ? expanded() : value;
  if (isPresent) return value;
  if (used.endsWith('-')) return expanded();
  throw new Unreadable('requires a variable that is empty');
}

function match(pattern: RegExp, text: string, position: number): string {
  pattern.lastIndex = position;
  return pattern.exec(text)?.[0] ?? '';
}
