import { type Exported, placeOf, type SourceFile, type SourcePlace, takeValue } from '../exported.ts';
import type { ReadYaml, Source } from '../source.ts';
import { isMembers, readJson, type Tree, unreadable } from '../tree.ts';

/** A file as `sops decrypt` prints it: YAML, JSON or dotenv. What sops itself needs to decrypt it is below `sops`. */
export const sops: Source = {
  title: 'SOPS',
  program: 'sops',
  example: 'sops decrypt production.yaml | holdfast import sops -',
  read: (files, exported, readYaml) => {
    for (const file of files) {
      const place = placeOf(file, {});
      for (const [key, value] of membersOf(file, readYaml)) {
        if (key !== 'sops') readMember(place, key, value, exported);
      }
    }
  },
  decrypt: { isEncrypted: text => /\bENC\[AES256_GCM,/.test(text), words: path => ['--decrypt', path] },
};

function membersOf(file: SourceFile, readYaml: ReadYaml): readonly (readonly [string, Tree])[] {
  const text = file.text.replace(/^\ufeff/, '');
  if (/^\s*\{/.test(text)) {
    const [tree, ...others] = readJson(text, file.name);
    if (!isMembers(tree) || others.length > 0) throw unreadable(file.name, 'is not one object');
    return tree.members;
  }
  // The first line that is no comment: `KEY=value`, or `key: value`.
  const [line = ''] = /^(?!#|---|\s*$).+$/m.exec(text) ?? [];
  if (line.startsWith('[')) throw unreadable(file.name, 'is an INI file, which sops can print as --output-type json');
  if (/^[^:\s"']+=/.test(line)) return dotenvLines(file.name, text);
  return readYaml(text, file.name, { keepsSource: true }).map(({ key, value }) => [key, value as Tree]);
}

/** As sops itself reads its dotenv files: everything after the first `=`, in which `\n` is a line break. */
function dotenvLines(name: string, text: string): [string, string][] {
  return text.split('\n').flatMap((line, index): [string, string][] => {
    // What sops itself needs, which only this format has side by side with the values.
    if (line === '' || line.startsWith('#') || line.startsWith('sops_')) return [];
    const at = line.indexOf('=');
    if (at === -1) throw unreadable(name, `has no = in line ${index + 1}`);
    return [[line.slice(0, at), line.slice(at + 1).replaceAll('\\n', '\n')]];
  });
}

function readMember(place: SourcePlace, key: string, value: Tree, exported: Exported): void {
  const isEncrypted = typeof value === 'string' && value.startsWith('ENC[AES256_GCM,');
  if (isEncrypted) exported.refused.push({ place: place.name, key, reason: 'is still encrypted' });
  else takeValue(exported, place, key, value);
}
