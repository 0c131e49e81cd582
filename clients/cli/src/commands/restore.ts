import { carryOut } from '../change.ts';
import { Argument, defineCommand } from '../define-command.ts';
import { given } from '../given.ts';
import { integer, onlyOption, planOptions, writeOptions } from '../options.ts';

export default defineCommand({
  name: 'restore',
  heading: 'See what changed',
  position: 4,
  description: 'restore an earlier revision, as a new one',
  example: 'holdfast restore 2 --dry-run',
  arguments: [new Argument('<revision>', 'revision to go back to').argParser(integer(0))],
  options: [...writeOptions, onlyOption, ...planOptions],
  /** No history is lost. */
  run: async (session, revision, flags) => {
    const { only, message } = flags;
    const environment = await session.environment();
    const plan = await environment.planRestore(revision, given({ keys: only, message }));
    const title = `restore revision ${revision} of ${environment.slug}`;
    await carryOut(session, { environment, plan, title }, flags);
  },
});
