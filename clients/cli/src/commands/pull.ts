import { type Entry, refusalsOf, type Source } from '@holdfast/contracts/fields/formats/format.ts';
import { formats } from '@holdfast/contracts/fields/formats/formats.ts';
import type { Environment } from '@holdfast/sdk';
import { defineCommand, Option } from '../define-command.ts';
import { commentedFormats, commentsOf } from '../descriptions.ts';
import { notRepresentable, usage } from '../failure.ts';
import { writePrivately } from '../files.ts';
import { allowNameOption, pullOptions } from '../options.ts';
import { allowNameFlag } from '../run/child-environment.ts';
import type { Session } from '../session.ts';
import { listLayers, pullEntries, revisionsOf, select } from '../snapshot.ts';
import { writeAll } from '../write-all.ts';

export default defineCommand({
  name: 'pull',
  heading: 'Use secrets',
  position: 2,
  description: 'print all secrets in a chosen format',
  example: 'holdfast pull --format dotenv --output .env.local',
  options: [
    new Option('-f, --format <format>', 'output format (default: "env")').choices(Object.keys(formats)),
    new Option('-o, --output <file>', 'write to this file, readable only by you'),
    new Option('--comments', 'write the template’s description above each key, in the formats env and dotenv'),
    new Option('--explain', 'show which environment each key comes from, instead of the values').conflicts([
      'format',
      'output',
      'revision',
      'cache',
      'offline',
    ]),
    allowNameOption,
    ...pullOptions,
  ],
  /** `--json` applies to standard output, `--format` to the file. */
  run: async (session, flags) => {
    const { output } = session;
    const { output: file = '-', format: name = 'env' } = flags;
    const isToFile = file !== '-';
    if (output.json && flags.format !== undefined && !isToFile) {
      throw usage(
        '--json prints one JSON document, so it can’t print another format as well.',
        'Leave one out, or write a file: --output FILE',
      );
    }
    if (flags.comments === true && !commentedFormats.includes(name)) {
      throw usage(`The format ${name} has no comments.`, `Formats with comments: ${commentedFormats.join(', ')}`);
    }
    if (flags.explain) {
      await explain(session, flags.only);
      return;
    }
    const { entries, revision, revisions } = await pullEntries(session, flags);
    if (process.env.GITHUB_ACTIONS === 'true' && formats[name]?.aside === undefined) {
      output.warn('holdfast: pull masks no value in this job’s log, unless the format is github.');
    }
    const environments = await session.layers();
    const place = placeOfTop(environments);
    const moment = environments.length === 1 ? { revision } : { revision, revisions };
    if (output.json && !isToFile) {
      output.document({ ...place, ...moment, secrets: Object.fromEntries(entries) });
      return;
    }
    const comments = flags.comments === true ? await commentsOf(session) : undefined;
    const text = textOf(session, { format: name, allowed: flags.allowName ?? [], comments }, entries, place);
    if (!isToFile) {
      output.data(text);
      return;
    }
    writePrivately(file, text);
    const count = entries.length;
    const noun = count === 1 ? 'secret' : 'secrets';
    if (output.json) output.document({ ...place, ...moment, format: name, file, count });
    else if (environments.length > 1) output.note(`${count} ${noun} of ${revisions} written to ${file}.`);
    else output.note(`${count} ${noun} of ${place.environment}, revision ${revision}, written to ${file}.`);
  },
});

/** The environment that the layers lie below. */
function placeOfTop(environments: readonly Environment[]) {
  const { organization, project, slug } = environments.at(-1) as Environment;
  return { organization, project, environment: slug };
}

/** Reads lists of keys, which need no audit entry, rather than values. */
async function explain(session: Session, only: readonly string[] | undefined): Promise<void> {
  const { output } = session;
  const lists = await listLayers(session);
  const holders = new Map<string, string[]>();
  for (const { environment, revision, keys } of lists) {
    const name = `${environment.organization}/${environment.project}/${environment.slug}@${revision}`;
    for (const { key } of keys) holders.set(key, [name, ...(holders.get(key) ?? [])]);
  }
  const revisions = revisionsOf(lists.map(({ environment, revision }) => [environment, revision]));
  const keys = select(
    [...holders.keys()].sort().map(key => [key, '']),
    only,
    revisions,
  ).map(([key]) => ({ key, from: holders.get(key)?.[0] ?? '', hidden: holders.get(key)?.slice(1) ?? [] }));
  if (output.json) return output.document({ keys });
  output.table(
    ['KEY', 'FROM', 'HIDES'],
    keys.map(({ key, from, hidden }) => [key, from, hidden.join(' ')]),
    'No keys. Begin: holdfast push .env',
  );
}

interface TextOptions {
  format: string;
  allowed: readonly string[];
  /** What to write above keys. */
  comments: ReadonlyMap<string, string> | undefined;
}

/** @throws Failure naming every key that the format can't hold or that is dangerous there */
function textOf(
  { output }: Session,
  { format: name, allowed, comments }: TextOptions,
  entries: readonly Entry[],
  source: Source,
): string {
  const format = formats[name];
  if (format === undefined) throw new Error(`There is no format ${name}.`);
  const allowance = { allowed, option: allowNameFlag };
  const refusals = refusalsOf(format, entries, allowance);
  if (refusals.length > 0) {
    const able = Object.keys(formats).filter(other => {
      const one = formats[other];
      return one !== undefined && refusalsOf(one, entries, allowance).length === 0;
    });
    throw notRepresentable(name, refusals, able);
  }
  const warning = format.warning?.(entries);
  if (warning !== undefined) output.warn(`holdfast: ${warning}`);
  // Masks go first, so that the log never shows the values.
  if (format.aside !== undefined) writeAll(2, format.aside(entries));
  if (comments === undefined) return format.write(entries, source);
  return entries.map(entry => (comments.get(entry[0]) ?? '') + format.write([entry], source)).join('');
}
