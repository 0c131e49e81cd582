import { readDotenv } from '../../dotenv-text.ts';
import { type Exported, type SourceFile, type SourcePlace, takeValue } from '../exported.ts';
import type { Source } from '../source.ts';
import { isMembers, readJson, type Tree, unreadable } from '../tree.ts';

const publicKey = /^DOTENV_PUBLIC_KEY(?:_([A-Z0-9_]+))?$/;

/** `dotenvx get`, or a file as `dotenvx decrypt --stdout` prints it. `.env.production` names the environment. */
export const dotenvx: Source = {
  title: 'dotenvx',
  program: 'dotenvx',
  example: 'dotenvx get -f .env.production --overload >secrets.json',
  read: (files, exported) => {
    for (const file of files) {
      const members = membersOf(file);
      // Several applications may have a file of the same name.
      const place = {
        name: file.name,
        ...environmentOf(
          file.name,
          members.map(([key]) => key),
        ),
      };
      for (const [key, value] of members) readMember(file, place, [key, value], exported);
    }
  },
  collect: async run => [await run('dotenvx', 'get', '--overload', '--format', 'json')],
  // Without `--overload`, a variable of this process would win over the file.
  decrypt: {
    isEncrypted: text => /=\s*["']?encrypted:/.test(text),
    words: path => ['get', '-f', path, '--overload', '--format', 'json'],
  },
};

function membersOf(file: SourceFile): readonly (readonly [string, Tree])[] {
  if (/^[\s\ufeff]*\{/.test(file.text)) {
    const [tree] = readJson(file.text, file.name);
    if (!isMembers(tree)) throw unreadable(file.name, 'is not one object');
    return tree.members;
  }
  return [...readDotenv(file.text, file.name, { dialect: 'node', outcome: 'nothing was imported' })];
}

/** By the public key, whose name has the file's suffix, or by the file's name. */
function environmentOf(name: string, keys: readonly string[]): { environment?: string } {
  const [, suffix] = keys.map(key => publicKey.exec(key)).find(found => found?.[1] !== undefined) ?? [];
  const [, extension] = /\.env\.([\w-]+)$/.exec(name) ?? [];
  const environment = suffix?.toLowerCase() ?? extension;
  return environment === undefined ? {} : { environment };
}

/** What dotenvx replaces unless it is in single quotes: `$(command)`, `${KEY}`, `$KEY`. */
const replaced = /\$[({A-Za-z_]/;

function readMember(
  file: SourceFile,
  place: SourcePlace,
  [key, value]: readonly [string, Tree],
  exported: Exported,
): void {
  if (publicKey.test(key)) return;
  const refuse = (reason: string) => exported.refused.push({ place: place.name, key, reason });
  const isText = !/^[\s\ufeff]*\{/.test(file.text);
  if (typeof value === 'string' && value.startsWith('encrypted:')) refuse('is still encrypted');
  else if (isText && typeof value === 'string' && replaced.test(value) && !file.text.includes(`'${value}'`)) {
    refuse('names other values: import what dotenvx get prints');
  } else takeValue(exported, place, key, value);
}
