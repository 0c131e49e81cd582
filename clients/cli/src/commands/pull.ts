import type { Command } from 'commander';
import { Option } from 'commander';
import { type Entry, refusalsOf, type Source } from '../../../../lib/contracts/fields/formats/format.ts';
import { formats } from '../../../../lib/contracts/fields/formats/formats.ts';
import { notRepresentable, usage } from '../failure.ts';
import { writePrivately } from '../files.ts';
import type { Session } from '../session.ts';
import { type PullFlags, pullEntries } from '../snapshot.ts';
import { writeAll } from '../write-all.ts';
import { cacheOption, offlineOption, onlyOption, revisionOption } from './options.ts';

interface Flags extends PullFlags {
  format?: string;
  output?: string;
}

export const pullOptions = (command: Command): Command =>
  command
    .addOption(new Option('-f, --format <format>', 'output format (default: "env")').choices(Object.keys(formats)))
    .option('-o, --output <file>', 'write to this file, readable only by you')
    .addOption(onlyOption())
    .addOption(revisionOption())
    .addOption(cacheOption())
    .addOption(offlineOption());

/** `--json` applies to standard output, `--format` to the file. */
export async function pull(session: Session, flags: Flags): Promise<void> {
  const { output } = session;
  const { output: file = '-', format: name = 'env' } = flags;
  const isToFile = file !== '-';
  if (output.json && flags.format !== undefined && !isToFile) {
    throw usage(
      '--json prints one JSON document, so it can’t print another format as well.',
      'Leave one out, or write a file: --output FILE',
    );
  }
  const { entries, revision } = await pullEntries(session, flags);
  const place = await session.place('organization', 'project', 'environment');
  if (output.json && !isToFile) {
    output.document({ ...place, revision, secrets: Object.fromEntries(entries) });
    return;
  }
  const text = textOf(session, name, entries, place);
  if (!isToFile) {
    output.data(text);
    return;
  }
  writePrivately(file, text);
  const count = entries.length;
  if (output.json) output.document({ ...place, revision, format: name, file, count });
  else output.note(`${count} secrets of ${place.environment}, revision ${revision}, written to ${file}.`);
}

/** @throws Failure naming every key that the format can't hold */
function textOf({ output }: Session, name: string, entries: readonly Entry[], source: Source): string {
  const format = formats[name];
  if (format === undefined) throw new Error(`There is no format ${name}.`);
  const refusals = refusalsOf(format, entries);
  if (refusals.length > 0) throw notRepresentable(name, refusals);
  const warning = format.warning?.(entries);
  if (warning !== undefined) output.warn(`holdfast: ${warning}`);
  // Masks go first, so that the log never shows the values.
  if (format.aside !== undefined) writeAll(2, format.aside(entries));
  return format.write(entries, source);
}
