import type { Command } from 'commander';
import { audit, auditOptions } from './commands/audit.ts';
import { diff, diffOptions } from './commands/diff.ts';
import { edit, editOptions } from './commands/edit.ts';
import { exposure, exposureOptions } from './commands/exposure.ts';
import { find, findOptions } from './commands/find.ts';
import { link, linkOptions } from './commands/link.ts';
import { login, loginOptions, logout, whoami } from './commands/login.ts';
import {
  createEnvironment,
  createEnvironmentOptions,
  createProject,
  createProjectOptions,
  invite,
  inviteOptions,
  leave,
  leaveOptions,
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
import {
  listDeliveries,
  listWebhooks,
  ping,
  redeliver,
  redeliverOptions,
  webhookOptions,
} from './commands/webhooks.ts';
import type { Session } from './session.ts';

/** A command, as shown in the help and the reference. */
export interface CommandDefinition {
  name: string;
  description: string;
  /** One shell command that works as printed in a linked directory. */
  example: string;
  options?: (command: Command) => Command;
  // biome-ignore lint/suspicious/noExplicitAny: the declared arguments, then the flags
  work: (session: Session, ...all: any[]) => Promise<void> | void;
  subcommands?: readonly CommandDefinition[];
}

/** Every command, by its heading in the help. */
export const commandGroups: Readonly<Record<string, readonly CommandDefinition[]>> = {
  'Sign in:': [
    {
      name: 'login',
      description: 'sign in with the browser',
      example: 'holdfast login --url https://secrets.example.com',
      options: loginOptions,
      work: login,
    },
    { name: 'logout', description: 'sign out and revoke the token', example: 'holdfast logout', work: logout },
    { name: 'whoami', description: 'show who is signed in', example: 'holdfast whoami', work: whoami },
    {
      name: 'status',
      description: 'show the settings in use and where each one comes from',
      example: 'holdfast status --json',
      work: status,
    },
    {
      name: 'link',
      description: 'link this directory to an environment',
      example: 'holdfast link acme/web-shop/dev',
      options: linkOptions,
      work: link,
    },
  ],
  'Use secrets:': [
    {
      name: 'run',
      description: 'run a command with the secrets in its environment',
      example: 'holdfast run -- npm start',
      options: runOptions,
      work: run,
    },
    {
      name: 'pull',
      description: 'print all secrets in a chosen format',
      example: 'holdfast pull --format dotenv --output .env.local',
      options: pullOptions,
      work: pull,
    },
    {
      name: 'get',
      description: 'print one value',
      example: 'holdfast get DATABASE_URL',
      options: getOptions,
      work: get,
    },
    {
      name: 'list',
      description: 'list the keys',
      example: 'holdfast list --env staging',
      options: listOptions,
      work: list,
    },
    {
      name: 'find',
      description: 'list the projects and environments that have a key',
      example: 'holdfast find DATABASE_URL',
      options: findOptions,
      work: find,
    },
  ],
  'Change secrets:': [
    {
      name: 'set',
      description: 'set one value from standard input, a file or a hidden prompt, or generate it',
      example: 'holdfast set SESSION_KEY --generate 32',
      options: setOptions,
      work: set,
    },
    {
      name: 'unset',
      description: 'delete keys',
      example: 'holdfast unset LEGACY_API_KEY',
      options: unsetOptions,
      work: unset,
    },
    {
      name: 'push',
      description: 'set every key in a file, as one revision',
      example: 'holdfast push .env --message "move the database"',
      options: pushOptions,
      work: push,
    },
    {
      name: 'edit',
      description: 'edit all secrets in your editor',
      example: 'EDITOR=nano holdfast edit',
      options: editOptions,
      work: edit,
    },
    {
      name: 'promote',
      description: 'copy secrets to another environment',
      example: 'holdfast promote dev staging --only DATABASE_URL,LOG_LEVEL',
      options: promoteOptions,
      work: promote,
    },
  ],
  'See what changed:': [
    {
      name: 'diff',
      description: 'compare environments, revisions and files',
      example: 'holdfast diff dev staging',
      options: diffOptions,
      work: diff,
    },
    {
      name: 'revisions',
      description: 'list the changes: who, when and why',
      example: 'holdfast revisions --limit 5',
      options: revisionsOptions,
      work: revisions,
    },
    {
      name: 'history',
      description: 'list the versions of a key',
      example: 'holdfast history DATABASE_URL',
      options: historyOptions,
      work: history,
    },
    {
      name: 'restore',
      description: 'restore an earlier revision, as a new one',
      example: 'holdfast restore 2 --dry-run',
      options: restoreOptions,
      work: restore,
    },
  ],
  'Check:': [
    {
      name: 'validate',
      description: 'check an environment against the project’s template',
      example: 'holdfast validate staging',
      options: validateOptions,
      work: validate,
    },
    {
      name: 'template',
      description: 'show the keys that every environment of the project needs',
      example: 'holdfast template',
      work: listTemplate,
      subcommands: [
        {
          name: 'list',
          description: 'list the keys of the template',
          example: 'holdfast template list',
          work: listTemplate,
        },
        {
          name: 'add',
          description: 'add a key to the template',
          example: "holdfast template add DATABASE_URL --pattern 'postgres://.*'",
          options: addTemplateOptions,
          work: addTemplateKey,
        },
        {
          name: 'remove',
          description: 'remove a key from the template',
          example: 'holdfast template remove DATABASE_URL',
          options: removeTemplateOptions,
          work: removeTemplateKey,
        },
      ],
    },
  ],
  'Organize:': [
    {
      name: 'orgs',
      description: 'list your organizations',
      example: 'holdfast orgs',
      work: listOrganizations,
    },
    {
      name: 'projects',
      description: 'list the projects',
      example: 'holdfast projects --org acme',
      work: listProjects,
      subcommands: [
        {
          name: 'create',
          description: 'create a project',
          example: 'holdfast projects create "Web shop"',
          options: createProjectOptions,
          work: createProject,
        },
      ],
    },
    {
      name: 'envs',
      description: 'list the environments',
      example: 'holdfast envs --project web-shop',
      work: listEnvironments,
      subcommands: [
        {
          name: 'create',
          description: 'create an environment',
          example: 'holdfast envs create "Load test" --type staging',
          options: createEnvironmentOptions,
          work: createEnvironment,
        },
      ],
    },
    {
      name: 'members',
      description: 'list the members',
      example: 'holdfast members',
      work: listMembers,
      subcommands: [
        {
          name: 'invite',
          description: 'invite a person by e-mail',
          example: 'holdfast members invite grace@example.com --role developer',
          options: inviteOptions,
          work: invite,
        },
        {
          name: 'leave',
          description: 'leave the organization',
          example: 'holdfast members leave --yes',
          options: leaveOptions,
          work: leave,
        },
      ],
    },
    {
      name: 'audit',
      description: 'show who did what',
      example: 'holdfast audit --action secret.pulled --since 7d',
      options: auditOptions,
      work: audit,
    },
    {
      name: 'exposure',
      description: 'list what a credential or a person saw, or who knows a secret',
      example: 'holdfast exposure --token 1c9f6a30-58d2-4b7e-8a41-90e3d7c2b5f6',
      options: exposureOptions,
      work: exposure,
    },
    {
      name: 'webhooks',
      description: 'list the webhooks',
      example: 'holdfast webhooks',
      work: listWebhooks,
      subcommands: [
        {
          name: 'ping',
          description: 'send a test ping',
          example: 'holdfast webhooks ping 2c9d4f1e-8a37-4b60-95d2-6e1f0b7c3a58',
          options: webhookOptions,
          work: ping,
        },
        {
          name: 'deliveries',
          description: 'show the last 20 deliveries',
          example: 'holdfast webhooks deliveries 2c9d4f1e-8a37-4b60-95d2-6e1f0b7c3a58',
          options: webhookOptions,
          work: listDeliveries,
        },
        {
          name: 'redeliver',
          description: 'send a delivery again',
          example:
            'holdfast webhooks redeliver 2c9d4f1e-8a37-4b60-95d2-6e1f0b7c3a58 0d4e8b6f-7c21-4a95-9e38-5f1b2c7d6a03',
          options: redeliverOptions,
          work: redeliver,
        },
      ],
    },
    {
      name: 'tokens',
      description: 'show the token in use',
      example: 'holdfast tokens',
      work: showToken,
      subcommands: [
        {
          name: 'create',
          description: 'create a token for a program',
          example: 'holdfast tokens create deploy --project web-shop --env production',
          options: createTokenOptions,
          work: createToken,
        },
        {
          name: 'revoke',
          description: 'revoke a token',
          example: 'holdfast tokens revoke current',
          options: revokeTokenOptions,
          work: revokeToken,
        },
      ],
    },
  ],
};
