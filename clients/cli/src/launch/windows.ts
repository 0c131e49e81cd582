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
  // A directory in quotes may have a semicolon.
  const parts = (windowsVariable(variables, 'PATH') ?? '').match(/(?:"[^"]*"?|[^;"])+/g) ?? [];
  const directories = parts.map(part => part.replaceAll('"', '').trim()).filter(part => part !== '');
  return directories.flatMap(directory => names.map(name => win32.join(directory, name)));
}

/** cmd.exe takes no longer line. */
const mostCharacters = 8191;

const cannotStart = (problem: string, hint: string): Failure =>
  new Failure(exitCodes.notExecutable, 'not_executable', problem, { hint });

/**
 * No way to write these survives every reading. Variables are replaced even in quotes, a quote ends them, and the line
 * ends at a line break. What follows could then be another command.
 */
const unsafe = /["%\r\n\0]/;

/**
 * What cmd.exe runs for a batch file. The file's own lines read the arguments again (`%*`), and often more than once
 * (`call`, `for /f`), so they get nothing that only one reading would leave alone.
 * @throws Failure for an argument that can't be passed on; it never shows the argument
 */
export function batchCommand(script: string, args: readonly string[]): string {
  const words = [script, ...args];
  const refused = words.findIndex(word => unsafe.test(word));
  if (refused !== -1) {
    const where = refused === 0 ? 'its path' : `argument ${refused}`;
    throw cannotStart(
      `${script} is a batch file, and ${where} has a quote, a % or a line break, which cmd.exe may run.`,
      'Start the program that the batch file starts, such as: node script.js',
    );
  }
  return [`"${script}"`, ...args.map(quoted)].join(' ');
}

/** What cmd.exe runs for a command that a person wrote for it. @throws Failure for an argument that can't be passed on */
export function shellCommand(command: string, args: readonly string[]): string {
  // The rest would be dropped silently.
  if (/[\r\n\0]/.test(command)) {
    throw cannotStart('A command of several lines can’t be run on Windows.', 'Write it to a batch file.');
  }
  if (args.some(argument => unsafe.test(argument))) {
    throw cannotStart('A path with a quote or a % can’t be passed on by cmd.exe.', 'Set TEMP to another folder.');
  }
  return [command, ...args.map(quoted)].join(' ');
}

/** The line that cmd.exe gets: without AutoRun of the registry and without `!NAME!`. @throws Failure if it is too long */
export function commandLine(command: string): string {
  const line = `/d /v:OFF /s /c "${command}"`;
  if (line.length + 'cmd.exe '.length <= mostCharacters) return line;
  throw cannotStart(
    `Windows gives a batch file at most ${mostCharacters} characters of arguments.`,
    'Start the program that the batch file starts, such as: node script.js',
  );
}

/** Known to mean nothing to cmd.exe, wherever they stand. */
const plain = /^[A-Za-z0-9#$*+\-./:?@\\_]*[A-Za-z0-9#$*+\-./:?@_]$/;

function quoted(argument: string): string {
  if (plain.test(argument)) return argument;
  // At the end, a backslash would make the quote a part of the text.
  return `"${argument.replace(/\\+$/, backslashes => backslashes + backslashes)}"`;
}
