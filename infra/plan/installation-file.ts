import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, ConfigError, readConfig } from './config.ts';

const root = join(import.meta.dirname, '../..');

/**
 * The settings of a named installation, only from its committed file: if settings came from the command line, a
 * deployment that forgot one could remove the installation's domain.
 * @throws ConfigError if the file does not exist or is not JSON, or a setting is wrong
 */
export function readInstallation(name: string, directory = join(root, 'installations')): Config {
  const file = `installations/${name}.json`;
  const path = join(directory, `${name}.json`);
  if (!/^[a-z][a-z0-9-]*$/.test(name) || !existsSync(path)) {
    throw new ConfigError(`There is no file ${file}. Copy installations/example.json and commit the copy.`);
  }
  return readConfig(parse(readFileSync(path, 'utf8'), file));
}

/** The error for a setting on the command line, where the next deployment would forget it. */
export function settingsElsewhere(installation: string): ConfigError {
  return new ConfigError(
    `Settings come only from installations/${installation}.json, so that no deployment forgets one. Change that file.`,
  );
}

function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ConfigError(`The file ${file} is not JSON.`);
  }
}
