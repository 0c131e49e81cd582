import { exitCodes, Failure } from '../failure.ts';

/** A document of JSON or YAML, in which numbers and booleans are the text that represents them in the source. */
export type Tree = string | null | readonly Tree[] | Members;

/** An object, in the source's order and with keys that it repeats. */
export interface Members {
  members: readonly (readonly [key: string, value: Tree])[];
}

export const isMembers = (tree: Tree | undefined): tree is Members =>
  typeof tree === 'object' && tree !== null && 'members' in tree;

export const isList = (tree: Tree | undefined): tree is readonly Tree[] => Array.isArray(tree);

export const memberOf = (tree: Tree | undefined, name: string): Tree | undefined =>
  isMembers(tree) ? tree.members.find(([key]) => key === name)?.[1] : undefined;

export function textOf(tree: Tree | undefined, name: string): string | undefined {
  const member = memberOf(tree, name);
  return typeof member === 'string' ? member : undefined;
}

export const listOf = (tree: Tree | undefined, name: string): readonly Tree[] => {
  const member = memberOf(tree, name);
  return isList(member) ? member : [];
};

/** @param reason never quotes the text */
export function unreadable(name: string, reason: string, hint?: string): Failure {
  return new Failure(exitCodes.other, 'invalid_file', `${name} ${reason}; nothing was imported.`, { hint });
}

/** @throws Failure for a dotenv file, of which a reader of YAML would take a part of a line for a key */
export function refuseDotenv({ name, text }: { name: string; text: string }, example: string): void {
  const [line = ''] = /^(?![^\S\n]*(?:#|$)).+$/m.exec(text.replace(/^\ufeff/, '')) ?? [];
  if (/^(?:export )?[\w.-]+=/.test(line)) throw unreadable(name, 'is a dotenv file', `Export it as JSON: ${example}`);
}

/** The documents of a text that has one JSON document after another. @throws Failure that never quotes the text */
export function readJson(text: string, name: string): Tree[] {
  const trees: Tree[] = [];
  const reader = { text: text.replace(/^\ufeff/, ''), at: 0 };
  try {
    for (take(reader, space); reader.at < reader.text.length; take(reader, space)) trees.push(readTree(reader));
  } catch {
    throw unreadable(name, 'is not valid JSON');
  }
  if (trees.length === 0) throw unreadable(name, 'is empty');
  return trees;
}

interface Reader {
  text: string;
  at: number;
}

const space = /[ \t\n\r]*/y;
const quoted = /"[^"\\]*(?:\\.[^"\\]*)*"/y;
const plain = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;
const mark = /[{}[\],:]/y;

function take(reader: Reader, pattern: RegExp): string | undefined {
  pattern.lastIndex = reader.at;
  const [found] = pattern.exec(reader.text) ?? [];
  reader.at += found?.length ?? 0;
  return found;
}

/** The next of these marks, without blanks around it. @throws Error for anything else */
function expectMark(reader: Reader, ...expected: string[]): string {
  take(reader, space);
  const found = take(reader, mark);
  if (found === undefined || !expected.includes(found)) throw new Error('unexpected');
  take(reader, space);
  return found;
}

function readTree(reader: Reader): Tree {
  const string = readString(reader);
  if (string !== undefined) return string;
  const word = take(reader, plain);
  if (word !== undefined) return word === 'null' ? null : word;
  return expectMark(reader, '{', '[') === '{' ? { members: readMembers(reader) } : readList(reader);
}

/** The parser of JSON also rejects control characters and unknown escapes. */
function readString(reader: Reader): string | undefined {
  const string = take(reader, quoted);
  return string === undefined ? undefined : JSON.parse(string);
}

function readList(reader: Reader): Tree[] {
  const list: Tree[] = [];
  if (reader.text[reader.at] === ']') {
    reader.at += 1;
    return list;
  }
  do list.push(readTree(reader));
  while (expectMark(reader, ',', ']') === ',');
  return list;
}

function readMembers(reader: Reader): [string, Tree][] {
  const members: [string, Tree][] = [];
  if (reader.text[reader.at] === '}') {
    reader.at += 1;
    return members;
  }
  do {
    const key = readString(reader);
    if (key === undefined) throw new Error('unexpected');
    expectMark(reader, ':');
    members.push([key, readTree(reader)]);
  } while (expectMark(reader, ',', '}') === ',');
  return members;
}
