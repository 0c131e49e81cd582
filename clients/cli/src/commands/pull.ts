import type { Command } from 'commander';
import { Option } from 'commander';
import { notRepresentable } from '../failure.ts';
import { writePrivately } from '../files.ts';
import { refusalsOf } from '../formats/format.ts';
import { formats } from '../formats/formats.ts';
import type { Session } from '../session.ts';
import { type PullFlags, pullEntries } from '../snapshot.ts';
import { writeAll } from '../write-all.ts';
import { cacheOption, offlineOption, onlyOption, revisionOption } from './options.ts';

interface Flags extends PullFlags {
  format: string;
  output?: string;
}

export const pullOptions = (command: Command): Command =>
  command
    .addOption(new Option('-f, --format <format>', 'who is to read it').choices(Object.keys(formats)).default('env'))
    .option('-o, --output <file>', 'write a file, for you alone, whole or not at all')
    .addOption(onlyOption())
    .addOption(revisionOption())
    .addOption(cacheOption())
    .addOption(offlineOption());

export async function pull(session: Session, flags: Flags): Promise<void> {
  const { output } = session;
  const { entries, revision } = await pullEntries(session, flags);
  const { project, environment, organization } = await session.place('organization', 'project', 'environment');
  const format = formats[flags.format];
  if (format === undefined) throw new Error(`There is no format ${flags.format}.`);
  let text: string;
  if (output.json) {
    const secrets = Object.fromEntries(entries);
    text = `${JSON.stringify({ organization, project, environment, revision, secrets }, null, 2)}\n`;
  } else {
    const refusals = refusalsOf(format, entries);
    if (refusals.length > 0) throw notRepresentable(flags.format, refusals);
    const warning = format.warning?.(entries);
    if (warning !== undefined) output.warn(`holdfast: ${warning}`);
    // The masks first: from then on the log shows none of these values.
    if (format.aside !== undefined) writeAll(2, format.aside(entries));
    text = format.write(entries, { project, environment });
  }
  if (flags.output === undefined || flags.output === '-') {
    output.data(text);
    return;
  }
  writePrivately(flags.output, text);
  output.note(`${entries.length} secrets of ${environment}, revision ${revision}, written to ${flags.output}.`);
}
