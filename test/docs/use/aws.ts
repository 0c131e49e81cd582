import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { awsCredentials, credentialVariables, startAwsPlatform } from '#test/support/aws-platform.ts';
import { untilEnd } from '#test/support/fixtures.ts';
import { printed, printer, type Run, settingsOf, type World } from './world.ts';

const root = join(import.meta.dirname, '../../..');

async function startPlatform({ issuer }: World) {
  const platform = await startAwsPlatform();
  platform.issue = audience => issuer.token(audience.replace('holdfast:identity:', ''));
  return platform;
}

/** With the real client of STS. */
const runFunction: Run = async (text, world) => {
  const modules = join(world.home, 'lambda/node_modules');
  world.file('lambda/index.mjs', text);
  mkdirSync(join(modules, '@holdfast'), { recursive: true });
  symlinkSync(join(root, 'clients/sdk'), join(modules, '@holdfast/sdk'));
  symlinkSync(join(root, 'node_modules/@aws-sdk'), join(modules, '@aws-sdk'));
  const platform = await untilEnd(startPlatform(world));
  const place = { AWS_REGION: 'eu-central-1', AWS_ENDPOINT_URL_STS: platform.url };
  const env = { ...settingsOf(world), ...place, ...credentialVariables(awsCredentials.session) };
  const invoke = "import { handler } from './index.mjs'; console.log(JSON.stringify(await handler()))";
  const script = `node --conditions=@holdfast/source --input-type=module --eval "$INVOKE"`;
  const output = await world.shell(script, { ...env, INVOKE: invoke }, { cwd: join(world.home, 'lambda') });
  expect(JSON.parse(output)).toEqual({ revision: 1, database: 'db.internal' });
  expect(platform.signed).toHaveLength(1);
};

const runTask: Run = async (text, world) => {
  const { command, environment, readonlyRootFilesystem } = JSON.parse(world.fill(text));
  world.file('work/server.js', printer);
  const platform = await untilEnd(startPlatform(world));
  const env = {
    ...Object.fromEntries(environment.map(({ name, value }: Record<string, string>) => [name, value])),
    HOME: '/proc/holdfast',
    AWS_ENDPOINT_URL_STS: platform.url,
    AWS_CONTAINER_CREDENTIALS_FULL_URI: `${platform.url}/container`,
    AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: world.file('container-token', 'container-token'),
  };
  expect(readonlyRootFilesystem).toBe(true);
  expect(await world.shell(command.join(' '), env)).toBe(printed);
  expect(platform.signed.map(({ accessKeyId }) => accessKeyId)).toEqual([awsCredentials.container.accessKeyId]);
};

export const aws = [runFunction, runTask];
