import { kindOf } from '../secrets-file.ts';
import type { Template } from './references.ts';
import { isMembers, type Tree } from './tree.ts';

/** A file of an export, or what the source's command line printed. */
export interface SourceFile {
  /** As given, or the command. */
  name: string;
  text: string;
  /** Where it comes from, if the command line was asked for one place. */
  place?: Omit<SourcePlace, 'name'>;
}

/** Where the source has a value. Members that it doesn't name are those of the settings. */
export interface SourcePlace {
  /** As `--map` names it. */
  name: string;
  project?: string;
  environment?: string;
  folder?: string;
}

export interface SourceValue {
  place: SourcePlace;
  key: string;
  /** What a program gets, if the export has it. */
  value: string | undefined;
  /** What was set, if it names other values. */
  template?: Template;
}

/** A value that can't be imported, and why. The reason never quotes it. */
export interface Refused {
  place: string;
  key: string;
  reason: string;
}

export interface Exported {
  values: SourceValue[];
  refused: Refused[];
  /** What has no place here, as sentences. */
  left: string[];
}

/** Its name is the way to it, or else the file. */
export function placeOf(
  file: Pick<SourceFile, 'name'>,
  way: Omit<SourcePlace, 'name'>,
  prefix: readonly string[] = [],
): SourcePlace {
  const { project, environment, folder } = way;
  const parts = [...prefix, project, environment, folder].filter(part => part !== undefined && part !== '');
  return { ...way, name: parts.length > 0 ? parts.join('/') : file.name };
}

/** A way such as `acme/web-shop/production`: the last two parts are the project and the environment. */
export function placeAt(file: Pick<SourceFile, 'name'>, way: string): SourcePlace {
  const parts = way.split('/').filter(part => part !== '');
  const [project, environment] = [parts.at(-2), parts.at(-1)];
  const named = {
    ...(project === undefined ? {} : { project }),
    ...(environment === undefined ? {} : { environment }),
  };
  return placeOf(file, named, parts.slice(0, -2));
}

/** Places of one name, told apart by the ids of what the source has there. */
export function tellApart<T extends { place: SourcePlace; id: string }>(named: readonly T[]): T[] {
  const ids = new Map<string, Set<string>>();
  for (const { place, id } of named) ids.set(place.name, (ids.get(place.name) ?? new Set()).add(id));
  return named.map(one => {
    const { place, id } = one;
    return (ids.get(place.name)?.size ?? 0) > 1 ? { ...one, place: { ...place, name: `${place.name} (${id})` } } : one;
  });
}

/** Takes a value that may be no text. */
export function takeValue(exported: Exported, place: SourcePlace, key: string, tree: Tree | undefined): void {
  if (typeof tree === 'string') exported.values.push({ place, key, value: tree });
  else exported.refused.push({ place: place.name, key, reason: `is ${treeKind(tree)}` });
}

export const treeKind = (tree: Tree | undefined): string => kindOf(isMembers(tree) ? {} : tree);

/** A sentence about the values whose notes, tags or comments stay behind. */
export function leaveNotes({ left }: Exported, what: string, keys: readonly string[]): void {
  if (keys.length === 0) return;
  const named = keys.length > 10 ? `${keys.slice(0, 10).join(', ')} and ${keys.length - 10} more` : keys.join(', ');
  left.push(`${what} of ${named}`);
}
