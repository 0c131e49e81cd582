import type { SpawnOptions } from 'node:child_process';
import { batchCommand, commandLine, isBatch, shellCommand, systemProgram } from './windows.ts';

/** What the system starts. */
export interface Launch {
  file: string;
  args: readonly string[];
  options: Pick<SpawnOptions, 'argv0' | 'windowsVerbatimArguments'>;
}

/**
 * How to start a program that was found. On Windows, cmd.exe runs batch files.
 * @param argv the command as typed, then its arguments
 * @throws Failure for an argument that a batch file can't get
 */
export function launchOf(path: string, argv: readonly string[], platform = process.platform): Launch {
  const [argv0 = path, ...args] = argv;
  if (platform !== 'win32' || !isBatch(path)) return { file: path, args, options: { argv0 } };
  return throughCmd(batchCommand(path, args));
}

/** How to start a command that a person has written for a shell, such as an editor with its options. */
export function launchOfShell(command: string, args: readonly string[], platform = process.platform): Launch {
  if (platform === 'win32') return throughCmd(shellCommand(command, args));
  // Nothing follows a command without arguments: its last line may be the end of a here-document.
  const words = args.length === 0 ? [command] : [`${command} "$@"`, command, ...args];
  return { file: '/bin/sh', args: ['-c', ...words], options: {} };
}

/** The arguments are one line that is passed on as it is. */
const throughCmd = (command: string): Launch => ({
  file: systemProgram('cmd.exe'),
  args: [commandLine(command)],
  options: { argv0: 'cmd.exe', windowsVerbatimArguments: true },
});
