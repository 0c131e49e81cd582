import { type Exported, leaveNotes, placeOf, type SourceFile, type SourceValue, takeValue } from '../exported.ts';
import { isNested, type Reference, templateOf } from '../references.ts';
import type { Run, Source } from '../source.ts';
import { isList, isMembers, memberOf, readJson, refuseDotenv, type Tree, textOf, unreadable } from '../tree.ts';

/** Doppler adds these to each config. They say where it is. */
const nameKeys = ['DOPPLER_PROJECT', 'DOPPLER_CONFIG', 'DOPPLER_ENVIRONMENT'];

/** `doppler secrets download --no-file --format json`; or `doppler secrets --json --raw`, which keeps references. */
export const doppler: Source = {
  title: 'Doppler',
  program: 'doppler',
  example: 'doppler secrets --project web-shop --config prd --json --raw >secrets.json',
  read: (files, exported) => {
    for (const file of files) {
      refuseDotenv(file, doppler.example);
      for (const tree of readJson(file.text, file.name)) readConfig(file, tree, exported);
    }
  },
  collect: async run => {
    const projects = await namesIn(run, 'projects');
    const files: SourceFile[] = [];
    for (const project of projects) {
      for (const environment of await namesIn(run, 'configs', '--project', project)) {
        const words = ['secrets', '--project', project, '--config', environment, '--json', '--raw'];
        files.push({ ...(await run('doppler', ...words)), place: { project, environment } });
      }
    }
    return files;
  },
};

/** Doppler lists no more at once, and says nothing of the rest. */
const mostNames = 100;

async function namesIn(run: Run, ...words: string[]): Promise<string[]> {
  const names: string[] = [];
  for (let page = 1; ; page += 1) {
    const { text, name } = await run('doppler', ...words, '--number', `${mostNames}`, '--page', `${page}`, '--json');
    const [list] = readJson(text, name);
    const some = isList(list) ? list : [];
    // A project's name is its identifier in the command line. Older versions have no slug.
    names.push(...some.flatMap(one => textOf(one, 'slug') ?? textOf(one, 'name') ?? []));
    if (some.length < mostNames) return names;
  }
}

function readConfig(file: SourceFile, given: Tree, exported: Exported): void {
  // The API wraps them.
  const tree = isMembers(memberOf(given, 'secrets')) ? memberOf(given, 'secrets') : given;
  if (!isMembers(tree)) throw unreadable(file.name, 'is not an export of Doppler');
  const own = (key: string) => computedOf(memberOf(tree, key));
  const [project, environment] = [own('DOPPLER_PROJECT'), own('DOPPLER_CONFIG')];
  const named = typeof project === 'string' && typeof environment === 'string' ? { project, environment } : {};
  const place = placeOf(file, file.place ?? named);
  const noted: string[] = [];
  for (const [key, secret] of tree.members) {
    if (nameKeys.includes(key)) continue;
    const value = computedOf(secret);
    const raw = textOf(secret, 'raw');
    const template = raw === undefined ? undefined : templateOf(raw, placeOfParts);
    if (textOf(secret, 'note')) noted.push(key);
    if (template === undefined || (isNested(template) && typeof value === 'string')) {
      takeValue(exported, place, key, value ?? raw ?? null);
    } else {
      const computed = typeof value === 'string' ? value : undefined;
      exported.values.push({ place, key, value: computed, template } satisfies SourceValue);
    }
  }
  leaveNotes(exported, `${place.name}: the notes`, noted);
}

/** What programs get. It is null if the secret's visibility is restricted. */
const computedOf = (secret: Tree | undefined): Tree | undefined =>
  isMembers(secret) ? (memberOf(secret, 'computed') ?? null) : secret;

/** `${KEY}`, `${config.KEY}`, `${project.config.KEY}` */
function placeOfParts(parts: readonly string[]): Omit<Reference, 'text' | 'key'> {
  const [environment, project] = [parts.at(-1), parts.at(-2)];
  return { ...(environment === undefined ? {} : { environment }), ...(project === undefined ? {} : { project }) };
}
