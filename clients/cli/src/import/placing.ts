import { usage } from '../failure.ts';
import { isSlug, type PlaceMember } from '../settings/settings-file.ts';
import { slugOf } from '../slug.ts';
import { type Destination, nameOf, type Target } from './destination.ts';
import type { Exported, SourceFile, SourcePlace } from './exported.ts';
import { isMembers, readJson } from './tree.ts';

/** Where each place of the source goes: null leaves it out. */
export type PlaceMap = ReadonlyMap<string, Target | null>;

/** The file of `--map`. @throws Failure that says what it must be */
export function readMap({ name: file, text }: SourceFile): PlaceMap {
  const [tree, ...others] = readJson(text, file);
  if (!isMembers(tree) || others.length > 0) throw usage(`${file} is not one object.`, mapHint);
  return new Map(
    tree.members.map(([name, value]) => {
      const [project = '', environment = '', ...more] = typeof value === 'string' ? value.split('/') : [];
      if (value === null) return [name, null];
      if (isSlug(project) && isSlug(environment) && more.length === 0) return [name, { project, environment }];
      throw usage(`${file} has no project/environment for ${JSON.stringify(name)}.`, mapHint);
    }),
  );
}

const mapHint = 'For example: {"web-shop/prd": "web-shop/production", "old/dev": null}';

/**
 * Sorts values by the environment that they go to. What the map leaves out is no longer refused or listed.
 * @param defaultOf the setting for what the source does not name
 * @throws Failure if a name of the map is not in the export, or if two places would be mixed unasked
 */
export async function placeValues(
  exported: Exported,
  map: PlaceMap,
  defaultOf: (member: PlaceMember) => Promise<string>,
): Promise<Destination[]> {
  const { values, refused, left } = exported;
  const places = new Map(values.map(({ place }) => [place.name, place]));
  const names = new Set([...places.keys(), ...refused.map(({ place }) => place)]);
  for (const name of map.keys()) {
    if (names.has(name)) continue;
    throw usage(`The map names ${JSON.stringify(name)}, which is not in the export.`, `It has: ${namesOf(names)}`);
  }
  exported.refused = refused.filter(({ place }) => map.get(place) !== null);
  const dropped = [...map].flatMap(([name, target]) => (target === null ? [`${name}: `] : []));
  exported.left = left.filter(sentence => !dropped.some(start => sentence.startsWith(start)));
  const destinations = new Map<string, Destination>();
  for (const place of places.values()) {
    const mapped = map.get(place.name);
    if (mapped === null) continue;
    const target = mapped ?? {
      project: await memberOf(place, 'project', defaultOf),
      environment: await memberOf(place, 'environment', defaultOf),
    };
    const destination = destinations.get(nameOf(target)) ?? { ...target, places: [], values: [] };
    destinations.set(nameOf(target), destination);
    destination.places.push(place);
    destination.values.push(...values.filter(value => value.place.name === place.name));
  }
  for (const { places: mixed, ...target } of destinations.values()) {
    if (mixed.length === 1 || mixed.every(({ name }) => map.has(name))) continue;
    const names = namesOf(mixed.map(({ name }) => name));
    throw usage(`These would both go to ${nameOf(target)}: ${names}.`, 'Say where each goes: --map map.json');
  }
  return [...destinations.values()];
}

async function memberOf(
  place: SourcePlace,
  member: 'project' | 'environment',
  defaultOf: (member: PlaceMember) => Promise<string>,
): Promise<string> {
  const name = place[member];
  if (name === undefined) return defaultOf(member);
  const slug = slugOf(name);
  if (slug !== '') return slug;
  throw usage(
    `${JSON.stringify(place.name)} can’t name ${member === 'project' ? 'a project' : 'an environment'}.`,
    'Say where it goes: --map map.json',
  );
}

const namesOf = (names: Iterable<string>): string => {
  const all = [...names];
  return all.length > 20 ? `${all.slice(0, 20).join(', ')} and ${all.length - 20} more` : all.join(', ');
};
