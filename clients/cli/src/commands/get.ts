import { defineCommand } from '../define-command.ts';
import { given } from '../given.ts';
import { keyArgument, revisionOption } from '../options.ts';
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
    const { entries, revision } = await pullEntries(session, { ...given({ revision: flags.revision }), only: [key] });
    const value = entries[0]?.[1] ?? '';
    if (output.json) output.document({ key, value, revision });
    else output.data(output.isTerminal ? `${value}\n` : value);
  },
});
