import { Argument, defineCommand, defineSubcommand, Option } from '../define-command.ts';
import { keepDaysOption, reportDeletion, requireConfirmed } from '../deletion.ts';
import { given } from '../given.ts';
import { slugOption, yesOption } from '../options.ts';

const create = defineSubcommand({
  name: 'create',
  description: 'create a project',
  example: 'holdfast projects create "Web shop"',
  arguments: [new Argument('<name>', 'name of the project')],
  options: [slugOption, new Option('--description <text>', 'description')],
  run: async (session, name, { slug, description }) => {
    const answer = await session.request('POST', '/v1/projects/{orgId}', {
      path: { orgId: await session.organizationId() },
      body: { name, ...given({ slug, description }) },
    });
    if (session.output.json) return session.output.document(answer);
    const { environments } = answer.project;
    session.output.data(`${answer.project.slug}\n`);
    session.output.note(`Created with ${environments.map(one => one.slug).join(', ')}. Use it here: holdfast link`);
  },
});

const remove = defineSubcommand({
  name: 'delete',
  description: 'delete a project with all its environments',
  example: 'holdfast projects delete web-shop --yes',
  notes: 'Only for owners. An owner can restore it for 7 days: see “holdfast deleted”.',
  arguments: [new Argument('<project>', 'slug of the project')],
  options: [keepDaysOption, yesOption],
  run: async (session, slug, { keepDays }) => {
    await requireConfirmed(session, `Delete the project ${slug}?`);
    const path = { orgId: await session.organizationId(), slug };
    const answer = await session.request('DELETE', '/v1/projects/{orgId}/{slug}', { path, query: { keepDays } });
    if (session.output.json) return session.output.document(answer);
    reportDeletion(session, slug, keepDays, 'holdfast deleted');
  },
});

export default defineCommand({
  name: 'projects',
  heading: 'Organize',
  position: 2,
  description: 'list the projects',
  example: 'holdfast projects --org acme',
  subcommands: [create, remove],
  run: async session => {
    const path = { orgId: await session.organizationId() };
    const answer = await session.request('GET', '/v1/projects/{orgId}', { path });
    if (session.output.json) return session.output.document(answer);
    session.output.table(
      ['SLUG', 'NAME', 'ENVIRONMENTS'],
      answer.projects.map(({ slug, name, environments }) => [slug, name, environments.map(one => one.slug).join(' ')]),
      'No projects. Create one: holdfast projects create NAME',
      ['NAME'],
    );
  },
});
