import { defineCommand } from '../define-command.ts';
import { nearestOf } from '../elsewhere.ts';
import { failureOf, withHint } from '../failure-of.ts';
import { given } from '../given.ts';
import { keyArgument, revisionOption } from '../options.ts';
import type { Session } from '../session.ts';
import { pullEntries } from '../snapshot.ts';

export default defineCommand({
  name: 'get',
  heading: 'Use secrets',
  position: 3,
  description: 'print one value',
  example: 'holdfast get DATABASE_URL',
  arguments: [keyArgument],
  options: [revisionOption],
  /** Prints only the value. On a terminal a line break follows, so the prompt starts on its own line. */
  run: async (session, key, flags) => {
    const { output } = session;
    const asked = { ...given({ revision: flags.revision }), only: [key] };
    const { entries, revision } = await pullEntries(session, asked).catch(async error => {
      throw await withNearKey(error, session, key);
    });
    const value = entries[0]?.[1] ?? '';
    if (output.json) output.document({ key, value, revision });
    else output.data(output.isTerminal ? `${value}\n` : value);
  },
});

/** The error with the key that was probably meant. Whoever may not list the keys gets it as it is. */
async function withNearKey(error: unknown, session: Session, key: string): Promise<unknown> {
  if (failureOf(error).code !== 'secret_not_found') return error;
  try {
    const { keys } = await (await session.environment()).keys();
    const near = nearestOf(
      key,
      keys.map(one => one.key),
    );
    if (near === undefined) return error;
    return withHint(error, `Did you mean ${near}?`);
  } catch {
    return error;
  }
}
