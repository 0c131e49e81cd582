import type { Environment } from '@holdfast/sdk';
import { carryOut } from '../change.ts';
import { Argument, defineCommand } from '../define-command.ts';
import { exitCodes, Failure, usage } from '../failure.ts';
import { given } from '../given.ts';
import { atOption, onlyOption, planOptions, writeOptions } from '../options.ts';
import { printable } from '../printable.ts';

/** Never quotes the input. */
function revisionNumber(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw usage(
    'A revision is a number.',
    'Find it: holdfast revisions. An environment is named with -e: holdfast restore 2 -e dev',
  );
}

export default defineCommand({
  name: 'restore',
  heading: 'See what changed',
  position: 4,
  description: 'restore an earlier revision, as a new one',
  example: 'holdfast restore 2 --dry-run',
  arguments: [new Argument('[revision]', 'revision to go back to; or name a time with --at').argParser(revisionNumber)],
  options: [atOption, ...writeOptions, onlyOption, ...planOptions],
  /** No history is lost. */
  run: async (session, number, flags) => {
    const { only, message, at } = flags;
    if (number !== undefined && at !== undefined) throw usage('Name either a revision or a time, not both.');
    if (number === undefined && at === undefined) {
      throw usage('Name a revision or a time.', 'For example: holdfast restore 2, or holdfast restore --at yesterday');
    }
    const environment = await session.environment();
    const found = at === undefined ? undefined : await revisionAt(environment, at, iso => session.output.time(iso, 2));
    const revision = found?.revision ?? number ?? 0;
    const plan = await environment.planRestore(revision, given({ keys: only, message }));
    const title = `restore revision ${revision} of ${environment.slug}${found?.made ?? ''}`;
    const change = { restore: { revision, ...given({ keys: only }) } };
    await carryOut(session, { environment, plan, title, change }, flags);
  },
});

/** The last revision that was there at this time, and who made it when. */
async function revisionAt(environment: Environment, at: string, timeOf: (iso: string) => string) {
  let oldest: string | undefined;
  for (let before: number | null | undefined; before !== null; ) {
    const { revisions, next } = await environment.revisions(given({ limit: 100, before }));
    const found = revisions.find(({ createdAt }) => createdAt <= at);
    if (found !== undefined) {
      const { revision, createdAt, createdBy, message } = found;
      const why = message === null ? '' : ` (${printable(message)})`;
      return { revision, made: `, made ${timeOf(createdAt)} by ${createdBy?.email ?? 'an operator'}${why}` };
    }
    oldest = revisions.at(-1)?.createdAt ?? oldest;
    before = next;
  }
  const problem = `${environment.slug} had no revision at ${timeOf(at)}.`;
  throw new Failure(exitCodes.notFound, 'revision_not_found', problem, {
    hint:
      oldest === undefined ? 'Nothing has changed it yet.' : `Its first is of ${timeOf(oldest)}: holdfast revisions`,
  });
}
