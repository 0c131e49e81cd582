import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { usage } from '../failure.ts';
import { configDirectory, readIfThere, writeOwnFile, writePrivately } from '../files.ts';

/** The members of a place, outermost first. */
export const placeMembers = ['organization', 'project', 'environment'] as const;

export type PlaceMember = (typeof placeMembers)[number];
export type Place = Record<PlaceMember, string>;
export type SettingsFile = Partial<Place> & { url?: string };

/** The service's rule for slugs. */
const slug = /^[a-z0-9](?:[a-z0-9-]{0,46}[a-z0-9])?$/;

export function checkSlug(value: string, name: string): string {
  if (slug.test(value)) return value;
  throw usage(`${name} must be a slug: 1 to 48 lower-case letters, digits and hyphens.`);
}

const projectFileName = '.holdfast.json';

/**
 * The nearest `.holdfast.json` from a directory up to the root of its git repository. Outside of a repository only the
 * directory itself counts: parent folders may belong to other users, as in /tmp.
 */
export function findProjectFile(directory: string): { path: string; settings: SettingsFile } | undefined {
  const directories: string[] = [];
  let isRepository = false;
  for (let at = directory; ; at = dirname(at)) {
    directories.push(at);
    isRepository = existsSync(join(at, '.git'));
    if (isRepository || at === dirname(at)) break;
  }
  for (const at of isRepository ? directories : [directory]) {
    const path = join(at, projectFileName);
    const settings = readSettingsFile(path);
    if (settings === undefined) continue;
    for (const member of placeMembers) {
      if (settings[member] === undefined) throw usage(`${path} has no ${member}.`, 'Rewrite it: holdfast link');
    }
    return { path, settings };
  }
  return undefined;
}

export function writeProjectFile(directory: string, settings: Place & { url?: string }): string {
  const path = join(directory, projectFileName);
  writePrivately(path, `${JSON.stringify(settings, null, 2)}\n`);
  return path;
}

const userSettingsPath = (): string => join(configDirectory(), 'settings.json');

export function readUserSettings(): { path: string; settings: SettingsFile } {
  const path = userSettingsPath();
  return { path, settings: readSettingsFile(path) ?? {} };
}

export function writeUserSettings(settings: SettingsFile): void {
  writeOwnFile(userSettingsPath(), `${JSON.stringify(settings, null, 2)}\n`);
}

/** Strict: a misspelt member must never select an unintended place. */
function readSettingsFile(path: string): SettingsFile | undefined {
  const bytes = readIfThere(path);
  if (bytes === undefined) return undefined;
  const refuse = (problem: string) => usage(`${path} ${problem}.`, 'Fix it, or rewrite it: holdfast link');
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString());
  } catch {
    throw refuse('is not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw refuse('is not an object');
  const known: readonly string[] = [...placeMembers, 'url'];
  for (const [name, member] of Object.entries(value)) {
    if (!known.includes(name)) throw refuse(`has the unknown member “${name}”; known are ${known.join(', ')}`);
    if (typeof member !== 'string') throw refuse(`has a ${name} that is not a string`);
    if (name !== 'url') checkSlug(member, `${name} in ${path}`);
  }
  return value as SettingsFile;
}
