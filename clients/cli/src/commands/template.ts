import { defineCommand, defineSubcommand, Option } from '../define-command.ts';
import { isId } from '../evidence/ids.ts';
import { usage } from '../failure.ts';
import { findMember } from '../find-member.ts';
import { given } from '../given.ts';
import { days, keyArgument } from '../options.ts';
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

const none = 'none';

const textOrNull = (text: string | undefined): string | null | undefined => (text === none ? null : text);

const removes = `${none} removes it`;

const set = defineSubcommand({
  name: 'set',
  description: 'describe a key of the template',
  example: 'holdfast template set DATABASE_URL --owner alan@example.com --max-age 90d --tag payments',
  notes: 'Options that are left out keep what is there. Tags replace all tags.',
  arguments: [keyArgument],
  options: [
    new Option('--owner <who>', `address or user id of the member who renews its values; ${removes}`),
    new Option('--max-age <days>', `for how many days a value is used, such as 90d; ${removes}`).argParser(
      orNone(days(1)),
    ),
    new Option('--renew-url <url>', `https address where a new value is made; ${removes}`),
    new Option('--tag <tag>', `tag; repeat it for several; ${removes}`).argParser(
      (tag: string, before: string[] | undefined) => [...(before ?? []), tag],
    ),
    new Option('--note <text>', `note in Markdown, never a value; ${removes}`),
    new Option('--description <text>', `description; ${removes}`),
  ],
  run: async (session, key, { owner, maxAge, renewUrl, tag, note, description }) => {
    const path = { ...(await templatePath(session)), key };
    const body = given({
      owner: await ownerOf(session, owner),
      maxAgeDays: maxAge === none ? null : maxAge,
      renewUrl: textOrNull(renewUrl),
      tags: tag?.includes(none) ? null : tag,
      note: textOrNull(note),
      description: textOrNull(description),
    });
    if (Object.keys(body).length === 0) throw usage('Say what to change, such as: --max-age 90d');
    const answer = await session.request('PATCH', '/v1/templates/{orgSlug}/{project}/{key}', { path, body });
    if (session.output.json) session.output.document(answer);
    else session.output.note(`${key} is described. See what is due: holdfast due`);
  },
});

async function ownerOf(session: Session, owner: string | undefined): Promise<string | null | undefined> {
  if (owner === undefined || owner === none || isId(owner)) return textOrNull(owner);
  return (await findMember(session, await session.organizationId(), owner)).userId;
}

function orNone<T>(parse: (text: string) => T) {
  return (text: string): T | typeof none => (text === none ? none : parse(text));
}

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
  subcommands: [list, add, set, remove],
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
