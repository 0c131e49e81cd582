import { Argument, defineCommand, defineSubcommand, Option } from '../define-command.ts';
import { given } from '../given.ts';
import { slugOption } from '../options.ts';

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

export default defineCommand({
  name: 'envs',
  heading: 'Organize',
  position: 3,
  description: 'list the environments',
  example: 'holdfast envs --project web-shop',
  subcommands: [create],
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
