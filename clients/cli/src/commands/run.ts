import { type Entry, isName } from '@holdfast/contracts/fields/formats/format.ts';
import type { LayeredSnapshot } from '@holdfast/sdk';
import { Argument, defineCommand, type FlagsOf, Option } from '../define-command.ts';
import { exitCodes, Failure } from '../failure.ts';
import { allowNameOption, dialectOptions, integer, pullOptions } from '../options.ts';
import { childEnvironment } from '../run/child-environment.ts';
import { findProgram } from '../run/find-program.ts';
import {
  endWithShell,
  type Inherited,
  ignoreSignals,
  letShellStay,
  needsShell,
  readInherited,
} from '../run/inherited.ts';
import { readOverrides } from '../run/override.ts';
import { becomeShell, type Program, replaceProcess } from '../run/replace.ts';
import { requireUtf8 } from '../run/require-utf8.ts';
import { nameTransformers, transformNames } from '../run/transform-names.ts';
import type { Session } from '../session.ts';
import { pullEntries, revisionsOf, select } from '../snapshot.ts';

const options = [
  ...dialectOptions,
  new Option('-w, --watch', 'restart the command after each new revision'),
  new Option('--interval <seconds>', 'how often --watch polls').argParser(integer(1, 86_400)).default(10),
  allowNameOption,
  new Option('--override <file>', 'a local dotenv file whose values win; not for production environments'),
  new Option('--allow-override', 'allow --override for a production environment'),
  new Option('--name-transformer <rule>', 'derive the variables’ names from the keys').choices(
    Object.keys(nameTransformers),
  ),
  ...pullOptions,
] as const;

type RunFlags = FlagsOf<typeof options>;

export default defineCommand({
  name: 'run',
  heading: 'Use secrets',
  position: 1,
  description: 'run a command with the secrets in its environment',
  example: 'holdfast run -- npm start',
  arguments: [new Argument('<command...>', 'command and its arguments')],
  options,
  passesOptionsThrough: true,
  run,
});

async function run(session: Session, command: readonly string[], flags: RunFlags): Promise<void> {
  if (flags.watch && (flags.revision !== undefined || flags.offline)) {
    throw new Failure(exitCodes.notRun, 'usage', '--watch can’t be combined with --revision or --offline.');
  }
  const inherited = readInherited();
  ignoreSignals(inherited.ignored);
  if (inherited.awaitsPlan) endWithShell();
  if (flags.watch && inherited.awaitsPlan) letShellStay();
  if (flags.watch) becomeShell(inherited);
  requireUtf8(command, process.env, inherited);
  const overrides =
    flags.override === undefined
      ? new Map<string, string>()
      : await readOverrides(session, await session.layers(), flags.override, flags);
  const programOf = programMaker(session, { command, overrides, inherited }, flags);
  if (flags.watch) await watch(session, flags, programOf, inherited);

  const { entries, revisions } = await pullEntries(session, flags);
  const program = programOf(entries, revisions);
  replaceProcess(program, inherited);
  const { endAs, forwardSignals, startChild } = await import('../run/spawn.ts');
  const forwarding = forwardSignals(inherited);
  const { child, ended } = await startChild(program, inherited);
  forwarding.to(child);
  const end = await ended;
  forwarding.stop();
  await endAs(end);
}

type ProgramOf = (entries: readonly Entry[], revisions: string) => Program;

/** The command, and what its variables are made of besides the secrets. */
interface Requested {
  command: readonly string[];
  overrides: ReadonlyMap<string, string>;
  inherited: Inherited;
}

/** Checks the names of all variables before any of them is passed on. */
function programMaker(
  { output }: Session,
  { command, overrides, inherited }: Requested,
  { allowName = [], nameTransformer }: RunFlags,
): ProgramOf {
  const [name = ''] = command;
  const parent = { ...process.env, ...inherited.unusual };
  let isWarned = false;
  return (entries, revisions) => {
    const { named, refusals: collisions } = transformNames([...new Map([...entries, ...overrides])], nameTransformer);
    const { variables, refusals, unusual } = childEnvironment(named, revisions, { allowed: allowName, parent });
    const all = [...collisions, ...refusals];
    if (all.length > 0) {
      const reasons = all.map(({ key, reason }) => `${key} ${reason}`);
      throw new Failure(exitCodes.notRun, 'refused_name', `The command was not run.\n  ${reasons.join('\n  ')}`, {
        details: all,
      });
    }
    const dropped = needsShell(variables, inherited) ? Object.keys(variables).filter(one => !isName(one)) : unusual;
    if (dropped.length > 0 && !isWarned) {
      isWarned = true;
      output.warn(
        `holdfast: these aren’t valid shell variable names, and some shells don’t pass them on: ${dropped.join(', ')}`,
      );
    }
    return { path: findProgram(name, variables), argv: command, variables };
  };
}

/** Ends the process as the command ended. */
async function watch(
  session: Session,
  { interval, only }: RunFlags,
  programOf: ProgramOf,
  inherited: Inherited,
): Promise<void> {
  const [{ endAs }, { runWatching }] = [await import('../run/spawn.ts'), await import('../run/watch.ts')];
  const environments = await session.layers();
  const client = await session.client();
  await endAs(
    await runWatching({
      snapshots: options => client.watchLayers(environments, options),
      intervalMs: interval * 1000,
      output: session.output,
      inherited,
      programOf: (snapshot: LayeredSnapshot) => {
        const revisions = revisionsOf(
          environments.map((environment, index) => [environment, snapshot.layers[index]?.revision ?? 0]),
        );
        const entries = snapshot.keys().map((key): Entry => [key, snapshot.require(key)]);
        return programOf(select(entries, only, revisions), revisions);
      },
    }),
  );
}
