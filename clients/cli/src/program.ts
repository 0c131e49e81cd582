import { ApprovalRequired, idTokenSources } from '@holdfast/sdk';
import { Command, type Option } from 'commander';
import { commands } from './command-list.ts';
import { version } from './connect.ts';
import { type AnySubcommand, headings } from './define-command.ts';
import { commandElsewhere, excessElsewhere, optionElsewhere, subcommandElsewhere } from './elsewhere.ts';
import { failureOf, withHint } from './failure-of.ts';
import { openSession } from './session.ts';
import type { GivenFlags } from './settings/settings.ts';
import { withNames } from './with-names.ts';
import { writeAll } from './write-all.ts';

interface GlobalFlags extends GivenFlags {
  json?: boolean;
  quiet?: boolean;
  input: boolean;
  yes?: boolean;
}

/** Options of every command, before or after its name. */
function withGlobalOptions(command: Command): Command {
  return command
    .optionsGroup('Global options:')
    .option('--org <slug>', 'organization (HOLDFAST_ORG)')
    .option('-p, --project <slug>', 'project (HOLDFAST_PROJECT)')
    .option(
      '-e, --env <name>',
      'environment, as slug or organization/project/environment (HOLDFAST_ENV); run, pull and sync take several, the last wins',
      (name: string, before?: string[]) => [...(before ?? []), name],
    )
    .option('--url <address>', 'address of the service (HOLDFAST_URL)')
    .option('--json', 'print one JSON document on stdout, and errors as JSON on stderr')
    .option('-q, --quiet', 'print only data, warnings and errors')
    .option('--no-input', 'never prompt, and never wait for a person')
    .helpOption('-h, --help', 'show this help');
}

/** The given options, then the defaults. If an option is given twice, the one nearest to the command wins. */
function flagsOf(command: Command): Record<string, unknown> {
  const flags: Record<string, unknown> = {};
  const given: Record<string, unknown> = {};
  for (let at: Command | null = command; at !== null; at = at.parent) {
    for (const [name, value] of Object.entries(at.opts())) {
      if (at.getOptionValueSource(name) === 'default') flags[name] ??= value;
      else given[name] ??= value;
    }
  }
  return { ...flags, ...given };
}

const examples = new WeakMap<Command, string>();

function addExample(command: Command, example: string): Command {
  examples.set(command, example);
  return command.addHelpText('after', `\nExample:\n  ${example}`);
}

/** @throws Error for a command that has none */
export function exampleOf(command: Command): string {
  const example = examples.get(command);
  if (example === undefined) throw new Error(`The command ${command.name()} has no example.`);
  return example;
}

/** Commander's own reports of a mistake, which its types omit. */
type Reporting = Command & {
  unknownOption(flag: string): void;
  unknownCommand(): void;
  _excessArguments(given: readonly string[]): void;
};

/** Commander compares an unknown option with its value (`--mesage=text`), which resembles no option and may be secret. */
function suggestWithoutValue(command: Command): void {
  const own = command as Reporting;
  const report = own.unknownOption.bind(command);
  own.unknownOption = given => {
    const flag = given.replace(/=[\s\S]*$/, '');
    const meant = optionElsewhere(command.name(), flag, command.args.slice(command.args.indexOf(given) + 1));
    if (meant === undefined) report(flag);
    else command.error(`unknown option '${flag}'\n(${meant})`);
  };
}

/** Before the command's name, an option of any command may have been meant. */
function suggestAnyOption(program: Command): void {
  const own = program as Reporting;
  const report = own.unknownOption.bind(program);
  own.unknownOption = flag => {
    const commands = suggestionOf(() => report(flag)) === undefined ? program.commands : [];
    for (const command of commands) {
      const found = suggestionOf(() => (command as Reporting).unknownOption(flag));
      if (found !== undefined) program.error(`unknown option '${flag}'\n(Did you mean ${command.name()} ${found}?)`);
    }
    report(flag);
  };
}

/** For people who know another tool: `upload` resembles no command here, and `secrets` resembles the wrong one. */
function suggestFromElsewhere(program: Command): void {
  (program as Reporting).unknownCommand = () => {
    const names = program.commands.map(command => command.name());
    const meant = commandElsewhere(program.args, names);
    program.error(`unknown command '${program.args[0]}'${meant === undefined ? '' : `\n(${meant})`}`);
  };
}

/** A command with subcommands lists something by itself, so commander takes an unknown subcommand for an argument. */
function suggestSubcommand(command: Command): void {
  const own = command as Reporting;
  const report = own._excessArguments.bind(command);
  own._excessArguments = given => {
    const names = command.commands.map(subcommand => subcommand.name());
    const expected = command.registeredArguments.length;
    const word = given[expected] ?? '';
    if (names.length > 0) {
      // What was given is not repeated: it may be a value.
      const meant = subcommandElsewhere(command.name(), word, names) ?? `${command.name()} has: ${names.join(', ')}`;
      command.error(`unknown command\n(${meant})`);
    }
    const meant = excessElsewhere(command.name(), word);
    if (meant === undefined) report(given);
    else command.error(`too many arguments for '${command.name()}'\n(${meant})`);
  };
}

