import { existsSync, lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure, usage } from '../failure.ts';
import { configDirectory, readIfThere, writeOwnFile, writePrivately } from '../files.ts';
import { decode, withoutMark } from '../standard-input.ts';

/** The members of a place, outermost first. */
export const placeMembers = ['organization', 'project', 'environment'] as const;

export type PlaceMember = (typeof placeMembers)[number];
export type Place = Record<PlaceMember, string>;
/** `layers` are environments as `organization/project/environment`, the lowest first. */
export type SettingsFile = Partial<Place> & { url?: string; layers?: readonly string[] };

const slug = /^[a-z0-9](?:[a-z0-9-]{0,46}[a-z0-9])?$/;

/** The service's rule. */
export const isSlug = (text: string): boolean => slug.test(text);

/** Without blanks around it, which a file of another system may have. */
export function checkSlug(given: string, name: string): string {
  const value = given.trim();
  if (isSlug(value)) return value;
  throw usage(`${name} must be a slug: 1 to 48 lower-case letters, digits and hyphens.`);
}

/** @throws Failure unless it names an environment as `organization/project/environment` */
export function placeOf(text: string, name: string): Place {
  const [organization = '', project = '', environment = '', ...rest] = text.trim().split('/');
  if (rest.length > 0 || environment === '') throw usage(`${name} must be organization/project/environment.`);
  return {
    organization: checkSlug(organization, `The organization in ${name}`),
    project: checkSlug(project, `The project in ${name}`),
    environment: checkSlug(environment, `The environment in ${name}`),
  };
}

export const nameOf = ({ organization, project, environment }: Place): string =>
  `${organization}/${project}/${environment}`;

/** Each layer is a pull of its own. */
export const mostLayers = 20;

const projectFileName = '.holdfast.json';

/**
 * The nearest `.holdfast.json` from a directory up to the root of its git repository. Outside of a repository only the
 * directory itself counts. As in git, nothing counts that belongs to another user: in /tmp, anybody could choose the
 * settings of all directories below.
 */
export function findProjectFile(
  directory: string,
  warn: (line: string) => void,
): { path: string; settings: SettingsFile } | undefined {
  const directories: string[] = [];
  let root: string | undefined;
  for (let at = directory; ; at = dirname(at)) {
    directories.push(at);
    if (existsSync(join(at, '.git'))) root = at;
    if (root !== undefined || at === dirname(at)) break;
  }
  const isTrusted = trustedBy(directory);
  const isTrustedRepository = root !== undefined && isTrusted(root) && isTrusted(join(root, '.git'));
  for (const at of root === undefined ? [directory] : directories) {
    const path = join(at, projectFileName);
    if (!((at === directory || isTrustedRepository) && isTrusted(at) && isTrusted(path))) {
      if (existsSync(path)) warn(`holdfast: ${path} was ignored: it or its repository belongs to another user.`);
      continue;
    }
    const settings = readSettingsFile(path, projectMembers);
    if (settings === undefined) continue;
    for (const member of placeMembers) {
      if (settings[member] === undefined) throw usage(`${path} has no ${member}.`, 'Rewrite it: holdfast link');
    }
    return { path, settings };
  }
  return undefined;
}

/**
 * Whether a path belongs to this user or to root. For root itself, as in containers and under sudo, the owner of the
 * directory it works in counts too. On Windows, which has no such owners, every path does.
 */
function trustedBy(directory: string): (path: string) => boolean {
  const user = process.geteuid?.();
  if (user === undefined) return () => true;
  const ownerOf = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.uid ?? user;
  const owners = [user, 0, ...(user === 0 ? [ownerOf(directory)] : [])];
  return path => owners.includes(ownerOf(path));
}

/** Keeps the layers that the file has. */
export function writeProjectFile(directory: string, place: Place & { url?: string }): string {
  const path = join(directory, projectFileName);
  const { layers } = readSettingsFile(path, projectMembers) ?? {};
  const settings = layers === undefined ? place : { ...place, layers };
  writePrivately(path, `${JSON.stringify(settings, null, 2)}\n`);
  return path;
}

const userSettingsPath = (): string => join(configDirectory(), 'settings.json');

export function readUserSettings(): { path: string; settings: SettingsFile } {
  const path = userSettingsPath();
  try {
    return { path, settings: readSettingsFile(path, userMembers) ?? {} };
  } catch (error) {
    // A container's user may not enter the home directory of its image, and so has no settings there.
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return { path, settings: {} };
    throw error;
  }
}

export function writeUserSettings(settings: SettingsFile): void {
  writeOwnFile(userSettingsPath(), `${JSON.stringify(settings, null, 2)}\n`);
}

const userMembers: readonly string[] = [...placeMembers, 'url'];
const projectMembers: readonly string[] = [...userMembers, 'layers'];

/** Strict: a misspelt member must never select an unintended place. */
function readSettingsFile(path: string, known: readonly string[]): SettingsFile | undefined {
  const bytes = readIfThere(path);
  if (bytes === undefined) return undefined;
  const refuse = (problem: string) => usage(`${path} ${problem}.`, 'Fix it, or rewrite it: holdfast link');
  let value: unknown;
  try {
    // Windows editors put a byte order mark before the text.
    value = JSON.parse(withoutMark(decode(bytes, path)));
  } catch (error) {
    throw error instanceof Failure ? error : refuse('is not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw refuse('is not an object');
  for (const [name, member] of Object.entries(value)) {
    if (!known.includes(name)) throw refuse(`has the unknown member “${name}”; known are ${known.join(', ')}`);
    if (name === 'layers') {
      checkLayers(member, path);
      continue;
    }
    if (typeof member !== 'string') throw refuse(`has a ${name} that is not a string`);
    if (name !== 'url') checkSlug(member, `${name} in ${path}`);
  }
  return value as SettingsFile;
}

function checkLayers(layers: unknown, path: string): void {
  if (!Array.isArray(layers) || layers.some(layer => typeof layer !== 'string') || layers.length > mostLayers) {
    throw usage(`layers in ${path} must be a list of at most ${mostLayers} organization/project/environment.`);
  }
  for (const layer of layers) placeOf(layer, `layer ${layer} in ${path}`);
}
