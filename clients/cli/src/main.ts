import { type Command, CommanderError } from 'commander';
import { exitCodes, Failure } from './failure.ts';
import { failureOf } from './failure-of.ts';
import { forTerminal } from './printable.ts';
import { createProgram, describeCompletion } from './program.ts';
import { letShellStay, readInherited } from './run/inherited.ts';
import { writeAll } from './write-all.ts';

const words = process.argv.slice(2);
const program = createProgram();
let invoked: Command | undefined;
program.hook('preSubcommand', (_, subcommand) => {
  invoked ??= subcommand;
  // The shell at the head of the bundle took another word for the name of this command.
  if (invoked.name() !== 'run' && readInherited().awaitsPlan) letShellStay();
});

async function addCompletion(): Promise<void> {
  // The scripts printed by `completion` call `complete`.
  if (words[0] === 'completion' || words[0] === 'complete') {
    const { default: tab } = await import('@bomb.sh/tab/commander');
    tab(program, { completionCommandName: 'completion' });
    return;
  }
  describeCompletion(program);
}

async function main(): Promise<void> {
  try {
    await addCompletion();
    if (words.length === 0) program.help();
    await program.parseAsync();
  } catch (error) {
    process.exitCode = report(error);
  }
}

function report(error: unknown): number {
  // Commander throws for --help and --version as well.
  if (error instanceof CommanderError && error.exitCode === 0) return 0;
  const failure =
    error instanceof CommanderError
      ? new Failure(exitCodes.usage, 'usage', messageOf(error), {
          hint: 'Help: holdfast --help, or --help after the command',
        })
      : failureOf(error);
  const isRun = invoked?.name() === 'run';
  // If parsing failed, `--json` may not have been read yet. Flags of `run` may belong to its command.
  const wantsJson = invoked?.opts().json ?? program.opts().json ?? (!isRun && words.includes('--json'));
  if (wantsJson) writeAll(2, `${JSON.stringify(failure)}\n`);
  else {
    const id = failure.requestId === undefined ? '' : ` (request ${failure.requestId})`;
    const hint = failure.hint === undefined ? '' : `${failure.hint}\n`;
    writeAll(2, forTerminal(`holdfast: ${failure.message}${id}\n${hint}`));
  }
  // Exit codes below 125 belong to the command that `run` starts.
  return isRun ? Math.max(failure.exitCode, exitCodes.notRun) : failure.exitCode;
}

/** Removes what may be a secret value: text after the = of an option, and excess arguments. */
function messageOf({ code, message }: CommanderError): string {
  // `help` with an unknown command.
  if (code === 'commander.help') return 'Unknown command.';
  return message
    .replace(/^error: /, '')
    .replace(/(but got \d+): [\s\S]*$/, '$1.')
    .replace(/'(--?[\w-]+)=[\s\S]*?'(?=$|\n)/, "'$1=…'");
}

void main();
