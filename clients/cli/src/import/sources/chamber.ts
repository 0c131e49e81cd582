import { placeAt, placeOf, type SourceFile, takeValue } from '../exported.ts';
import type { ReadYaml, Source } from '../source.ts';
import { isMembers, readJson, refuseDotenv, type Tree, unreadable } from '../tree.ts';

/** `chamber export`, as JSON or YAML. Keys get the names that programs see in `chamber exec`. */
export const chamber: Source = {
  title: 'chamber',
  program: 'chamber',
  example: 'chamber export --format json web-shop/production >secrets.json',
  read: (files, exported, readYaml) => {
    for (const file of files) {
      refuseDotenv(file, chamber.example);
      const place = file.place === undefined ? placeOf(file, {}) : placeAt(file, file.name);
      for (const [key, value] of membersOf(file, readYaml)) {
        takeValue(exported, place, key.toUpperCase().replaceAll('-', '_'), value);
      }
    }
  },
  collect: async run => {
    const { text } = await run('chamber', 'list-services');
    const files: SourceFile[] = [];
    // The first line is the header. Others may have chosen a name that begins like an option.
    for (const service of text
      .split('\n')
      .slice(1)
      .map(line => line.trim())) {
      if (service === '') continue;
      const exported = await run('chamber', 'export', '--format', 'json', '--', service);
      files.push({ ...exported, name: service, place: {} });
    }
    return files;
  },
};

function membersOf(file: SourceFile, readYaml: ReadYaml): readonly (readonly [string, Tree])[] {
  if (!/^[\s\ufeff]*\{/.test(file.text)) {
    const fields = readYaml(file.text.replace(/^\ufeff/, ''), file.name, { keepsSource: true });
    return fields.map(({ key, value }) => [key, value as Tree]);
  }
  const [tree] = readJson(file.text, file.name);
  if (!isMembers(tree)) throw unreadable(file.name, 'is not one object');
  return tree.members;
}
