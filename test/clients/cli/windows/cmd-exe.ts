/*
 * How Windows reads a command line, as Microsoft's documentation and `cmd /?` describe it and as known from what cmd.exe
 * does: the phases of its parser, the parameters of a batch file, and the arguments of a program (`CommandLineToArgvW` and
 * the C runtime). Whatever would run a second command throws.
 */

export type WindowsVariables = Readonly<Record<string, string>>;

const textOf = (variables: WindowsVariables, name: string): string | undefined =>
  Object.entries(variables).find(([one]) => one.toUpperCase() === name.toUpperCase())?.[1];

/** Replaces `%NAME%` and `%NAME:~start,length%`, as on a command line: what is no variable stays. */
export function replaceVariables(line: string, variables: WindowsVariables): string {
  let result = '';
  for (let at = 0; at < line.length; ) {
    const [whole = '', name = '', part] = /^%([^%:]+)(?::([^%]*))?%/.exec(line.slice(at)) ?? [];
    const value = whole === '' ? undefined : textOf(variables, name);
    if (value === undefined) {
      result += line[at];
      at += 1;
      continue;
    }
    const [, start = '', length] = /^~(-?\d*)(?:,(-?\d*))?$/.exec(part ?? '') ?? [];
    if (part === undefined) result += value;
    else result += value.substring(Number(start), length === undefined ? value.length : Number(start) + Number(length));
    at += whole.length;
  }
  return result;
}

/** What is left of a line after cmd.exe has read it. @throws Error if a part of it would be another command */
export function afterSpecialCharacters(line: string): string {
  let result = '';
  let isQuoted = false;
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at] as string;
    if (character === '"') isQuoted = !isQuoted;
    if ('\r\n\0'.includes(character)) throw new Error(`The line ends at ${at}.`);
    if (!isQuoted && '&|<>()'.includes(character)) throw new Error(`${character} at ${at} is an operator: ${line}`);
    if (!isQuoted && character === '^') at += 1;
    result += line[at] ?? '';
  }
  return result;
}

/** The words of a batch file's parameters, `%1` and on, as they stand, with quotes. */
export function parametersOf(line: string): string[] {
  const words: string[] = [];
  let word = '';
  let isQuoted = false;
  for (const character of line) {
    if (character === '"') isQuoted = !isQuoted;
    if (!isQuoted && ' \t,;=\u000b\u000c\u00a0'.includes(character)) {
      if (word !== '') words.push(word);
      word = '';
    } else word += character;
  }
  return word === '' ? words : [...words, word];
}

/** `%~1` */
export const withoutQuotes = (parameter: string): string => parameter.replace(/^"([\s\S]*)"$/, '$1');

/** A program's arguments, as the C runtime reads them since 2008. */
export function argumentsIn(line: string): string[] {
  const found: string[] = [];
  let at = 0;
  for (;;) {
    while (' \t'.includes(line[at] ?? '-')) at += 1;
    if (at >= line.length) return found;
    let argument = '';
    let isQuoted = false;
    for (; at < line.length && (isQuoted || !' \t'.includes(line[at] as string)); at += 1) {
      const [backslashes = ''] = /^\\*/.exec(line.slice(at)) ?? [];
      const isBeforeQuote = line[at + backslashes.length] === '"';
      if (backslashes !== '' && !isBeforeQuote) {
        argument += backslashes;
        at += backslashes.length - 1;
      } else if (isBeforeQuote) {
        argument += '\\'.repeat(Math.floor(backslashes.length / 2));
        at += backslashes.length;
        if (backslashes.length % 2 === 1) argument += '"';
        else if (isQuoted && line[at + 1] === '"') {
          argument += '"';
          at += 1;
        } else isQuoted = !isQuoted;
      } else argument += line[at];
    }
    found.push(argument);
  }
}

/** What `cmd.exe /c "…"` runs: the batch file, and the text of its parameters. @throws Error for a second command */
export function runByCmd(line: string, variables: WindowsVariables): { script: string; parameters: string } {
  const [, given = ''] = /^\/d \/v:OFF \/s \/c ([\s\S]*)$/.exec(line) ?? [];
  // With /s, the first quote and the last are removed.
  const content = given.replace(/^"([\s\S]*)"$/, '$1');
  const read = afterSpecialCharacters(replaceVariables(content, variables));
  const [, script = '', parameters = ''] = /^"([^"]*)" ?([\s\S]*)$/.exec(read) ?? [];
  return { script, parameters };
}
