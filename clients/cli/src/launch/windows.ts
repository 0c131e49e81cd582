import { win32 } from 'node:path';
import { exitCodes, Failure } from '../failure.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** Names of variables are compared without case. */
export function windowsVariable(variables: Variables, name: string): string | undefined {
  const [, value] = Object.entries(variables).find(([one]) => one.toUpperCase() === name) ?? [];
  return value;
}

/** A program of the system, wherever PATH leads. */
export function systemProgram(name: string, variables: Variables = process.env): string {
  const root = windowsVariable(variables, 'SYSTEMROOT');
  return win32.join(root !== undefined && win32.isAbsolute(root) ? root : 'C:\\Windows', 'System32', name);
}

/** What Windows runs by itself, and what cmd.exe runs. Other kinds of files need the program that they are for. */
const runnable = ['.com', '.exe', '.bat', '.cmd'];

/** The end of a name, as Windows compares it: without blanks and dots that follow, and without case. */
const endOf = (path: string): string => win32.extname(path.replace(/[ .]+$/, '')).toLowerCase();

export const isRunnable = (path: string): boolean => runnable.includes(endOf(path));
export const isBatch = (path: string): boolean => ['.bat', '.cmd'].includes(endOf(path));

/**
 * Where a command may be, the first that exists being meant. Unlike cmd.exe, the current directory doesn't count: a
 * repository must not choose what `npm` is.
 */
export function windowsCandidates(command: string, variables: Variables): string[] {
  const allowed = (windowsVariable(variables, 'PATHEXT') ?? '').toLowerCase().split(';');
  const extensions = runnable.filter(one => allowed.includes(one));
  // In the order of PATHEXT.
  extensions.sort((a, b) => allowed.indexOf(a) - allowed.indexOf(b));
  const ends = extensions.length === 0 ? runnable : extensions;
  const names = [...(isRunnable(command) ? [command] : []), ...ends.map(end => command + end)];
  if (/[\\/:]/.test(command)) return names;
  const directories = (windowsVariable(variables, 'PATH') ?? '').split(';').map(one => one.replaceAll('"', '').trim());
  return directories.filter(one => one !== '').flatMap(one => names.map(name => win32.join(one, name)));
}

/** cmd.exe takes no longer line. */
const mostCharacters = 8191;

/**
 * What cmd.exe gets to run a batch file. Its arguments are read three times: by cmd.exe, by the line of the file that
 * passes them on (`%*`), and by the program that the file runs. In these quotes, each of the three reads what was meant,
 * as in Rust's standard library since CVE-2024-24576.
 * @throws Failure for an argument that can't be passed on; it never quotes the argument
 */
export function batchCommandLine(script: string, args: readonly string[]): string {
  const refuse = (problem: string) =>
    new Failure(exitCodes.notExecutable, 'not_executable', `${script} is a batch file, ${problem}.`, {
      hint: 'Run the program that the batch file runs.',
    });
  if (/["\r\n\0]|\\$/.test(script)) throw refuse('whose name has a character that no file can have');
  for (const [index, argument] of args.entries()) {
    // The line would end there.
    if (/[\r\n\0]/.test(argument)) throw refuse(`and can’t get argument ${index + 1}, which has a line break`);
  }
  const words = [`"${withoutVariables(script)}"`, ...args.map(batchArgument)];
  const line = `/e:ON /v:OFF /d /c "${words.join(' ')}"`;
  if (line.length + 'cmd.exe '.length > mostCharacters) {
    throw refuse(`and Windows gives it at most ${mostCharacters} characters of arguments`);
  }
  return line;
}

/** Known to mean nothing to cmd.exe, wherever they stand. */
const plain = /^[\p{L}\p{N}#$*+\-./:?@\\_]*$/u;

export function batchArgument(argument: string): string {
  // At the end of `"%~1"`, a backslash would make the quote a part of the text.
  if (argument !== '' && plain.test(argument) && !argument.endsWith('\\')) return argument;
  const escaped = argument.replaceAll(/(\\*)("|$)/g, (_, backslashes: string, quote: string) => {
    return backslashes + backslashes + quote + quote;
  });
  return `"${withoutVariables(escaped)}"`;
}

/** `%cd:~,%` is no character of the current directory. After a `%`, it ends what cmd.exe takes for a variable. */
const withoutVariables = (text: string): string => text.replaceAll('%', '%%cd:~,%');
