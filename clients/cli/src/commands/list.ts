import { defineCommand } from '../define-command.ts';
import { given } from '../given.ts';
import { revisionOption } from '../options.ts';

export default defineCommand({
  name: 'list',
  heading: 'Use secrets',
  position: 4,
  description: 'list the keys',
  example: 'holdfast list --env staging',
  options: [revisionOption],
  run: async (session, { revision }) => {
    const environment = await session.environment();
    const answer = await environment.keys(given({ revision }));
    const { output } = session;
    if (output.json) return output.document(answer);
    output.table(
      ['KEY', 'VERSION', 'UPDATED', 'BY'],
      answer.keys.map(({ key, version, updatedAt, updatedBy }) => {
        return [key, String(version), output.time(updatedAt), updatedBy.email];
      }),
      `${environment.slug} has no keys at revision ${answer.revision}. Begin: holdfast push .env, or holdfast set KEY`,
    );
  },
});
