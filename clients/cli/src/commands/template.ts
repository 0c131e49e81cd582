import { defineCommand, defineSubcommand, Option } from '../define-command.ts';
import { given } from '../given.ts';
import { keyArgument } from '../options.ts';
import type { Session } from '../session.ts';

const list = defineSubcommand({
  name: 'list',
  description: 'list the keys of the template',
  example: 'holdfast template list',
  run: listKeys,
});

const add = defineSubcommand({
  name: 'add',
  description: 'add a key to the template',
  example: "holdfast template add DATABASE_URL --pattern 'postgres://.*'",
  arguments: [keyArgument],
  options: [
    new Option('--description <text>', 'description'),
    new Option('--no-required', 'allow the key to be missing'),
    new Option('--pattern <regex>', 'regular expression that the whole value must match'),
  ],
  run: async (session, key, { description, required, pattern }) => {
    const answer = await session.request('POST', '/v1/templates/{orgSlug}/{project}', {
      path: await templatePath(session),
      body: { key, required, ...given({ description, pattern }) },
    });
    if (session.output.json) session.output.document(answer);
    else session.output.note(`${key} is part of the template. Check an environment: holdfast validate`);
  },
});

const remove = defineSubcommand({
  name: 'remove',
  description: 'remove a key from the template',
  example: 'holdfast template remove DATABASE_URL',
  arguments: [keyArgument],
  run: async (session, key) => {
    const path = { ...(await templatePath(session)), key };
    const answer = await session.request('DELETE', '/v1/templates/{orgSlug}/{project}/{key}', { path });
    if (session.output.json) session.output.document(answer);
    else session.output.note(`${key} is no longer part of the template.`);
  },
});

export default defineCommand({
  name: 'template',
  heading: 'Check',
  position: 2,
  description: 'show the keys that every environment of the project needs',
  example: 'holdfast template',
  subcommands: [list, add, remove],
  run: listKeys,
});

async function listKeys(session: Session): Promise<void> {
  const path = await templatePath(session);
  const answer = await session.request('GET', '/v1/templates/{orgSlug}/{project}', { path });
  if (session.output.json) return session.output.document(answer);
  session.output.table(
    ['KEY', 'REQUIRED', 'PATTERN', 'DESCRIPTION'],
    answer.keys.map(({ key, required, pattern, description }) => [
      key,
      required ? 'yes' : 'no',
      pattern ?? '',
      description ?? '',
    ]),
    'The template has no keys. Add one: holdfast template add KEY',
  );
}

async function templatePath(session: Session): Promise<{ orgSlug: string; project: string }> {
  const { organization, project } = await session.place('organization', 'project');
  return { orgSlug: organization, project };
}
