import { placeAt, placeOf, type SourceFile, takeValue } from '../exported.ts';
import type { Run, Source } from '../source.ts';
import { isList, isMembers, memberOf, readJson, textOf, unreadable } from '../tree.ts';

/** `vault kv get -format=json`, of the KV engine version 1 or 2. The answer does not say which secret it is. */
export const vault: Source = {
  title: 'HashiCorp Vault',
  program: 'vault',
  example: 'vault kv get -format=json -mount=secret web-shop/production >secrets.json',
  read: (files, exported) => {
    for (const file of files) {
      for (const tree of readJson(file.text, file.name)) {
        const outer = memberOf(tree, 'data');
        const inner = memberOf(outer, 'data');
        const isSecond = isMembers(memberOf(outer, 'metadata')) && (isMembers(inner) || inner === null);
        const data = isSecond ? inner : outer;
        const place = file.place === undefined ? placeOf(file, {}) : placeAt(file, file.name);
        if (isMembers(data)) for (const [key, value] of data.members) takeValue(exported, place, key, value);
        else if (isSecond) exported.left.push(`${place.name}: the latest version, which is deleted`);
        else throw unreadable(file.name, 'is not an answer of vault kv get');
      }
    }
  },
  collect: async run => {
    const [mounts] = await json(run, 'secrets', 'list', '-format=json');
    const stores = isMembers(mounts) ? mounts.members.filter(([, mount]) => textOf(mount, 'type') === 'kv') : [];
    const files: SourceFile[] = [];
    for (const [path] of stores) {
      const mount = path.replace(/\/$/, '');
      const own = await secretsBelow(run, mount, '');
      // Several may have a secret of the same path.
      files.push(...(stores.length > 1 ? own.map(file => ({ ...file, name: `${mount}/${file.name}` })) : own));
    }
    return files;
  },
};

async function json(run: Run, ...words: string[]) {
  const { text, name } = await run('vault', ...words);
  return readJson(text, name);
}

/** After `--`, a name that begins with a hyphen is no option: others may have chosen it. */
async function secretsBelow(run: Run, mount: string, folder: string): Promise<SourceFile[]> {
  // An empty store ends with an error, so its root is listed by the path of the mount.
  const [names] = await json(run, 'kv', 'list', '-format=json', `-mount=${mount}`, '--', folder);
  const files: SourceFile[] = [];
  for (const name of isList(names) ? names : []) {
    if (typeof name !== 'string') continue;
    if (name.endsWith('/')) files.push(...(await secretsBelow(run, mount, folder + name)));
    else {
      const { text } = await run('vault', 'kv', 'get', '-format=json', `-mount=${mount}`, '--', folder + name);
      files.push({ name: folder + name, text, place: {} });
    }
  }
  return files;
}
