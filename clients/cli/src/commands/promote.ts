import type { Command } from 'commander';
import { carryOut } from '../change.ts';
import { given } from '../given.ts';
import type { Session } from '../session.ts';
import { allOption, dryRunOption, onlyOption, yesOption } from './options.ts';
import { type WriteFlags, writeOptions } from './secrets.ts';

interface Flags extends WriteFlags {
  only?: string[];
  overwrite: boolean;
  dryRun?: boolean;
  all?: boolean;
}

export const promoteOptions = (command: Command): Command =>
  writeOptions(command)
    .argument('<from>', 'environment to copy from')
    .argument('<to>', 'environment to copy to')
    .addOption(onlyOption())
    .option('--no-overwrite', 'keep values that the target already has')
    .addOption(dryRunOption())
    .addOption(allOption())
    .addOption(yesOption());

export async function promote(session: Session, from: string, to: string, flags: Flags): Promise<void> {
  const { output } = session;
  const { organization, project } = await session.place('organization', 'project');
  const environment = await session.environment(to);
  const { only, overwrite, message, dryRun, all, ifRevision } = flags;
  const plan = await (await session.client()).project(organization, project).planPromote({
    from,
    to,
    overwrite,
    ...given({ keys: only, message }),
  });
  const answer = await carryOut(session, {
    environment,
    plan,
    title: `promote ${from} to ${to}`,
    dryRun,
    all,
    ifRevision,
  });
  if (answer === undefined) return;
  if (output.json) output.document(answer);
  else output.note(`Done; ${to} is at revision ${answer.revision}.`);
}
