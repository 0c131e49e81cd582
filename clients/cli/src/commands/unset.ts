import { Argument, defineCommand } from '../define-command.ts';
import { exitCodes, Failure } from '../failure.ts';
import { given } from '../given.ts';
import { secretKeys, writeOptions } from '../options.ts';
import { proposePlan } from '../proposal.ts';

export default defineCommand({
  name: 'unset',
  heading: 'Change secrets',
  position: 2,
  description: 'delete keys',
  example: 'holdfast unset LEGACY_API_KEY',
  arguments: [new Argument('<keys...>', 'keys of the secrets').argParser(secretKeys)],
  options: writeOptions,
  run: async (session, keys, flags) => {
    const environment = await session.environment();
    const { ifRevision, message } = flags;
    if (flags.propose) {
      const change = { delete: [...new Set(keys)] };
      return await proposePlan(session, { environment, change, plan: await environment.plan(change) }, flags);
    }
    const answer = await environment.delete([...new Set(keys)], given({ ifRevision, message }));
    const { deleted, notFound, revision } = answer;
    if (deleted.length === 0) {
      throw new Failure(exitCodes.notFound, 'secret_not_found', `Not set: ${notFound.join(', ')}.`, {
        hint: 'List the keys: holdfast list',
      });
    }
    if (session.output.json) return session.output.document(answer);
    if (notFound.length > 0) session.output.warn(`Not set in the first place: ${notFound.join(', ')}.`);
    session.output.note(`${deleted.join(', ')} deleted; ${environment.slug} is at revision ${revision}.`);
  },
});
