import { defineCommand, Option } from '../define-command.ts';
import { given } from '../given.ts';
import { integer } from '../options.ts';
import { keyChanges, someOf } from '../printable.ts';

export default defineCommand({
  name: 'revisions',
  heading: 'See what changed',
  position: 2,
  description: 'list the changes: who, when and why',
  example: 'holdfast revisions --limit 5',
  options: [
    new Option('--limit <number>', 'maximum number of revisions').argParser(integer(1, 100)).default(20),
    new Option('--before <revision>', 'only revisions before this one').argParser(integer(1)),
  ],
  /** Newest first. */
  run: async (session, { limit, before }) => {
    const { output } = session;
    const environment = await session.environment();
    const answer = await environment.revisions(given({ limit, before }));
    if (output.json) return output.document(answer);
    const rows = answer.revisions.map(({ revision, createdAt, createdBy, message, ...origin }) => {
      const from = origin.from === undefined ? '' : ` from ${origin.from.slug}@${origin.from.revision}`;
      const restored = origin.restored === undefined ? '' : ` of ${origin.restored}`;
      return [
        String(revision),
        output.ago(createdAt),
        createdBy?.email ?? 'an operator',
        `${origin.action}${from}${restored}`,
        someOf(keyChanges(origin)),
        message ?? '',
      ];
    });
    const none = `Nothing has changed ${environment.slug}${before === undefined ? ' yet' : ` before revision ${before}`}.`;
    output.table(['REVISION', 'WHEN', 'BY', 'WHAT', 'KEYS', 'WHY'], rows, none);
    if (answer.next !== null) output.note(`More: holdfast revisions --before ${answer.next}`);
  },
});