/** The error of a command with the place that its options name in the commands that it advises. */
function withPlace(error: unknown, command: Command, { org, project, env }: Record<string, unknown>): unknown {
  if (error instanceof ApprovalRequired) return withHint(error, `Propose it instead: ${proposing(command)}`);
  const { hint } = failureOf(error);
  const options = (given: readonly (readonly [string, unknown])[]) =>
    given
      .filter(([, value]) => typeof value === 'string' && /^[a-z0-9][a-z0-9/-]*$/.test(value))
      .map(([option, value]) => ` ${option} ${value}`)
      .join('');
  const ofProject = [
    ['--org', org],
    ['-p', project],
  ] as const;
  const ofEnvironment = [...ofProject, ['-e', Array.isArray(env) ? env.at(-1) : env]] as const;
  const named = hint
    ?.replaceAll(/holdfast projects\b(?! create)/g, text => text + options([['--org', org]]))
    .replaceAll(/holdfast envs\b(?! create)/g, text => text + options(ofProject))
    .replaceAll(
      /holdfast (?:list|revisions|history|get|set|push|pull|proposals|rotate)\b/g,
      text => text + options(ofEnvironment),
    );
  return named === hint ? error : withHint(error, named);
}

/** What an option excludes, which commander's types omit. */
type Excluding = Option & { conflictsWith: readonly string[] };

/** The command that was given, with --propose and without the options that exclude it. Values are never arguments. */
function proposing(command: Command): string {
  const words = process.argv.slice(2);
  const end = words.includes('--') ? words.indexOf('--') : words.length;
  const excluding = (command.options as Excluding[]).filter(({ conflictsWith }) => conflictsWith.includes('propose'));
  const options = words
    .slice(0, end)
    .filter((word, index, given) =>
      excluding.every(({ long, required }) => word.split('=')[0] !== long && !(required && given[index - 1] === long)),
    );
  const all = [...options, '--propose', ...words.slice(end)];
  const quoted = all.map(word => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`));
  return `holdfast ${quoted.join(' ')}`;
}

function suggestionOf(report: () => void): string | undefined {
  try {
    return report() as undefined;
  } catch (error) {
    return /\(Did you mean (?:one of )?(--[\w-]+)/.exec(String(error))?.[1];
  }
}

function define(parent: Command, definition: AnySubcommand): void {
  const { name, description, example, notes, usage, passesOptionsThrough = false, subcommands = [] } = definition;
  const command = parent.command(name).description(description).copyInheritedSettings(parent);
  for (const argument of definition.arguments ?? []) command.addArgument(argument);
  for (const option of definition.options ?? []) command.addOption(option);
  command.passThroughOptions(passesOptionsThrough);
  if (usage !== undefined) command.usage(usage);
  if (notes !== undefined) command.addHelpText('after', notes);
  addExample(withGlobalOptions(command), example);
  suggestWithoutValue(command);
  suggestSubcommand(command);
  command.action(async (...all: unknown[]) => {
    const flags = flagsOf(command) as unknown as GlobalFlags;
    // Loaded on demand, because it is slow to load.
    const [{ createOutput }, { createTerminal }] = [await import('./output.ts'), await import('./terminal.ts')];
    const output = createOutput(flags);
    const session = openSession(flags, output, createTerminal(flags));
    // Commander passes the arguments, then the options, then the command.
    const words = all.slice(0, -2);
    try {
      await definition.run(session, ...words, { ...flags });
    } catch (error) {
      throw withPlace(await withNames(error, session, words), command, { ...flags });
    }
  });
  for (const subcommand of subcommands) define(command, subcommand);
}

/** By heading, as commander prints it: its commands in order, and the example that ends them. */
const groups = new Map(
  Object.entries(headings).map(([heading, exampleOf]) => {
    const members = commands
      .filter(command => command.heading === heading)
      .sort((a, b) => (a.position ?? 99) - (b.position ?? 99) || (a.name < b.name ? -1 : 1));
    return [`${heading}:`, { members, example: members.find(({ name }) => name === exampleOf)?.example }];
  }),
);

const helpOnIdentities = `
In a pipeline or workload, HOLDFAST_IDENTITY of HOLDFAST_ORG signs in with a token from HOLDFAST_ID_TOKEN_SOURCE:
${Object.entries(idTokenSources)
  .map(([name, { toSet }]) => `  ${name.padEnd(9)} ${toSet}`)
  .join('\n')}`;

export function createProgram(): Command {
  const program = withGlobalOptions(
    new Command('holdfast')
      .description('Secrets for people, scripts and pipelines')
      .version(version, '-v, --version', 'show the version')
      .enablePositionalOptions()
      .showSuggestionAfterError()
      .exitOverride()
      // Every command takes options, so the list omits `[options]`.
      .configureHelp({
        formatItemList: (heading, items, help) => {
          const example = groups.get(heading)?.example;
          const lines = example === undefined ? items : [...items, `  For example: ${example}`];
          return items.length === 0 ? [] : [help.styleTitle(heading), ...lines, ''];
        },
        subcommandTerm: command => `${command.name()} ${command.usage().replace(/\[options\] ?/, '')}`.trim(),
      })
      .addHelpText('after', '\nStart: holdfast login --url https://…, then holdfast link, then holdfast push .env')
      .addHelpText('after', helpOnIdentities)
      // The help may go to a program that does not read all of it.
      .configureOutput({ writeOut: text => writeAll(1, text), writeErr: () => undefined }),
  );
  suggestAnyOption(program);
  suggestFromElsewhere(program);
  suggestWithoutValue(program);
  for (const [heading, { members }] of groups) {
    program.commandsGroup(heading);
    for (const command of members) define(program, command);
  }
  return program;
}

/** The command that prints completion scripts. The code that generates them is loaded on demand. */
export function describeCompletion(program: Command): void {
  const command = program
    .commandsGroup('Organize:')
    .command('completion')
    .argument('<shell>', 'zsh, bash, fish or powershell')
    .description('print a completion script for your shell');
  addExample(command, 'holdfast completion bash > holdfast-completion.bash');
}
