import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { parse } from 'yaml';
import { startDockerDaemon } from '#test/support/docker-daemon.ts';
import { untilEnd } from '#test/support/fixtures.ts';
import { isInstalled, type Run, secrets, settingsOf, type World } from './world.ts';

const signedIn = (world: World) => ({ ...settingsOf(world), HOLDFAST_TOKEN: world.token });

/** The real docker command, with a daemon that records its request. */
const runContainer: Run = async (text, world, skip) => {
  if (!isInstalled('docker')) return skip('docker is not installed');
  const daemon = await untilEnd(startDockerDaemon());
  const output = await world.shell(text, { ...signedIn(world), ...daemon.variables });

  expect(output).toContain('0123456789abcdef');
  expect(daemon.createdWith().toSorted()).toEqual(Object.entries(secrets).map(([key, value]) => `${key}=${value}`));
};

const saveCompose: Run = async (text, { file }) => {
  const { services } = parse(text);
  file('work/compose.yaml', text);
  // Without a value, as in the Compose specification: taken from the environment of the command.
  expect(services.web.environment.toSorted()).toEqual(Object.keys(secrets));
};

/** Records what the command gets, because neither Compose nor a build runs without a daemon. */
async function recorded(text: string, world: World) {
  world.shim('docker', 'printf "%s\\n" "$@" >"$HOME/arguments"; env -0 >"$HOME/environment"');
  await world.shell(text, signedIn(world));
  const read = (name: string) => readFileSync(join(world.home, name), 'utf8');
  const variables = read('environment')
    .split('\0')
    .map((line): [string, string] => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]);
  return { args: read('arguments').trim().split('\n'), env: Object.fromEntries(variables) };
}

const runCompose: Run = async (text, world) => {
  const { args, env } = await recorded(text, world);
  const { services } = parse(readFileSync(join(world.home, 'work/compose.yaml'), 'utf8'));

  expect(args).toEqual(['compose', 'up', '--detach']);
  for (const name of services.web.environment) expect(env[name]).toBe(secrets[name as keyof typeof secrets]);
  expect(env).not.toHaveProperty('HOLDFAST_TOKEN');
};

const runBuild: Run = async (text, world) => {
  const { args, env } = await recorded(text, world);
  const [, name = ''] = /^id=[\w-]+,env=(\w+)$/.exec(args[args.indexOf('--secret') + 1] ?? '') ?? [];

  expect([name, env[name]]).toEqual(['API_KEY', secrets.API_KEY]);
  expect(env).not.toHaveProperty('DATABASE_URL');
};

export const docker = [runContainer, saveCompose, runCompose, runBuild];
