import { maxKeysPerChange } from '@holdfast/contracts/fields/secret-rules.ts';
import { carryOut } from '../change.ts';
import { Argument, defineCommand, Option } from '../define-command.ts';
import { commentsAbove, describeKeys } from '../descriptions.ts';
import { exitCodes, Failure } from '../failure.ts';
import { given } from '../given.ts';
import { invisibleNotes } from '../one-value.ts';
import { dialectOptions, planOptions, writeOptions } from '../options.ts';
import { readFile } from '../read-limited.ts';
import { findReferences, plainNote } from '../references.ts';
import { refusedByRun } from '../run/child-environment.ts';
import { fileFormats, readSecrets } from '../secrets-file.ts';
import { decode, readStandardInput, withoutMark } from '../standard-input.ts';

export default defineCommand({
  name: 'push',
  heading: 'Change secrets',
  position: 3,
  description: 'set every key in a file, as one revision',
  example: 'holdfast push .env --message "move the database"',
  arguments: [new Argument('<file>', 'a file of KEY=value lines, JSON or YAML, or - for standard input')],
  options: [
    ...writeOptions,
    ...dialectOptions,
    new Option('--format <format>', 'format of the file; by its name if omitted').choices(fileFormats),
    new Option('--describe', 'make the comments above keys their descriptions in the template').conflicts('propose'),
    new Option('--prune', 'delete keys that are not in the file, in the same revision'),
    ...planOptions,
  ],
  run: async (session, file, flags) => {
    const { output } = session;
    const text = file === '-' ? await readStandardInput(session.terminal) : decode(readFile(file), file);
    const name = file === '-' ? 'Standard input' : file;
    if (withoutMark(text) !== text) output.note(`${name}: a byte order mark was left out.`);
    const values = await readSecrets(file, text, flags);
    if (values.size === 0) {
      // With --prune, an empty file would delete everything.
      throw new Failure(exitCodes.other, 'nothing_to_push', `${name} sets no key; nothing was changed.`);
    }
    const describes = flags.describe === true && flags.dryRun !== true;
    const read = (other: string) => readSecrets(file, other, flags);
    const comments = describes ? await commentsAbove(withoutMark(text), values, read) : undefined;
    const environment = await session.environment();
    const existingKeys = flags.prune ? (await environment.keys()).keys.map(({ key }) => key) : [];
    const deleted = existingKeys.filter(key => !values.has(key));
    if (values.size + deleted.length > maxKeysPerChange) {
      const what = `sets ${values.size} keys${deleted.length === 0 ? '' : ` and deletes ${deleted.length}`}`;
      throw new Failure(
        exitCodes.other,
        'too_many_keys',
        `This push ${what}, and one revision takes ${maxKeysPerChange} changes; nothing was changed.`,
        { hint: 'Split the file, or push first and prune afterwards.' },
      );
    }
    const plainChange = { set: Object.fromEntries(values), delete: deleted, ...given({ message: flags.message }) };
    const plainPlan = await environment.plan(plainChange);
    const { kept, plain } = await findReferences(environment, values, plainPlan);
    const change = { ...plainChange, set: { ...plainChange.set, ...kept } };
    const plan = Object.keys(kept).length === 0 ? plainPlan : await environment.plan(change);
    const isNew = new Set([...plan.created, ...plan.updated]);
    const changed = [...values].filter(([key]) => isNew.has(key));
    for (const note of [...invisibleNotes(changed), ...refusedByRun(changed), ...plainNote(plain)]) output.warn(note);
    const title = `push ${file === '-' ? 'standard input' : file} to ${environment.slug}`;
    await carryOut(session, { environment, plan, title, change }, { ifRevision: plainPlan.revision, ...flags });
    if (comments === undefined) return;
    const count = await describeKeys(session, comments);
    if (!output.json) output.note(`${count} ${count === 1 ? 'description' : 'descriptions'} changed in the template.`);
  },
});
