import { Argument, defineCommand, defineSubcommand, Option } from '../define-command.ts';
import { keepDaysOption, reportDeletion, requireConfirmed } from '../deletion.ts';
import { given } from '../given.ts';
import { slugOption, yesOption } from '../options.ts';

const create = defineSubcommand({
  name: 'create',
  description: 'create an environment',
  example: 'holdfast envs create "Load test" --type staging',
  arguments: [new Argument('<name>', 'name of the environment')],
  options: [
    slugOption,
    new Option('--type <type>', 'type of environment, which decides who may read and change it').choices([
      'development',
      'staging',
      'production',
    ]),
  ],
  run: async (session, name, { slug, type }) => {
    const { project } = await session.place('project');
    const answer = await session.request('POST', '/v1/projects/{orgId}/{slug}/environments', {
      path: { orgId: await session.organizationId(), slug: project },
      body: { name, ...given({ slug, type }) },
    });
    if (session.output.json) session.output.document(answer);
    else session.output.data(`${answer.environment.slug}\n`);
  },
});

const remove = defineSubcommand({
  name: 'delete',
  description: 'delete an environment with its secrets',
  example: 'holdfast envs delete load-test --yes',
  notes: 'Only for owners and admins. An owner can restore it for 7 days: see “holdfast deleted”.',
  arguments: [new Argument('<environment>', 'slug of the environment')],
  options: [keepDaysOption, yesOption],
  run: async (session, env, { keepDays }) => {
    const { project } = await session.place('project');
    await requireConfirmed(session, `Delete the environment ${project}/${env}?`);
    const path = { orgId: await session.organizationId(), slug: project, env };
    const route = '/v1/projects/{orgId}/{slug}/environments/{env}';
    const answer = await session.request('DELETE', route, { path, query: { keepDays } });
    if (session.output.json) return session.output.document(answer);
    reportDeletion(session, `${project}/${env}`, keepDays, 'holdfast deleted');
  },
});

export default defineCommand({
  name: 'envs',
  heading: 'Organize',
  position: 3,
  description: 'list the environments',
  example: 'holdfast envs --project web-shop',
  subcommands: [create, remove],
  run: async session => {
    const { environments } = await session.project();
    if (session.output.json) return session.output.document({ environments });
    session.output.table(
      ['SLUG', 'NAME', 'TYPE', 'REVISION', 'SECRETS'],
      environments.map(one => [one.slug, one.name, one.type, String(one.revision), String(one.secretCount)]),
      undefined,
      ['NAME'],
    );
  },
});
