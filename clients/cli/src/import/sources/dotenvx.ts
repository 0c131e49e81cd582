import { maxProblems } from '@holdfast/contracts/fields/dotenv.ts';
import { dialectReaders } from '@holdfast/formats/dotenv/dialects.ts';
import { withoutMark } from '../../standard-input.ts';
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
      const keys = members.map(([key]) => key);
      // Several applications may have a file of the same name.
      const place = { name: file.name, ...environmentOf(file.name, keys) };
      const own = isText(file) ? plainReading(file.text) : undefined;
      const repeated = repeatedOf(keys);
      for (const member of members) readMember({ file, place, own, repeated }, member, exported);
    }
  },
  collect: async run => [await run('dotenvx', 'get', '--overload', '--format', 'json')],
  // Without `--overload`, a variable of this process would win over the file.
  decrypt: {
    isEncrypted: text => /=\s*["']?encrypted:/.test(text),
    words: path => ['get', '-f', path, '--overload', '--format', 'json'],
  },
};

const isText = ({ text }: SourceFile): boolean => !/^[\s\ufeff]*\{/.test(text);

function membersOf(file: SourceFile): readonly (readonly [string, Tree])[] {
  if (!isText(file)) {
    const [tree] = readJson(file.text, file.name);
    if (!isMembers(tree)) throw unreadable(file.name, 'is not one object');
    return tree.members;
  }
  const readings = dialectReaders.node(withoutMark(file.text));
  const lines = readings.flatMap(one => ('problem' in one ? [`line ${one.line} ${one.problem}`] : []));
  if (lines.length > 0) throw unreadable(file.name, `can’t be read (${lines.slice(0, maxProblems).join('; ')})`);
  return readings.flatMap((one): [string, Tree][] => ('problem' in one ? [] : [[one.key, one.value]]));
}

/** A line as dotenv and dotenvx find it (lib/main.js of dotenv). */
const line =
  /^\s*(?:export\s+)?([\w.-]+)(?:\s*=\s*?|:\s+?)(\s*'(?:\\'|[^'])*'|\s*"(?:\\"|[^"])*"|\s*`(?:\\`|[^`])*`|[^#\n]+)?\s*(#.*)?$/gm;

/**
 * What stands in each line, without its quotes. `dotenvx decrypt` writes values as they are between quotes, so quotes,
 * `\n` and carriage returns within them don't say what the value was; Node reads those in its own way. What looks like a
 * comment may be the end of such a value, if it has a quote.
 */
function plainReading(text: string): Map<string, string> {
  const lines = [...text.replace(/^\ufeff/, '').matchAll(line)].filter(
    ([, , , comment = '']) => !/['"`]/.test(comment),
  );
  return new Map(lines.map(([, key = '', value = '']) => [key, value.trim().replace(/^(['"`])([\s\S]*)\1$/, '$2')]));
}

function repeatedOf(keys: readonly string[]): Set<string> {
  const seen = new Set<string>();
  return new Set(keys.filter(key => seen.has(key) || !seen.add(key)));
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

interface Origin {
  file: SourceFile;
  place: SourcePlace;
  /** Of a text. */
  own: ReadonlyMap<string, string> | undefined;
  repeated: ReadonlySet<string>;
}

function readMember(
  { file, place, own, repeated }: Origin,
  [key, value]: readonly [string, Tree],
  exported: Exported,
): void {
  if (publicKey.test(key)) return;
  const refuse = (reason: string) => exported.refused.push({ place: place.name, key, reason });
  if (repeated.has(key)) refuse('is there twice');
  else if (typeof value !== 'string') takeValue(exported, place, key, value);
  else if (value.startsWith('encrypted:')) refuse('is still encrypted');
  else if (own !== undefined && replaced.test(value) && !file.text.includes(`'${value}'`)) {
    refuse('names other values: import what dotenvx get prints');
  } else if (own !== undefined && own.get(key) !== value) {
    refuse('can be read in several ways: import what dotenvx get prints');
  } else takeValue(exported, place, key, value);
}
