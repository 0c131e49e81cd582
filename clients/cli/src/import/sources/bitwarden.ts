import {
  type Exported,
  leaveNotes,
  placeAt,
  placeOf,
  type SourceFile,
  type SourcePlace,
  takeValue,
  tellApart,
} from '../exported.ts';
import type { Source } from '../source.ts';
import { isList, isMembers, listOf, memberOf, readJson, type Tree, textOf, unreadable } from '../tree.ts';

/**
 * Secrets Manager: `bws secret list`, and `bws project list` for the projects' names. Password manager: `bw export`, in
 * which an item's own fields are the values, its name the environment, and its folder the project.
 */
export const bitwarden: Source = {
  title: 'Bitwarden',
  program: 'bws',
  example: 'bws secret list >secrets.json; bws project list >projects.json',
  read: (files, exported) => {
    const documents = files.flatMap(file => readJson(file.text, file.name).map(tree => ({ file, tree })));
    const lists = documents.flatMap(({ file, tree }) => (isList(tree) ? tree.map(one => ({ file, one })) : []));
    const projects = new Map(
      lists.flatMap(({ one }) => (isProject(one) ? [[textOf(one, 'id'), textOf(one, 'name') ?? ''] as const] : [])),
    );
    const noted: string[] = [];
    const secrets = lists.flatMap(({ file, one }) => {
      if (isProject(one)) return [];
      const id = textOf(one, 'projectId') ?? '';
      return [{ file, one, id, place: placeOfProject(file, projects.get(id) ?? id) }];
    });
    for (const { file, one, place } of tellApart(secrets)) {
      const key = textOf(one, 'key');
      if (key === undefined) throw unreadable(file.name, 'has a secret without a key');
      if (textOf(one, 'note')) noted.push(key);
      takeValue(exported, place, key, memberOf(one, 'value'));
    }
    leaveNotes(exported, 'the notes', noted);
    for (const { file, tree } of documents) if (!isList(tree)) readVault(file, tree, exported);
  },
  collect: async run => [await run('bws', 'project', 'list', '--output', 'json'), await secretsOf(run)],
};

const secretsOf: (run: Parameters<NonNullable<Source['collect']>>[0]) => Promise<SourceFile> = run =>
  run('bws', 'secret', 'list', '--output', 'json');

const isProject = (tree: Tree): boolean => textOf(tree, 'name') !== undefined && textOf(tree, 'key') === undefined;

/** A project of Bitwarden has no environments, but its name may have a slash. */
function placeOfProject(file: SourceFile, project: string): SourcePlace {
  if (project === '') return placeOf(file, {});
  return project.includes('/') ? placeAt(file, project) : placeOf(file, { project });
}

function readVault(file: SourceFile, vault: Tree, exported: Exported): void {
  if (textOf(vault, 'encrypted') === 'true') {
    throw unreadable(file.name, 'is still encrypted', 'Export it as JSON without a password: bw export --format json');
  }
  if (!isList(memberOf(vault, 'items'))) throw unreadable(file.name, 'is not an export of Bitwarden');
  const folders = new Map(listOf(vault, 'folders').map(one => [textOf(one, 'id'), textOf(one, 'name')]));
  const collections = new Map(listOf(vault, 'collections').map(one => [textOf(one, 'id'), textOf(one, 'name')]));
  const items = listOf(vault, 'items').map(item => {
    const collection = listOf(item, 'collectionIds').find(one => typeof one === 'string') as string | undefined;
    const project = folders.get(textOf(item, 'folderId')) ?? collections.get(collection);
    const environment = textOf(item, 'name') ?? '';
    const place = placeOf(file, { environment, ...(project === undefined ? {} : { project }) });
    return { item, place, id: textOf(item, 'id') ?? '' };
  });
  for (const { item, place } of tellApart(items)) {
    for (const field of listOf(item, 'fields')) readField(place, field, exported);
    refuseOwn(place, item, exported);
  }
}

/** A linked field, which has no value of its own. */
const linked = '3';

function readField(place: SourcePlace, field: Tree, exported: Exported): void {
  const key = textOf(field, 'name') ?? '';
  if (textOf(field, 'type') === linked) exported.left.push(`${place.name}: ${key}, which repeats another field`);
  else takeValue(exported, place, key, memberOf(field, 'value'));
}

/** What an item has by its kind: a login, a card, an identity or a key. */
function refuseOwn(place: SourcePlace, item: Tree, exported: Exported): void {
  if (textOf(item, 'notes')) exported.left.push(`${place.name}: the notes`);
  for (const kind of ['login', 'card', 'identity', 'sshKey']) {
    const own = memberOf(item, kind);
    for (const [name, value] of isMembers(own) ? own.members : []) {
      if (typeof value !== 'string' || value === '') continue;
      exported.refused.push({ place: place.name, key: `${kind}.${name}`, reason: 'is no field of its own' });
    }
  }
  for (const attached of listOf(item, 'attachments')) {
    const key = textOf(attached, 'fileName') ?? '';
    exported.refused.push({ place: place.name, key, reason: 'is an attached file' });
  }
}
