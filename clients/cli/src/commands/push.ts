import type { Command } from 'commander';
import { carryOut } from '../change.ts';
import { readDotenv } from '../dotenv-text.ts';
import { exitCodes, Failure } from '../failure.ts';
import { given } from '../given.ts';
import type { Session } from '../session.ts';
import { decode, readStandardInput } from '../standard-input.ts';
import { dryRunOption } from './options.ts';
import { readFile, type WriteFlags, writeOptions } from './secrets.ts';

interface Flags extends WriteFlags {
  prune?: boolean;
  dryRun?: boolean;
}

export const pushOptions = (command: Command): Command =>
  writeOptions(command)
    .argument('<file>', 'a file of KEY=value lines, or - for standard input')
    .option('--prune', 'delete what the file does not have, in the same revision')
    .addOption(dryRunOption());

export async function push(session: Session, file: string, flags: Flags): Promise<void> {
  const { output } = session;
  const text = file === '-' ? await readStandardInput() : decode(readFile(file), file);
  const values = readDotenv(text, file === '-' ? 'Standard input' : file);
  if (values.size === 0) {
    // With --prune it would delete everything, which nobody means who names the wrong file.
    throw new Failure(
      exitCodes.other,
      'nothing_to_push',
      `${file === '-' ? 'Standard input' : file} sets no key; nothing was changed.`,
    );
  }
  const environment = await session.environment();
  const there = flags.prune ? (await environment.keys()).keys.map(({ key }) => key) : [];
  const plan = await environment.plan({
    set: Object.fromEntries(values),
    delete: there.filter(key => !values.has(key)),
    ...given({ message: flags.message }),
  });
  const title = `push ${file === '-' ? 'standard input' : file} to ${environment.slug}`;
  const { dryRun, ifRevision } = flags;
  const answer = await carryOut(session, { environment, plan, title, dryRun, ifRevision });
  if (answer === undefined) return;
  if (output.json) output.document(answer);
  else output.note(`Done; ${environment.slug} is at revision ${answer.revision}.`);
}
