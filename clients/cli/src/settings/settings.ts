import { usage } from '../failure.ts';
import { given } from '../given.ts';
import { addressOf, isAddress } from './address.ts';
import {
  checkSlug,
  findProjectFile,
  mostLayers,
  type Place,
  type PlaceMember,
  placeMembers,
  placeOf,
  readUserSettings,
  type SettingsFile,
} from './settings-file.ts';

/** A value and its source, for messages. */
export interface Setting {
  value: string;
  source: string;
}

export interface GivenFlags {
  org?: string;
  project?: string;
  env?: readonly string[];
  url?: string;
}

export type Settings = Partial<Record<PlaceMember, Setting>> & {
  /**
   * `isCommitted`: from a file that others may have written. Only the credential stored for its origin is sent there.
   */
  url?: Setting & { isCommitted: boolean };
  /** Environments below the one that the settings name, the lowest first, for commands that read values. */
  layers: readonly Layer[];
  /** Whether the layers were given as arguments, which only such commands take. */
  hasSeveralEnvironments: boolean;
};

/** An environment by its slug, or by its whole name. */
export interface Layer extends Partial<Place> {
  environment: string;
  source: string;
}

const flagOf = { organization: 'org', project: 'project' } as const;
const variableOf = { organization: 'HOLDFAST_ORG', project: 'HOLDFAST_PROJECT' } as const;

/** Flag, then environment variable, then `.holdfast.json`, then the user's settings. */
export function resolveSettings(flags: GivenFlags, directory: string, warn: (line: string) => void): Settings {
  const file = findProjectFile(directory, warn);
  const user = readUserSettings();
  const resolve = (flag: 'org' | 'project' | 'url', variable: string, member: 'organization' | 'project' | 'url') => {
    const candidates = [
      { value: flags[flag], source: `--${flag}`, isCommitted: false },
      { value: process.env[variable]?.trim() || undefined, source: variable, isCommitted: false },
      { value: file?.settings[member], source: file?.path ?? '', isCommitted: true },
      { value: user.settings[member], source: user.path, isCommitted: false },
    ];
    // A file or a variable that another system wrote may have blanks around it.
    const trimmed = candidates.map(one => ({ ...one, value: one.value?.trim() }));
    return trimmed.find((one): one is typeof one & { value: string } => one.value !== undefined);
  };
  const environments = environmentsOf(flags, file, user);
  const own = environments.at(-1);
  // A slug alone is of the project that the other settings name, even below an environment of another project.
  const usual = {
    organization: resolve('org', variableOf.organization, 'organization')?.value,
    project: resolve('project', variableOf.project, 'project')?.value,
  };
  const layers = environments.slice(0, -1).map(layer => ({ ...given(usual), ...layer }));
  const settings: Settings = { layers, hasSeveralEnvironments: layers.some(({ source }) => source === '--env') };
  for (const member of placeMembers) {
    const named = own?.[member];
    const found =
      named !== undefined || member === 'environment'
        ? { value: named, source: own?.source ?? '' }
        : resolve(flagOf[member], variableOf[member], member);
    if (found?.value === undefined) continue;
    settings[member] = { value: checkSlug(found.value, found.source), source: found.source };
  }
  const url = resolve('url', 'HOLDFAST_URL', 'url');
  if (url === undefined) return settings;
  const value = addressOf(url.value, url.source);
  // Whoever named an address before does not follow a repository to it.
  const isOwn = url.isCommitted && isAddress(user.settings.url ?? '', value);
  settings.url = isOwn ? { value, source: user.path, isCommitted: false } : { ...url, value };
  return settings;
}

type Read = { path: string; settings: SettingsFile };

/** The environment, above its layers. */
function environmentsOf({ env }: GivenFlags, file: Read | undefined, user: Read): Layer[] {
  if (env !== undefined) {
    if (env.length > mostLayers) throw usage(`Name at most ${mostLayers} environments.`);
    return env.map(text => layerOf(text, '--env'));
  }
  const below = layersInVariable();
  const variable = process.env.HOLDFAST_ENV?.trim();
  if (variable) return [...(below ?? []), layerOf(variable, 'HOLDFAST_ENV')];
  if (file?.settings.environment !== undefined) {
    const { path, settings } = file;
    const layers = below ?? (settings.layers ?? []).map(text => layerOf(text, path));
    return [...layers, { environment: file.settings.environment, source: path }];
  }
  const { environment } = user.settings;
  return environment === undefined ? [] : [...(below ?? []), { environment, source: user.path }];
}

/** As `run.sh` takes them. */
function layersInVariable(): Layer[] | undefined {
  const source = 'HOLDFAST_LAYERS';
  const text = process.env[source]?.trim();
  if (!text) return undefined;
  const names = text.split(',');
  if (names.length > mostLayers) throw usage(`Name at most ${mostLayers} environments.`);
  return names.map(name => {
    const [project = '', environment = '', ...rest] = name.trim().split('/');
    if (rest.length > 0) return layerOf(name.trim(), source);
    return {
      project: checkSlug(project, `A project in ${source}`),
      environment: checkSlug(environment, source),
      source,
    };
  });
}

function layerOf(text: string, source: string): Layer {
  if (text.includes('/')) return { ...placeOf(text, source), source };
  return { environment: checkSlug(text, source), source };
}

export function requireUrl(settings: Settings): NonNullable<Settings['url']> {
  if (settings.url !== undefined) return settings.url;
  throw usage('No service address is set.', 'Set it by signing in: holdfast login --url https://…');
}
