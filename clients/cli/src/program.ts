import { Command } from 'commander';
import { diff, diffOptions } from './commands/diff.ts';
import { edit, editOptions } from './commands/edit.ts';
import { link, linkOptions } from './commands/link.ts';
import { login, loginOptions, logout, whoami } from './commands/login.ts';
import {
  audit,
  auditOptions,
  createEnvironment,
  createEnvironmentOptions,
  createProject,
  createProjectOptions,
  invite,
  inviteOptions,
  listEnvironments,
  listMembers,
  listOrganizations,
  listProjects,
} from './commands/organizations.ts';
import { promote, promoteOptions } from './commands/promote.ts';
import { pull, pullOptions } from './commands/pull.ts';
import { push, pushOptions } from './commands/push.ts';
import { history, historyOptions, restore, restoreOptions, revisions, revisionsOptions } from './commands/revisions.ts';
import { run, runOptions } from './commands/run.ts';
import { get, getOptions, list, listOptions, set, setOptions, unset, unsetOptions } from './commands/secrets.ts';
import { status } from './commands/status.ts';
import {
  addTemplateKey,
  addTemplateOptions,
  listTemplate,
  removeTemplateKey,
  removeTemplateOptions,
  validate,
  validateOptions,
} from './commands/template.ts';
import { createToken, createTokenOptions, revokeToken, revokeTokenOptions, showToken } from './commands/tokens.ts';
import { version } from './connect.ts';
import { openSession, type Session } from './session.ts';
import type { GivenFlags } from './settings/settings.ts';

interface GlobalFlags extends GivenFlags {
  json?: boolean;
  quiet?: boolean;
  input: boolean;
}

type Work = (session: Session, given: { arguments: unknown[]; flags: Record<string, unknown> }) => Promise<void> | void;

/** Every command takes them, before its name and behind it. */
function withGlobalOptions(command: Command): Command {
  return command
    .optionsGroup('Global options:')
    .option('--org <slug>', 'organization (HOLDFAST_ORG)')
    .option('-p, --project <slug>', 'project (HOLDFAST_PROJECT)')
    .option('-e, --env <slug>', 'environment (HOLDFAST_ENV)')
    .option('--url <address>', 'address of the service (HOLDFAST_URL)')
    .option('--json', 'one JSON document on stdout; errors as JSON on stderr')
    .option('-q, --quiet', 'say nothing but data, warnings and errors')
    .option('--no-input', 'never ask')
    .helpOption('-h, --help', 'show this help');
}

/** What was given on the command line, where the word nearest to the command counts; then the defaults. */
export function flagsOf(command: Command): Record<string, unknown> {
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

function define(
  parent: Command,
  name: string,
  description: string,
  options: (command: Command) => Command,
  work: Work,
): Command {
  const command = withGlobalOptions(
    options(parent.command(name).description(description)).copyInheritedSettings(parent),
  );
  // biome-ignore lint/suspicious/noExplicitAny: commander passes the arguments, then the options, then the command
  return command.action(async (...all: any[]) => {
    const flags = flagsOf(command) as unknown as GlobalFlags;
    // Loaded only now: what reads terminals takes its time.
    const [{ createOutput }, { createTerminal }] = [await import('./output.ts'), await import('./terminal.ts')];
    const output = createOutput(flags);
    const session = openSession(flags, output, createTerminal(!flags.input));
    await work(session, { arguments: all.slice(0, -2), flags: { ...flags } });
  });
}

const nothing = (command: Command): Command => command;

export function createProgram(): Command {
  const program = withGlobalOptions(
    new Command('holdfast')
      .description('Secrets for people, scripts and pipelines')
      .version(version, '-v, --version', 'show the version')
      .enablePositionalOptions()
      .showSuggestionAfterError()
      .exitOverride()
      // Every command takes options, so that the list need not say so.
      .configureHelp({
        subcommandTerm: command => `${command.name()} ${command.usage().replace(/\[options\] ?/, '')}`.trim(),
      })
      .addHelpText('after', '\nBegin: holdfast login --url https://…, then holdfast link, then holdfast push .env')
      .configureOutput({ writeErr: () => undefined }),
  );
  const add = <F = never>(
    name: string,
    description: string,
    options: (command: Command) => Command,
    // biome-ignore lint/suspicious/noExplicitAny: the arguments that its options declare
    work: (session: Session, ...all: any[]) => Promise<void> | void,
    parent = program,
  ): Command =>
    define(parent, name, description, options, (session, given) => work(session, ...given.arguments, given.flags as F));

  program.commandsGroup('Sign in:');
  add('login', 'sign in with the browser', loginOptions, login);
  add('logout', 'sign out and revoke the token', nothing, logout);
  add('whoami', 'who is signed in', nothing, whoami);
  add('status', 'what is used and where it comes from', nothing, status);
  add('link', 'use an environment in this directory', linkOptions, link);

  program.commandsGroup('Use secrets:');
  add('run', 'run a command with the secrets in its environment', runOptions, run);
  add('pull', 'write all secrets in the format of who is to read them', pullOptions, pull);
  add('get', 'write one value', getOptions, get);
  add('list', 'list the keys', listOptions, list);

  program.commandsGroup('Change secrets:');
  add('set', 'set one value from standard input, a file or a prompt', setOptions, set);
  add('unset', 'delete keys', unsetOptions, unset);
  add('push', 'set what a file says, as one revision', pushOptions, push);
  add('edit', 'edit all secrets in your editor', editOptions, edit);
  add('promote', 'copy secrets to another environment', promoteOptions, promote);

  program.commandsGroup('See what changed:');
  add('diff', 'what differs between moments, environments and files', diffOptions, diff);
  add('revisions', 'who changed what and why', revisionsOptions, revisions);
  add('history', 'the versions of a key', historyOptions, history);
  add('restore', 'go back to an earlier revision, as a new one', restoreOptions, restore);

  program.commandsGroup('Check:');
  add('validate', 'check an environment against the template', validateOptions, validate);
  const template = add('template', 'what every environment of the project must have', nothing, listTemplate);
  add('list', 'list its keys', nothing, listTemplate, template);
  add('add', 'add a key', addTemplateOptions, addTemplateKey, template);
  add('remove', 'remove a key', removeTemplateOptions, removeTemplateKey, template);

  program.commandsGroup('Organize:');
  add('orgs', 'list your organizations', nothing, listOrganizations);
  const projects = add('projects', 'list the projects', nothing, listProjects);
  add('create', 'make a project', createProjectOptions, createProject, projects);
  const envs = add('envs', 'list the environments', nothing, listEnvironments);
  add('create', 'make an environment', createEnvironmentOptions, createEnvironment, envs);
  const members = add('members', 'list the members', nothing, listMembers);
  add('invite', 'invite somebody by e-mail', inviteOptions, invite, members);
  add('audit', 'who did what', auditOptions, audit);
  const tokens = add('tokens', 'the token in use', nothing, showToken);
  add('create', 'make a token for a program', createTokenOptions, createToken, tokens);
  add('revoke', 'revoke a token', revokeTokenOptions, revokeToken, tokens);
  return program;
}
