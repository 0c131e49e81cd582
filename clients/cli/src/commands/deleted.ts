import { Argument, defineCommand, defineSubcommand } from '../define-command.ts';
import { requireConfirmed } from '../deletion.ts';
import { id, yesOption } from '../options.ts';

const deletedArgument = new Argument('<id>', 'id, as “holdfast deleted” shows it').argParser(id);

const restore = defineSubcommand({
  name: 'restore',
  description: 'restore a project or environment as it was',
  example: 'holdfast deleted restore 7d5a3b1c-9e2f-4d60-b8a1-4c6e0f9d2a73',
  arguments: [deletedArgument],
  run: async (session, deletedId) => {
    const path = { orgId: await session.organizationId(), id: deletedId };
    const answer = await session.request('POST', '/v1/deleted/{orgId}/{id}/restore', { path });
    if (session.output.json) return session.output.document(answer);
    session.output.note('Restored, with its history and settings.');
  },
});

const erase = defineSubcommand({
  name: 'erase',
  description: 'erase a project or environment now',
  example: 'holdfast deleted erase 3b6e0c92-1f7d-4a58-9c40-e2d8a5f71b06 --yes',
  notes: 'From then on, it can’t be restored.',
  arguments: [deletedArgument],
  options: [yesOption],
  run: async (session, deletedId) => {
    await requireConfirmed(session, 'Erase it for good?');
    const path = { orgId: await session.organizationId(), id: deletedId };
    const answer = await session.request('DELETE', '/v1/deleted/{orgId}/{id}', { path });
    if (session.output.json) return session.output.document(answer);
    session.output.note('It is being erased.');
  },
});

export default defineCommand({
  name: 'deleted',
  heading: 'Organize',
  position: 9,
  description: 'list what was deleted and can be restored',
  example: 'holdfast deleted',
  notes: 'Only for owners.',
  subcommands: [restore, erase],
  run: async session => {
    const { output } = session;
    const path = { orgId: await session.organizationId() };
    const answer = await session.request('GET', '/v1/deleted/{orgId}', { path });
    if (output.json) return output.document(answer);
    output.table(
      ['ID', 'WHAT', 'DELETED', 'BY', 'UNTIL'],
      answer.deleted.map(({ id: deletedId, type, slug, project, deletedAt, deletedBy, erasedAt }) => [
        deletedId,
        `${type} ${project === null ? slug : `${project}/${slug}`}`,
        output.time(deletedAt),
        deletedBy.email,
        output.time(erasedAt),
      ]),
      'Nothing deleted can be restored.',
    );
  },
});
