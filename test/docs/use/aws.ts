import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { awsCredentials, startAwsPlatform } from '#test/support/aws-platform.ts';
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
  const platform = await startPlatform(world);
  const { accessKeyId, secretAccessKey, sessionToken } = awsCredentials.session;
  const env = {
    ...settingsOf(world),
    AWS_REGION: 'eu-central-1',
    AWS_ENDPOINT_URL_STS: platform.url,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken,
  };
  const invoke = "import { handler } from './index.mjs'; console.log(JSON.stringify(await handler()))";
  try {
    const output = await world.shell(
      `node --conditions=@holdfast/source --input-type=module --eval "$INVOKE"`,
      { ...env, INVOKE: invoke },
      { cwd: join(world.home, 'lambda') },
    );
    expect(JSON.parse(output)).toEqual({ revision: 1, database: 'db.internal' });
    expect(platform.signed).toHaveLength(1);
  } finally {
    await platform.stop();
  }
};

const runTask: Run = async (text, world) => {
  const { command, environment, readonlyRootFilesystem } = JSON.parse(world.fill(text));
  world.file('work/server.js', printer);
  const platform = await startPlatform(world);
  const env = {
    ...Object.fromEntries(environment.map(({ name, value }: Record<string, string>) => [name, value])),
    HOME: '/proc/holdfast',
    AWS_ENDPOINT_URL_STS: platform.url,
    AWS_CONTAINER_CREDENTIALS_FULL_URI: `${platform.url}/container`,
    AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: world.file('container-token', 'container-token'),
  };
  try {
    expect(readonlyRootFilesystem).toBe(true);
    expect(await world.shell(command.join(' '), env)).toBe(printed);
    expect(platform.signed.map(({ accessKeyId }) => accessKeyId)).toEqual([awsCredentials.container.accessKeyId]);
  } finally {
    await platform.stop();
  }
};

export const aws = [runFunction, runTask];
