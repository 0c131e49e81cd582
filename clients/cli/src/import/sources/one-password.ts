import { type Exported, placeOf, type SourceFile, type SourcePlace, takeValue, tellApart } from '../exported.ts';
import type { Source } from '../source.ts';
import { isList, listOf, memberOf, readJson, type Tree, textOf, unreadable } from '../tree.ts';

/** `op item get --format json`, one document an item. As in `op://vault/item/field`, the last part is the key. */
export const onePassword: Source = {
  title: '1Password',
  program: 'op',
  example: 'op item get production --vault web-shop --format json --reveal >item.json',
  read: (files, exported) => {
    const items = files.flatMap(file => readJson(file.text, file.name).map(item => ({ item, ...whereIs(file, item) })));
    for (const { item, place } of tellApart(items)) readItem(place, item, exported);
  },
  collect: async run => {
    const listed = await run('op', 'item', 'list', '--format', 'json');
    const [list] = readJson(listed.text, listed.name);
    const files: SourceFile[] = [];
    for (const item of isList(list) ? list : []) {
      const [id, vault] = [textOf(item, 'id') ?? '', textOf(memberOf(item, 'vault'), 'id') ?? ''];
      files.push(await run('op', 'item', 'get', id, '--vault', vault, '--format', 'json', '--reveal'));
    }
    return files;
  },
};

function whereIs(file: SourceFile, item: Tree): { place: SourcePlace; id: string } {
  const [project, environment] = [textOf(memberOf(item, 'vault'), 'name'), textOf(item, 'title')];
  if (environment === undefined) throw unreadable(file.name, 'has an item without a title');
  const place = placeOf(file, { environment, ...(project === undefined ? {} : { project }) });
  return { place, id: textOf(item, 'id') ?? '' };
}

function readItem(place: SourcePlace, item: Tree, exported: Exported): void {
  for (const field of listOf(item, 'fields')) {
    const value = memberOf(field, 'value');
    // A template's own field that nobody filled in.
    if (value === undefined) continue;
    const key = textOf(field, 'label') ?? textOf(field, 'id') ?? '';
    if (textOf(field, 'purpose') === 'NOTES') {
      if (value !== '') exported.left.push(`${place.name}: the notes`);
    } else if (typeof value === 'string' && /^\[use '.*--reveal' to reveal\]$/.test(value)) {
      exported.refused.push({ place: place.name, key, reason: 'is concealed: export it with --reveal' });
    } else takeValue(exported, place, key, value);
  }
  for (const attached of listOf(item, 'files')) {
    const key = textOf(attached, 'name') ?? '';
    exported.refused.push({ place: place.name, key, reason: 'is an attached file' });
  }
}
