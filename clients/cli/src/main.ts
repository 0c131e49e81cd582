import tab from '@bomb.sh/tab/commander';
import { CommanderError } from 'commander';
import { exitCodes, Failure, failureOf } from './failure.ts';
import { createProgram } from './program.ts';
import { writeAll } from './write-all.ts';

const words = process.argv.slice(2);
const program = createProgram();
// `complete` is what the scripts of `completion` call.
if (words[0] === 'completion' || words[0] === 'complete') tab(program, { completionCommandName: 'completion' });
else
  program
    .commandsGroup('Organize:')
    .command('completion <shell>')
    .description('a script that completes commands in zsh, bash, fish or powershell');

async function main(): Promise<void> {
  try {
    if (words.length === 0) program.help();
    await program.parseAsync();
  } catch (error) {
    process.exitCode = report(error);
  }
}

void main();

function report(error: unknown): number {
  // Help and version are no errors.
  if (error instanceof CommanderError && error.exitCode === 0) return 0;
  const isRun = words.find(word => !word.startsWith('-')) === 'run';
  const failure =
    error instanceof CommanderError
      ? new Failure(isRun ? exitCodes.notRun : exitCodes.usage, 'usage', error.message.replace(/^error: /, ''), {
          hint: 'Help: holdfast --help, or --help behind the command',
        })
      : failureOf(error);
  // Words behind the command of `run` belong to that command.
  const own = isRun ? words.slice(0, words.indexOf('--') === -1 ? words.length : words.indexOf('--')) : words;
  if (own.includes('--json')) writeAll(2, `${JSON.stringify(failure)}\n`);
  else {
    const id = failure.requestId === undefined ? '' : ` (request ${failure.requestId})`;
    writeAll(2, `holdfast: ${failure.message}${id}\n${failure.hint === undefined ? '' : `${failure.hint}\n`}`);
  }
  return failure.exitCode;
}
