import { defineCommand, Option } from '../define-command.ts';
import { given } from '../given.ts';
import { keyArgument } from '../options.ts';
import { shown } from '../printable.ts';

export default defineCommand({
  name: 'history',
  heading: 'See what changed',
  position: 3,
  description: 'list the versions of a key',
  example: 'holdfast history DATABASE_URL',
  arguments: [keyArgument],
  options: [new Option('--values', 'also show the values; recorded in the audit log')],
  run: async (session, key, flags) => {
    const answer = await (await session.environment()).history(key, given({ values: flags.values }));
    if (session.output.json) return session.output.document(answer);
    const rows = answer.versions.map(({ version, revision, createdAt, createdBy, deleted, destroyed, value }) => [
      String(version),
      String(revision),
      session.output.time(createdAt),
      createdBy.email,
      deleted ? 'deleted' : destroyed ? 'destroyed' : value === undefined ? '' : shown(value),
    ]);
    session.output.table(['VERSION', 'REVISION', 'WHEN', 'BY', flags.values ? 'VALUE' : ''], rows);
  },
});
