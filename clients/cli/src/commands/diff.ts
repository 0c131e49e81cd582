import { existsSync } from 'node:fs';
import { Argument, defineCommand, Option } from '../define-command.ts';
import { differenceLines } from '../difference-lines.ts';
import { exitCodes, Failure, usage } from '../failure.ts';
import { given } from '../given.ts';
import { dialectOptions } from '../options.ts';
import { readFile } from '../read-limited.ts';
import { plainNote } from '../references.ts';
import { type FileFlags, readSecrets } from '../secrets-file.ts';
import type { Session } from '../session.ts';
import { decode, readStandardInput } from '../standard-input.ts';

export default defineCommand({
  name: 'diff',
  heading: 'See what changed',
  position: 1,
  description: 'compare environments, revisions and files',
  example: 'holdfast diff dev staging',
  arguments: [
    new Argument('[a]', 'an environment (dev), a revision of one (dev@17), or a file (./.env; - for standard input)'),
    new Argument('[b]', 'the same; see below for the defaults'),
  ],
  options: [
    ...dialectOptions,
    new Option('--show-values', 'also show the values'),
    new Option('--exit-code', 'exit with 7 if anything differs'),
  ],
  notes: `
holdfast diff              changes of the last revision
holdfast diff dev@17       changes since revision 17
holdfast diff staging      the current environment against staging
holdfast diff .env         what pushing the file would change
holdfast diff dev@17 dev@18 · dev staging · staging@4 .env`,
  run: async (session, a, b, flags) => {
    const { output } = session;
    const difference = await differenceOf(session, await sidesOf(session, a, b), flags);
    if (output.json) output.document(difference);
    else {
      const lines = differenceLines(output, difference).map(line => `${line}\n`);
      output.listing(lines.join(''));
    }
    const count = difference.created.length + difference.updated.length + difference.deleted.length;
    const what = count === 0 ? 'nothing differs' : `${count} ${count === 1 ? 'key differs' : 'keys differ'}`;
    const summary = `From ${difference.from} to ${difference.to}: ${what}.`;
    if (flags.exitCode && count > 0) throw new Failure(exitCodes.checkFailed, 'differs', summary);
    output.note(summary);
  },
});

interface Side {
  name: string;
  kind: 'environment' | 'file';
  slug?: string;
  revision?: number;
}

/** From A to B. Values are included only if requested. */
interface Difference {
  from: string;
  to: string;
  created: { key: string; after?: string }[];
  updated: { key: string; before?: string; after?: string }[];
  deleted: { key: string; before?: string }[];
}

function sideOf(text: string): Side {
  const match = /^([a-z0-9](?:[a-z0-9-]{0,46}[a-z0-9])?)(?:@(\d{1,16}))?$/.exec(text);
  if (match === null) {
    if (text === '-' || /[./\\]/.test(text) || existsSync(text)) return { name: text, kind: 'file' };
    throw usage(`“${text}” is neither an environment, nor a revision of one (dev@17), nor a file.`);
  }
  const [, slug = '', revision] = match;
  return { name: text, kind: 'environment', slug, ...(revision === undefined ? {} : { revision: Number(revision) }) };
}

async function sidesOf(session: Session, a: string | undefined, b: string | undefined): Promise<[Side, Side]> {
  if (a !== undefined && b !== undefined) return [sideOf(a), sideOf(b)];
  if (a !== undefined) {
    const side = sideOf(a);
    if (side.revision !== undefined)
      return [side, { name: side.slug ?? '', kind: 'environment', slug: side.slug ?? '' }];
    const { environment } = await session.place('environment');
    return [{ name: environment, kind: 'environment', slug: environment }, side];
  }
  const environment = await session.environment();
  const [last] = (await environment.revisions({ limit: 1 })).revisions;
  const revision = last?.revision ?? (await environment.keys()).revision;
  const at = (moment: number): Side => ({
    name: `${environment.slug}@${moment}`,
    kind: 'environment',
    slug: environment.slug,
    revision: moment,
  });
  // A new environment has no revisions. Under a reused slug its first revision is not 0.
  return [at(last === undefined ? revision : revision - 1), at(revision)];
}

async function differenceOf(
  session: Session,
  [a, b]: [Side, Side],
  flags: FileFlags & { showValues?: boolean },
): Promise<Difference> {
  const values = flags.showValues ?? false;
  if (a.kind === 'environment' && b.kind === 'environment') {
    // The service compares them, so values leave it only if they are shown.
    const environment = await session.environment(a.slug);
    if (a.slug === b.slug) {
      const from = a.revision ?? (await environment.keys()).revision;
      const { created, updated, deleted, ...moments } = await environment.diff(from, b.revision, { values });
      return { from: `${a.slug}@${moments.from}`, to: `${b.slug}@${moments.to}`, created, updated, deleted };
    }
    if (a.revision === undefined && b.revision === undefined) {
      const { from, to, onlyFrom, onlyTo, different } = await environment.compare(b.slug ?? '', { values });
      return {
        from: `${from.slug}@${from.revision}`,
        to: `${to.slug}@${to.revision}`,
        created: onlyTo.map(({ key, to: after }) => ({ key, ...optional('after', after) })),
        updated: different.map(one => ({
          key: one.key,
          ...optional('before', one.from),
          ...optional('after', one.to),
        })),
        deleted: onlyFrom.map(({ key, from: before }) => ({ key, ...optional('before', before) })),
      };
    }
  }
  const [before, after] = [await valuesOf(session, a, flags), await valuesOf(session, b, flags)];
  const show = (name: 'before' | 'after', value: string | undefined) => (values ? optional(name, value) : {});
  const keys = [...new Set([...before.values.keys(), ...after.values.keys()])].toSorted();
  const difference: Difference = { from: before.name, to: after.name, created: [], updated: [], deleted: [] };
  for (const key of keys) {
    const [old, now] = [before.values.get(key), after.values.get(key)];
    if (old === now) continue;
    if (old === undefined) difference.created.push({ key, ...show('after', now) });
    else if (now === undefined) difference.deleted.push({ key, ...show('before', old) });
    else difference.updated.push({ key, ...show('before', old), ...show('after', now) });
  }
  const pushed = b.kind === 'file' ? difference.updated.filter(({ key }) => before.expands(key)) : [];
  for (const note of plainNote(pushed.map(({ key }) => key))) session.output.warn(note);
  return difference;
}

const optional = <N extends string>(name: N, value: string | undefined) =>
  (value === undefined ? {} : { [name]: value }) as Partial<Record<N, string>>;

async function valuesOf(
  session: Session,
  side: Side,
  flags: FileFlags,
): Promise<{ name: string; values: Map<string, string>; expands: (key: string) => boolean }> {
  if (side.kind === 'file') {
    const text = side.name === '-' ? await readStandardInput(session.terminal) : decode(readFile(side.name), side.name);
    return { name: side.name, values: await readSecrets(side.name, text, flags), expands: () => false };
  }
  const environment = await session.environment(side.slug);
  const snapshot = await environment.pull(given({ revision: side.revision }));
  const values = new Map(snapshot.keys().map(key => [key, snapshot.require(key)]));
  return { name: `${environment.slug}@${snapshot.revision}`, values, expands: key => snapshot.expands(key) };
}
