import type { Snapshot } from '@holdfast/sdk';
import type { Command } from 'commander';
import type { Entry } from '../../../../lib/contracts/fields/formats/format.ts';
import { exitCodes, Failure } from '../failure.ts';
import { childEnvironment } from '../run/child-environment.ts';
import { findProgram } from '../run/find-program.ts';
import { type Program, replaceProcess } from '../run/replace.ts';
import type { Session } from '../session.ts';
import { type PullFlags, pullEntries, select } from '../snapshot.ts';
import { cacheOption, integer, offlineOption, onlyOption, revisionOption, secretKeys } from './options.ts';

interface Flags extends PullFlags {
  watch?: boolean;
  interval: number;
  allowName?: string[];
}

export const runOptions = (command: Command): Command =>
  command
    .argument('<command...>', 'command and its arguments')
    .option('-w, --watch', 'restart the command after each new revision')
    .option('--interval <seconds>', 'how often --watch polls', integer(1, 86_400), 10)
    .option(
      '--allow-name <keys>',
      'pass these keys even if they can control which code runs or whom it trusts',
      secretKeys,
    )
    .addOption(onlyOption())
    .addOption(revisionOption())
    .addOption(cacheOption())
    .addOption(offlineOption())
    .passThroughOptions();

export async function run(session: Session, command: readonly string[], flags: Flags): Promise<void> {
  const { output } = session;
  const [name = ''] = command;
  let isWarned = false;
  const programOf = (entries: readonly Entry[], revision: number): Program => {
    const { variables, refusals, unusual } = childEnvironment(entries, revision, flags.allowName ?? [], process.env);
    if (refusals.length > 0) {
      const reasons = refusals.map(({ key, reason }) => `${key} ${reason}`);
      throw new Failure(exitCodes.notRun, 'refused_name', `The command was not run.\n  ${reasons.join('\n  ')}`, {
        details: refusals,
      });
    }
    if (unusual.length > 0 && !isWarned) {
      isWarned = true;
      output.warn(
        `holdfast: these keys aren’t valid shell variable names, and some shells don’t pass them on: ${unusual.join(', ')}`,
      );
    }
    return { path: findProgram(name, variables), argv: command, variables };
  };

  if (flags.watch) {
    const [{ endAs }, { runWatching }] = [await import('../run/spawn.ts'), await import('../run/watch.ts')];
    if (flags.revision !== undefined || flags.offline) {
      throw new Failure(exitCodes.notRun, 'usage', '--watch can’t be combined with --revision or --offline.');
    }
    const ofSnapshot = (snapshot: Snapshot) => {
      const entries = snapshot.keys().map((key): Entry => [key, snapshot.require(key)]);
      return programOf(select(entries, flags.only, snapshot.revision), snapshot.revision);
    };
    const environment = await session.environment();
    const intervalMs = flags.interval * 1000;
    await endAs(await runWatching({ environment, intervalMs, output, programOf: ofSnapshot }));
  }

  const { entries, revision } = await pullEntries(session, flags);
  const program = programOf(entries, revision);
  replaceProcess(program);
  const { endAs, forwardSignals, startChild } = await import('../run/spawn.ts');
  const forwarding = forwardSignals();
  const { child, ended } = await startChild(program);
  forwarding.to(child);
  const end = await ended;
  forwarding.stop();
  await endAs(end);
}
