import { lineCounter, notAssignment, type Reading, trimmedEnd } from './reading.ts';

const namePattern = /^[A-Za-z_][A-Za-z0-9_]*$/;
const refused = /[\0\p{Noncharacter_Code_Point}]/u;
const equalsOrBreak = /[=\r\n]/g;
const lineBreak = /[\r\n]/g;
const blank = /[ \t]/;

/** `EnvironmentFile=` of systemd 254 and later (src/basic/env-file.c). It never interpolates. */
export function readAsSystemd(text: string): Reading[] {
  const lineAt = lineCounter(text);
  const readings: Reading[] = [];
  let at = 0;
  while (at < text.length) {
    const first = text.charAt(at);
    if (isBlank(first) || isBreak(first)) {
      at += 1;
      continue;
    }
    if (first === '#' || first === ';') {
      at = afterComment(text, at);
      continue;
    }
    const line = lineAt(at);
    // The key has at least one character, even if that is an equals sign.
    equalsOrBreak.lastIndex = at + 1;
    const stop = equalsOrBreak.exec(text)?.index ?? text.length;
    if (text[stop] !== '=') {
      readings.push({ line, problem: notAssignment });
      at = stop + 1;
      continue;
    }
    const key = trimmedEnd(text.slice(at, stop), blank);
    const { value, end } = readValue(text, stop + 1);
    readings.push(reading(line, key, value));
    at = end;
  }
  return readings;
}

const isBlank = (char: string) => blank.test(char);
const isBreak = (char: string) => char === '\n' || char === '\r';

function reading(line: number, key: string, value: string): Reading {
  if (!namePattern.test(key)) return { line, problem: 'has a key that systemd ignores' };
  if (refused.test(value)) return { line, problem: 'has a character that makes systemd refuse the whole file' };
  return { line, key, value };
}

/** A line break ends the comment even after a backslash. */
function afterComment(text: string, start: number): number {
  lineBreak.lastIndex = start;
  return (lineBreak.exec(text)?.index ?? text.length) + 1;
}

/** Quoted parts may follow each other; once an unquoted part has begun, quotes are ordinary characters. */
function readValue(text: string, start: number): { value: string; end: number } {
  let value = '';
  let at = start;
  for (; at < text.length && !isBreak(text.charAt(at)); ) {
    const char = text.charAt(at);
    if (isBlank(char)) at += 1;
    else if (char === "'") {
      const close = text.indexOf("'", at + 1);
      const end = close === -1 ? text.length : close;
      value += text.slice(at + 1, end);
      at = end + 1;
    } else if (char === '"') {
      const quoted = readDoubleQuoted(text, at + 1);
      value += quoted.value;
      at = quoted.end;
    } else {
      const plain = readPlain(text, at);
      return { value: value + plain.value, end: plain.end };
    }
  }
  return { value, end: at + 1 };
}

function readPlain(text: string, start: number): { value: string; end: number } {
  let value = '';
  let kept = 0;
  let at = start;
  for (; at < text.length && !isBreak(text.charAt(at)); at += 1) {
    let char = text.charAt(at);
    const isEscape = char === '\\';
    if (isEscape) {
      at += 1;
      char = text.charAt(at);
      if (isBreak(char)) char = '';
    }
    value += char;
    if (isEscape || !isBlank(char)) kept = value.length;
  }
  return { value: value.slice(0, kept), end: at + 1 };
}

function readDoubleQuoted(text: string, start: number): { value: string; end: number } {
  let value = '';
  let at = start;
  for (; at < text.length && text[at] !== '"'; at += 1) {
    if (text[at] !== '\\') {
      value += text[at];
      continue;
    }
    at += 1;
    const escaped = text.charAt(at);
    if ('"\\`$'.includes(escaped)) value += escaped;
    else if (escaped !== '\n') value += `\\${escaped}`;
  }
  return { value, end: at + 1 };
}
