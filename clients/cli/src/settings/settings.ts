import { usage } from '../failure.ts';
import { addressOf } from './address.ts';
import { checkSlug, findProjectFile, type PlaceMember, placeMembers, readUserSettings } from './settings-file.ts';

/** A value and its source, for messages. */
export interface Setting {
  value: string;
  source: string;
}

export interface GivenFlags {
  org?: string;
  project?: string;
  env?: string;
  url?: string;
}

export type Settings = Partial<Record<PlaceMember, Setting>> & {
  /**
   * `isCommitted`: from a file that others may have written. Only the credential stored for its origin is sent there.
   */
  url?: Setting & { isCommitted: boolean };
};

const flagOf = { organization: 'org', project: 'project', environment: 'env' } as const;
const variableOf = { organization: 'HOLDFAST_ORG', project: 'HOLDFAST_PROJECT', environment: 'HOLDFAST_ENV' } as const;

/** Flag, then environment variable, then `.holdfast.json`, then the user's settings. */
export function resolveSettings(flags: GivenFlags, directory: string, warn: (line: string) => void): Settings {
  const file = findProjectFile(directory, warn);
  const user = readUserSettings();
  const resolve = (flag: 'org' | 'project' | 'env' | 'url', variable: string, member: PlaceMember | 'url') => {
    const candidates = [
      { value: flags[flag], source: `--${flag}`, isCommitted: false },
      { value: process.env[variable] || undefined, source: variable, isCommitted: false },
      { value: file?.settings[member], source: file?.path ?? '', isCommitted: true },
      { value: user.settings[member], source: user.path, isCommitted: false },
    ];
    return candidates.find((one): one is typeof one & { value: string } => one.value !== undefined);
  };
  const settings: Settings = {};
  for (const member of placeMembers) {
    const found = resolve(flagOf[member], variableOf[member], member);
    if (found === undefined) continue;
    checkSlug(found.value, found.source);
    settings[member] = { value: found.value, source: found.source };
  }
  const url = resolve('url', 'HOLDFAST_URL', 'url');
  if (url !== undefined) settings.url = { ...url, value: addressOf(url.value, url.source) };
  return settings;
}

export function requireUrl(settings: Settings): NonNullable<Settings['url']> {
  if (settings.url !== undefined) return settings.url;
  throw usage('No service address is set.', 'Set it by signing in: holdfast login --url https://…');
}
