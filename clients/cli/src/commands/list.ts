import { defineCommand, Option } from '../define-command.ts';
import { given } from '../given.ts';
import { revisionOption } from '../options.ts';

export default defineCommand({
  name: 'list',
  heading: 'Use secrets',
  position: 4,
  description: 'list the keys',
  example: 'holdfast list --env staging',
  options: [revisionOption, new Option('--tag <tag>', 'only keys that the template gives this tag')],
  run: async (session, { revision, tag }) => {
    const environment = await session.environment();
    const listed = await environment.keys(given({ revision, describe: tag === undefined ? undefined : true }));
    const answer =
      tag === undefined ? listed : { ...listed, keys: listed.keys.filter(({ tags }) => tags?.includes(tag)) };
    const { output } = session;
    if (output.json) return output.document(answer);
    output.table(
      ['KEY', 'VERSION', 'UPDATED', 'BY'],
      answer.keys.map(({ key, version, updatedAt, updatedBy }) => {
        return [key, String(version), output.time(updatedAt), updatedBy.email];
      }),
      tag === undefined
        ? `${environment.slug} has no keys at revision ${answer.revision}. Begin: holdfast push .env, or holdfast set KEY`
        : `${environment.slug} has no keys with the tag ${tag}.`,
    );
  },
});
