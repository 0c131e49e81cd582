import { type Exported, leaveNotes, placeOf, type SourceFile, takeValue } from '../exported.ts';
import { isNested, type Reference, templateOf } from '../references.ts';
import type { ReadYaml, Source } from '../source.ts';
import { isList, isMembers, listOf, memberOf, readJson, refuseDotenv, type Tree, textOf, unreadable } from '../tree.ts';

/** `infisical export --format json --expand=false`, which keeps references as they were set; `yaml`; or the API's list. */
export const infisical: Source = {
  title: 'Infisical',
  program: 'infisical',
  example: 'infisical export --env prod --format json --expand=false --secret-overriding=false >secrets.json',
  read: (files, exported, readYaml) => {
    for (const file of files) {
      refuseDotenv(file, infisical.example);
      readSecrets({ ...file, isOneOfSeveral: files.length > 1 }, exported, readYaml);
    }
  },
  collect: async (run, target) => {
    // Without this, Infisical chooses the environment.
    const environment = await target.environment();
    const words = ['export', `--env=${environment}`, '--format=json', '--expand=false', '--secret-overriding=false'];
    return [{ ...(await run('infisical', ...words)), place: { environment } }];
  },
};

/** Each of several files that name no environment is one. */
type ReadFile = SourceFile & { isOneOfSeveral: boolean };

function readSecrets(file: ReadFile, exported: Exported, readYaml: ReadYaml): void {
  if (!/^[\s\ufeff]*[[{]/.test(file.text)) {
    for (const { key, value } of readYaml(file.text.replace(/^\ufeff/, ''), file.name, { keepsSource: true })) {
      take(file, exported, { key, value: value as Tree });
    }
    return;
  }
  const noted: string[] = [];
  for (const tree of readJson(file.text, file.name)) {
    const secrets = isList(tree) ? tree : listOf(tree, 'secrets');
    if (isMembers(tree) && !isList(memberOf(tree, 'secrets'))) throw unreadable(file.name, 'has no list of secrets');
    for (const secret of secrets) {
      const key = textOf(secret, 'key') ?? textOf(secret, 'secretKey');
      if (key === undefined) throw unreadable(file.name, 'has a secret without a key');
      const value = memberOf(secret, 'value') ?? memberOf(secret, 'secretValue') ?? null;
      const [environment, path] = [textOf(secret, 'environment'), textOf(secret, 'secretPath')];
      if (textOf(secret, 'comment') || textOf(secret, 'secretComment')) noted.push(key);
      const isPersonal = textOf(secret, 'type') === 'personal';
      take(file, exported, { key, value, isPersonal, ...(environment && { environment }), ...(path && { path }) });
    }
    for (const imported of listOf(tree, 'imports')) {
      exported.left.push(`secrets that Infisical imports from ${textOf(imported, 'environment')}`);
    }
  }
  leaveNotes(exported, 'the comments', noted);
}

interface Secret {
  key: string;
  value: Tree;
  /** Of the person who exported it. */
  isPersonal?: boolean;
  environment?: string;
  path?: string;
}

function take(file: ReadFile, exported: Exported, secret: Secret): void {
  const { key, value, isPersonal = false, environment = file.place?.environment, path = '/' } = secret;
  const folder = path.split('/').filter(Boolean).join('/');
  const way = { ...file.place, ...(environment && { environment }), ...(folder && { folder }) };
  const place = placeOf(file, way, file.isOneOfSeveral && environment === undefined ? [file.name] : []);
  const refuse = (reason: string) => exported.refused.push({ place: place.name, key, reason });
  const template = typeof value === 'string' ? templateOf(value, placeOfParts) : undefined;
  if (isPersonal) refuse('is a personal override');
  else if (template === undefined) takeValue(exported, place, key, value);
  else if (isNested(template)) refuse('has a reference within a reference');
  else exported.values.push({ place, key, value: undefined, template });
}

/** `${KEY}`, `${env.KEY}`, `${env.folder.KEY}`, `${@project.env.folder.KEY}` */
function placeOfParts(parts: readonly string[]): Omit<Reference, 'text' | 'key'> {
  const [first, ...others] = parts;
  if (first === undefined) return {};
  const [project, [environment = '', ...folders]] = first.startsWith('@')
    ? [first.slice(1), others]
    : [undefined, parts];
  return { environment, folder: folders.join('/'), ...(project === undefined ? {} : { project }) };
}
