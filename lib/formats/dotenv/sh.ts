import {
  afterLine,
  lineCounter,
  neverClosed,
  notAssignment,
  type Reading,
  Unreadable,
  Unset,
  Variables,
} from './reading.ts';

const assignedName = /([A-Za-z_][A-Za-z0-9_]*)=/y;
const exported = /export(?=[ \t])/y;
const variableName = /[A-Za-z_][A-Za-z0-9_]*/y;
/** The default has no quote, expansion or brace that needs a shell. */
const simpleReference = /\{([A-Za-z_][A-Za-z0-9_]*)(?:(:?[-+?])([^'"`$\\{}\s~;&|<>()*?[\]#]*))?\}/y;
const plainInQuotes = /[^"$`\\]+/y;
const plain = /[^\s'"$`\\;&|<>()~:{#\0]+/y;

/**
 * A POSIX shell's assignments, with or without `export`, several to a line. Nothing is run: whatever a shell would run,
 * look up or redirect is a problem, and so is what dash, bash and busybox read differently.
 */
export function readAsShell(text: string): Reading[] {
  const lineAt = lineCounter(text);
  const script: Script = { text, at: 0, variables: new Variables() };
  const readings: Reading[] = [];
  for (skipBetweenCommands(script); script.at < text.length; skipBetweenCommands(script)) {
    const line = lineAt(script.at);
    try {
      readings.push(...readCommand(script, lineAt));
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      readings.push({ line, problem: error.message });
      script.at = afterLine(text, script.at);
    }
  }
  return readings;
}

interface Script {
  readonly text: string;
  at: number;
  readonly variables: Variables;
}

function take(script: Script, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = script.at;
  const match = pattern.exec(script.text);
  if (match !== null) script.at = pattern.lastIndex;
  return match;
}

/** A backslash before a line break continues the line. */
function skipBlanks(script: Script): void {
  for (;;) {
    if (script.text.startsWith('\\\n', script.at)) script.at += 2;
    else if (script.text[script.at] === ' ' || script.text[script.at] === '\t') script.at += 1;
    else return;
  }
}

function skipBetweenCommands(script: Script): void {
  for (;;) {
    skipBlanks(script);
    if (script.text[script.at] === '\n') script.at += 1;
    else if (script.text[script.at] === '#') script.at = afterLine(script.text, script.at);
    else return;
  }
}

/** The assignments up to the end of the line. If any is a problem, the shell would run something else than assignments. */
function readCommand(script: Script, lineAt: (position: number) => number): Reading[] {
  const { text, variables } = script;
  const isExport = take(script, exported) !== null;
  const readings: Reading[] = [];
  for (skipBlanks(script); !isEndOfCommand(text, script.at); skipBlanks(script)) {
    const line = lineAt(script.at);
    const key = take(script, assignedName)?.[1];
    if (key === undefined) throw new Unreadable('is not an assignment alone: a shell would run a command');
    const word: Word = { value: '', isExport, isUnset: false };
    readWord(script, word);
    const { value } = word;
    if (word.isUnset) variables.forget(key);
    else variables.set(key, value);
    readings.push(word.isUnset ? { line, key, value: '', unset: true } : { line, key, value });
  }
  if (readings.length === 0) throw new Unreadable(notAssignment);
  return readings;
}

function isEndOfCommand(text: string, at: number): boolean {
  return at >= text.length || text[at] === '\n' || text[at] === '#';
}

interface Word {
  value: string;
  isExport: boolean;
  isUnset: boolean;
}

function readWord(script: Script, word: Word): void {
  const { text } = script;
  let isTildePlace = true;
  for (;;) {
    const char = text[script.at];
    if (char === undefined || char === ' ' || char === '\t' || char === '\n') return;
    const isTilde = char === '~' && isTildePlace;
    isTildePlace = char === ':';
    if (char === "'") readSingleQuoted(script, word);
    else if (char === '"') readDoubleQuoted(script, word);
    else if (char === '\\') readEscape(script, word);
    else if (char === '$') readDollar(script, word, false);
    else if (char === '`') throw new Unreadable('has a command substitution');
    else if (char === '\0') throw new Unreadable('has a NUL character');
    else if (isTilde) throw new Unreadable('has a ~ that a shell replaces by a directory');
    else if (';&|<>()'.includes(char)) throw new Unreadable(`has an unquoted ${char}`);
    else if (char === '{' && word.isExport) throw new Unreadable('has an unquoted { that shells read differently');
    else {
      const run = take(script, plain)?.[0];
      if (run === undefined) script.at += 1;
      word.value += run ?? char;
    }
  }
}

function readSingleQuoted(script: Script, word: Word): void {
  const close = script.text.indexOf("'", script.at + 1);
  if (close === -1) throw new Unreadable(neverClosed);
  word.value += withoutNul(script.text.slice(script.at + 1, close));
  script.at = close + 1;
}

function withoutNul(text: string): string {
  if (text.includes('\0')) throw new Unreadable('has a NUL character');
  return text;
}

/** The backslash stays unless it escapes something. */
function readDoubleQuoted(script: Script, word: Word): void {
  const { text } = script;
  script.at += 1;
  for (;;) {
    const char = text[script.at];
    if (char === undefined) throw new Unreadable(neverClosed);
    if (char === '"') break;
    if (char === '`') throw new Unreadable('has a command substitution');
    if (char === '$') readDollar(script, word, true);
    else if (char === '\\') {
      const escaped = text.charAt(script.at + 1);
      if ('$`"\\'.includes(escaped)) word.value += escaped;
      else if (escaped !== '\n') word.value += `\\${escaped}`;
      script.at += 2;
    } else word.value += withoutNul(take(script, plainInQuotes)?.[0] ?? '');
  }
  script.at += 1;
}

function readEscape(script: Script, word: Word): void {
  const escaped = script.text[script.at + 1];
  if (escaped === undefined) throw new Unreadable('ends with a backslash');
  if (escaped !== '\n') word.value += withoutNul(escaped);
  script.at += 2;
}

function readDollar(script: Script, word: Word, isQuoted: boolean): void {
  const { text } = script;
  script.at += 1;
  const next = text.charAt(script.at);
  const name = take(script, variableName)?.[0];
  // A shell joins the lines first, so the name would continue on the next one.
  if (next !== '{' && text.startsWith('\\\n', script.at)) throw new Unreadable('has an expansion across two lines');
  if (name !== undefined) expand(word, isQuoted, () => script.variables.get(name));
  else if (next === '{') {
    const [, variable, operator = '', argument = ''] = take(script, simpleReference) ?? [];
    if (variable === undefined) throw new Unreadable('has an expansion that only a shell can do');
    expand(word, isQuoted, () => resolve(script.variables.get(variable), operator, argument));
  } else if (next === '(') throw new Unreadable('has a command substitution or arithmetic');
  else if (/[0-9@*#?$!_-]/.test(next)) throw new Unreadable('has a parameter that only a running shell has');
  else if (next === '[' || (!isQuoted && (next === "'" || next === '"'))) {
    throw new Unreadable('has an expansion that shells read differently');
  } else word.value += '$';
}

function resolve(value: string, operator: string, argument: string): string {
  const isPresent = !operator.startsWith(':') || value !== '';
  if (operator.endsWith('+')) return isPresent ? argument : '';
  if (isPresent) return value;
  if (operator.endsWith('?')) throw new Unreadable('requires a variable that is empty');
  return argument;
}

/** The rest of the word is read even if the value can't be known, so that the next assignment is found. */
function expand(word: Word, isQuoted: boolean, value: () => string): void {
  try {
    const text = value();
    if (word.isExport && !isQuoted && /[\s*?[]/.test(text)) {
      throw new Unreadable('has an unquoted expansion after export, which shells read differently');
    }
    word.value += text;
  } catch (error) {
    if (!(error instanceof Unset)) throw error;
    word.isUnset = true;
  }
}
