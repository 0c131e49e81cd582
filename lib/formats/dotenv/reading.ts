/*
 * The readers follow the tools' own sources, mistakes included, because a value that one tool reads differently breaks
 * when the file moves. They run nothing and read no environment. Each is linear in the length of the text.
 */

export interface Assigned {
  /** From 1. Only LF ends a line: all readers must number them alike. */
  line: number;
  key: string;
  value: string;
  /** The value depends on the tool's environment, because the text hasn't set a variable. */
  unset?: boolean;
  /** Other versions of the tool read another value. */
  differs?: boolean | undefined;
}

/** A line that a tool refuses or skips has a problem, which never quotes the line: it may be part of a secret. */
export type Reading = Assigned | { line: number; problem: string };

/** The escapes of both Go and Python. */
const escapes = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', '\\': '\\', '"': '"' };
export const cEscapes: Readonly<Record<string, string>> = escapes;

export const notAssignment = 'is not KEY=value';
export const neverClosed = 'has a quote that is never closed';

/** Ends the reading of one assignment. */
export class Unreadable extends Error {}

/** Ends the reading of a value that needs a variable from the tool's environment. */
export class Unset extends Error {}

/** The line of a position. The positions must not decrease. */
export function lineCounter(text: string): (position: number) => number {
  const nextBreak = nextIndex(text, '\n');
  let line = 1;
  let counted = 0;
  return position => {
    for (let at = nextBreak(counted); at < position; at = nextBreak(counted)) {
      line += 1;
      counted = at + 1;
    }
    return line;
  };
}

/** `indexOf` for positions that don't decrease, or the length of the text. Linear in total, however often it is called. */
export function nextIndex(text: string, searched: string): (position: number) => number {
  let next = -1;
  return position => {
    if (next < position) next = text.indexOf(searched, position);
    if (next === -1) next = text.length;
    return next;
  };
}

/** The position after the line. */
export function afterLine(text: string, position: number): number {
  const end = text.indexOf('\n', position);
  return end === -1 ? text.length : end + 1;
}

/** The first position from `start` on that has no such character. */
export function skip(text: string, start: number, characters: RegExp): number {
  let at = start;
  while (at < text.length && characters.test(text.charAt(at))) at += 1;
  return at;
}

export function trimmed(text: string, blank: RegExp): string {
  return trimmedEnd(text, blank).slice(skip(text, 0, blank));
}

/** A loop, because `/\s+$/` takes quadratic time. */
export function trimmedEnd(text: string, blank: RegExp): string {
  let end = text.length;
  while (end > 0 && blank.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** The variables that the text has set so far. */
export class Variables {
  readonly #values = new Map<string, string>();
  /** How many characters references may still add: each can repeat a long value. */
  #left = 8 * 1024 * 1024;

  set(name: string, value: string): void {
    this.#values.set(name, value);
  }

  /** The variable's value depends on the environment from now on. */
  forget(name: string): void {
    this.#values.delete(name);
  }

  /** @throws Unset if the tool would look into its environment */
  get(name: string): string {
    const value = this.#values.get(name);
    if (value === undefined) throw new Unset();
    this.#left -= value.length;
    if (this.#left < 0) throw new Unreadable('refers to more text than one file may');
    return value;
  }
}

/** One assignment, which becomes a variable only if its own value is known. */
export function assign(variables: Variables, line: number, key: string, expand: () => string): Reading {
  try {
    const value = expand();
    variables.set(key, value);
    return { line, key, value };
  } catch (error) {
    if (error instanceof Unset) {
      variables.forget(key);
      return { line, key, value: '', unset: true };
    }
    if (error instanceof Unreadable) return { line, problem: error.message };
    throw error;
  }
}
